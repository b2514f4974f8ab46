package checker

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"time"
)

// provedStates is the number of states with which it is tried that Decode is the inverse of Encode, and Copy deep.
const provedStates = 1000

// search is a level-synchronous breadth-first search. A level is first checked, then expanded; both by chunks, in parallel.
//
// States are numbered in the order in which one worker would meet them. With several workers, chunks are expanded by rounds
// against a visited set that stands still, and what they found is entered chunk by chunk in order, so that numbers, links and
// counts come out the same.
type search[S, A any] struct {
	model      Model[S, A]
	properties Properties[S, A]
	options    Options
	kinds      ActionKinds[A]
	canonical  Canonical[S] // nil: no symmetry

	// Properties are numbered through: invariants, steps, witnesses, goals, the absence of deadlock.
	stepAt, witnessAt, canReachAt, deadlockAt int

	visited *table
	links   links
	// collisions counts, with Exact, the pairs of states with the same fingerprint. Those that a level meets which is cut off or
	// taken back are left out, since they depend on workers.
	collisions uint64
	// level is being searched, its first state has number base; next is being filled.
	level, next *frontier
	base        uint64
	depth       int
	// exhausted says that everything was searched.
	exhausted bool
	total     tally
	// settled is, for the level being checked, what total.first was before, and fallen says that something fell in it which ends
	// the search.
	settled []uint64
	fallen  atomic.Bool
	good    []*goalSet

	workers []*worker[S, A]
	// batches are those of two rounds; roundSize is how many of its half the next one uses.
	batches     []*batch
	roundSize   int
	interrupted atomic.Bool
	failure     failure
	started     time.Time
	reported    time.Time
	looked      time.Time
	// checkpoints is nil if there is no folder for them.
	checkpoints *checkpoints
	// bounded is nil if memory is not bounded.
	bounded *bounded
}

// failure holds the first error that a worker met.
type failure struct {
	once sync.Once
	met  atomic.Bool
	err  error
}

func newSearch[S, A any](m Model[S, A], p Properties[S, A], o Options) *search[S, A] {
	s := &search[S, A]{model: m, properties: p, options: o.withDefaults(), visited: newTable(o.Exact), started: time.Now()}
	s.reported = s.started
	s.kinds, _ = m.(ActionKinds[A])
	s.canonical = canonical(m, o)
	pool := &blockPool{}
	s.level, s.next = &frontier{pool: pool}, &frontier{pool: pool}
	s.stepAt = len(p.Invariants)
	s.witnessAt = s.stepAt + len(p.Steps)
	s.canReachAt = s.witnessAt + len(p.Witnesses)
	s.deadlockAt = s.canReachAt + len(p.CanReach)
	s.total = s.newTally()
	for range p.CanReach {
		s.good = append(s.good, newGoalSet(o.Exact))
	}
	for range s.options.Workers {
		s.workers = append(s.workers, newWorker(s))
	}
	if n := s.options.Workers; n > 1 {
		s.roundSize = min(roundBatches, 4*n)
		for range 2 * roundBatches {
			s.batches = append(s.batches, &batch{tally: s.newTally(), shares: make([][]uint32, n)})
		}
	}
	return s
}

// free gives back the memory that is not the runtime's.
func (s *search[S, A]) free() {
	if s.bounded != nil {
		s.bounded.close(s.level.file, s.next.file, s.links.file)
	}
	if s.checkpoints != nil {
		s.checkpoints.close() // which gives the folder free
	}
	s.visited.free()
	for _, g := range s.good {
		g.free()
	}
}

func (s *search[S, A]) newTally() tally {
	return newTally(len(actionKinds(s.model)), len(decisions(s.model)), len(budgets(s.model)), s.deadlockAt+1)
}

// run searches until something ends the search, and says what.
func (s *search[S, A]) run(ctx context.Context) (Verdict, error) {
	stop := context.AfterFunc(ctx, func() { s.interrupted.Store(true) })
	defer stop()
	if ctx.Err() != nil {
		s.interrupted.Store(true)
	}
	if s.canonical != nil {
		if err := s.tryConcrete(); err != nil {
			return "", err
		}
	}
	if err := s.begin(); err != nil {
		return "", err
	}
	cut := false
	for s.next.states > 0 && !s.ended() {
		if !cut {
			s.collisions = s.visited.collisions()
		}
		s.advance()
		// The states that were met before the cut are checked, but not expanded.
		cut = cut || s.depth == s.options.MaxDepth
		if cut {
			s.checkLevel()
			break
		}
		if cut = s.searchLevel(); !cut {
			s.resolve()
			s.checkpoint()
		}
		s.report()
	}
	s.exhausted = !cut && !s.ended()
	switch {
	case s.fell():
		return VerdictViolated, s.failure.err
	case s.interrupted.Load():
		return VerdictInterrupted, s.failure.err
	case cut:
		return VerdictNotExhausted, s.failure.err
	}
	return VerdictHolds, s.failure.err
}

// ended says that the search is over before its time.
func (s *search[S, A]) ended() bool {
	return s.failure.err != nil || s.interrupted.Load() || s.fell() && !s.options.KeepGoing
}

// advance makes the level just filled the one to search.
func (s *search[S, A]) advance() {
	s.base += s.level.states
	s.level.reset()
	s.level, s.next = s.next, s.level
	s.depth++
}

func (s *search[S, A]) initialStates() {
	e := Emitter[S, A]{model: s.model, sink: &initialSink[S, A]{search: s}}
	e.init()
}

// initialSink enters the initial states.
type initialSink[S, A any] struct {
	search *search[S, A]
	count  int
}

func (i *initialSink[S, A]) publish(_ A, n *S, _ []int) {
	s := i.search
	s.total.generated++
	b := representative(s.model, s.canonical, nil, n)
	s.enter(fingerprint(b), newLink(noParent, i.count), b)
	i.count++
}

// enter gives a state that is met for the first time its number, its link and its place in the next level.
func (s *search[S, A]) enter(fp uint64, k link, state []byte) {
	if s.visited.insert(fp, state) && s.meet(fp, k, state) {
		s.number(fp, k, state)
	}
}

// number gives a new state the next number.
func (s *search[S, A]) number(fp uint64, k link, state []byte) {
	s.links.append(k)
	s.next.append(state)
	if s.checkpoints != nil {
		s.checkpoints.add(s.depth, fp, k)
	}
}

// decode reports false if the model gave an error, which ends the search.
func (s *search[S, A]) decode(m Model[S, A], into *S, b []byte) bool {
	err := m.Decode(into, b)
	if err == nil && s.proving() {
		if again := m.Encode(nil, into); !bytes.Equal(again, b) {
			err = fmt.Errorf("encoding it again gave %x", again)
		}
	}
	if err != nil {
		s.fail(fmt.Errorf("checker: decoding the encoded state %x: %w", b, err))
	}
	return err == nil
}

func (s *search[S, A]) fail(err error) {
	s.failure.once.Do(func() {
		s.failure.err = err
		s.failure.met.Store(true)
	})
}

// proving says that the level is among the first, on which the model itself is put to the proof.
func (s *search[S, A]) proving() bool {
	return s.base < s.options.proved
}

// fell says that some property has fallen; a witness that was reached is none.
func (s *search[S, A]) fell() bool {
	for p, at := range s.total.first {
		if at != none && (p < s.witnessAt || p >= s.canReachAt) {
			return true
		}
	}
	return false
}

// searchLevel checks the level and, unless something falls there, fills the next one. It reports whether the search was cut off by
// its bound on states.
//
// A state is checked and then expanded, so that it is decoded once. When one falls, what was expanded of the level is taken back:
// the level is checked to its end, and nothing else, as it would be if the levels were checked before they are expanded.
func (s *search[S, A]) searchLevel() (cut bool) {
	if s.proving() {
		s.checkLevel()
		if s.ended() {
			return false
		}
		_, cut = s.expandLevel()
		return cut
	}
	s.beginChecks()
	before, met := s.total.clone(), s.links.count
	checked, cut := s.expandLevel()
	if cut {
		s.checkFrom(checked)
	}
	if s.fallen.Load() {
		s.total, s.links.count = before, met
	}
	s.countChecks()
	return cut
}

// checkLevel evaluates the properties of states on the whole level.
func (s *search[S, A]) checkLevel() {
	s.beginChecks()
	s.checkFrom(0)
	s.countChecks()
}

func (s *search[S, A]) beginChecks() {
	s.settled = append(s.settled[:0], s.total.first...)
	s.fallen.Store(false)
	for _, w := range s.workers {
		w.checked.reset()
	}
}

func (s *search[S, A]) checkFrom(chunk int) {
	s.parallel(s.level.chunks()-chunk, nil, func(w *worker[S, A], task int) { w.check(chunk + task) })
}

func (s *search[S, A]) countChecks() {
	for _, w := range s.workers {
		s.total.add(&w.checked)
	}
}

// parallel lets the workers take the tasks 0 to n-1 in order. The calling goroutine is a worker too, and the one that reports;
// it does what comes first, if not nil, before it takes tasks.
func (s *search[S, A]) parallel(n int, first func(), do func(w *worker[S, A], task int)) {
	var taken atomic.Int64
	tasks := func(w *worker[S, A], report func()) {
		for t := int(taken.Add(1) - 1); t < n; t = int(taken.Add(1) - 1) {
			do(w, t)
			report()
		}
	}
	var done sync.WaitGroup
	for _, w := range s.workers[1:max(1, min(n, len(s.workers)))] {
		done.Go(func() { tasks(w, func() {}) })
	}
	defer done.Wait() // if the model panics, too: the others read memory that is then given back
	if first != nil {
		first()
	}
	tasks(s.workers[0], s.reportSometimes)
}

var errNoInitialState = errors.New("checker: the model has no initial state")
