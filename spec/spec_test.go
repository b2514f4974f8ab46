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

// TestBetweenDecisionAndMarkers is the Prepare rows of END-14 and END-30, met only in the moment in which the decision is
// applied and nothing is in progress.
func TestBetweenDecisionAndMarkers(t *testing.T) {
	const ct, its, pf = ConcurrentTransactions, InvalidTxnState, ProducerFenced
	for _, row := range []struct {
		version         int16
		offset          int16 // of the request's epoch from the stored one
		commit, commits bool  // what is asked for, what was decided
		code            Code
	}{
		{4, 0, true, true, ct}, {4, 0, false, true, its}, {4, 0, true, false, its}, {4, 0, false, false, ct},
		{5, 0, true, true, pf}, {5, 0, false, false, pf},
		{5, -1, true, true, ct}, {5, -1, false, true, its}, {5, -1, true, false, its}, {5, -1, false, false, ct},
	} {
		b := newBroker(t, 2, AllFixes)
		epoch := b.at(Ongoing, row.version)
		b.sp.Submit(&b.State, 2, Request{API: EndTxn, Version: row.version, Epoch: epoch, Commit: row.commits})
		b.sp.Take(&b.State, Step{Kind: Handle})
		b.sp.ApplyAlone(&b.State, 0)
		stored := b.Coordinator.Txns[0].Memory.Epoch
		b.sp.Submit(&b.State, 1, Request{API: EndTxn, Version: row.version, Epoch: stored + row.offset, Commit: row.commit})
		b.sp.Take(&b.State, Step{Kind: Handle})
		if a, ok := b.sp.Answer(&b.State, 1); !ok || a.Code != row.code {
			t.Errorf("decided commit=%t, EndTxn v%d commit=%t at epoch %+d: %s, want %s", row.commits, row.version, row.commit, row.offset, a.Code, row.code)
		}
		b.settle()
		if m := b.Coordinator.Txns[0].Memory; m.Status != CompleteAbort && m.Status != CompleteCommit {
			t.Errorf("the decision is not completed: %s", m.Status)
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
