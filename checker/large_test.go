package checker_test

import (
	"context"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/onceproof/onceproof/checker"
	"pgregory.net/rapid"
)

// large is a random graph of many nodes, of which a level takes several chunks, and several workers with it.
func large(seed uint64, nodes uint32) graph {
	r := rand.New(rand.NewPCG(seed, 0))
	from := make([][]arrow, nodes)
	for n := range from {
		for range r.IntN(6) {
			from[n] = append(from[n], arrow{label: uint8(r.IntN(4)), to: r.Uint32N(nodes), blocked: r.IntN(6) == 0})
		}
	}
	return graph{name: "large", initial: []uint32{0, nodes - 1, 0}, arrows: func(n uint32) []arrow { return from[n] }}
}

// breadthFirst is the reference for graphs that are too large for recursion: distances, and the nodes in the order in which one
// meets them.
func breadthFirst(g graph) (far map[uint32]int, order []uint32) {
	far = make(map[uint32]int)
	meet := func(n uint32, distance int) {
		if _, known := far[n]; !known {
			far[n] = distance
			order = append(order, n)
		}
	}
	for _, n := range g.initial {
		meet(n, 0)
	}
	for i := 0; i < len(order); i++ {
		for _, a := range open(g.arrows(order[i])) {
			meet(a.to, far[order[i]]+1)
		}
	}
	return far, order
}

// leadsTo gives the nodes from which a way leads to a goal, by the edges that help.
func leadsTo(g graph, nodes uint32, goal func(uint32) bool, helps func(arrow) bool) map[uint32]bool {
	back := make(map[uint32][]uint32)
	good := make(map[uint32]bool)
	var todo []uint32
	for n := range nodes {
		for _, a := range open(g.arrows(n)) {
			if helps(a) {
				back[a.to] = append(back[a.to], n)
			}
		}
		if goal(n) {
			todo = append(todo, n)
		}
	}
	for len(todo) > 0 {
		n := todo[len(todo)-1]
		todo = todo[:len(todo)-1]
		if !good[n] {
			good[n] = true
			todo = append(todo, back[n]...)
		}
	}
	return good
}

// firstOf is the first node in an order that is bad, and none if there is none.
func firstOf(order []uint32, bad func(uint32) bool) (n uint32, ok bool) {
	i := slices.IndexFunc(order, bad)
	if i < 0 {
		return 0, false
	}
	return order[i], true
}

// perhapsExact makes some searches exact, and the graphs that they search ones of whose nodes many share a fingerprint.
func perhapsExact(t *rapid.T, o *checker.Options) (model func(graph) checker.Model[node, edge]) {
	o.Exact = rapid.Bool().Draw(t, "exact")
	return func(g graph) checker.Model[node, edge] {
		if o.Exact {
			return alikeGraph{g}
		}
		return g
	}
}

func TestLargeGraphsAgainstNaiveSearch(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		nodes := rapid.Uint32Range(300, 6000).Draw(t, "nodes")
		g := large(rapid.Uint64().Draw(t, "seed"), nodes)
		helper := large(rapid.Uint64().Draw(t, "helper"), nodes)
		modulus := rapid.Uint32Range(2, 4000).Draw(t, "modulus")
		rare := func(n uint32) bool { return n%modulus == 1 }
		o := checker.Options{KeepGoing: true, Workers: rapid.IntRange(1, 4).Draw(t, "workers")}
		model := perhapsExact(t, &o)
		p := properties{
			Invariants: []checker.Invariant[node]{{Name: "invariant", Check: func(s *node) checker.Outcome { return checker.Implies(s.N%2 == 1, !rare(s.N)) }}},
			Steps: []checker.StepProperty[node, edge]{{Name: "step", Check: func(old *node, a edge, new *node) checker.Outcome {
				return checker.Require(a.Label != 3 || !rare(old.N) || new.N < old.N)
			}}},
			CanReach: []checker.CanReach[node, edge]{
				{Name: "goal", Goal: func(s *node) bool { return rare(s.N) }, By: func(a edge) bool { return a.Label <= 1 }},
				{Name: "goal of another model", Goal: func(s *node) bool { return rare(s.N) }, Model: model(helper)},
			},
			MayStop: func(s *node) bool { return s.N%3 != 0 },
		}
		far, order := breadthFirst(g)
		all := func(arrow) bool { return true }
		good := leadsTo(g, nodes, rare, func(a arrow) bool { return a.label <= 1 })
		helped := leadsTo(helper, nodes, rare, all)
		bad := []func(uint32) bool{
			func(n uint32) bool { return n%2 == 1 && rare(n) },
			func(n uint32) bool {
				return rare(n) && slices.ContainsFunc(open(g.arrows(n)), func(a arrow) bool { return a.label == 3 && a.to >= n })
			},
			func(n uint32) bool { return !good[n] },
			func(n uint32) bool { return !helped[n] },
			func(n uint32) bool { return len(open(g.arrows(n))) == 0 && n%3 == 0 },
		}
		r, err := checker.Check(context.Background(), model(g), p, o)
		if err != nil {
			t.Fatal(err)
		}
		if r.Distinct != uint64(len(order)) {
			t.Fatalf("expected %d distinct states, got %d", len(order), r.Distinct)
		}
		for i, property := range r.Properties {
			n, falls := firstOf(order, bad[i])
			want := -1
			if falls {
				want = far[n]
				if property.Kind == checker.KindStep {
					want++
				}
			}
			if property.Length != want {
				t.Errorf("%s: expected %d steps, got %d", property.Name, want, property.Length)
			}
		}
		for _, v := range r.Violations {
			var visited []uint32
			if _, err := checker.Replay(model(g), v.Trace, func(_ int, s *node) { visited = append(visited, s.N) }); err != nil {
				t.Fatal(err)
			}
			if v.Kind == checker.KindStep {
				visited = visited[:len(visited)-1]
			}
			i := slices.IndexFunc(r.Properties, func(p checker.PropertyResult) bool { return p.Name == v.Property })
			if n, _ := firstOf(order, bad[i]); visited[len(visited)-1] != n {
				t.Errorf("%s: expected the trace to lead to %d, the first in the order of the search, got %v", v.Property, n, visited)
			}
		}
	})
}

// A search cut short has searched the first states in the order of one worker, and says the same with any number of them.
func TestLargeGraphsCutShort(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		nodes := rapid.Uint32Range(300, 20000).Draw(t, "nodes")
		g := large(rapid.Uint64().Draw(t, "seed"), nodes)
		o := checker.Options{KeepGoing: rapid.Bool().Draw(t, "keep going"), MaxStates: rapid.Uint64Range(1, uint64(nodes)).Draw(t, "states"), MaxDepth: rapid.IntRange(0, 12).Draw(t, "depth")}
		model := perhapsExact(t, &o)
		p := properties{Invariants: []checker.Invariant[node]{never("never", rapid.Uint32Range(0, nodes-1).Draw(t, "never"))}, MayStop: anywhere}
		_, order := breadthFirst(g)
		var want string
		for o.Workers = 1; o.Workers <= 3; o.Workers++ {
			r, err := checker.Check(context.Background(), model(g), p, o)
			if err != nil {
				t.Fatal(err)
			}
			if r.Verdict == checker.VerdictHolds && r.Distinct != uint64(len(order)) {
				t.Fatalf("%d of %d states were searched, and it is said that the property holds", r.Distinct, len(order))
			}
			if r.Verdict == checker.VerdictNotExhausted && r.Properties[0].Applied != r.Distinct {
				t.Fatalf("%d states were met, %d checked", r.Distinct, r.Properties[0].Applied)
			}
			got := findings(t, r)
			if want == "" {
				want = got
			}
			if got != want {
				t.Fatalf("%d workers: expected\n%s\ngot\n%s", o.Workers, want, got)
			}
		}
	})
}

// A state is checked just before it is expanded. Nothing is found by that which is not found by checking a level before expanding
// it, also where the search ends in the level.
func TestCheckingWhileExpanding(t *testing.T) {
	violated, cut := 0, 0
	rapid.Check(t, func(t *rapid.T) {
		nodes := rapid.Uint32Range(2000, 8000).Draw(t, "nodes")
		g := large(rapid.Uint64().Draw(t, "seed"), nodes)
		rare := rapid.Uint32Range(0, nodes-1).Draw(t, "rare")
		p := properties{
			Invariants: []checker.Invariant[node]{never("never", rare)},
			Steps: []checker.StepProperty[node, edge]{{Name: "step", Check: func(old *node, _ edge, new *node) checker.Outcome {
				return checker.Implies(old.N%3 == 0, old.N%1000 != rare%1000 || new.N < old.N)
			}}},
			Witnesses: []checker.Witness[node]{{Name: "half", Reached: func(s *node) bool { return s.N == nodes/2 }}},
			MayStop:   anywhere,
		}
		switch rapid.IntRange(0, 5).Draw(t, "also") {
		case 0:
			p.MayStop = nil
		case 1:
			p.CanReach = []checker.CanReach[node, edge]{{Name: "goal", Goal: func(s *node) bool { return s.N%64 == rare%64 }}}
		case 2, 3, 4:
			p.Steps = nil
		}
		o := checker.Options{
			KeepGoing: rapid.IntRange(0, 3).Draw(t, "keep going") == 0,
			MaxStates: rapid.OneOf(rapid.Just(uint64(0)), rapid.Uint64Range(uint64(nodes)/16, uint64(nodes)), rapid.Uint64Range(uint64(nodes)/16, uint64(nodes))).Draw(t, "states"),
			MaxDepth:  rapid.OneOf(rapid.Just(0), rapid.IntRange(1, 12)).Draw(t, "depth"),
		}
		search := func(proved uint64, workers int) string {
			o.Workers = workers
			o.Prove(proved)
			r, err := checker.Check(context.Background(), g, p, o)
			if err != nil {
				t.Fatal(err)
			}
			switch r.Verdict {
			case checker.VerdictViolated:
				violated++
			case checker.VerdictNotExhausted:
				cut++
			}
			return findings(t, r)
		}
		want := search(1<<60, 1)
		for workers := 1; workers <= 3; workers++ {
			if got := search(1, workers); got != want {
				t.Fatalf("%d workers: expected\n%s\ngot\n%s", workers, want, got)
			}
		}
	})
	if !testing.Short() && (violated < 20 || cut < 20) { // rapid tries a fifth in short mode
		t.Errorf("expected many searches that end early, got %d with a violation and %d cut off", violated, cut)
	}
}
