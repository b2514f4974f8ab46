package between

import (
	"slices"

	"github.com/twmb/franz-go/pkg/kmsg"
)

// Asks matches the question of a partition leader about a transactional id: AddPartitionsToTxn as brokers send it, to
// verify a partition or to add it. One request may ask about several ids; it is held as a whole.
func Asks(transactionalID string) Match {
	return func(req kmsg.Request) bool {
		r, ok := req.(*kmsg.AddPartitionsToTxnRequest)
		return ok && slices.ContainsFunc(r.Transactions, func(t kmsg.AddPartitionsToTxnRequestTransaction) bool {
			return t.TransactionalID == transactionalID
		})
	}
}

// AsksAbout matches the question of the leader of one partition.
func AsksAbout(topic string, partition int32) Match {
	return func(req kmsg.Request) bool {
		r, ok := req.(*kmsg.AddPartitionsToTxnRequest)
		return ok && slices.ContainsFunc(r.Transactions, func(t kmsg.AddPartitionsToTxnRequestTransaction) bool {
			return slices.ContainsFunc(t.Topics, func(x kmsg.AddPartitionsToTxnRequestTransactionTopic) bool {
				return x.Topic == topic && slices.Contains(x.Partitions, partition)
			})
		})
	}
}

// Marks matches the markers of a producer id: WriteTxnMarkers.
func Marks(producerID int64) Match {
	return func(req kmsg.Request) bool {
		r, ok := req.(*kmsg.WriteTxnMarkersRequest)
		return ok && slices.ContainsFunc(r.Markers, func(m kmsg.WriteTxnMarkersRequestMarker) bool { return m.ProducerID == producerID })
	}
}

// MarksIn matches the markers for one partition, whoever's.
func MarksIn(topic string, partition int32) Match {
	return func(req kmsg.Request) bool {
		r, ok := req.(*kmsg.WriteTxnMarkersRequest)
		return ok && slices.ContainsFunc(r.Markers, func(m kmsg.WriteTxnMarkersRequestMarker) bool {
			return slices.ContainsFunc(m.Topics, func(x kmsg.WriteTxnMarkersRequestMarkerTopic) bool {
				return x.Topic == topic && slices.Contains(x.Partitions, partition)
			})
		})
	}
}

// Code is the error code that a held answer has for a partition; false where it is a request, or says nothing of it.
func (m Message) Code(topic string, partition int32) (code int16, ok bool) {
	switch r := m.Answer.(type) {
	case *kmsg.AddPartitionsToTxnResponse:
		for _, t := range r.Transactions {
			for _, x := range t.Topics {
				for _, p := range x.Partitions {
					if x.Topic == topic && p.Partition == partition {
						return p.ErrorCode, true
					}
				}
			}
		}
	case *kmsg.WriteTxnMarkersResponse:
		for _, t := range r.Markers {
			for _, x := range t.Topics {
				for _, p := range x.Partitions {
					if x.Topic == topic && p.Partition == partition {
						return p.ErrorCode, true
					}
				}
			}
		}
	}
	return 0, false
}
