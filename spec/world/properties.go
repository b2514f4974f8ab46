package world

import (
	"slices"

	"github.com/onceproof/onceproof/checker"
	"github.com/onceproof/onceproof/spec"
)

// The properties read what clients were told and what lies in the logs, never the fields that the rules maintain, and no
// switch.

type (
	invariant = checker.Invariant[State]
	stepProp  = checker.StepProperty[State, Action]
)

// Properties returns what users rely on, as the checker takes it.
func (m *Model) Properties() checker.Properties[State, Action] {
	return checker.Properties[State, Action]{
		Invariants: []invariant{
			{Name: "NoLostCommit", Check: m.noLostCommit,
				Doc: "A client that was told that its transaction committed has every acknowledged record in the log, none hidden from read_committed. Otherwise acknowledged data is lost."},
			{Name: "NoDuplicate", Check: m.noDuplicate,
				Doc: "No batch is in a partition's log twice. Otherwise a retry is counted twice."},
			{Name: "InOrder", Check: m.inOrder,
				Doc: "The batches of a producer id and epoch lie in a partition in the order in which they were sent, without a gap. Otherwise a record is lost between two acknowledged ones, or an update is overtaken by an older one."},
			{Name: "LSOCorrect", Check: m.lsoCorrect,
				Doc: "The last stable offset is at most the high watermark and the first record that is not decided. Otherwise read_committed shows what may still be aborted."},
			{Name: "NoAbortedRead", Check: m.noAbortedRead,
				Doc: "No record is shown to read_committed unless its client asked to commit that very transaction. Otherwise a consumer acts on what was taken back."},
			{Name: "AtomicVisibility", Check: m.atomicVisibility,
				Doc: "Of one transaction either every decided record is shown to read_committed or none. Otherwise a consumer sees half of it: the debit without the credit."},
		},
		Steps: []stepProp{
			ofStates("UniqueIdentity", m.uniqueIdentity,
				"No two incarnations are granted the same producer id and epoch. Otherwise fencing cannot tell them apart."),
			ofStates("EpochMonotonic", m.epochMonotonic,
				"In the coordinator's log the epoch of a producer id never decreases. Otherwise a fenced producer is let in again."),
			ofStates("ValidTransition", m.validTransition,
				"The records of a transactional id follow the state machine (SM-09). Otherwise a coordinator that loads the log fails, or decides anew."),
			ofStates("OneOutcome", m.oneOutcome,
				"Of one transaction not both PrepareCommit and PrepareAbort are acknowledged. Otherwise some partitions commit and others abort."),
			ofStates("MarkerMatchesTransaction", m.markerMatches,
				"The marker that ends a record's transaction was sent for that very transaction. Otherwise a late marker decides what it was not meant for."),
			ofStates("RejectedHasNoEffect", m.rejectedHasNoEffect,
				"A request refused with a final error decides, adds, grants and appends nothing. Otherwise a client takes back what has happened. (Exempt: ADD-29, the add before a Produce v12 that is refused at the append, a step of its own.)"),
			ofStates("FencedStaysFenced", m.fencedStaysFenced,
				"Once a newer incarnation's InitProducerId is durable, no request of an older one opens, joins or commits a transaction or is granted an identity. Otherwise a zombie writes beside its successor."),
			ofStates("OwnerNotRefused", m.ownerNotRefused,
				"The owner of the transactional id, following the protocol, is never refused as fenced, as unknown, in a wrong state, or with its next batch out of order. Otherwise a healthy application dies."),
			ofStates("FencedHearsFenced", m.fencedHearsFenced,
				"Who lost its transaction to the coordinator, or was fenced, hears PRODUCER_FENCED or INVALID_PRODUCER_EPOCH, and no other final error. Otherwise the application takes an ordinary takeover for a bug, and dies."),
		},
		CanReach: []checker.CanReach[State, Action]{{
			Name: "CanStillEnd", Goal: m.ended, Model: m.helper(),
			Doc: "From every state, one with every transaction ended, LSO = HW and no client waiting can be reached by deliveries, answers, resends, timeouts and reload alone. Otherwise a transaction hangs, and read_committed consumers stand still for ever; or a client asks again for ever.",
		}},
		Witnesses: m.witnesses(),
		MayStop:   func(*State) bool { return true },
	}
}

// ofStates is a property of a step that does not look at the action: what the step did is in the new state.
func ofStates(name string, check func(old, s *State) checker.Outcome, doc string) stepProp {
	return stepProp{Name: name, Doc: doc, OfStates: check, Check: func(old *State, _ Action, s *State) checker.Outcome { return check(old, s) }}
}

// witnesses are states that a model has to reach, or it is too narrow to show anything.
func (m *Model) witnesses() []checker.Witness[State] {
	if m.Style == Idempotent {
		return []checker.Witness[State]{{Name: "AllAcknowledged", Doc: "Every batch is acknowledged.", Reached: func(s *State) bool {
			return len(s.Ghost.Txns) > 0 && s.Ghost.Txns[0].Acked == 1<<m.batches()-1
		}}}
	}
	ws := []checker.Witness[State]{
		{Name: "CommitShown", Doc: "A client was told that its transaction committed, and its record is shown to read_committed.",
			Reached: func(s *State) bool { return m.noLostCommit(s) == checker.Holds && s.has(shown) }},
		{Name: "AbortHidden", Doc: "A record is hidden from read_committed.", Reached: func(s *State) bool { return s.has(hidden) }},
	}
	if m.Incarnations > 1 {
		ws = append(ws, checker.Witness[State]{Name: "Fenced", Doc: "A producer that was fenced is told so, while a newer one has the identity.",
			Reached: func(s *State) bool {
				for i := range s.Clients {
					if s.Ghost.Newest >= 0 && int(s.Ghost.Newest) != i && s.Clients[i].Phase == Dead {
						return true
					}
				}
				return false
			}})
	}
	return ws
}

func (s *State) has(f fate) bool {
	found := false
	s.each(func(l *spec.Leader, i int, offset int64) {
		if l.Log[i].Transactional && fateOf(l, &l.Log[i], offset) == f {
			found = true
		}
	})
	return found
}

// fate is what becomes of a record.
type fate uint8

const (
	undecided fate = iota // no marker behind it yet, or behind one that has none
	shown                 // read_committed consumers get it
	hidden                // it is in the aborted list they judge by
)

// fateOf says what a read_committed consumer sees of batch i at its offset: the last stable offset and the aborted list
// decide, as in a Fetch (READ-01, READ-03, READ-07).
func fateOf(l *spec.Leader, b *spec.Batch, offset int64) fate {
	if offset >= l.LastStable() {
		return undecided
	}
	if b.Transactional {
		for i := range l.Aborted {
			if a := &l.Aborted[i]; a.ProducerID == b.ProducerID && a.First <= offset && offset < a.Last {
				return hidden
			}
		}
	}
	return shown
}

// Shown reports whether a read_committed consumer gets a batch of a log, which lies at the given offset.
func Shown(l *spec.Leader, b *spec.Batch, offset int64) bool { return fateOf(l, b, offset) == shown }

// each calls f with every data batch of every partition.
func (s *State) each(f func(l *spec.Leader, i int, offset int64)) {
	for p := range s.Broker.Leaders {
		l := &s.Broker.Leaders[p]
		var offset int64
		for i := range l.Log {
			if l.Log[i].Kind == spec.Data {
				f(l, i, offset)
			}
			offset += int64(l.Log[i].Count)
		}
	}
}

func (m *Model) noLostCommit(s *State) checker.Outcome {
	if m.Style == Idempotent {
		return m.acknowledgedInLog(s)
	}
	out := checker.NotApplicable
	for t := range s.Ghost.Txns {
		g := &s.Ghost.Txns[t]
		if !g.Told || g.Asked != AskedCommit || g.Acked == 0 {
			continue
		}
		out = checker.Holds
		var found uint8
		s.each(func(l *spec.Leader, i int, offset int64) {
			if txn, batch := nameOf(l.Log[i].Data); int(txn) == t+1 && fateOf(l, &l.Log[i], offset) != hidden {
				found |= 1 << batch
			}
		})
		if g.Acked&^found != 0 {
			return checker.Falls
		}
	}
	return out
}

// acknowledgedInLog is NoLostCommit without transactions: what was acknowledged is in the log.
func (m *Model) acknowledgedInLog(s *State) checker.Outcome {
	var found [maxTxns + 1]uint8
	s.each(func(l *spec.Leader, i int, _ int64) {
		if b := &l.Log[i]; b.ProducerID != spec.NoProducer {
			txn, batch := nameOf(b.Data)
			found[txn] |= 1 << batch
		}
	})
	out := checker.NotApplicable
	for t := range s.Ghost.Txns {
		acked := s.Ghost.Txns[t].Acked
		if acked&^found[t+1] != 0 {
			return checker.Falls
		}
		if acked != 0 {
			out = checker.Holds
		}
	}
	return out
}

func (m *Model) noDuplicate(s *State) checker.Outcome {
	out := checker.NotApplicable
	for p := range s.Broker.Leaders {
		log := s.Broker.Leaders[p].Log
		for i := range log {
			for j := range i {
				if log[i].Kind == spec.Data && log[j].Kind == spec.Data {
					if log[i].Data == log[j].Data {
						return checker.Falls
					}
					out = checker.Holds
				}
			}
		}
	}
	return out
}

func (m *Model) inOrder(s *State) checker.Outcome {
	out := checker.NotApplicable
	for p := range s.Broker.Leaders {
		log := s.Broker.Leaders[p].Log
		for i := range log {
			b := &log[i]
			if b.Kind != spec.Data || b.ProducerID == spec.NoProducer {
				continue
			}
			want := int32(0)
			for j := range i {
				if a := &log[j]; a.Kind == spec.Data && a.ProducerID == b.ProducerID && a.Epoch == b.Epoch {
					want = a.Sequence + a.Count
					out = checker.Holds
				}
			}
			if b.Sequence != want {
				return checker.Falls
			}
		}
	}
	return out
}

// firstUndecided is the offset of the first transactional record with no marker of its producer behind it, or -1.
func firstUndecided(l *spec.Leader) int64 {
	var offset int64
	for i := range l.Log {
		b := &l.Log[i]
		if b.Kind == spec.Data && b.Transactional {
			open := true
			for j := i + 1; j < len(l.Log); j++ {
				if l.Log[j].Kind != spec.Data && l.Log[j].ProducerID == b.ProducerID {
					open = false
					break
				}
			}
			if open {
				return offset
			}
		}
		offset += int64(b.Count)
	}
	return -1
}

func (m *Model) lsoCorrect(s *State) checker.Outcome {
	out := checker.NotApplicable
	for p := range s.Broker.Leaders {
		l := &s.Broker.Leaders[p]
		lso := l.LastStable()
		first := firstUndecided(l)
		if first >= 0 {
			out = checker.Holds
		}
		if lso > l.HighWatermark() || first >= 0 && lso > first {
			return checker.Falls
		}
	}
	return out
}

func (m *Model) noAbortedRead(s *State) checker.Outcome {
	out := checker.NotApplicable
	s.each(func(l *spec.Leader, i int, offset int64) {
		b := &l.Log[i]
		if !b.Transactional || out == checker.Falls || fateOf(l, b, offset) != shown {
			return
		}
		out = checker.Holds
		if txn, _ := nameOf(b.Data); s.Ghost.Txns[txn-1].Asked != AskedCommit {
			out = checker.Falls
		}
	})
	return out
}

func (m *Model) atomicVisibility(s *State) checker.Outcome {
	var visible, aborted, several uint32
	s.each(func(l *spec.Leader, i int, offset int64) {
		b := &l.Log[i]
		if !b.Transactional {
			return
		}
		txn, _ := nameOf(b.Data)
		of := &visible
		switch fateOf(l, b, offset) {
		case undecided:
			return
		case hidden:
			of = &aborted
		}
		several |= (visible | aborted) & (1 << txn)
		*of |= 1 << txn
	})
	return checker.Implies(several != 0, visible&aborted == 0)
}

// ended is the goal of CanStillEnd.
func (m *Model) ended(s *State) bool {
	if slices.ContainsFunc(s.Clients, func(c Client) bool { return c.waitsAtAll() }) {
		return false
	}
	c := &s.Broker.Coordinator
	t := &c.Txns[0]
	if !c.Up || t.Pending.Phase != spec.Idle || t.Memory.Status == spec.Ongoing || t.Memory.Status.Prepared() {
		return false
	}
	for p := range s.Broker.Leaders {
		if l := &s.Broker.Leaders[p]; l.LastStable() != l.HighWatermark() {
			return false
		}
	}
	return true
}
