package checker_test

import (
	"context"
	"testing"

	"github.com/onceproof/onceproof/checker"
	"pgregory.net/rapid"
)

// small is a random graph of few nodes.
func small(t *rapid.T) graph {
	nodes := rapid.Uint32Range(1, 12).Draw(t, "nodes")
	from := make([][]arrow, nodes)
	for n := range from {
		from[n] = rapid.SliceOfN(rapid.Custom(func(t *rapid.T) arrow {
			return arrow{
				label:   rapid.Uint8Range(0, 3).Draw(t, "label"),
				to:      rapid.Uint32Range(0, nodes-1).Draw(t, "to"),
				blocked: rapid.IntRange(0, 4).Draw(t, "blocked") == 0,
			}
		}), 0, 4).Draw(t, "arrows")
	}
	initial := rapid.SliceOfN(rapid.Uint32Range(0, nodes-1), 1, 3).Draw(t, "initial")
	return graph{name: "small", initial: initial, arrows: func(n uint32) []arrow { return from[n] }}
}

func open(arrows []arrow) []arrow {
	var list []arrow
	for _, a := range arrows {
		if !a.blocked {
			list = append(list, a)
		}
	}
	return list
}

// distances is the reference: the number of steps to each node, by relaxing all edges until nothing changes.
func distances(g graph) map[uint32]int {
	far := make(map[uint32]int)
	var visit func(n uint32, distance int)
	visit = func(n uint32, distance int) {
		if known, ok := far[n]; ok && known <= distance {
			return
		}
		far[n] = distance
		for _, a := range open(g.arrows(n)) {
			visit(a.to, distance+1)
		}
	}
	for _, n := range g.initial {
		visit(n, 0)
	}
	return far
}

// reaches says by plain recursion whether a goal can be reached by edges with a label of at most 1.
func reaches(g graph, n, goal uint32, seen map[uint32]bool) bool {
	if n == goal {
		return true
	}
	if seen[n] {
		return false
	}
	seen[n] = true
	for _, a := range open(g.arrows(n)) {
		if a.label <= 1 && reaches(g, a.to, goal, seen) {
			return true
		}
	}
	return false
}

// shortest is the least number of steps to a node that is bad; -1 if there is none.
func shortest(far map[uint32]int, bad func(n uint32) bool) int {
	best := -1
	for n, distance := range far {
		if bad(n) && (best < 0 || distance < best) {
			best = distance
		}
	}
	return best
}

func TestAgainstNaiveSearch(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		g := small(t)
		target := rapid.Uint32Range(0, 11).Draw(t, "target")
		p := properties{
			Invariants: []checker.Invariant[node]{never("invariant", target)},
			Steps: []checker.StepProperty[node, edge]{{Name: "step", Check: func(old *node, a edge, new *node) checker.Outcome {
				return checker.Require(a.Label != 3 || new.N != target)
			}}},
			Witnesses: []checker.Witness[node]{{Name: "witness", Reached: func(s *node) bool { return s.N == target }}},
			CanReach: []checker.CanReach[node, edge]{{
				Name: "goal", Goal: func(s *node) bool { return s.N == target }, By: func(a edge) bool { return a.Label <= 1 },
			}},
		}
		workers := rapid.IntRange(1, 3).Draw(t, "workers")
		r, err := checker.Check(context.Background(), g, p, checker.Options{KeepGoing: true, Workers: workers})
		if err != nil {
			t.Fatal(err)
		}

		far := distances(g)
		depth, generated := 0, uint64(len(g.initial))
		for n, distance := range far {
			depth = max(depth, distance+1)
			generated += uint64(len(open(g.arrows(n))))
		}
		if r.Distinct != uint64(len(far)) || r.Depth != depth || r.Generated != generated {
			t.Fatalf("expected %d distinct states, depth %d, %d generated; got %d, %d, %d", len(far), depth, generated, r.Distinct, r.Depth, r.Generated)
		}
		step := shortest(far, func(n uint32) bool {
			for _, a := range open(g.arrows(n)) {
				if a.label == 3 && a.to == target {
					return true
				}
			}
			return false
		})
		if step >= 0 {
			step++
		}
		want := []int{
			shortest(far, func(n uint32) bool { return n == target }),
			step,
			shortest(far, func(n uint32) bool { return n == target }),
			shortest(far, func(n uint32) bool { return !reaches(g, n, target, map[uint32]bool{}) }),
			shortest(far, func(n uint32) bool { return len(open(g.arrows(n))) == 0 }),
		}
		for i, property := range r.Properties {
			if property.Length != want[i] {
				t.Errorf("%s: expected %d steps, got %d", property.Name, want[i], property.Length)
			}
		}
		for _, v := range r.Violations {
			if v.Trace == nil {
				continue
			}
			steps := 0
			if _, err := checker.Replay(g, v.Trace, func(step int, _ *node) { steps = step }); err != nil || steps != v.Length {
				t.Errorf("%s: replay of %d steps ended after %d: %v", v.Property, v.Length, steps, err)
			}
		}
	})
}
