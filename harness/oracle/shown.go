package oracle

import (
	"fmt"
	"slices"

	"github.com/twmb/franz-go/pkg/kmsg"

	"github.com/onceproof/onceproof/harness/mapping"
	"github.com/onceproof/onceproof/harness/wire"
	"github.com/onceproof/onceproof/spec"
)

// shown reads what came, one for each query of the call.
func (o *Oracle) shown(c *call, resp kmsg.Response) ([]shown, error) {
	var out []shown
	var err error
	byPartition := map[mapping.Partition]shown{}
	switch resp := resp.(type) {
	case *kmsg.FetchResponse:
		err = o.fetchShown(c, resp, byPartition)
	case *kmsg.ListOffsetsResponse:
		for _, t := range resp.Topics {
			for _, p := range t.Partitions {
				byPartition[mapping.Partition{Topic: t.Topic, Index: p.Partition}] = shown{code: spec.Code(p.ErrorCode), offset: p.Offset, high: -1}
			}
		}
	case *kmsg.DescribeProducersResponse:
		for _, t := range resp.Topics {
			for _, p := range t.Partitions {
				s := shown{code: spec.Code(p.ErrorCode), producers: []spec.ProducerView{}}
				for _, a := range p.ActiveProducers {
					if slices.ContainsFunc(s.producers, func(v spec.ProducerView) bool { return v.ID == a.ProducerID }) {
						err = fmt.Errorf("expected producer %d once, got it again", a.ProducerID)
					}
					s.producers = append(s.producers, spec.ProducerView{ID: a.ProducerID, Epoch: int16(a.ProducerEpoch), LastSequence: a.LastSequence,
						CoordinatorEpoch: a.CoordinatorEpoch, TxnStart: a.CurrentTxnStartOffset})
				}
				byPartition[mapping.Partition{Topic: t.Topic, Index: p.Partition}] = s
			}
		}
	case *kmsg.DescribeTransactionsResponse:
		for i := range resp.TransactionStates {
			t := &resp.TransactionStates[i]
			if i < len(c.queries) && t.TransactionalID != c.queries[i].id {
				err = fmt.Errorf("expected transactional id %q, got %q", c.queries[i].id, t.TransactionalID)
			}
			out = append(out, o.describedShown(t))
		}
	case *kmsg.ListTransactionsResponse:
		s := shown{code: spec.Code(resp.ErrorCode), listed: map[spec.TxnID]listedTxn{}, unknown: resp.UnknownStateFilters}
		for _, t := range resp.TransactionStates {
			if number, ok := o.names.LookupTxn(t.TransactionalID); ok {
				if _, again := s.listed[spec.TxnID(number)]; again {
					err = fmt.Errorf("expected %q once, got it again", t.TransactionalID)
				}
				s.listed[spec.TxnID(number)] = listedTxn{t.ProducerID, t.TransactionState}
			}
		}
		out = append(out, s)
	default:
		return nil, fmt.Errorf("expected an answer to %s, got %T", kmsg.NameForKey(c.request.Key()), resp)
	}
	for i := range c.queries {
		if s, ok := byPartition[c.queries[i].name]; ok {
			out = append(out, s)
		}
	}
	if err == nil && len(out) != len(c.queries) {
		err = fmt.Errorf("expected answers to %d parts, got %d", len(c.queries), len(out))
	}
	return out, err
}

func (o *Oracle) describedShown(t *kmsg.DescribeTransactionsResponseTransactionState) shown {
	s := shown{code: spec.Code(t.ErrorCode), status: t.State, started: t.StartTimestamp}
	s.metadata = spec.Metadata{ProducerID: t.ProducerID, Epoch: t.ProducerEpoch, TimeoutMs: t.TimeoutMillis}
	for _, topic := range t.Topics {
		for _, p := range topic.Partitions {
			if number, _, err := o.names.Partition(topic.Topic, p); err == nil {
				s.metadata.Partitions = s.metadata.Partitions.With(int(number))
			}
		}
	}
	return s
}

func (o *Oracle) fetchShown(c *call, resp *kmsg.FetchResponse, out map[mapping.Partition]shown) error {
	if resp.ErrorCode != 0 {
		return fmt.Errorf("expected NONE for the whole request, got error %d", resp.ErrorCode)
	}
	for _, t := range resp.Topics {
		for i := range t.Partitions {
			name := mapping.Partition{Topic: t.Topic, Index: t.Partitions[i].Partition}
			for j := range c.queries {
				if c.queries[j].name != name {
					continue
				}
				s, err := o.partitionShown(&c.queries[j], &t.Partitions[i])
				if err != nil {
					return err
				}
				if resp.Version >= 5 {
					s.logStart = t.Partitions[i].LogStartOffset
				}
				out[name] = s
			}
		}
	}
	return nil
}

func (o *Oracle) partitionShown(q *query, p *kmsg.FetchResponseTopicPartition) (shown, error) {
	s := shown{code: spec.Code(p.ErrorCode), high: p.HighWatermark, lso: p.LastStableOffset}
	batches, rest, err := wire.DecodeRecords(p.RecordBatches)
	if err != nil {
		return s, err
	}
	s.batches, s.cut = batches, rest > 0
	if q.kind == fetchState {
		return s, o.recordsShown(q, &s)
	}
	if p.AbortedTransactions != nil {
		s.aborted = []spec.AbortedTxn{}
	}
	for _, a := range p.AbortedTransactions {
		s.aborted = append(s.aborted, spec.AbortedTxn{ProducerID: a.ProducerID, FirstOffset: a.FirstOffset})
	}
	for _, b := range mapping.Split(p.RecordBatches) {
		s.contents = append(s.contents, mapping.Contents(b))
	}
	return s, nil
}

// recordsShown sorts records of __transaction_state by the transactional ids of
// the scenario.
func (o *Oracle) recordsShown(q *query, s *shown) error {
	records, err := wire.DecodeTxnRecords(s.batches)
	if err != nil {
		return err
	}
	s.records = map[spec.TxnID][]wire.TxnRecord{}
	end := q.offset
	for i := range s.batches {
		end = s.batches[i].LastOffset() + 1
	}
	s.whole = q.offset == 0 && end >= s.high && !s.cut
	for id := range o.names.Txns() {
		if n := o.state.partitions; n > 0 && spec.CoordinatorPartition(o.names.TxnName(int8(id)), n) == int32(q.partition) {
			s.records[spec.TxnID(id)] = nil
		}
	}
	for _, r := range records {
		if number, ok := o.names.LookupTxn(r.TransactionalID); ok {
			s.records[spec.TxnID(number)] = append(s.records[spec.TxnID(number)], r)
		}
	}
	return nil
}
