package checker_test

import (
	"context"
	"runtime"
	"sync"
	"testing"
	"time"

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

// longStates is a graph whose states are encoded in so many bytes.
type longStates struct {
	graph
	bytes int
}

func (m longStates) Encode(b []byte, s *node) []byte {
	return append(m.graph.Encode(b, s), make([]byte, m.bytes-4)...)
}

func (m longStates) Decode(s *node, b []byte) error { return m.graph.Decode(s, b[:4]) }

// What workers have at hand is kept within the bound on memory however many they are, also where long states have many steps.
func TestManyWorkersKeepToMemory(t *testing.T) {
	const nodes, steps = 10_001, 100
	m := longStates{graph{name: "long", initial: []uint32{0}, arrows: func(n uint32) []arrow {
		list := make([]arrow, steps)
		for i := range list {
			list[i].to = (n*steps + uint32(i) + 1) % nodes
		}
		return list
	}}, 1000}
	held := func() int64 {
		var now runtime.MemStats
		runtime.ReadMemStats(&now)
		return int64(now.HeapAlloc)
	}
	runtime.GC()
	before, most := held(), int64(0)
	o := checker.Options{Workers: 16, WorkDir: t.TempDir(), Memory: checker.LeastMemory, ProgressEvery: time.Millisecond}
	o.Progress = func(checker.Progress) { most = max(most, held()-before) }
	r, err := checker.Check(context.Background(), m, properties{MayStop: anywhere}, o)
	if err != nil || r.Distinct != nodes {
		t.Fatalf("expected %d states, got %+v, %v", nodes, r, err)
	}
	if most > checker.LeastMemory {
		t.Errorf("expected at most %d MiB in use, got %d", checker.LeastMemory>>20, most>>20)
	} else {
		t.Logf("%d MiB in use", most>>20)
	}
}
