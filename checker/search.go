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

// roundBatches is how many chunks are expanded between two merges when several workers are at it.
const roundBatches = 64

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
	// level is being searched, its first state has number base; next is being filled.
	level, next *frontier
	base        uint64
	depth       int
	// exhausted says that everything was searched.
	exhausted bool
	total     tally
	good      []*goalSet

	workers     []*worker[S, A]
	batches     []*batch
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
	err  error
}

func newSearch[S, A any](m Model[S, A], p Properties[S, A], o Options) *search[S, A] {
	s := &search[S, A]{model: m, properties: p, options: o.withDefaults(), visited: newTable(), started: time.Now()}
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
		s.good = append(s.good, newGoalSet())
	}
	for range s.options.Workers {
		s.workers = append(s.workers, newWorker(s))
	}
	for s.options.Workers > 1 && len(s.batches) < roundBatches {
		s.batches = append(s.batches, &batch{tally: s.newTally()})
	}
	return s
}

// free gives back the memory that is not the runtime's.
func (s *search[S, A]) free() {
	if s.bounded != nil {
		s.bounded.close(s.level, s.next)
	}
	s.visited.free()
	for _, g := range s.good {
		g.table.free()
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
	if err := s.begin(); err != nil {
		return "", err
	}
	cut := false
	for s.next.states > 0 && !s.ended() {
		s.advance()
		s.checkLevel()
		if s.ended() {
			break
		}
		// The states that were met before the cut are checked, but not expanded.
		cut = cut || s.depth == s.options.MaxDepth
		if cut {
			break
		}
		if cut = s.expandLevel(); !cut {
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
	if s.visited.insert(fp) && s.meet(fp, k, state) {
		s.links.append(k)
		s.next.append(state)
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
	s.failure.once.Do(func() { s.failure.err = err })
}

// proving says that the level is among the first, on which the model itself is put to the proof.
func (s *search[S, A]) proving() bool {
	return s.base < provedStates
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

// checkLevel evaluates the properties of states on the whole level.
func (s *search[S, A]) checkLevel() {
	var mu sync.Mutex
	var sum = s.newTally()
	s.parallel(s.level.chunks(), func(w *worker[S, A], chunks func() (int, bool)) {
		own := s.newTally()
		w.tally = &own
		for {
			c, ok := chunks()
			if !ok || !w.check(c) {
				break
			}
		}
		mu.Lock()
		defer mu.Unlock()
		sum.add(&own)
	})
	s.count(&sum)
}

// count adds to the total, in which the first violation of a property stays the first.
func (s *search[S, A]) count(t *tally) {
	for p := range t.first {
		if s.total.first[p] != none {
			t.first[p] = none
		}
	}
	s.total.add(t)
}

// expandLevel fills the next level. It reports whether the search was cut off by its bound on states.
func (s *search[S, A]) expandLevel() (cut bool) {
	chunks := s.level.chunks()
	if len(s.workers) == 1 || chunks == 1 {
		return s.expandAlone()
	}
	for first := 0; first < chunks && !s.interrupted.Load(); first += roundBatches {
		round := min(roundBatches, chunks-first)
		s.parallel(round, func(w *worker[S, A], chunks func() (int, bool)) {
			for {
				c, ok := chunks()
				if !ok {
					return
				}
				w.expand(first + c)
				w.out.filter(s.visited, s.batches[c])
			}
		})
		s.parallel(len(s.workers), func(_ *worker[S, A], shares func() (int, bool)) {
			for {
				share, ok := shares()
				if !ok {
					return
				}
				for _, b := range s.batches[:round] {
					b.enter(s.visited, share, len(s.workers))
				}
			}
		})
		for i, b := range s.batches[:round] {
			s.mergeEntered(b)
			if s.full() {
				return s.remains(first + i)
			}
		}
		s.level.release(first + round)
		s.relieve()
		s.lookAtMemory()
		if s.failure.err != nil {
			return false
		}
		s.reportSometimes()
	}
	return false
}

// expandAlone is expandLevel with one worker, which needs no filter since it merges at once.
func (s *search[S, A]) expandAlone() (cut bool) {
	for c := range s.level.chunks() {
		if s.interrupted.Load() {
			return false
		}
		s.workers[0].expand(c)
		s.merge(&s.workers[0].out.batch)
		if s.full() {
			return s.remains(c)
		}
		s.level.release(c + 1)
		s.relieve()
		s.lookAtMemory()
		if s.failure.err != nil {
			return false
		}
		s.reportSometimes()
	}
	return false
}

func (s *search[S, A]) full() bool {
	return s.options.MaxStates != 0 && s.links.count >= s.options.MaxStates
}

// remains says that there is something left to expand after a chunk of the level.
func (s *search[S, A]) remains(chunk int) bool {
	return chunk+1 < s.level.chunks() || s.next.states > 0
}

func (s *search[S, A]) merge(b *batch) {
	s.count(&b.tally)
	start := 0
	for i, end := range b.ends {
		if i%touched == 0 {
			s.visited.touch(b.fps[i:min(i+touched, len(b.fps))])
		}
		s.enter(b.fps[i], b.links[i], b.bytes[start:end])
		start = end
	}
}

// mergeEntered is merge for a batch whose fingerprints are entered.
func (s *search[S, A]) mergeEntered(b *batch) {
	s.count(&b.tally)
	start := 0
	for i, end := range b.ends {
		if b.fresh[i] && s.meet(b.fps[i], b.links[i], b.bytes[start:end]) {
			s.links.append(b.links[i])
			s.next.append(b.bytes[start:end])
		}
		start = end
	}
}

// parallel lets the workers take the chunks 0 to n-1 in order, each its own.
func (s *search[S, A]) parallel(n int, work func(w *worker[S, A], chunks func() (int, bool))) {
	var taken atomic.Int64
	chunks := func() (int, bool) {
		c := int(taken.Add(1) - 1)
		return c, c < n
	}
	// The calling goroutine is a worker too, and the one that reports.
	reporting := func() (int, bool) {
		s.reportSometimes()
		return chunks()
	}
	workers := s.workers[:min(n, len(s.workers))]
	var done sync.WaitGroup
	for _, w := range workers[1:] {
		done.Go(func() { work(w, chunks) })
	}
	defer done.Wait() // if the model panics, too: the others read memory that is then given back
	work(workers[0], reporting)
}

var errNoInitialState = errors.New("checker: the model has no initial state")
