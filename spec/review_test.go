package spec

import (
	"slices"
	"testing"
)

// What these tests say was seen on a running Apache Kafka 4.4.0, except where a test says otherwise.

func release440(t *testing.T) Fixes {
	t.Helper()
	r, err := ParseRelease("4.4.0")
	if err != nil {
		t.Fatal(err)
	}
	return r.Fixes
}

// step takes the first enabled step of a kind.
func (b *broker) step(k StepKind) Decision {
	b.t.Helper()
	steps := b.sp.Steps(nil, &b.State, Kinds(k))
	if len(steps) == 0 {
		b.t.Fatalf("no step %q is enabled", k)
	}
	d := b.sp.Take(&b.State, steps[0])
	b.last = append(b.last, d)
	return d
}

// send lets a request arrive on a connection and be handled, and goes no further.
func (b *broker) send(conn Conn, r Request) {
	b.t.Helper()
	b.sp.Submit(&b.State, conn, r)
	b.step(Handle)
}

// TestAbortedList is READ-03: the list goes to the log end where something is returned, and is empty where nothing is.
func TestAbortedList(t *testing.T) {
	batch := func(txn TxnID, pid int64) Request {
		return Request{API: Produce, Version: 12, Txn: txn, ProducerID: pid, Count: 1, Transactional: true}
	}
	for _, row := range []struct {
		name   string
		before []Request // Y is aborted, X stays open
		lists  [][]AbortedTxn
	}{
		{"the aborted transaction begins behind the last stable offset", []Request{
			{API: Produce, Version: 11, Txn: NullTxnID, ProducerID: NoProducer, Epoch: NoEpoch, Sequence: NoSequence, Count: 1}, batch(0, 0), batch(1, 1),
		}, [][]AbortedTxn{{{1, 2}}, {}, {}, {}, {}}},
		{"it begins before the last stable offset", []Request{batch(1, 1), batch(0, 0)}, [][]AbortedTxn{{{1, 0}}, {}, {}, {}}},
	} {
		b := newBroker(t, 2, release440(t))
		b.sp.Reset(&b.State, 2, 1)
		for txn := range TxnID(2) {
			b.do(Request{API: InitProducerID, Version: 5, Txn: txn, ProducerID: NoProducer, Epoch: NoEpoch, TimeoutMs: 60000})
		}
		for _, r := range row.before {
			if a := b.do(r); a.Code != None {
				t.Fatalf("%s: set-up: %s", row.name, a.Code)
			}
		}
		b.do(Request{API: EndTxn, Version: 5, Txn: 1, ProducerID: 1})
		b.settle()
		for offset, want := range row.lists {
			f, ok := b.Leaders[0].Fetch(int64(offset), ReadCommitted)
			if !ok || f.LastStable != 1 || f.Aborted == nil || !slices.Equal(f.Aborted, want) {
				t.Errorf("%s: read_committed from %d: %v, LSO %d; want %v, LSO 1", row.name, offset, f.Aborted, f.LastStable, want)
			}
		}
	}
}

// TestProduceOrder is the order of IDEM-03, 07, 11, 33, 35 and the verification: each row is one broker.
func TestProduceOrder(t *testing.T) {
	type batch struct {
		version  int16
		txn      TxnID
		pid      int64
		epoch    int16
		sequence int32
		acks     int8 // as in Request: 6 is acks=5
		flag     bool // transactional
		code     Code
		offset   int64
		rule     Rule
	}
	for _, row := range []struct {
		name    string
		add     bool // by AddPartitionsToTxn v3
		batches []batch
	}{
		{"an error of the verification wins over acks", false, []batch{{11, 0, 8, 0, 0, 6, true, InvalidProducerMapping, -1, ADD24}}},
		{"acks that are none", false, []batch{{11, NullTxnID, 8, 0, 0, 6, false, InvalidRequiredAcks, -1, IDEM07}}},
		{"an empty transactional id", false, []batch{
			{11, EmptyTxnID, 8, 0, 0, 0, true, InvalidRequest, -1, ADD02},
			{12, EmptyTxnID, 8, 0, 0, 0, true, InvalidRequest, -1, ADD02},
			{12, EmptyTxnID, 9, 0, 0, 0, false, None, 0, IDEM30},
		}},
		{"the memory of a negative sequence", false, []batch{
			{12, 0, 0, 0, -1, 0, true, InvalidRecord, -1, IDEM11},
			{12, 0, 0, 0, 0, 0, true, OutOfOrderSequence, -1, IDEM35},
		}},
		{"Produce v11 and a plain batch meet the entry that v12 made", false, []batch{
			{12, 0, 0, 0, 1, 0, true, OutOfOrderSequence, -1, IDEM33},
			{11, 0, 0, 0, 1, 0, true, OutOfOrderSequence, -1, IDEM33},
			{11, NullTxnID, 0, 0, 1, 0, false, OutOfOrderSequence, -1, IDEM33},
			{11, 0, 0, 0, 0, 0, true, None, 0, IDEM43},
		}},
		{"Produce v12 meets the entry that v11 made", true, []batch{
			{11, 0, 0, 0, 3, 6, true, InvalidRequiredAcks, -1, IDEM07},
			{12, 0, 0, 0, 2, 0, true, None, 0, IDEM32},
		}},
		{"plain batches in a transaction: sequence before the open transaction, a duplicate before both", true, []batch{
			{11, 0, 0, 0, 0, 0, true, None, 0, IDEM30},
			{11, NullTxnID, 0, 0, 5, 0, false, OutOfOrderSequence, -1, IDEM23},
			{11, NullTxnID, 0, 0, 1, 0, false, InvalidTxnState, -1, IDEM44},
			{11, NullTxnID, 0, 1, 0, 0, false, InvalidTxnState, -1, IDEM44},
			{11, NullTxnID, 0, 0, 0, 0, false, None, 0, IDEM17},
		}},
		{"epoch -1", false, []batch{
			{11, NullTxnID, 8, -1, 0, 0, false, None, 0, IDEM49},
			{11, NullTxnID, 8, -1, 0, 0, false, None, 0, IDEM17},
			{11, NullTxnID, 8, -1, 5, 0, false, None, 1, IDEM32},
			{11, NullTxnID, 8, -1, 0, 0, false, None, 0, IDEM17},
			{11, NullTxnID, 8, 0, 3, 0, false, None, 2, IDEM32},
			{11, NullTxnID, 8, -1, 6, 0, false, InvalidProducerEpoch, -1, IDEM49},
		}},
	} {
		b := newBroker(t, 2, release440(t))
		b.init(NoProducer, NoEpoch)
		if row.add {
			b.add(0)
		}
		for i, x := range row.batches {
			a := b.do(Request{API: Produce, Version: x.version, Txn: x.txn, ProducerID: x.pid, Epoch: x.epoch, Sequence: x.sequence, Count: 1, Acks: x.acks, Transactional: x.flag})
			if a.Code != x.code || a.Offset != x.offset || !b.by(x.rule) {
				t.Errorf("%s, batch %d: %s at %d by %v; want %s at %d by %s", row.name, i, a.Code, a.Offset, b.last, x.code, x.offset, x.rule)
			}
		}
	}
}

// TestPlainBetweenTransactions is IDEM-45: sequences go on through a plain batch.
func TestPlainBetweenTransactions(t *testing.T) {
	b := newBroker(t, 1, release440(t))
	b.init(NoProducer, NoEpoch)
	b.add(0)
	b.produce(11, 0, 0)
	b.end(4, 0, true)
	b.settle()
	if a := b.do(Request{API: Produce, Version: 11, Txn: NullTxnID, Sequence: 1, Count: 1}); a.Code != None || a.Offset != 2 || !b.by(IDEM45) {
		t.Errorf("plain: %s at %d by %v", a.Code, a.Offset, b.last)
	}
	b.add(0)
	if a := b.produce(11, 0, 2); a.Code != None || a.Offset != 3 {
		t.Errorf("transactional again: %s at %d", a.Code, a.Offset)
	}
}

// TestAcksZero is IDEM-08: success has no answer either, but only an error is the rule's.
func TestAcksZero(t *testing.T) {
	b := newBroker(t, 2, release440(t))
	for _, row := range []struct {
		sequence int32
		refused  bool
	}{{0, false}, {9, true}} {
		b.last = nil
		b.send(1, Request{API: Produce, Version: 11, Txn: NullTxnID, ProducerID: 8, Sequence: row.sequence, Count: 1, Acks: 1})
		if _, ok := b.sp.Answer(&b.State, 1); ok || b.by(IDEM08) != row.refused {
			t.Errorf("sequence %d: answered %t, by %v; want no answer, IDEM-08 %t", row.sequence, ok, b.last, row.refused)
		}
	}
}

// TestMarkersByHand is the order of MARK-03, 20, 06, 11 where the leader knows nothing of the producer (MARK-12: its epochs
// are -1).
func TestMarkersByHand(t *testing.T) {
	for _, row := range []struct {
		name      string
		pid       int64
		epoch     int16
		coord     int32
		partition int8
		code      Code
		rule      Rule
	}{
		{"no producer id", -1, 0, 0, 0, UnknownServerError, MARK20},
		{"no epoch", 5, -1, 0, 0, UnknownServerError, MARK20},
		{"the partition is looked up first", -1, 0, 0, 9, UnknownTopicPartition, MARK03},
		{"and for no epoch", 5, -1, 0, 9, UnknownTopicPartition, MARK03},
		{"an epoch below none", 5, -2, 0, 0, InvalidProducerEpoch, MARK06},
		{"no coordinator epoch", 5, 0, -1, 0, None, MARK12},
		{"a coordinator epoch below none", 5, 0, -2, 0, CoordinatorFenced, MARK11},
	} {
		b := newBroker(t, 1, release440(t))
		a := b.do(Request{API: WriteTxnMarkers, Version: 1, ProducerID: row.pid, Epoch: row.epoch, CoordinatorEpoch: row.coord, Partition: row.partition})
		if a.Code != row.code || !b.by(row.rule) {
			t.Errorf("%s: %s by %v, want %s by %s", row.name, a.Code, b.last, row.code, row.rule)
		}
		if known := len(b.Leaders[0].Producers) > 0; known != (row.code == None) {
			t.Errorf("%s: entry made: %t", row.name, known)
		}
	}
}

// TestAddPartitionsOrder is ADD-02 and ADD-03: an unknown partition comes before an empty transactional id.
func TestAddPartitionsOrder(t *testing.T) {
	for _, row := range []struct {
		version      int16
		verify       bool
		txn          TxnID
		epoch        int16
		parts        Partitions
		code, rest   Code
		failed       Partitions
		rule, absent Rule
	}{
		{3, false, EmptyTxnID, 0, 0b100001, UnknownTopicPartition, OperationNotAttempted, 0b100000, ADD03, ADD02},
		{3, false, EmptyTxnID, 0, 0b11, InvalidRequest, InvalidRequest, 0b11, ADD02, ADD03},
		{5, true, 0, 0, 0b100001, UnknownTopicPartition, OperationNotAttempted, 0b100000, ADD03, ADD10},
		{5, true, EmptyTxnID, 0, 0b11, InvalidRequest, InvalidRequest, 0b11, ADD02, ADD10},
		{5, true, 0, 0, 0b11, TransactionAbortable, None, 0b11, ADD11, ADD04},
		{4, true, 0, 1, 0b11, ProducerFenced, None, 0b11, ADD10, ADD06},
	} {
		b := newBroker(t, 2, release440(t))
		b.init(NoProducer, NoEpoch)
		a := b.do(Request{API: AddPartitionsToTxn, Version: row.version, VerifyOnly: row.verify, Txn: row.txn, Epoch: row.epoch, Partitions: row.parts})
		if a.Code != row.code || a.Failed != row.failed || row.failed != row.parts && a.Rest != row.rest || !b.by(row.rule) || b.by(row.absent) {
			t.Errorf("v%d, id %d, partitions %b: %s for %b, %s for the others, by %v; want %s for %b by %s",
				row.version, row.txn, row.parts, a.Code, a.Failed, a.Rest, b.last, row.code, row.failed, row.rule)
		}
	}
}

// TestEndTxnV5AtEpochZero is END-30 with E = 0, which EndTxn v4 leaves: -1 is the epoch before.
func TestEndTxnV5AtEpochZero(t *testing.T) {
	for _, row := range []struct {
		state  Status
		commit bool
		code   Code
	}{
		{Empty, true, ProducerFenced}, {Empty, false, ProducerFenced}, {Ongoing, true, ProducerFenced},
		{CompleteCommit, true, None}, {CompleteCommit, false, InvalidTxnState},
	} {
		b := newBroker(t, 1, release440(t))
		b.at(row.state, 4)
		want := NoEpoch
		if row.code == None {
			want = 0
		}
		if a := b.end(5, -1, row.commit); a.Code != row.code || a.Epoch != want {
			t.Errorf("%s, commit=%t: %s, epoch %d; want %s, epoch %d", row.state, row.commit, a.Code, a.Epoch, row.code, want)
		}
	}
}

// TestLastEpochOverReload is INIT-29: where the log keeps no last epoch, a repeated InitProducerId is fenced after a reload.
// Value version 0, which transaction.version 0 writes, has no place for it in any release (read in the schema).
func TestLastEpochOverReload(t *testing.T) {
	trunk, err := ParseRelease("trunk")
	if err != nil {
		t.Fatal(err)
	}
	for _, row := range []struct {
		tv    int8
		fixes Fixes
		code  Code
	}{
		{1, release440(t), ProducerFenced}, {0, release440(t), ProducerFenced},
		{1, trunk.Fixes, None}, {0, trunk.Fixes, ProducerFenced},
	} {
		b := newBroker(t, row.tv, row.fixes)
		b.init(NoProducer, NoEpoch)
		b.init(0, 0)
		b.step(Crash)
		if d := b.step(Reload); !d.By(FO10) {
			t.Errorf("a reload is a new leader epoch (FO-10), decided by %v", d.Rules())
		}
		if a := b.init(0, 0); a.Code != row.code {
			t.Errorf("TV%d: %s, want %s", row.tv, a.Code, row.code)
		}
	}
}

// TestLeadersRestartAlone is MARK-33 and FO-09 where only the leaders restart: the transaction still ends, and the answer to
// a question from before is nobody's. Not measured: it takes a second broker.
func TestLeadersRestartAlone(t *testing.T) {
	b := newBroker(t, 2, AllFixes)
	b.init(NoProducer, NoEpoch)
	b.produce(12, 0, 0)
	b.end(5, 0, true)
	b.step(RestartLeaders)
	b.settle()
	if got := b.Coordinator.Txns[0].Memory.Status; got != CompleteCommit {
		t.Errorf("%s, want CompleteCommit", got)
	}
	b.send(2, Request{API: Produce, Version: 12, Epoch: 1, Count: 1, Transactional: true})
	b.step(Deliver) // the add is in the log
	if d := b.step(RestartLeaders); !d.By(FO09) {
		t.Errorf("verification entries are gone by FO-09, not %v", d.Rules())
	}
	b.send(3, Request{API: Produce, Version: 12, Epoch: 1, Sequence: 7, Count: 1, Transactional: true})
	b.step(Apply)
	if len(b.Net) != 1 || b.Net[0].Kind != Ask {
		t.Errorf("under way is %v, want the second question alone", b.Net)
	}
}

// TestRulesNamed holds that what decides is named, and nothing else is.
func TestRulesNamed(t *testing.T) {
	for _, row := range []struct {
		name string
		tv   int8
		do   func(b *broker)
		by   []Rule
		not  []Rule
	}{
		{"EndTxn v5 after AddPartitionsToTxn", 2, func(b *broker) { b.add(0); b.end(5, 0, true) }, []Rule{END26, END07, END08}, []Rule{END27}},
		{"EndTxn v5 after Produce v12", 2, func(b *broker) { b.produce(12, 0, 0); b.end(5, 0, true) }, []Rule{END20, END08}, []Rule{END26}},
		{"EndTxn v4 after Produce v12", 2, func(b *broker) { b.produce(12, 0, 0); b.end(4, 0, true) }, []Rule{END27, END07}, []Rule{END26, END08}},
		{"EndTxn v5 two epochs late", 2, func(b *broker) { b.end(5, 0, false); b.settle(); b.end(5, 1, false); b.settle(); b.end(5, 0, false) }, []Rule{END25, END30}, nil},
		{"EndTxn v5 at a higher epoch", 2, func(b *broker) { b.end(5, 0, false); b.settle(); b.end(5, 7, false) }, []Rule{END30}, []Rule{END25}},
		{"Produce v12 added and then out of order", 2, func(b *broker) { b.produce(12, 0, 4) }, []Rule{ADD29, IDEM33, ADD21}, nil},
		{"Produce v12 at a refused epoch", 2, func(b *broker) { b.produce(12, 3, 0) }, []Rule{ADD23}, []Rule{ADD29}},
		{"a batch at a higher epoch than the open transaction's", 2, func(b *broker) { b.produce(12, 0, 0); b.produce(12, 1, 0) }, []Rule{VER02}, nil},
		{"older than the five batches known", 2, func(b *broker) {
			for i := range int32(6) {
				b.produce(12, 0, i)
			}
			b.produce(12, 0, 0)
		}, []Rule{IDEM21, IDEM23}, nil},
		{"a gap", 2, func(b *broker) { b.produce(12, 0, 0); b.produce(12, 0, 5) }, []Rule{IDEM23}, []Rule{IDEM21, IDEM40}},
		{"the first batch behind a marker of its epoch", 2, func(b *broker) { b.produce(12, 0, 0); b.end(5, 0, true); b.settle(); b.produce(12, 1, 0) }, []Rule{IDEM40}, nil},
		{"a marker at the epoch that a Produce v12 waits with", 2, func(b *broker) {
			b.send(2, Request{API: Produce, Version: 12, Count: 1, Transactional: true})
			b.last = nil
			b.send(3, Request{API: WriteTxnMarkers, Version: 1})
		}, []Rule{MARK16, VER03}, nil},
		{"a crash while an append is waited for", 2, func(b *broker) {
			b.send(2, Request{API: Produce, Version: 12, Count: 1, Transactional: true})
			b.step(Deliver)
			b.last = nil
			b.step(CrashLosing)
		}, []Rule{FO12, COORD11, ADD23}, nil},
		{"a crash of an idle coordinator", 2, func(b *broker) { b.step(Crash) }, []Rule{FO12}, []Rule{COORD11, ADD23}},
	} {
		b := newBroker(t, row.tv, release440(t))
		b.init(NoProducer, NoEpoch)
		b.last = nil
		row.do(b)
		for _, r := range row.by {
			if !b.by(r) {
				t.Errorf("%s: %s is not among %v", row.name, r, b.last)
			}
		}
		for _, r := range row.not {
			if b.by(r) {
				t.Errorf("%s: %s did not decide", row.name, r)
			}
		}
	}
}
