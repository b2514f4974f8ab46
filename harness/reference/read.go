package reference

import (
	"slices"

	"github.com/twmb/franz-go/pkg/kmsg"

	"github.com/onceproof/onceproof/harness/mapping"
	"github.com/onceproof/onceproof/spec"
)

// offsetOutOfRange is the code of a Fetch beyond the log (READ-14).
const offsetOutOfRange = 1

func (b *Broker) fetch(req *kmsg.FetchRequest) kmsg.Response {
	resp := req.ResponseKind().(*kmsg.FetchResponse)
	for _, t := range req.Topics {
		topic := kmsg.NewFetchResponseTopic()
		topic.Topic = t.Topic
		for i := range t.Partitions {
			topic.Partitions = append(topic.Partitions, b.fetchPartition(t.Topic, &t.Partitions[i], spec.Isolation(req.IsolationLevel)))
		}
		resp.Topics = append(resp.Topics, topic)
	}
	return resp
}

func (b *Broker) fetchPartition(topic string, req *kmsg.FetchRequestTopicPartition, isolation spec.Isolation) kmsg.FetchResponseTopicPartition {
	p := kmsg.NewFetchResponseTopicPartition()
	p.Partition, p.LogStartOffset = req.Partition, 0
	if isolation == spec.ReadCommitted {
		p.AbortedTransactions = []kmsg.FetchResponseTopicPartitionAbortedTransaction{}
	}
	if topic == stateTopic && req.Partition >= 0 && req.Partition < statePartitions {
		p.RecordBatches, p.HighWatermark = b.encodeState(req.Partition, statePartitions, req.FetchOffset)
		p.LastStableOffset = p.HighWatermark
		if req.FetchOffset > p.HighWatermark {
			p.ErrorCode, p.HighWatermark, p.LastStableOffset = offsetOutOfRange, -1, -1
		}
		return p
	}
	l, number, ok := b.leader(topic, req.Partition)
	if !ok {
		p.ErrorCode, p.HighWatermark, p.LastStableOffset = int16(spec.UnknownTopicPartition), -1, -1
		return p
	}
	f, ok := l.Fetch(req.FetchOffset, isolation)
	if b.mut != nil && b.mut.fetched != nil {
		b.mut.fetched(b, number, isolation, &f)
	}
	if !ok {
		p.ErrorCode, p.HighWatermark, p.LastStableOffset = offsetOutOfRange, -1, -1
		return p
	}
	p.HighWatermark, p.LastStableOffset = f.HighWatermark, f.LastStable
	for _, a := range f.Aborted {
		p.AbortedTransactions = append(p.AbortedTransactions, kmsg.FetchResponseTopicPartitionAbortedTransaction{ProducerID: a.ProducerID, FirstOffset: a.FirstOffset})
	}
	for i := range f.Batches {
		p.RecordBatches = append(p.RecordBatches, b.encodeBatch(&f.Batches[i], b.appendedAt(number, f.Batches[i].Offset))...)
	}
	return p
}

// appendedAt is when the batch at an offset was appended.
func (b *Broker) appendedAt(partition int, offset int64) int64 {
	at := int64(0)
	for i, batch := range b.s.Leaders[partition].Log {
		if at += int64(batch.Count); at > offset && i < len(b.batches[partition]) {
			return b.batches[partition][i].at
		}
	}
	return b.now().UnixMilli()
}

// Timestamps that ask for a place in the log instead.
const (
	latest   = -1
	earliest = -2
)

func (b *Broker) listOffsets(req *kmsg.ListOffsetsRequest) kmsg.Response {
	resp := req.ResponseKind().(*kmsg.ListOffsetsResponse)
	for _, t := range req.Topics {
		topic := kmsg.NewListOffsetsResponseTopic()
		topic.Topic = t.Topic
		for _, p := range t.Partitions {
			part := kmsg.NewListOffsetsResponseTopicPartition()
			part.Partition, part.Timestamp, part.Offset, part.LeaderEpoch = p.Partition, -1, -1, 0
			switch l, number, ok := b.leader(t.Topic, p.Partition); {
			case !ok:
				part.ErrorCode, part.LeaderEpoch = int16(spec.UnknownTopicPartition), -1
			case p.Timestamp == latest:
				part.Offset = l.Latest(spec.Isolation(req.IsolationLevel))
				if b.mut != nil && b.mut.latest != nil {
					part.Offset = b.mut.latest(b, number, spec.Isolation(req.IsolationLevel), part.Offset)
				}
			case p.Timestamp == earliest:
				part.Offset = 0
			}
			topic.Partitions = append(topic.Partitions, part)
		}
		resp.Topics = append(resp.Topics, topic)
	}
	return resp
}

func (b *Broker) describeProducers(req *kmsg.DescribeProducersRequest) kmsg.Response {
	resp := req.ResponseKind().(*kmsg.DescribeProducersResponse)
	for _, t := range req.Topics {
		topic := kmsg.NewDescribeProducersResponseTopic()
		topic.Topic = t.Topic
		for _, index := range t.Partitions {
			part := kmsg.NewDescribeProducersResponseTopicPartition()
			part.Partition = index
			l, number, ok := b.leader(t.Topic, index)
			if !ok {
				part.ErrorCode = int16(spec.UnknownTopicPartition)
				topic.Partitions = append(topic.Partitions, part)
				continue
			}
			views := l.DescribeProducers()
			if b.mut != nil && b.mut.producers != nil {
				views = b.mut.producers(b, number, views)
			}
			for _, v := range views {
				a := kmsg.NewDescribeProducersResponseTopicPartitionActiveProducer()
				a.ProducerID, a.ProducerEpoch, a.LastSequence = v.ID, int32(v.Epoch), v.LastSequence
				a.CoordinatorEpoch, a.CurrentTxnStartOffset, a.LastTimestamp = v.CoordinatorEpoch, v.TxnStart, b.now().UnixMilli()
				part.ActiveProducers = append(part.ActiveProducers, a)
			}
			topic.Partitions = append(topic.Partitions, part)
		}
		resp.Topics = append(resp.Topics, topic)
	}
	return resp
}

func (b *Broker) describeTransactions(req *kmsg.DescribeTransactionsRequest) kmsg.Response {
	resp := req.ResponseKind().(*kmsg.DescribeTransactionsResponse)
	for _, id := range req.TransactionalIDs {
		state := kmsg.NewDescribeTransactionsResponseTransactionState()
		state.TransactionalID, state.ProducerID, state.ProducerEpoch = id, spec.NoProducer, spec.NoEpoch
		m, code := b.describe(id)
		state.ErrorCode = int16(code)
		if code == spec.None {
			b.describeState(&state, id, m)
		}
		resp.TransactionStates = append(resp.TransactionStates, state)
	}
	return resp
}

func (b *Broker) describe(id string) (spec.Metadata, spec.Code) {
	if id == "" {
		return spec.Metadata{}, spec.InvalidRequest
	}
	number, ok := b.names.LookupTxn(id)
	if !ok || int(number) >= len(b.s.Coordinator.Txns) {
		return spec.Metadata{}, spec.TxnIDNotFound
	}
	m, code := b.s.DescribeTransaction(spec.TxnID(number))
	if code == spec.None && m.Status == spec.Ongoing {
		b.skipped += poll // a client that waits for the end of a transaction need not wait long
	}
	if b.mut != nil && b.mut.described != nil {
		b.mut.described(b, &m)
	}
	return m, code
}

func (b *Broker) describeState(state *kmsg.DescribeTransactionsResponseTransactionState, id string, m spec.Metadata) {
	state.ProducerID, state.ProducerEpoch, state.State, state.TimeoutMillis = m.ProducerID, m.Epoch, m.Status.String(), m.TimeoutMs
	state.StartTimestamp = noTime
	number, _ := b.names.LookupTxn(id)
	appending := b.s.Coordinator.Txns[number].Pending.Phase == spec.Appending // the newest record is not in memory yet
	for i := range slices.Backward(b.records) {
		if b.records[i].name != id {
			continue
		}
		if !appending {
			state.StartTimestamp = b.records[i].start
			break
		}
		appending = false
	}
	for p := range mapping.MaxPartitions {
		if !m.Partitions.Has(p) {
			continue
		}
		name := b.names.PartitionName(p)
		if n := len(state.Topics); n > 0 && state.Topics[n-1].Topic == name.Topic {
			state.Topics[n-1].Partitions = append(state.Topics[n-1].Partitions, name.Index)
			continue
		}
		t := kmsg.NewDescribeTransactionsResponseTransactionStateTopic()
		t.Topic, t.Partitions = name.Topic, []int32{name.Index}
		state.Topics = append(state.Topics, t)
	}
}

func (b *Broker) listTransactions(req *kmsg.ListTransactionsRequest) kmsg.Response {
	resp := req.ResponseKind().(*kmsg.ListTransactionsResponse)
	if !b.s.Coordinator.Up {
		resp.ErrorCode = int16(spec.CoordinatorLoading)
		return resp
	}
	for _, f := range req.StateFilters {
		if !slices.Contains(stateNames(), f) {
			resp.UnknownStateFilters = append(resp.UnknownStateFilters, f)
		}
	}
	for id := range b.s.Coordinator.Txns {
		t := &b.s.Coordinator.Txns[id]
		switch {
		case !t.Known,
			len(req.StateFilters) > 0 && !slices.Contains(req.StateFilters, t.Memory.Status.String()),
			len(req.ProducerIDFilters) > 0 && !slices.Contains(req.ProducerIDFilters, t.Memory.ProducerID):
			continue
		}
		state := kmsg.NewListTransactionsResponseTransactionState()
		state.TransactionalID, state.ProducerID, state.TransactionState = b.names.TxnName(int8(id)), t.Memory.ProducerID, t.Memory.Status.String()
		resp.TransactionStates = append(resp.TransactionStates, state)
	}
	if b.mut != nil && b.mut.listed != nil {
		b.mut.listed(resp)
	}
	return resp
}

// stateNames are the states on the wire (ADM-03).
func stateNames() []string {
	return []string{"Empty", "Ongoing", "PrepareCommit", "PrepareAbort", "CompleteCommit", "CompleteAbort", "Dead", "PrepareEpochFence"}
}
