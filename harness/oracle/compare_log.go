package oracle

import (
	"fmt"
	"math"
	"slices"

	"github.com/onceproof/onceproof/harness/wire"
	"github.com/onceproof/onceproof/spec"
	"github.com/twmb/franz-go/pkg/kmsg"
)

const offsetOutOfRange spec.Code = 1

// fetched compares a Fetch of a data partition.
func (m *comparison) fetched() *difference {
	if !m.q.exists {
		return m.code(spec.UnknownTopicPartition, spec.READ01)
	}
	d := m.fetchedAt(math.MaxInt64)
	if d == nil {
		return nil
	}
	if stable, ok := m.lagging(); ok {
		m.epochs.seen = map[int32]int32{}
		if m.fetchedAt(stable) == nil {
			return nil
		}
	}
	return d
}

// fetchedAt compares a Fetch that may see no more than so much as stable.
func (m *comparison) fetchedAt(stable int64) *difference {
	want, ok := m.s.Leaders[m.q.partition].Fetch(m.q.offset, m.q.isolation)
	if !ok {
		return m.code(offsetOutOfRange, spec.READ14)
	}
	if d := m.code(spec.None, spec.READ01); d != nil {
		return d
	}
	want.LastStable = min(want.LastStable, stable)
	agreed := 0
	for i := range want.Batches {
		if i == len(m.came.batches) {
			if m.mayCut() || m.q.isolation == spec.ReadCommitted && want.Batches[i].Offset >= stable {
				break
			}
			return differs(batchRule(&want.Batches[i]), agreed, fmt.Sprintf("at offset %d", want.Batches[i].Offset), m.batchText(&want.Batches[i]), "nothing")
		}
		if d := m.batch(&want.Batches[i], i, agreed); d != nil {
			return d
		}
		agreed += 2
	}
	if len(m.came.batches) > len(want.Batches) {
		extra := &m.came.batches[len(want.Batches)]
		rule := spec.READ01
		if m.q.isolation == spec.ReadUncommitted {
			rule = spec.IDEM12
		}
		return differs(rule, agreed, fmt.Sprintf("at offset %d", extra.BaseOffset), "nothing", cameText(extra))
	}
	switch {
	case m.came.logStart != 0:
		return differs(spec.READ02, agreed, "start of the log", 0, m.came.logStart)
	case m.boundsBefore(&want):
	case want.HighWatermark != m.came.high:
		return differs(spec.READ02, agreed, "high watermark", want.HighWatermark, m.came.high)
	case want.LastStable != m.came.lso:
		return differs(spec.LSO01, agreed+1, "last stable offset", want.LastStable, m.came.lso)
	}
	return m.aborted(&want, agreed+2)
}

// bounds are what a Fetch tells of the end of the log.
type bounds struct{ high, stable int64 }

// boundsBefore reports whether the bounds that came are those of moments just
// before that of the data: Kafka takes the high watermark first, then the last
// stable offset, then the data, and an append may come between any two of them
// (Partition.readRecords).
func (m *comparison) boundsBefore(want *spec.Fetched) bool {
	came := bounds{m.came.high, m.came.lso}
	if came.high >= want.HighWatermark || !slices.ContainsFunc(m.before, func(b bounds) bool { return b.high == came.high }) {
		return false
	}
	return came.stable == want.LastStable || slices.ContainsFunc(m.before, func(b bounds) bool {
		return came.high <= b.high && b.high <= want.HighWatermark && b.stable == came.stable
	})
}

// aborted compares the aborted list as far as the bytes that came reach
// (READ-03). How far beyond them it goes is up to the broker: Kafka, whose
// offset index is sparse, lists what is aborted anywhere behind them too, and
// also an abort whose marker is in the log and below no high watermark yet
// (LSO-03). No consumer gets that far in this answer.
func (m *comparison) aborted(want *spec.Fetched, agreed int) *difference {
	if (want.Aborted == nil) != (m.came.aborted == nil) {
		return differs(spec.READ02, agreed, "aborted list null", want.Aborted == nil, m.came.aborted == nil)
	}
	end := int64(0)
	if n := len(m.came.batches); n > 0 {
		end = m.came.batches[n-1].LastOffset() + 1
	}
	beyond := func(a spec.AbortedTxn) bool { return a.FirstOffset >= end }
	list := slices.DeleteFunc(slices.Clone(want.Aborted), beyond)
	came := slices.DeleteFunc(slices.Clone(m.came.aborted), beyond)
	if slices.Equal(list, came) {
		return nil
	}
	return differs(spec.READ04, agreed, "aborted list", list, came)
}

// mayCut reports whether a broker may have left out what follows: a Fetch gives
// at least one batch, and then stops where it likes, at its limit of bytes or at
// the end of a segment.
func (m *comparison) mayCut() bool { return len(m.came.batches) > 0 }

// batchRule is the rule behind a batch's being in the log.
func batchRule(b *spec.At) spec.Rule {
	if b.Kind == spec.Data {
		return spec.IDEM12
	}
	return spec.MARK17
}

// batch compares a batch of the log with what came at its place.
func (m *comparison) batch(want *spec.At, i, agreed int) *difference {
	came := &m.came.batches[i]
	place := fmt.Sprintf("at offset %d", want.Offset)
	same := want.Offset == came.BaseOffset && want.Count == came.Count && want.ProducerID == came.ProducerID &&
		want.Transactional == came.Transactional() && (want.Kind == spec.Data) == !came.Control()
	switch {
	case !same:
		return differs(batchRule(want), agreed, place, m.batchText(want), cameText(came))
	case want.Epoch != came.ProducerEpoch:
		rule := spec.IDEM12
		if want.Kind != spec.Data {
			rule = spec.MARK40
		}
		return differs(rule, agreed+1, place, m.batchText(want), cameText(came))
	case want.Sequence != came.BaseSequence:
		return differs(batchRule(want), agreed+1, place, m.batchText(want), cameText(came))
	case want.Kind == spec.Data:
		if i < len(m.came.contents) && m.came.contents[i] != m.b.names.Contents(want.Data) {
			return differs(spec.READ01, agreed+1, place, "the records that were sent", "other records")
		}
		return nil
	}
	return m.marker(want, came, place, agreed+1)
}

func (m *comparison) marker(want *spec.At, came *wire.RecordBatch, place string, agreed int) *difference {
	kind := wire.Abort
	if want.Kind == spec.CommitMarker {
		kind = wire.Commit
	}
	switch {
	case came.Marker == nil || came.Marker.Type != kind:
		return differs(spec.MARK17, agreed, place, m.batchText(want), cameText(came))
	case came.Marker.KeyLength != 4 || came.Marker.ValueLength != 6 || came.Marker.KeyVersion != 0 || came.Marker.ValueVersion != 0:
		return differs(spec.MARK17, agreed, place, "a marker with a key of 4 and a value of 6 bytes, version 0",
			fmt.Sprintf("one of %d and %d, versions %d and %d", came.Marker.KeyLength, came.Marker.ValueLength, came.Marker.KeyVersion, came.Marker.ValueVersion))
	case !m.epochs.same(want.CoordinatorEpoch, came.Marker.CoordinatorEpoch):
		return differs(spec.MARK40, agreed, place, "coordinator epoch "+m.epochText(want.CoordinatorEpoch), came.Marker.CoordinatorEpoch)
	}
	return nil
}

func (m *comparison) batchText(b *spec.At) string {
	switch b.Kind {
	case spec.CommitMarker:
		return fmt.Sprintf("a COMMIT marker of producer %d, epoch %d", b.ProducerID, b.Epoch)
	case spec.AbortMarker:
		return fmt.Sprintf("an ABORT marker of producer %d, epoch %d", b.ProducerID, b.Epoch)
	}
	return fmt.Sprintf("%d records of producer %d, epoch %d, from sequence %d", b.Count, b.ProducerID, b.Epoch, b.Sequence)
}

func cameText(b *wire.RecordBatch) string {
	if b.Control() {
		kind := "control batch"
		if b.Marker != nil {
			kind = b.Marker.Type.String() + " marker"
		}
		return fmt.Sprintf("a %s of producer %d, epoch %d, at offset %d", kind, b.ProducerID, b.ProducerEpoch, b.BaseOffset)
	}
	return fmt.Sprintf("%d records of producer %d, epoch %d, from sequence %d, at offset %d", b.Count, b.ProducerID, b.ProducerEpoch, b.BaseSequence, b.BaseOffset)
}

// stateRecords compares the records of __transaction_state for the ids of the
// scenario. A fetch of a part of the partition shows a part of them.
func (m *comparison) stateRecords() *difference {
	if d := m.code(spec.None, spec.COORD09); d != nil {
		return d
	}
	for id, came := range m.came.records {
		if int(id) >= len(m.s.Coordinator.Txns) {
			continue
		}
		want := m.s.TransactionLog(id)
		skip := 0
		if m.q.offset > 0 { // from somewhere: what came is a part of the log
			for skip < len(want) && len(came) > 0 && !m.same(id, &want[skip], &came[0]) {
				skip++
			}
		}
		if t := &m.s.Coordinator.Txns[id]; t.Pending.Phase == spec.Appending && len(came) == len(want)-1-skip {
			want = want[:len(want)-1] // the append has begun: what it is visible by may come first
		}
		if d := m.records(id, want[skip:], came); d != nil {
			return d
		}
	}
	return nil
}

// same tries a record without keeping what it binds.
func (m *comparison) same(id spec.TxnID, want *spec.Metadata, came *wire.TxnRecord) bool {
	binds := slices.Clone(m.binds)
	ok := m.record(id, want, came, 0) == nil
	m.binds = binds
	return ok
}

func (m *comparison) records(id spec.TxnID, want []spec.Metadata, came []wire.TxnRecord) *difference {
	name := m.b.names.TxnName(int8(id))
	for i := range came {
		if i == len(want) {
			return differs(spec.SM01, i, "transaction log of "+name, "no further record", came[i].Value.State)
		}
		if d := m.record(id, &want[i], &came[i], i); d != nil {
			return d
		}
		if i > 0 && (want[i-1].Status == spec.Ongoing || want[i-1].Status.Prepared()) &&
			came[i-1].Value.StartTimestamp != came[i].Value.StartTimestamp {
			return differs(spec.SM02, i, fmt.Sprintf("start of record %d of %s", i+1, name), came[i-1].Value.StartTimestamp, came[i].Value.StartTimestamp)
		}
	}
	if len(came) < len(want) && m.came.whole {
		return differs(spec.COORD09, len(came), "transaction log of "+name, want[len(came)].Status, "no further record")
	}
	return nil
}

func (m *comparison) record(id spec.TxnID, want *spec.Metadata, came *wire.TxnRecord, agreed int) *difference {
	v := &came.Value
	what := func(field string) string {
		return fmt.Sprintf("%s of record %d of %s", field, agreed+1, m.b.names.TxnName(int8(id)))
	}
	version := int16(min(1, m.b.sp.TransactionVersion))
	lastEpoch, logged := int16(spec.NoEpoch), version >= 1 && m.b.sp.Fixes.Has(spec.Fix20357)
	if came.LastProducerEpoch != nil {
		lastEpoch = *came.LastProducerEpoch
	}
	switch {
	case came.Tombstone:
		return differs(spec.TMO07, agreed, what("status"), want.Status, "a tombstone")
	case want.Status != spec.Status(v.State):
		return differs(spec.SM09, agreed, what("status"), want.Status, v.State)
	case !m.sameProducer(want.ProducerID, v.ProducerID):
		return differs(spec.SM02, agreed, what("producer id"), want.ProducerID, v.ProducerID)
	case want.Epoch != v.ProducerEpoch:
		return differs(spec.SM02, agreed, what("producer epoch"), want.Epoch, v.ProducerEpoch)
	case version != v.Version:
		return differs(spec.SM01, agreed, what("version"), version, v.Version)
	case want.TimeoutMs != v.TimeoutMillis:
		return differs(spec.SM02, agreed, what("timeout"), want.TimeoutMs, v.TimeoutMillis)
	case want.Partitions != m.named(v.Topics):
		return differs(spec.SM02, agreed, what("partitions"), m.partitions(want.Partitions), m.partitions(m.named(v.Topics)))
	case (want.Status == spec.Empty) != came.NullPartitions():
		return differs(spec.SM02, agreed, what("null partitions"), want.Status == spec.Empty, came.NullPartitions())
	case (want.Status == spec.Empty) != (v.StartTimestamp < 0):
		return differs(spec.SM02, agreed, what("start"), startOf(want.Status), v.StartTimestamp)
	case int16(want.ClientVersion) != v.ClientTransactionVersion:
		return differs(spec.ADD08, agreed, what("client transaction version"), want.ClientVersion, v.ClientTransactionVersion)
	case version >= 1 && !m.sameProducer(want.PrevProducerID, v.PreviousProducerID):
		return differs(spec.SM04, agreed, what("previous producer id"), want.PrevProducerID, v.PreviousProducerID)
	case logged && want.LastEpoch != lastEpoch, !logged && came.LastProducerEpoch != nil:
		return differs(spec.SM05, agreed, what("last producer epoch"), epochOrNone(logged, want.LastEpoch), epochOrNone(came.LastProducerEpoch != nil, lastEpoch))
	}
	return nil
}

func epochOrNone(there bool, epoch int16) string {
	if !there {
		return "absent"
	}
	return fmt.Sprint(epoch)
}

// named is the set of partitions of a record.
func (m *comparison) named(topics []kmsg.TxnMetadataValueTopic) spec.Partitions {
	ps := spec.Partitions(0)
	for _, t := range topics {
		for _, p := range t.Partitions {
			if number, _, err := m.b.names.Partition(t.Topic, p); err == nil {
				ps = ps.With(int(number))
			}
		}
	}
	return ps
}
