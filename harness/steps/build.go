package steps

import (
	"fmt"

	"github.com/twmb/franz-go/pkg/kmsg"

	"github.com/onceproof/onceproof/harness/wire"
	"github.com/onceproof/onceproof/spec"
)

// build makes the request that a phrase asks of an actor: what the phrase leaves open is the actor's.
func (w *World) build(a *actor, p *phrase) (req kmsg.Request, sequence int32, err error) {
	if err := w.fill(a, p); err != nil {
		return nil, 0, err
	}
	switch p.api {
	case spec.InitProducerID:
		return w.buildInit(a, p), 0, nil
	case spec.AddPartitionsToTxn:
		if *p.version >= 4 {
			return w.buildVerify(a, p), 0, nil
		}
		return w.buildAdd(a, p), 0, nil
	case spec.Produce:
		return w.buildProduce(a, p)
	case spec.EndTxn:
		req := kmsg.NewPtrEndTxnRequest()
		req.Version, req.TransactionalID = *p.version, w.txn(a, p)
		req.ProducerID, req.ProducerEpoch, req.Commit = p.id, *p.epoch, p.commit
		return req, 0, nil
	case spec.WriteTxnMarkers:
		req, err := w.buildMarkers(p)
		return req, 0, err
	}
	return nil, 0, fmt.Errorf("no request %v", p.api)
}

// fill puts the actor's identity and versions where the phrase has none.
func (w *World) fill(a *actor, p *phrase) error {
	if p.version == nil {
		p.version = new(a.version(p))
	}
	from := a
	if p.of != "" {
		var err error
		if from, err = w.actor(p.of); err != nil {
			return err
		}
	}
	fresh := p.api == spec.InitProducerID && !p.identity && p.of == ""
	if p.epoch == nil {
		p.epoch = new(from.epoch + p.epochShift)
		if fresh {
			p.epoch = new(spec.NoEpoch)
		}
	}
	p.id = from.id
	if fresh {
		p.id = spec.NoProducer
	}
	var err error
	if p.producer != nil {
		p.id, err = w.value(*p.producer)
	}
	return err
}

// version is what this kind of client sends.
func (a *actor) version(p *phrase) int16 {
	switch p.api {
	case spec.InitProducerID:
		if a.v5 {
			return 5
		}
		return 4
	case spec.AddPartitionsToTxn:
		if p.verify {
			return 4
		}
		return 3
	case spec.Produce:
		if a.v5 {
			return 12
		}
		return 11
	case spec.EndTxn:
		if a.v5 {
			return 5
		}
		return 4
	}
	if p.markerVersion != nil {
		return 2
	}
	return 1
}

// txn is the transactional id that goes into the request.
func (w *World) txn(a *actor, p *phrase) string {
	if p.emptyTxn || p.lacksTxn || a.txn == nil {
		return ""
	}
	return w.named(*a.txn)
}

func (w *World) buildInit(a *actor, p *phrase) kmsg.Request {
	req := kmsg.NewPtrInitProducerIDRequest()
	req.Version, req.TransactionTimeoutMillis = *p.version, a.timeout
	if p.timeout != nil {
		req.TransactionTimeoutMillis = *p.timeout
	}
	if a.txn != nil && !p.lacksTxn {
		req.TransactionalID = new(w.txn(a, p))
	}
	req.ProducerID, req.ProducerEpoch = p.id, *p.epoch
	return req
}

func (w *World) buildAdd(a *actor, p *phrase) kmsg.Request {
	req := kmsg.NewPtrAddPartitionsToTxnRequest()
	req.Version, req.TransactionalID = *p.version, w.txn(a, p)
	req.ProducerID, req.ProducerEpoch = p.id, *p.epoch
	for _, at := range p.partitions {
		t := kmsg.NewAddPartitionsToTxnRequestTopic()
		t.Topic, t.Partitions = w.named(at.topic), []int32{at.index}
		if n := len(req.Topics); n > 0 && req.Topics[n-1].Topic == t.Topic {
			req.Topics[n-1].Partitions = append(req.Topics[n-1].Partitions, at.index)
			continue
		}
		req.Topics = append(req.Topics, t)
	}
	return req
}

// buildVerify is AddPartitionsToTxn v4 and later, as the leader of a partition sends it (KIP-890).
func (w *World) buildVerify(a *actor, p *phrase) kmsg.Request {
	req := kmsg.NewPtrAddPartitionsToTxnRequest()
	req.Version = *p.version
	txn := kmsg.NewAddPartitionsToTxnRequestTransaction()
	txn.TransactionalID, txn.ProducerID, txn.ProducerEpoch = w.txn(a, p), p.id, *p.epoch
	txn.VerifyOnly = p.verify
	for _, at := range p.partitions {
		t := kmsg.NewAddPartitionsToTxnRequestTransactionTopic()
		t.Topic, t.Partitions = w.named(at.topic), []int32{at.index}
		if n := len(txn.Topics); n > 0 && txn.Topics[n-1].Topic == t.Topic {
			txn.Topics[n-1].Partitions = append(txn.Topics[n-1].Partitions, at.index)
			continue
		}
		txn.Topics = append(txn.Topics, t)
	}
	req.Transactions = append(req.Transactions, txn)
	return req
}

func (w *World) buildProduce(a *actor, p *phrase) (kmsg.Request, int32, error) {
	if len(p.partitions) != 1 || len(p.values) == 0 {
		return nil, 0, fmt.Errorf("a Produce is of records to one partition")
	}
	at := p.partitions[0]
	sequence := shifted(a.next[at], p.sequenceShift)
	if p.sequence != nil {
		sequence = *p.sequence
	}
	req := kmsg.NewPtrProduceRequest()
	req.Version, req.Acks, req.TimeoutMillis = *p.version, -1, 10_000
	if p.acks != nil {
		req.Acks = *p.acks
	}
	if a.txn != nil && !p.lacksTxn {
		req.TransactionID = new(w.txn(a, p))
	}
	b := wire.Batch{ProducerID: p.id, ProducerEpoch: *p.epoch, BaseSequence: sequence}
	b.Transactional = p.forced || a.txn != nil && !p.plain
	for _, v := range p.values {
		b.Records = append(b.Records, []byte(v))
	}
	part := kmsg.NewProduceRequestTopicPartition()
	part.Partition, part.Records = at.index, b.Encode()
	t := kmsg.NewProduceRequestTopic()
	t.Topic, t.Partitions = w.named(at.topic), append(t.Partitions, part)
	req.Topics = append(req.Topics, t)
	return req, sequence, nil
}

// buildMarkers is WriteTxnMarkers as Admin.abortTransaction sends it (KIP-664).
func (w *World) buildMarkers(p *phrase) (kmsg.Request, error) {
	req := kmsg.NewPtrWriteTxnMarkersRequest()
	req.Version = *p.version
	m := kmsg.NewWriteTxnMarkersRequestMarker()
	m.ProducerID, m.ProducerEpoch, m.Committed = p.id, *p.epoch, p.commit
	if p.coordinatorEpoch != nil {
		n, err := w.value(*p.coordinatorEpoch)
		if err != nil {
			return nil, err
		}
		m.CoordinatorEpoch = int32(n)
	}
	if p.markerVersion != nil {
		m.TransactionVersion = *p.markerVersion
	}
	for _, at := range p.partitions {
		t := kmsg.NewWriteTxnMarkersRequestMarkerTopic()
		t.Topic, t.Partitions = w.named(at.topic), []int32{at.index}
		m.Topics = append(m.Topics, t)
	}
	req.Markers = append(req.Markers, m)
	return req, nil
}
