package twophase_test

import (
	"context"
	"testing"

	"github.com/onceproof/onceproof/checker"
	"github.com/onceproof/onceproof/checker/twophase"
)

func check(t *testing.T, m twophase.Model, p checker.Properties[twophase.State, twophase.Action], o checker.Options) *checker.Result[twophase.Action] {
	t.Helper()
	r, err := checker.Check(context.Background(), m, p, o)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// most is the most resource managers to try: fewer under the race detector.
func most(rms int) int {
	if raceDetector {
		return min(rms, 4)
	}
	return rms
}

// reached gives every reachable state, encoded.
func reached(t *testing.T, m twophase.Model) map[string]bool {
	all := make(map[string]bool)
	p := checker.Properties[twophase.State, twophase.Action]{
		Invariants: []checker.Invariant[twophase.State]{{Name: "seen", Check: func(s *twophase.State) checker.Outcome {
			all[string(m.Encode(nil, s))] = true
			return checker.Holds
		}}},
		MayStop: func(*twophase.State) bool { return true },
	}
	check(t, m, p, checker.Options{Workers: 1})
	return all
}

// permutations calls visit with each order of 0 to n-1.
func permutations(order []int, n int, visit func([]int)) {
	if len(order) == n {
		visit(order)
		return
	}
next:
	for i := range n {
		for _, taken := range order {
			if taken == i {
				continue next
			}
		}
		permutations(append(order[:len(order):len(order)], i), n, visit)
	}
}

// orbitsByForce counts the orbits of the reachable states: the least of a state's images under all permutations stands for
// its orbit.
func orbitsByForce(t *testing.T, m twophase.Model) int {
	orbits := make(map[string]bool)
	for state := range reached(t, m) {
		least := state
		permutations(nil, m.RMs, func(order []int) {
			image := []byte(state) // a byte for each manager, one for the rest
			for to, from := range order {
				image[to] = state[from]
			}
			least = min(least, string(image))
		})
		orbits[least] = true
	}
	return len(orbits)
}

func TestOrbitsAreThoseOfAllPermutations(t *testing.T) {
	for rms := 1; rms <= most(5); rms++ {
		m := twophase.Model{RMs: rms}
		r := check(t, m, twophase.Properties(), checker.Options{Symmetry: true})
		if want := orbitsByForce(t, m); r.Distinct != uint64(want) {
			t.Errorf("%d resource managers: %d orbits by all permutations, the search found %d", rms, want, r.Distinct)
		}
	}
}

// TestOrbits: 8 managers have 1,461 orbits, far too many permutations to try. A canonical form that is not exact finds more.
func TestOrbits(t *testing.T) {
	r := check(t, twophase.Model{RMs: 8}, twophase.Properties(), checker.Options{Symmetry: true})
	if r.Distinct != 1461 {
		t.Errorf("expected 1,461 orbits of 8 resource managers, got %d", r.Distinct)
	}
}

// same compares verdicts and lengths.
func same(t *testing.T, full, folded *checker.Result[twophase.Action]) {
	t.Helper()
	if full.Verdict != folded.Verdict || full.Depth != folded.Depth {
		t.Errorf("%v: %s, depth %d; with symmetry %s, depth %d", full.Model, full.Verdict, full.Depth, folded.Verdict, folded.Depth)
	}
	for i, p := range full.Properties {
		if q := folded.Properties[i]; p.Verdict != q.Verdict || p.Length != q.Length {
			t.Errorf("%v: %s %s, %d; with symmetry %s, %d", full.Model, p.Name, p.Verdict, p.Length, q.Verdict, q.Length)
		}
	}
}

func TestSymmetryChangesNoVerdict(t *testing.T) {
	for rms := 1; rms <= most(6); rms++ {
		for _, hasty := range []bool{false, true} {
			m := twophase.Model{RMs: rms, Hasty: hasty}
			p := twophase.Properties()
			decided := func(s *twophase.State) bool { return s.TM != twophase.Init }
			p.CanReach = []checker.CanReach[twophase.State, twophase.Action]{
				{Name: "without abort", Goal: decided, By: func(a twophase.Action) bool { return a.Kind != twophase.TMAbort }},
			}
			full := check(t, m, p, checker.Options{KeepGoing: true})
			var want string
			for _, workers := range []int{1, 2, 3} {
				folded := check(t, m, p, checker.Options{KeepGoing: true, Symmetry: true, Workers: workers})
				same(t, full, folded)
				got := findings(t, folded)
				if want == "" {
					want = got
				}
				if got != want {
					t.Errorf("%d workers: expected %s, got %s", workers, want, got)
				}
				for _, v := range folded.Violations {
					if v.Trace == nil {
						continue
					}
					steps := 0
					if _, err := checker.Replay(m, v.Trace, func(step int, _ *twophase.State) { steps = step }); err != nil || steps != v.Length {
						t.Errorf("%s: replay of %d steps ended after %d: %v", v.Property, v.Length, steps, err)
					}
				}
			}
		}
	}
}
