package spec

import "testing"

// TestIdempotence is example 2: five batches are remembered, the sixth oldest is out of order.
func TestIdempotence(t *testing.T) {
	for _, tv := range []int8{0, 1, 2} {
		b := newBroker(t, tv, AllFixes)
		id := b.do(Request{API: InitProducerID, Version: 5, Txn: NullTxnID, ProducerID: NoProducer, Epoch: NoEpoch})
		for _, row := range []struct {
			sequence int32
			count    int32
			code     Code
			offset   int64
			rule     Rule
		}{
			{0, 3, None, 0, IDEM30},
			{0, 3, None, 0, IDEM17},
			{5, 1, OutOfOrderSequence, -1, IDEM23},
			{3, 3, None, 3, IDEM23}, {6, 3, None, 6, IDEM23}, {9, 3, None, 9, IDEM23}, {12, 3, None, 12, IDEM23}, {15, 3, None, 15, IDEM16},
			{0, 3, OutOfOrderSequence, -1, IDEM23},
			{3, 3, None, 3, IDEM17},
			{3, 2, OutOfOrderSequence, -1, IDEM23}, // overlaps, is not the same batch
		} {
			a := b.do(Request{API: Produce, Version: 11, Txn: NullTxnID, ProducerID: id.ProducerID, Sequence: row.sequence, Count: row.count})
			if a.Code != row.code || a.Offset != row.offset || !b.by(row.rule) {
				t.Errorf("TV%d, sequence %d: %s at %d by %v; want %s at %d by %s", tv, row.sequence, a.Code, a.Offset, b.last, row.code, row.offset, row.rule)
			}
		}
		if end := b.Leaders[0].LogEnd(); end != 18 {
			t.Errorf("TV%d: the log ends at %d, want 18", tv, end)
		}
	}
}

// TestSequenceWraps is IDEM-27: 2147483647 is followed by 0, within a batch too.
func TestSequenceWraps(t *testing.T) {
	b := newBroker(t, 2, Fixes(0))
	produce := func(sequence, count int32) Answer {
		return b.do(Request{API: Produce, Version: 11, Txn: NullTxnID, ProducerID: 7, Sequence: sequence, Count: count})
	}
	for _, row := range []struct {
		sequence, count int32
		code            Code
	}{
		{MaxSequence - 1, 1, None},
		{MaxSequence, 3, None}, // 2147483647, 0, 1
		{MaxSequence, 3, None}, // the same again
		{0, 1, OutOfOrderSequence},
		{2, 1, None},
	} {
		if a := produce(row.sequence, row.count); a.Code != row.code {
			t.Errorf("sequence %d, %d records: %s, want %s", row.sequence, row.count, a.Code, row.code)
		}
	}
}

// TestMarkerEpochs is MARK-06 to MARK-12: a marker's epoch against the entry's.
func TestMarkerEpochs(t *testing.T) {
	for _, row := range []struct {
		name    string
		open    bool
		epoch   int16 // of the marker; the entry's is 1
		version int8
		coord   int32
		code    Code
		rule    Rule
	}{
		{"TV2, higher", true, 2, 2, 5, None, MARK14},
		{"TV2, equal, open", true, 1, 2, 5, InvalidProducerEpoch, MARK07},
		{"TV2, equal, nothing open", false, 1, 2, 5, None, MARK08},
		{"TV2, lower", true, 0, 2, 5, InvalidProducerEpoch, MARK07},
		{"TV1, equal, open", true, 1, 0, 5, None, MARK06},
		{"TV1, lower", true, 0, 0, 5, InvalidProducerEpoch, MARK06},
		{"older coordinator", true, 2, 2, 3, CoordinatorFenced, MARK11},
		{"older coordinator and lower epoch: the epoch is tested first", true, 0, 2, 3, InvalidProducerEpoch, MARK07},
	} {
		b := newBroker(t, 2, AllFixes)
		marker := func(epoch int16, coord int32, version int8) Answer {
			return b.do(Request{API: WriteTxnMarkers, Version: 2, ProducerID: 0, Epoch: epoch, CoordinatorEpoch: coord, TransactionVersion: version})
		}
		b.init(NoProducer, NoEpoch)
		b.init(NoProducer, NoEpoch)
		marker(1, 4, 2)
		if row.open {
			b.produce(12, 1, 0)
		}
		if a := marker(row.epoch, row.coord, row.version); a.Code != row.code || !b.by(row.rule) {
			t.Errorf("%s: %s by %v, want %s by %s", row.name, a.Code, b.last, row.code, row.rule)
		}
	}
}
