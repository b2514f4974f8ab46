package wire

import (
	"encoding/binary"
	"fmt"

	"github.com/twmb/franz-go/pkg/kmsg"
)

// lastProducerEpochTag is the tagged field that KAFKA-20357 adds to the value;
// no release up to 4.4.0 writes it.
const lastProducerEpochTag = 4

// TxnRecord is a record of __transaction_state: what the coordinator knew of a
// transactional id at that moment.
type TxnRecord struct {
	Offset          int64
	Timestamp       int64
	TransactionalID string
	// Tombstone: the id was forgotten. All below is zero then.
	Tombstone bool
	// Value is the record. A tagged field that is absent has its default in
	// it: PreviousProducerID, NextProducerID and NextProducerEpoch −1,
	// ClientTransactionVersion 0. Topics is nil for null (Empty) and not nil
	// for an empty list (CompleteCommit, CompleteAbort).
	Value kmsg.TxnMetadataValue
	// LastProducerEpoch is nil where the record does not have that field.
	LastProducerEpoch *int16
}

// NullPartitions reports whether the list of partitions is null, as opposed to empty.
func (r *TxnRecord) NullPartitions() bool { return !r.Tombstone && r.Value.Topics == nil }

// DecodeTxnRecords reads the records of a partition of __transaction_state.
// Records with a key version that is not known are skipped, as a coordinator
// skips them. On an error the records before the bad one are returned with it.
func DecodeTxnRecords(batches []RecordBatch) ([]TxnRecord, error) {
	var out []TxnRecord
	for i := range batches {
		b := &batches[i]
		if b.Control() {
			continue
		}
		if b.Compressed() {
			return out, fmt.Errorf("__transaction_state: batch at offset %d: expected uncompressed records, got compression %d", b.BaseOffset, b.Attributes&attrCompression)
		}
		for _, rec := range b.Records {
			txn, known, err := decodeTxnRecord(rec)
			if err != nil {
				return out, fmt.Errorf("__transaction_state: record at offset %d: %w", rec.Offset, err)
			}
			if known {
				out = append(out, txn)
			}
		}
	}
	return out, nil
}

func decodeTxnRecord(rec Record) (txn TxnRecord, known bool, err error) {
	defer recoverTo(&err, "decoding")
	if len(rec.Key) < 2 {
		return txn, false, fmt.Errorf("expected a key of at least 2 bytes, got %d", len(rec.Key))
	}
	if version := int16(binary.BigEndian.Uint16(rec.Key)); version != 0 {
		return txn, false, nil
	}
	var key kmsg.TxnMetadataKey
	if err := key.ReadFrom(rec.Key); err != nil {
		return txn, false, fmt.Errorf("key: %w", err)
	}
	txn = TxnRecord{Offset: rec.Offset, Timestamp: rec.Timestamp, TransactionalID: key.TransactionalID, Tombstone: rec.Value == nil}
	if txn.Tombstone {
		return txn, true, nil
	}
	if len(rec.Value) < 2 {
		return txn, false, fmt.Errorf("value of %q: expected at least 2 bytes, got %d", key.TransactionalID, len(rec.Value))
	}
	if version := int16(binary.BigEndian.Uint16(rec.Value)); version < 0 || version > 1 {
		return txn, false, fmt.Errorf("value of %q: expected version 0 or 1, got %d", key.TransactionalID, version)
	}
	if err := txn.Value.ReadFrom(rec.Value); err != nil {
		return txn, false, fmt.Errorf("value of %q: %w", key.TransactionalID, err)
	}
	txn.Value.UnknownTags.Each(func(tag uint32, value []byte) {
		if tag == lastProducerEpochTag && len(value) == 2 {
			txn.LastProducerEpoch = new(int16(binary.BigEndian.Uint16(value)))
		}
	})
	return txn, true, nil
}
