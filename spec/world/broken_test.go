package world

import (
	"context"
	"slices"
	"testing"

	"github.com/onceproof/onceproof/checker"
	"github.com/onceproof/onceproof/spec"
)

// broken are protocols with one rule broken that a property has to see: each was missed once. The row of a fix, or a
// weakening, fells the property for another reason.
var broken = []struct {
	name     string
	property string
	config   Config
	after    func(s *State, d *spec.Decision, req *spec.Request)
}{
	{"a repeated EndTxn v4 decides again", "ValidTransition",
		base("", "", TV1Style, clientFaults(1)), func(s *State, d *spec.Decision, _ *spec.Request) {
			t := &s.Broker.Coordinator.Txns[0]
			if d.By(spec.END11) && t.Pending.Phase == spec.Idle {
				next := t.Memory
				next.Status -= 2
				t.Log = append(t.Log, next)
				t.Pending = spec.Pending{Phase: spec.Appending, Next: next}
				d.Logged = next.Status
			}
		}},
	{"a leader's question that is refused adds its partition in memory", "RejectedHasNoEffect",
		base("", "", TV2Style, timeouts(1), clientFaults(1)), func(s *State, d *spec.Decision, _ *spec.Request) {
			if d.Request.API == spec.AddPartitionsToTxn && d.Message.Final() {
				s.Broker.Coordinator.Txns[0].Memory.Partitions |= 2
			}
		}},
	{"a batch of a fenced producer joins the open transaction of its successor", "FencedStaysFenced",
		base("", "", TV2Style, incarnations(2), transactions(2)), func(s *State, d *spec.Decision, req *spec.Request) {
			if !d.By(spec.IDEM24) || d.Code != spec.InvalidProducerEpoch || req == nil {
				return
			}
			l := &s.Broker.Leaders[d.Partition]
			if p := &l.Producers[0]; p.Open != spec.NoOffset {
				l.Log = append(l.Log, spec.Batch{ProducerID: req.ProducerID, Epoch: req.Epoch, Sequence: req.Sequence, Count: 1,
					Transactional: true, Data: req.Data, Number: p.Number})
				d.Appended, d.Code = true, spec.None
			}
		}},
	{"EndTxn(commit) hears NONE after a timeout", "FencedHearsFenced",
		base("", "", TV2Style, timeouts(1)), func(_ *State, d *spec.Decision, _ *spec.Request) {
			if d.By(spec.END24) && d.Code == spec.ProducerFenced {
				d.Code = spec.None
			}
		}},
	{"an idempotent producer's next batch is out of order", "OwnerNotRefused",
		base("", "", Idempotent, batches(2, 1)), func(s *State, d *spec.Decision, req *spec.Request) {
			if d.Appended && req.Sequence == 1 {
				l := &s.Broker.Leaders[d.Partition]
				l.Log = l.Log[:len(l.Log)-1]
				d.Appended, d.Code = false, spec.OutOfOrderSequence
			}
		}},
	{"two idempotent producers are given one id", "UniqueIdentity",
		base("", "", Idempotent, incarnations(2), transactions(2)), func(s *State, d *spec.Decision, _ *spec.Request) {
			if d.By(spec.INIT05) {
				s.Broker.Allocator.Next = 0
			}
		}},
	{"what the second idempotent producer was acknowledged is not in the log", "NoLostCommit",
		base("", "", Idempotent, incarnations(2), transactions(2)), func(s *State, d *spec.Decision, req *spec.Request) {
			if d.Appended && req.ProducerID == 1 {
				l := &s.Broker.Leaders[d.Partition]
				l.Log = l.Log[:len(l.Log)-1]
			}
		}},
	{"a marker of an older coordinator is taken", "MarkerMatchesTransaction",
		base("", "", TV1Style, transactions(2), crashes(1), beyondKnown), func(s *State, d *spec.Decision, _ *spec.Request) {
			if d.By(spec.MARK11) {
				l := &s.Broker.Leaders[d.Partition]
				l.Log = append(l.Log, spec.Batch{Kind: spec.AbortMarker, ProducerID: l.Producers[0].ID, Epoch: l.Producers[0].Epoch,
					Transactional: true, Count: 1, Number: 1})
				d.Appended = true
			}
		}},
	{"a coordinator that was loaded again keeps its epoch", "MarkerMatchesTransaction",
		base("", "", TV1Style, transactions(2), crashes(1), beyondKnown), func(s *State, d *spec.Decision, _ *spec.Request) {
			if d.Step.Kind == spec.Reload {
				s.Broker.Coordinator.Epoch = 0
				for i := range s.Broker.Net {
					s.Broker.Net[i].CoordinatorEpoch = 0
				}
			}
		}},
	{"EndTxn v4 with an older epoch ends the transaction", "FencedHearsFenced",
		base("", "", TV1Style, incarnations(2), transactions(2), each(1), beyondKnown), endWithOlderEpoch},
	{"a coordinator that was loaded again answers EndTxn for ever that it is loading", "CanStillEnd",
		base("", "", TV2Style, crashes(1)), func(s *State, d *spec.Decision, _ *spec.Request) {
			if as := s.Broker.Answers; s.Broker.Coordinator.Epoch > 0 && d.Request.API == spec.EndTxn && d.Conn != 0 && d.Code == spec.None {
				d.Code = spec.CoordinatorLoading
				i := slices.IndexFunc(as, func(a spec.Answer) bool { return a.Conn == d.Conn })
				as[i].Code = d.Code
			}
		}},
}

// endWithOlderEpoch lets EndTxn v4 of a fenced producer abort what its successor has open.
func endWithOlderEpoch(s *State, d *spec.Decision, req *spec.Request) {
	t := &s.Broker.Coordinator.Txns[0]
	if d.By(spec.END10) && t.Memory.Status == spec.Ongoing && t.Pending.Phase == spec.Idle && d.Code == spec.ProducerFenced {
		next := t.Memory
		next.Status = spec.PrepareAbort
		t.Log = append(t.Log, next)
		t.Pending = spec.Pending{Phase: spec.Appending, Next: next, From: d.Request, Conn: d.Conn}
		d.Logged, d.Answered = next.Status, false
		s.Broker.Answers = slices.DeleteFunc(s.Broker.Answers, func(a spec.Answer) bool { return a.Conn == d.Conn })
	}
}

func TestBrokenProtocolsAreSeen(t *testing.T) {
	for _, b := range broken {
		t.Run(b.name, func(t *testing.T) {
			m, err := New(b.config)
			if err != nil {
				t.Fatal(err)
			}
			m.weakened = b.after
			p, err := m.Properties().Only(b.property)
			if err != nil {
				t.Fatal(err)
			}
			r, err := checker.Check(context.Background(), m, p, checker.Options{})
			if err != nil {
				t.Fatal(err)
			}
			if len(r.Violations) == 0 {
				t.Errorf("%s: %s in %d states, should fall", b.property, r.Verdict, r.Distinct)
			}
		})
	}
}

// The properties say of each record what a consumer with read_committed sees.
func TestAFateIsWhatAConsumerSees(t *testing.T) {
	if testing.Short() {
		t.Skip("too many states for the race detector")
	}
	for _, c := range []Config{
		base("", "", TV2Style, transactions(3), markerFaults(1)),
		base("", "", TV1Style, transactions(2), clientFaults(1), markerFaults(1)),
		base("", "", TV2Style, incarnations(2), transactions(2)),
	} {
		m, err := New(c)
		if err != nil {
			t.Fatal(err)
		}
		p := checker.Properties[State, Action]{MayStop: func(*State) bool { return true }}
		p.Invariants = []invariant{{Name: "the same", Check: func(s *State) checker.Outcome {
			var shows []int32
			s.each(func(l *spec.Leader, i int, offset int64) {
				if fateOf(l, &l.Log[i], offset) == shown {
					shows = append(shows, l.Log[i].Data)
				}
			})
			var sees []int32
			for p := range s.Broker.Leaders {
				f, _ := s.Broker.Leaders[p].Fetch(0, spec.ReadCommitted)
				for _, b := range spec.Consume(f, spec.ReadCommitted) {
					sees = append(sees, b.Data)
				}
			}
			return checker.Require(slices.Equal(shows, sees))
		}}}
		r, err := checker.Check(context.Background(), m, p, checker.Options{})
		if err != nil {
			t.Fatal(err)
		}
		if len(r.Violations) > 0 {
			t.Error(r.Violations[0].Trace)
		}
	}
}

// A copy that nobody waits for may be lost, so that no way to the end may need it.
func TestTheWayToTheEndNeedsNoCopyThatNobodyWaitsFor(t *testing.T) {
	m, err := New(base("", "", TV2Style))
	if err != nil {
		t.Fatal(err)
	}
	late := checker.StepProperty[State, Action]{Name: "none", Check: func(_ *State, a Action, _ *State) checker.Outcome {
		return checker.Require(a.Kind != Arrive)
	}}
	var s State
	start := checker.Properties[State, Action]{Steps: []checker.StepProperty[State, Action]{late}, MayStop: func(*State) bool { return true }}
	m.sp.Reset(&s.Broker, 1, 1)
	s.put(Flight{Request: spec.Request{API: spec.InitProducerID, Version: 5, ProducerID: spec.NoProducer, Epoch: spec.NoEpoch, TimeoutMs: 1}})
	r, err := checker.Check(context.Background(), &from{helper: *m.helper(), start: m.Encode(nil, &s)}, start, checker.Options{Workers: 1})
	if err != nil {
		t.Fatal(err)
	}
	if r.Verdict != checker.VerdictHolds {
		t.Errorf("a copy that nobody waits for arrives on the way to the end")
	}
}
