package reference

import (
	"encoding/binary"
	"time"

	"github.com/twmb/franz-go/pkg/kmsg"

	"github.com/onceproof/onceproof/harness/mapping"
	"github.com/onceproof/onceproof/harness/wire"
	"github.com/onceproof/onceproof/spec"
)

// stored is what a batch of a partition's log is made of beside what the spec
// holds of it.
type stored struct {
	at int64 // when it was appended, in milliseconds since 1970
}

// stateRecord is a record of __transaction_state.
type stateRecord struct {
	txn      int8
	name     string
	metadata spec.Metadata
	topics   []kmsg.TxnMetadataValueTopic
	at       int64
	start    int64
}

const noTime = -1

// note keeps the times that belong to a step.
func (b *Broker) note(d *spec.Decision) {
	now := b.now()
	for i := range b.s.Leaders {
		for len(b.batches[i]) < len(b.s.Leaders[i].Log) {
			b.batches[i] = append(b.batches[i], stored{at: now.UnixMilli()})
		}
	}
	switch {
	case d.Step.Kind == spec.Reload: // what has no partition left is complete at once, for any number of ids
		for id := range b.s.Coordinator.Txns {
			if b.s.Coordinator.Txns[id].Pending.Phase == spec.Appending {
				b.noteRecord(int8(id), now)
			}
		}
	case d.Logged != spec.NoStatus:
		b.noteRecord(int8(d.Txn), now)
	}
	if d.Step.Kind == spec.CrashLosing {
		b.dropLost()
	}
}

// noteRecord copies the last record of the coordinator's log for an id.
func (b *Broker) noteRecord(id int8, now time.Time) {
	t := &b.s.Coordinator.Txns[id]
	if len(t.Log) == 0 {
		return
	}
	r := stateRecord{txn: id, name: b.names.TxnName(id), metadata: t.Log[len(t.Log)-1], at: now.UnixMilli()}
	was := t.Memory.Status
	switch {
	case r.metadata.Status == spec.Empty:
		r.start = noTime
	case r.metadata.Status == spec.Ongoing && was != spec.Ongoing,
		r.metadata.Status.Prepared() && was != spec.Ongoing: // the end of nothing (END-23)
		b.startedAt[id] = now
		r.start = r.at
	default:
		r.start = b.startedAt[id].UnixMilli()
	}
	r.topics = b.topicsOf(&r.metadata)
	if b.mut != nil && b.mut.record != nil && !b.mut.record(b, &r) {
		return
	}
	b.records = append(b.records, r)
}

// topicsOf names the partitions of a record: null in Empty, an empty list in
// Complete.
func (b *Broker) topicsOf(m *spec.Metadata) []kmsg.TxnMetadataValueTopic {
	if m.Status == spec.Empty {
		return nil
	}
	topics := []kmsg.TxnMetadataValueTopic{}
	for p := range mapping.MaxPartitions {
		if !m.Partitions.Has(p) {
			continue
		}
		name := b.names.PartitionName(p)
		if n := len(topics); n > 0 && topics[n-1].Topic == name.Topic {
			topics[n-1].Partitions = append(topics[n-1].Partitions, name.Index)
			continue
		}
		t := kmsg.NewTxnMetadataValueTopic()
		t.Topic, t.Partitions = name.Topic, []int32{name.Index}
		topics = append(topics, t)
	}
	return topics
}

// dropLost forgets the records that a crash lost.
func (b *Broker) dropLost() {
	for id := range b.s.Coordinator.Txns {
		have := 0
		for _, r := range b.records {
			if int(r.txn) == id {
				have++
			}
		}
		for i := len(b.records) - 1; have > len(b.s.Coordinator.Txns[id].Log) && i >= 0; i-- {
			if int(b.records[i].txn) == id {
				b.records = append(b.records[:i], b.records[i+1:]...)
				have--
			}
		}
	}
}

// encodeBatch makes the bytes of a batch in a partition's log.
func (b *Broker) encodeBatch(at *spec.At, appended int64) []byte {
	if at.Kind == spec.Data {
		return mapping.Rebuild(at, b.names.Contents(at.Data))
	}
	marker := wire.Batch{BaseOffset: at.Offset, ProducerID: at.ProducerID, ProducerEpoch: at.Epoch, BaseSequence: at.Sequence,
		Transactional: at.Transactional, Control: true, Timestamp: appended}
	kind := uint16(wire.Abort)
	if at.Kind == spec.CommitMarker {
		kind = uint16(wire.Commit)
	}
	be := binary.BigEndian
	marker.Keys = [][]byte{be.AppendUint16([]byte{0, 0}, kind)}
	marker.Records = [][]byte{be.AppendUint32([]byte{0, 0}, uint32(at.CoordinatorEpoch))}
	return leaderEpoch(marker.Encode())
}

// leaderEpoch sets the partition's leader epoch to 0; the checksum does not
// cover it.
func leaderEpoch(batch []byte) []byte {
	if len(batch) > 16 {
		binary.BigEndian.PutUint32(batch[12:], 0)
	}
	return batch
}

// encodeState makes the batches of a partition of __transaction_state, one
// record each, as the coordinator writes them.
func (b *Broker) encodeState(partition, of int32, from int64) (set []byte, end int64) {
	for i := range b.records {
		r := &b.records[i]
		if spec.CoordinatorPartition(r.name, of) != partition {
			continue
		}
		if end >= from {
			key := kmsg.NewTxnMetadataKey()
			key.TransactionalID = r.name
			batch := wire.Batch{BaseOffset: end, ProducerID: spec.NoProducer, ProducerEpoch: spec.NoEpoch, BaseSequence: spec.NoSequence,
				Timestamp: r.at, Keys: [][]byte{key.AppendTo(nil)}, Records: [][]byte{b.value(r)}}
			set = append(set, leaderEpoch(batch.Encode())...)
		}
		end++
	}
	return set, end
}

// value encodes TransactionLogValue: version 0 at
// transaction.version 0, else 1.
func (b *Broker) value(r *stateRecord) []byte {
	m := &r.metadata
	v := kmsg.NewTxnMetadataValue()
	if b.sp.TransactionVersion >= 1 {
		v.Version = 1
	}
	v.ProducerID, v.PreviousProducerID, v.ProducerEpoch = m.ProducerID, m.PrevProducerID, m.Epoch
	v.TimeoutMillis, v.State, v.Topics = m.TimeoutMs, kmsg.TransactionState(m.Status), r.topics
	v.LastUpdateTimestamp, v.StartTimestamp = r.at, r.start
	v.ClientTransactionVersion = int16(m.ClientVersion)
	if b.sp.Fixes.Has(spec.Fix20357) && m.LastEpoch != spec.NoEpoch && v.Version >= 1 {
		v.UnknownTags.Set(lastProducerEpochTag, binary.BigEndian.AppendUint16(nil, uint16(m.LastEpoch)))
	}
	return v.AppendTo(nil)
}

// lastProducerEpochTag is the tag of LastProducerEpoch (KAFKA-20357).
const lastProducerEpochTag = 4
