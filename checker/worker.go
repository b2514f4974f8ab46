package checker

import (
	"bytes"
	"fmt"
)

// worker checks and expands states. It reads the search and writes only to memory of its own.
type worker[S, A any] struct {
	search  *search[S, A]
	model   Model[S, A]
	emitter Emitter[S, A]
	goals   []*goalSearch[S, A]
	state   S
	buf     []byte
	tally   *tally
	// checked is the tally of the states of a level.
	checked tally
	// out collects the successors of a chunk, those that seen did not see; alone is the one of a worker that works alone.
	out, alone *batch
	seen       filter
	// parent is the encoded state being expanded, number its number, ordinal that of its next step.
	parent  []byte
	number  uint64
	ordinal int
	proof   *symmetryProof[S, A]
	// candidates are those of the part that is being settled.
	candidates candidates
}

func newWorker[S, A any](s *search[S, A]) *worker[S, A] {
	w := &worker[S, A]{search: s, model: s.model}
	w.emitter = Emitter[S, A]{model: s.model, sink: w}
	w.proof = newSymmetryProof(s)
	w.checked = s.newTally()
	w.alone = &batch{tally: s.newTally()}
	for i := range s.properties.CanReach {
		w.goals = append(w.goals, newGoalSearch(s, i))
	}
	return w
}

// check evaluates the properties of states on a chunk of the level.
func (w *worker[S, A]) check(chunk int) {
	s := w.search
	if s.failure.met.Load() || s.interrupted.Load() {
		return
	}
	r := s.level.reader(chunk)
	number := s.base + uint64(chunk)*chunkStates
	for range s.level.chunkLen(chunk) {
		if !s.decode(w.model, &w.state, r.next()) || !w.checkState(number) {
			return
		}
		number++
	}
}

// checkState evaluates the properties of states on one. It reports false if the search is interrupted.
func (w *worker[S, A]) checkState(number uint64) bool {
	s := w.search
	t := &w.checked
	falls := false
	p := 0
	for i := range s.properties.Invariants {
		o := s.properties.Invariants[i].Check(&w.state)
		t.count(p, o, number)
		falls = falls || o == Falls
		p++
	}
	p = s.witnessAt
	for i := range s.properties.Witnesses {
		if w.unmet(p) && s.properties.Witnesses[i].Reached(&w.state) {
			t.first[p] = number
		}
		p++
	}
	p = s.canReachAt
	for _, g := range w.goals {
		if w.unmet(p) && g.unreachable(&w.state) {
			if s.interrupted.Load() {
				return false
			}
			t.first[p] = number
			falls = true
		}
		p++
	}
	if falls && !s.options.KeepGoing {
		s.fallen.Store(true)
	}
	return true
}

// unmet says that no earlier state is known to settle the property. States come to a worker in the order of their numbers, so
// it need not look further than what it knows already.
func (w *worker[S, A]) unmet(property int) bool {
	return w.checked.first[property] == none && w.search.settled[property] == none
}

// expand publishes all steps from a chunk of the level to a batch, and checks its states where they have not been checked yet.
func (w *worker[S, A]) expand(chunk int, out *batch) {
	s := w.search
	proving := s.proving()
	w.out = out
	out.reset()
	clear(w.seen[:])
	w.tally = &out.tally
	w.emitter.budgets = w.tally.budgets
	r := s.level.reader(chunk)
	w.number = s.base + uint64(chunk)*chunkStates
	for range s.level.chunkLen(chunk) {
		b := r.next()
		if !s.decode(w.model, &w.state, b) || !proving && !w.checkState(w.number) {
			return
		}
		if !s.fallen.Load() {
			w.ordinal, w.parent = 0, b
			w.emitter.next(&w.state)
			if proving && !bytes.Equal(w.model.Encode(nil, &w.state), b) {
				s.fail(fmt.Errorf("checker: Next changed the state that it was given, encoded as %x: does Copy share memory?", b))
				return
			}
			if w.ordinal == 0 {
				mayStop := s.properties.MayStop
				w.tally.count(s.deadlockAt, Require(mayStop != nil && mayStop(&w.state)), w.number)
			}
		}
		w.number++
	}
	out.room()
}

// publish takes one step from the state being expanded.
func (w *worker[S, A]) publish(a A, n *S, decisions []int) {
	s := w.search
	t := w.tally
	k := newLink(w.number, w.ordinal)
	w.ordinal++
	t.generated++
	if s.kinds != nil {
		t.actions[s.kinds.ActionKind(a)]++
	}
	for _, d := range decisions {
		t.decisions[d]++
	}
	for i := range s.properties.Steps {
		if p := &s.properties.Steps[i]; p.OfStates != nil {
			t.count(s.stepAt+i, p.OfStates(&w.state, n), uint64(k))
		} else {
			t.count(s.stepAt+i, p.Check(&w.state, a, n), uint64(k))
		}
	}
	if s.canonical != nil && w.number < s.options.proved {
		if err := w.proof.try(n); err != nil {
			s.fail(err)
		}
	}
	w.buf = representative(w.model, s.canonical, w.buf[:0], n)
	// Steps that change nothing are many (a message that is received again), and cheaper to find so than by their fingerprint.
	if bytes.Equal(w.buf, w.parent) {
		return
	}
	if fp := fingerprint(w.buf); s.options.Exact || !w.seen.saw(fp) {
		w.out.add(fp, k, w.buf)
	}
}
