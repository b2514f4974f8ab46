package wire_test

import (
	"strings"
	"testing"

	"github.com/twmb/franz-go/pkg/kmsg"

	"github.com/onceproof/onceproof/harness/wire"
)

func txnKey(version int16) []byte {
	k := kmsg.TxnMetadataKey{Version: version, TransactionalID: "u12-txn"}
	return k.AppendTo(nil)
}

func txnValue(change func(*kmsg.TxnMetadataValue)) []byte {
	v := kmsg.NewTxnMetadataValue()
	v.Version, v.ProducerID, v.ProducerEpoch, v.TimeoutMillis, v.StartTimestamp = 1, 9081, 3, 60000, -1
	change(&v)
	return v.AppendTo(nil)
}

// txnBatch is a batch of records as a coordinator writes them, and a few that
// it would skip.
func txnBatch(testing.TB) []byte {
	return wire.Batch{ProducerID: -1, ProducerEpoch: -1, BaseSequence: -1, Timestamp: 1,
		Keys: [][]byte{txnKey(0), txnKey(0), txnKey(0), txnKey(9), txnKey(0)},
		Records: [][]byte{
			txnValue(func(v *kmsg.TxnMetadataValue) { v.PreviousProducerID = 9080; v.ClientTransactionVersion = 2 }),
			txnValue(func(v *kmsg.TxnMetadataValue) {
				v.State, v.Topics = kmsg.TransactionStateCompleteCommit, []kmsg.TxnMetadataValueTopic{}
				v.NextProducerID = 9082
				v.UnknownTags.Set(4, []byte{0, 2})
			}),
			txnValue(func(v *kmsg.TxnMetadataValue) {
				v.Version, v.State = 0, kmsg.TransactionStateOngoing
				v.Topics = []kmsg.TxnMetadataValueTopic{{Topic: "t", Partitions: []int32{0, 2}}}
			}),
			{0, 0},
			nil,
		}}.Encode()
}

func decodeTxn(t *testing.T, set []byte) ([]wire.TxnRecord, error) {
	t.Helper()
	batches, _, err := wire.DecodeRecords(set)
	if err != nil {
		t.Fatal(err)
	}
	return wire.DecodeTxnRecords(batches)
}

func TestTransactionStateRecordsAreRead(t *testing.T) {
	got, err := decodeTxn(t, txnBatch(t))
	if err != nil || len(got) != 4 {
		t.Fatalf("expected four records, the unknown key skipped, got %+v, %v", got, err)
	}
	empty, complete, ongoing, tombstone := got[0], got[1], got[2], got[3]
	if !empty.NullPartitions() || empty.Value.PreviousProducerID != 9080 || empty.Value.NextProducerID != -1 || empty.Value.ClientTransactionVersion != 2 || empty.LastProducerEpoch != nil {
		t.Errorf("Empty: expected null partitions and tags 0 and 2, got %+v", empty)
	}
	if complete.NullPartitions() || len(complete.Value.Topics) != 0 || complete.Value.NextProducerID != 9082 || complete.LastProducerEpoch == nil || *complete.LastProducerEpoch != 2 {
		t.Errorf("CompleteCommit: expected an empty list and tags 1 and 4, got %+v", complete)
	}
	if ongoing.Value.Version != 0 || len(ongoing.Value.Topics) != 1 || len(ongoing.Value.Topics[0].Partitions) != 2 || ongoing.Value.PreviousProducerID != -1 || ongoing.Offset != 2 {
		t.Errorf("Ongoing: expected version 0 with two partitions at offset 2, got %+v", ongoing)
	}
	if !tombstone.Tombstone || tombstone.TransactionalID != "u12-txn" || tombstone.NullPartitions() {
		t.Errorf("expected a tombstone, got %+v", tombstone)
	}
}

func TestABadTransactionStateRecordIsAnError(t *testing.T) {
	good := txnValue(func(*kmsg.TxnMetadataValue) {})
	for name, tt := range map[string]struct {
		key, value []byte
		says       string
	}{
		"no key":          {nil, good, "expected a key"},
		"short key":       {[]byte{0, 0, 0, 9}, good, "key"},
		"short value":     {txnKey(0), good[:len(good)-3], "value of"},
		"one byte":        {txnKey(0), []byte{0}, "at least 2 bytes"},
		"unknown version": {txnKey(0), []byte{0, 7, 0, 0}, "expected version 0 or 1, got 7"},
	} {
		set := wire.Batch{Keys: [][]byte{tt.key}, Records: [][]byte{tt.value}, Timestamp: 1}.Encode()
		if _, err := decodeTxn(t, set); err == nil || !strings.Contains(err.Error(), tt.says) {
			t.Errorf("%s: expected an error with %q, got %v", name, tt.says, err)
		}
	}
}
