package checker_test

import (
	"context"
	"sync"
	"testing"

	"github.com/onceproof/onceproof/checker"
)

// One level has nodes 1 to 5000. Each of three workers is held in a chunk of its own, and what falls falls in the second and in the
// third: whoever took which, the first that falls is that of the second.
func TestFirstViolationIsNoWorkersOwn(t *testing.T) {
	const inFirst, inSecond, inThird = 1, 129, 257
	wide := make([]arrow, 5000)
	for i := range wide {
		wide[i].to = uint32(i + 1)
	}
	g := graph{name: "wide", initial: []uint32{0}, arrows: func(n uint32) []arrow {
		if n == 0 {
			return wide
		}
		return nil
	}}
	for i := range 40 {
		var seen sync.Map
		var held sync.WaitGroup
		held.Add(3)
		few := func(s *node) checker.Outcome {
			if s.N == inFirst || s.N == inSecond || s.N == inThird {
				if _, again := seen.LoadOrStore(s.N, true); !again { // when the trace is rebuilt
					held.Done()
				}
				held.Wait()
			}
			return checker.Require(s.N < inSecond)
		}
		p := properties{MayStop: anywhere, Invariants: []checker.Invariant[node]{{Name: "few", Check: few}}}
		o := checker.Options{Workers: 3, KeepGoing: i%2 == 0}
		if i%4 < 2 {
			o.Prove(1)
		}
		r, err := checker.Check(context.Background(), g, p, o)
		if err != nil {
			t.Fatal(err)
		}
		var last uint32
		if _, err := checker.Replay(g, r.Violations[0].Trace, func(_ int, s *node) { last = s.N }); err != nil {
			t.Fatal(err)
		}
		if last != inSecond {
			t.Fatalf("search %d: expected the trace to lead to %d, got %d", i, inSecond, last)
		}
	}
}

// With many workers a round has no two chunks for each.
func TestManyWorkers(t *testing.T) {
	for _, workers := range []int{65, 200} {
		r, err := twoPhase(7, checker.Options{Workers: workers})
		if err != nil {
			t.Fatal(err)
		}
		if r.Distinct != 296_448 {
			t.Errorf("%d workers: expected 296448 states, got %d", workers, r.Distinct)
		}
	}
}
