package mapping

import (
	"fmt"

	"github.com/twmb/franz-go/pkg/kmsg"

	"github.com/onceproof/onceproof/harness/wire"
	"github.com/onceproof/onceproof/spec"
)

// Modelled reports whether the spec takes requests of this API, in some form.
func Modelled(req kmsg.Request) bool {
	switch req.(type) {
	case *kmsg.ProduceRequest, *kmsg.InitProducerIDRequest, *kmsg.AddPartitionsToTxnRequest, *kmsg.EndTxnRequest, *kmsg.WriteTxnMarkersRequest:
		return true
	}
	return false
}

// Request translates a request. A Produce, or a WriteTxnMarkers, to several
// partitions becomes one request for each, in their order; every other one
// becomes a single request. The error has [ErrOutside] in its chain.
func (n *Names) Request(req kmsg.Request) ([]spec.Request, error) {
	var out []spec.Request
	var err error
	switch req := req.(type) {
	case *kmsg.ProduceRequest:
		out, err = n.produce(req)
	case *kmsg.InitProducerIDRequest:
		out, err = n.initProducerID(req)
	case *kmsg.AddPartitionsToTxnRequest:
		out, err = n.addPartitions(req)
	case *kmsg.EndTxnRequest:
		out, err = n.endTxn(req)
	case *kmsg.WriteTxnMarkersRequest:
		out, err = n.writeTxnMarkers(req)
	default:
		err = ErrOutside
	}
	if err != nil {
		return nil, fmt.Errorf("%s: %w", wire.Describe(req), err)
	}
	return out, nil
}

// txnID translates a transactional id that may be null or empty.
func (n *Names) txnID(id *string) (spec.TxnID, error) {
	switch {
	case id == nil:
		return spec.NullTxnID, nil
	case *id == "":
		return spec.EmptyTxnID, nil
	}
	number, err := n.Txn(*id)
	return spec.TxnID(number), err
}

func (n *Names) initProducerID(req *kmsg.InitProducerIDRequest) ([]spec.Request, error) {
	id, err := n.txnID(req.TransactionalID)
	r := spec.Request{API: spec.InitProducerID, Version: req.Version, Txn: id, TimeoutMs: req.TransactionTimeoutMillis,
		ProducerID: spec.NoProducer, Epoch: spec.NoEpoch}
	if req.Version >= 3 {
		r.ProducerID, r.Epoch = req.ProducerID, req.ProducerEpoch
	}
	return []spec.Request{r}, err
}

func (n *Names) endTxn(req *kmsg.EndTxnRequest) ([]spec.Request, error) {
	id, err := n.txnID(&req.TransactionalID)
	return []spec.Request{{API: spec.EndTxn, Version: req.Version, Txn: id, ProducerID: req.ProducerID, Epoch: req.ProducerEpoch, Commit: req.Commit}}, err
}

func (n *Names) addPartitions(req *kmsg.AddPartitionsToTxnRequest) ([]spec.Request, error) {
	r := spec.Request{API: spec.AddPartitionsToTxn, Version: req.Version}
	var err error
	if req.Version <= 3 {
		r.ProducerID, r.Epoch = req.ProducerID, req.ProducerEpoch
		if r.Txn, err = n.txnID(&req.TransactionalID); err != nil {
			return nil, err
		}
		for _, t := range req.Topics {
			if err := n.with(&r, t.Topic, t.Partitions); err != nil {
				return nil, err
			}
		}
		return []spec.Request{r}, nil
	}
	if len(req.Transactions) != 1 {
		return nil, fmt.Errorf("expected one transaction in the batch, got %d: %w", len(req.Transactions), ErrOutside)
	}
	t := &req.Transactions[0]
	r.ProducerID, r.Epoch, r.VerifyOnly = t.ProducerID, t.ProducerEpoch, t.VerifyOnly
	if r.Txn, err = n.txnID(&t.TransactionalID); err != nil {
		return nil, err
	}
	for _, topic := range t.Topics {
		if err := n.with(&r, topic.Topic, topic.Partitions); err != nil {
			return nil, err
		}
	}
	return []spec.Request{r}, nil
}

// with adds partitions to a request.
func (n *Names) with(r *spec.Request, topic string, partitions []int32) error {
	if topic == "" || topic[0] == '_' && len(topic) > 1 && topic[1] == '_' {
		return fmt.Errorf("partitions of topic %q: %w", topic, ErrOutside)
	}
	for _, p := range partitions {
		number, _, err := n.Partition(topic, p)
		if err != nil {
			return err
		}
		r.Partitions = r.Partitions.With(int(number))
	}
	return nil
}

func (n *Names) writeTxnMarkers(req *kmsg.WriteTxnMarkersRequest) ([]spec.Request, error) {
	if len(req.Markers) != 1 {
		return nil, fmt.Errorf("expected one marker, got %d: %w", len(req.Markers), ErrOutside)
	}
	m := &req.Markers[0]
	var out []spec.Request
	for _, t := range m.Topics {
		for _, p := range t.Partitions {
			number, _, err := n.Partition(t.Topic, p)
			if err != nil {
				return nil, err
			}
			r := spec.Request{API: spec.WriteTxnMarkers, Version: req.Version, Txn: spec.NullTxnID, ProducerID: m.ProducerID, Epoch: m.ProducerEpoch,
				Partition: number, Commit: m.Committed, CoordinatorEpoch: m.CoordinatorEpoch}
			if req.Version >= 2 {
				r.TransactionVersion = m.TransactionVersion
			}
			out = append(out, r)
		}
	}
	if len(out) == 0 {
		return nil, fmt.Errorf("expected a marker for a partition, got none: %w", ErrOutside)
	}
	return out, nil
}

func (n *Names) produce(req *kmsg.ProduceRequest) ([]spec.Request, error) {
	if req.Version < 3 || req.Version > 12 {
		return nil, fmt.Errorf("expected a version from 3 to 12: %w", ErrOutside)
	}
	id, err := n.txnID(req.TransactionID)
	if err != nil {
		return nil, err
	}
	var out []spec.Request
	seen := spec.Partitions(0)
	for i := range req.Topics {
		t := &req.Topics[i]
		for j := range t.Partitions {
			r, err := n.producePartition(req, id, t.Topic, &t.Partitions[j])
			if err != nil {
				return nil, err
			}
			if seen.Has(int(r.Partition)) {
				return nil, fmt.Errorf("%s-%d twice in one request: %w", t.Topic, r.Partition, ErrOutside)
			}
			seen = seen.With(int(r.Partition))
			out = append(out, r)
		}
	}
	return out, together(out)
}

func (n *Names) producePartition(req *kmsg.ProduceRequest, id spec.TxnID, topic string, p *kmsg.ProduceRequestTopicPartition) (spec.Request, error) {
	r := spec.Request{API: spec.Produce, Version: req.Version, Txn: id, Acks: int8(req.Acks + 1)}
	if req.Acks < -2 || req.Acks > 100 {
		r.Acks = 100 // refused like any other that is none
	}
	b, contents, err := Batch(p.Records)
	if err != nil {
		return r, fmt.Errorf("record set for %s-%d: %w", topic, p.Partition, err)
	}
	if r.Partition, _, err = n.Partition(topic, p.Partition); err != nil {
		return r, err
	}
	r.ProducerID, r.Epoch, r.Sequence, r.Count, r.Transactional = b.ProducerID, b.ProducerEpoch, b.BaseSequence, b.Count, b.Transactional()
	r.Data = n.Data(contents)
	if r.Transactional && id == spec.EmptyTxnID {
		return r, fmt.Errorf("a transactional batch with an empty transactional id: %w", ErrOutside)
	}
	return r, nil
}

// together refuses the requests to several partitions whose handling as a
// whole the spec does not have: whole-request errors (IDEM-01, IDEM-05), and
// one question to the coordinator for several new partitions (ADD-25).
func together(rs []spec.Request) error {
	if len(rs) == 0 {
		return fmt.Errorf("expected a partition, got none: %w", ErrOutside)
	}
	if len(rs) == 1 {
		return nil
	}
	for i := range rs {
		r := &rs[i]
		switch {
		case r.Transactional && r.Txn == spec.NullTxnID,
			r.Transactional && (r.ProducerID != rs[0].ProducerID || r.Epoch != rs[0].Epoch):
			return fmt.Errorf("several partitions, of which one spoils the whole request: %w", ErrOutside)
		case r.Transactional && r.Version >= 12:
			return fmt.Errorf("transactional batches for several partitions, which are added together: %w", ErrOutside)
		}
	}
	return nil
}
