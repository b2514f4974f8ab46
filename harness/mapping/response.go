package mapping

import (
	"fmt"

	"github.com/twmb/franz-go/pkg/kmsg"

	"github.com/onceproof/onceproof/spec"
)

// Response makes the answer on the wire to a request, out of the answers of
// the spec to the requests that Request gave for it.
func (n *Names) Response(req kmsg.Request, answers []spec.Answer) (kmsg.Response, error) {
	resp := req.ResponseKind()
	a := &answers[0]
	switch resp := resp.(type) {
	case *kmsg.InitProducerIDResponse:
		resp.ErrorCode, resp.ProducerID, resp.ProducerEpoch = int16(a.Code), a.ProducerID, a.Epoch
		return resp, nil
	case *kmsg.EndTxnResponse:
		resp.ErrorCode, resp.ProducerID, resp.ProducerEpoch = int16(a.Code), a.ProducerID, a.Epoch
		return resp, nil
	case *kmsg.ProduceResponse:
		n.fillProduced(req.(*kmsg.ProduceRequest), resp, answers)
		return resp, nil
	case *kmsg.AddPartitionsToTxnResponse:
		return resp, n.fillAdded(req.(*kmsg.AddPartitionsToTxnRequest), resp, a)
	case *kmsg.WriteTxnMarkersResponse:
		n.fillMarked(req.(*kmsg.WriteTxnMarkersRequest), resp, answers)
		return resp, nil
	}
	return nil, fmt.Errorf("%s: %w", kmsg.NameForKey(req.Key()), ErrOutside)
}

func (n *Names) fillProduced(req *kmsg.ProduceRequest, resp *kmsg.ProduceResponse, answers []spec.Answer) {
	i := 0
	for _, t := range req.Topics {
		topic := kmsg.NewProduceResponseTopic()
		topic.Topic = t.Topic
		for _, p := range t.Partitions {
			part := kmsg.NewProduceResponseTopicPartition()
			part.Partition, part.ErrorCode, part.BaseOffset = p.Partition, int16(answers[i].Code), answers[i].Offset
			part.LogAppendTime, part.LogStartOffset = -1, -1
			if answers[i].Code == spec.None {
				part.LogStartOffset = 0
			}
			topic.Partitions = append(topic.Partitions, part)
			i++
		}
		resp.Topics = append(resp.Topics, topic)
	}
}

func (n *Names) fillAdded(req *kmsg.AddPartitionsToTxnRequest, resp *kmsg.AddPartitionsToTxnResponse, a *spec.Answer) error {
	if req.Version <= 3 {
		for _, t := range req.Topics {
			topic := kmsg.NewAddPartitionsToTxnResponseTopic()
			topic.Topic = t.Topic
			for _, p := range t.Partitions {
				number, _, err := n.Partition(t.Topic, p)
				if err != nil {
					return err
				}
				part := kmsg.NewAddPartitionsToTxnResponseTopicPartition()
				part.Partition, part.ErrorCode = p, int16(code(a, int(number)))
				topic.Partitions = append(topic.Partitions, part)
			}
			resp.Topics = append(resp.Topics, topic)
		}
		return nil
	}
	txn := kmsg.NewAddPartitionsToTxnResponseTransaction()
	txn.TransactionalID = req.Transactions[0].TransactionalID
	for _, t := range req.Transactions[0].Topics {
		topic := kmsg.NewAddPartitionsToTxnResponseTransactionTopic()
		topic.Topic = t.Topic
		for _, p := range t.Partitions {
			number, _, err := n.Partition(t.Topic, p)
			if err != nil {
				return err
			}
			part := kmsg.NewAddPartitionsToTxnResponseTransactionTopicPartition()
			part.Partition, part.ErrorCode = p, int16(code(a, int(number)))
			topic.Partitions = append(topic.Partitions, part)
		}
		txn.Topics = append(txn.Topics, topic)
	}
	resp.Transactions = append(resp.Transactions, txn)
	return nil
}

func (n *Names) fillMarked(req *kmsg.WriteTxnMarkersRequest, resp *kmsg.WriteTxnMarkersResponse, answers []spec.Answer) {
	m := kmsg.NewWriteTxnMarkersResponseMarker()
	m.ProducerID = req.Markers[0].ProducerID
	i := 0
	for _, t := range req.Markers[0].Topics {
		topic := kmsg.NewWriteTxnMarkersResponseMarkerTopic()
		topic.Topic = t.Topic
		for _, p := range t.Partitions {
			part := kmsg.NewWriteTxnMarkersResponseMarkerTopicPartition()
			part.Partition, part.ErrorCode = p, int16(answers[i].Code)
			topic.Partitions = append(topic.Partitions, part)
			i++
		}
		m.Topics = append(m.Topics, topic)
	}
	resp.Markers = append(resp.Markers, m)
}
