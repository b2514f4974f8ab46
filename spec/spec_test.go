package spec

import (
	"encoding/hex"
	"encoding/json"
	"os"
	"slices"
	"testing"
)

// broker drives a spec without faults: a request's steps are taken until its answer is there.
type broker struct {
	t  *testing.T
	sp *Spec
	State
	last []Decision
}

func newBroker(t *testing.T, tv int8, fixes Fixes) *broker {
	t.Helper()
	b := &broker{t: t, sp: New(Rules{TransactionVersion: tv, Fixes: fixes, Limits: KafkaLimits})}
	b.sp.Reset(&b.State, 1, 2)
	return b
}

// do sends a request and takes the broker's own steps until it is answered, and no further.
func (b *broker) do(r Request) Answer {
	b.t.Helper()
	b.sp.Submit(&b.State, 1, r)
	b.last = nil
	for range 50 {
		if a, ok := b.sp.Answer(&b.State, 1); ok {
			return a
		}
		steps := b.sp.Steps(nil, &b.State, Quiet)
		if len(steps) == 0 {
			b.t.Fatalf("%s v%d is never answered", r.API, r.Version)
		}
		b.last = append(b.last, b.sp.Take(&b.State, steps[0]))
	}
	b.t.Fatalf("%s v%d: no answer in 50 steps", r.API, r.Version)
	return Answer{}
}

// settle takes the broker's own steps until there are none.
func (b *broker) settle() {
	for {
		steps := b.sp.Steps(nil, &b.State, Quiet)
		if len(steps) == 0 {
			return
		}
		b.sp.Take(&b.State, steps[0])
	}
}

// by reports whether a rule decided a step of the last request.
func (b *broker) by(r Rule) bool {
	return slices.ContainsFunc(b.last, func(d Decision) bool { return d.By(r) })
}

func (b *broker) init(pid int64, epoch int16) Answer {
	return b.do(Request{API: InitProducerID, Version: 5, ProducerID: pid, Epoch: epoch, TimeoutMs: 60000})
}

func (b *broker) add(epoch int16) Answer {
	return b.do(Request{API: AddPartitionsToTxn, Version: 3, Epoch: epoch, Partitions: 1})
}

func (b *broker) produce(version, epoch int16, sequence int32) Answer {
	return b.do(Request{API: Produce, Version: version, Epoch: epoch, Sequence: sequence, Count: 1, Transactional: true})
}

func (b *broker) end(version, epoch int16, commit bool) Answer {
	return b.do(Request{API: EndTxn, Version: version, Epoch: epoch, Commit: commit})
}

// at brings the transactional id to a state of which the stored epoch is 2 (v5 rules) or 0 (v4 rules).
func (b *broker) at(st Status, version int16) int16 {
	b.t.Helper()
	b.init(NoProducer, NoEpoch)
	epoch := int16(0)
	open := func() {
		if version >= 5 {
			b.produce(12, epoch, 0)
		} else {
			b.add(epoch)
		}
	}
	end := func(commit bool) {
		if a := b.end(version, epoch, commit); version >= 5 {
			epoch = a.Epoch
		}
	}
	if version >= 5 {
		b.init(NoProducer, NoEpoch)
		epoch = 1
		if st == Empty || st == Ongoing {
			b.init(NoProducer, NoEpoch)
			epoch = 2
		}
	}
	switch st {
	case Ongoing:
		open()
	case PrepareCommit, PrepareAbort:
		open()
		end(st == PrepareCommit)
		if got := b.Coordinator.Txns[0].Memory.Status; got != st {
			b.t.Fatalf("the decision is %s, want %s", got, st)
		}
		return epoch
	case CompleteCommit, CompleteAbort:
		open()
		end(st == CompleteCommit)
	}
	b.settle()
	if m := b.Coordinator.Txns[0].Memory; m.Status != st || m.Epoch != epoch {
		b.t.Fatalf("set-up reached %s at epoch %d, want %s at %d", m.Status, m.Epoch, st, epoch)
	}
	return epoch
}

// TestEndTxnV4 is the table END-14, with the checks of END-13 before it.
func TestEndTxnV4(t *testing.T) {
	const ct, its, pf = ConcurrentTransactions, InvalidTxnState, ProducerFenced
	for _, row := range []struct {
		state         Status
		commit, abort Code
		after         Status // of a request that is accepted
	}{
		{Empty, its, its, NoStatus},
		{Ongoing, None, None, NoStatus},
		{PrepareCommit, ct, ct, NoStatus}, // the transition in progress is tested first
		{PrepareAbort, ct, ct, NoStatus},
		{CompleteCommit, None, its, CompleteCommit},
		{CompleteAbort, its, None, CompleteAbort},
	} {
		for _, commit := range []bool{true, false} {
			want := row.abort
			if commit {
				want = row.commit
			}
			b := newBroker(t, 1, AllFixes)
			epoch := b.at(row.state, 4)
			if a := b.end(4, epoch, commit); a.Code != want || a.ProducerID != NoProducer {
				t.Errorf("%s, EndTxn v4 commit=%t: %s, identity %d; want %s and none", row.state, commit, a.Code, a.ProducerID, want)
			}
			for _, e := range []int16{epoch + 1, epoch - 1} {
				b := newBroker(t, 1, AllFixes)
				b.at(row.state, 4)
				if a := b.end(4, e, commit); a.Code != pf {
					t.Errorf("%s, EndTxn v4 commit=%t at epoch %d of %d: %s, want %s", row.state, commit, e, epoch, a.Code, pf)
				}
			}
		}
	}
}

// TestEndTxnV5 is the table END-30 as 4.4.0 has it: at the stored epoch and at the one below.
func TestEndTxnV5(t *testing.T) {
	const ct, its, pf = ConcurrentTransactions, InvalidTxnState, ProducerFenced
	release, err := ParseRelease("4.4.0")
	if err != nil {
		t.Fatal(err)
	}
	for _, row := range []struct {
		state                                      Status
		commitCur, commitRetry, abortCur, abortRet Code
	}{
		{Empty, its, pf, None, pf},
		{Ongoing, None, pf, None, pf},
		{PrepareCommit, ct, ct, ct, ct},
		{PrepareAbort, ct, ct, ct, ct},
		{CompleteCommit, its, None, None, its},
		{CompleteAbort, its, its, None, None},
	} {
		for i, want := range []Code{row.commitCur, row.commitRetry, row.abortCur, row.abortRet} {
			commit, retry := i < 2, i%2 == 1
			b := newBroker(t, 2, release.Fixes)
			epoch := b.at(row.state, 5)
			asked := epoch
			if retry {
				asked--
			}
			a := b.end(5, asked, commit)
			granted := asked + 1
			if a.Code != want || want == None && (a.ProducerID != 0 || a.Epoch != granted) {
				t.Errorf("%s, EndTxn v5 commit=%t at epoch %d of %d: %s, epoch %d; want %s, epoch %d", row.state, commit, asked, epoch, a.Code, a.Epoch, want, granted)
			}
		}
		for _, off := range []int16{-2, 1} {
			b := newBroker(t, 2, release.Fixes)
			epoch := b.at(row.state, 5)
			want := pf
			if row.state.Prepared() {
				want = ct
			}
			if a := b.end(5, epoch+off, true); a.Code != want {
				t.Errorf("%s, EndTxn v5 at epoch %d of %d: %s, want %s", row.state, epoch+off, epoch, a.Code, want)
			}
		}
	}
}

// TestEmptyCommit is END-31: from KAFKA-21181 on a commit of nothing is written like an abort of nothing.
func TestEmptyCommit(t *testing.T) {
	b := newBroker(t, 2, AllFixes)
	b.at(CompleteCommit, 5)
	if a := b.end(5, 2, true); a.Code != None || a.Epoch != 3 || !b.by(END31) {
		t.Fatalf("empty commit: %s, epoch %d", a.Code, a.Epoch)
	}
	b.settle()
	if m := b.Coordinator.Txns[0].Memory; m.Status != CompleteCommit || m.Epoch != 3 || m.Partitions != 0 {
		t.Fatalf("after an empty commit: %+v", m)
	}
}

// TestInitProducerIDTable is INIT-20 to INIT-34 at each transaction.version: state, identity, answer.
func TestInitProducerIDTable(t *testing.T) {
	release, err := ParseRelease("4.4.0")
	if err != nil {
		t.Fatal(err)
	}
	type call struct {
		pid   int64
		epoch int16
	}
	fresh := call{NoProducer, NoEpoch}
	for _, row := range []struct {
		name  string
		tv    int8
		state Status
		call  call
		code  Code
		epoch int16
		rule  Rule
	}{
		{"fresh", 2, CompleteCommit, fresh, None, 3, INIT25},
		{"own identity", 2, Empty, call{0, 2}, None, 3, INIT26},
		{"after EndTxn v5 the ended epoch is a retry", 2, CompleteCommit, call{0, 1}, None, 2, INIT27},
		{"older epoch", 2, CompleteCommit, call{0, 0}, ProducerFenced, -1, INIT28},
		{"higher epoch", 2, CompleteCommit, call{0, 7}, ProducerFenced, -1, INIT28},
		{"foreign producer id", 2, CompleteCommit, call{8, 2}, ProducerFenced, -1, INIT22},
		{"while the decision is in progress", 2, PrepareCommit, fresh, ConcurrentTransactions, -1, INIT21},
		{"a foreign producer id too", 2, PrepareCommit, call{8, 2}, ConcurrentTransactions, -1, INIT21},
		{"on an open transaction", 2, Ongoing, fresh, ConcurrentTransactions, -1, INIT33},
		{"on an open transaction, TV1", 1, Ongoing, fresh, ConcurrentTransactions, -1, INIT32},
		{"a stale identity fences too", 2, Ongoing, call{0, 0}, ConcurrentTransactions, -1, INIT31},
	} {
		b := newBroker(t, row.tv, release.Fixes)
		b.at(row.state, 5)
		if a := b.init(row.call.pid, row.call.epoch); a.Code != row.code || a.Epoch != row.epoch || !b.by(row.rule) {
			t.Errorf("%s: %s, epoch %d, decided by %v; want %s, epoch %d, by %s", row.name, a.Code, a.Epoch, b.last, row.code, row.epoch, row.rule)
		}
	}
}

// TestFenceEpochs is INIT-31 to INIT-34: what the successor and the old producer get at each transaction.version.
func TestFenceEpochs(t *testing.T) {
	release, _ := ParseRelease("4.4.0")
	for tv, old := range map[int8]Code{0: ProducerFenced, 1: ProducerFenced, 2: None} {
		b := newBroker(t, tv, release.Fixes)
		b.init(NoProducer, NoEpoch)
		b.add(0)
		if a := b.init(NoProducer, NoEpoch); a.Code != ConcurrentTransactions {
			t.Fatalf("TV%d: a successor's first InitProducerId: %s", tv, a.Code)
		}
		b.settle()
		if m := b.Coordinator.Txns[0].Memory; m.Status != CompleteAbort || m.Epoch != 1 {
			t.Errorf("TV%d: after the fence %s at epoch %d, want CompleteAbort at 1", tv, m.Status, m.Epoch)
		}
		if a := b.init(0, 0); a.Code != old || old == None && a.Epoch != 1 {
			t.Errorf("TV%d: the old producer's InitProducerId: %s, epoch %d; want %s", tv, a.Code, a.Epoch, old)
		}
		b.settle()
		if a := b.init(NoProducer, NoEpoch); a.Code != None || a.Epoch != 2 {
			t.Errorf("TV%d: the successor's second: %s, epoch %d; want epoch 2", tv, a.Code, a.Epoch)
		}
	}
}

// TestFenceIsInMemoryAtOnce is INIT-35: below level 2 the new epoch is there before its record is acknowledged, so that the
// old one is refused for good; at level 2 it has to wait.
func TestFenceIsInMemoryAtOnce(t *testing.T) {
	release, _ := ParseRelease("4.4.0")
	for tv, want := range map[int8]struct {
		epoch int16
		code  Code
	}{0: {1, ProducerFenced}, 1: {1, ProducerFenced}, 2: {0, ConcurrentTransactions}} {
		b := newBroker(t, tv, release.Fixes)
		b.init(NoProducer, NoEpoch)
		b.add(0)
		b.sp.Take(&b.State, Step{Kind: TimeOut})
		if m, code := b.DescribeTransaction(0); code != None || m.Status != Ongoing || m.Epoch != want.epoch {
			t.Errorf("TV%d: during the append %s at epoch %d (%s), want Ongoing at %d", tv, m.Status, m.Epoch, code, want.epoch)
		}
		b.sp.Submit(&b.State, 1, Request{API: EndTxn, Version: 4, Epoch: 0, Commit: true})
		b.sp.Take(&b.State, Step{Kind: Handle})
		if a, ok := b.sp.Answer(&b.State, 1); !ok || a.Code != want.code {
			t.Errorf("TV%d: EndTxn v4 of the old epoch: %s, want %s", tv, a.Code, want.code)
		}
	}
}

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

// TestCoordinatorPartition is COORD-03, by the partitions in which a running Apache Kafka 4.4.0 keeps these ids.
func TestCoordinatorPartition(t *testing.T) {
	raw, err := os.ReadFile("../fixtures/coordinator-partitions.json")
	if err != nil {
		t.Fatal(err)
	}
	var file struct {
		Vectors []struct {
			ID  string `json:"id_utf8_hex"`
			Txn *int32 `json:"transaction_state"`
		}
	}
	if err := json.Unmarshal(raw, &file); err != nil {
		t.Fatal(err)
	}
	seen := 0
	for _, v := range file.Vectors {
		id, err := hex.DecodeString(v.ID)
		if err != nil {
			t.Fatal(err)
		}
		if v.Txn == nil {
			continue
		}
		seen++
		if got := CoordinatorPartition(string(id), 50); got != *v.Txn {
			t.Errorf("%q: %d, want %d", id, got, *v.Txn)
		}
	}
	if seen < 40 {
		t.Errorf("only %d vectors", seen)
	}
	if got := CoordinatorPartition("u12-txn", 50); got != 23 {
		t.Errorf("u12-txn: %d, want 23", got)
	}
}
