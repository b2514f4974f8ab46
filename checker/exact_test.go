package checker_test

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/onceproof/onceproof/checker"
	"github.com/onceproof/onceproof/checker/twophase"
	"github.com/zeebo/xxh3"
)

// alikeTwoPhase is Two-Phase Commit with violations, of whose states many share a fingerprint.
type alikeTwoPhase struct {
	twophase.Model
	groups uint64
}

func (m alikeTwoPhase) Encode(b []byte, s *twophase.State) []byte {
	return checker.Alike(b, m.Model.Encode(nil, s), m.groups)
}

func (m alikeTwoPhase) Decode(s *twophase.State, b []byte) error {
	return m.Model.Decode(s, checker.Unlike(b))
}

func hasty5() twophase.Model { return twophase.Model{RMs: 5, Hasty: true} }

func searchHasty(t *testing.T, m checker.Model[twophase.State, twophase.Action], o checker.Options) *checker.Result[twophase.Action] {
	t.Helper()
	p := twophase.Properties()
	decided := func(s *twophase.State) bool { return s.TM != twophase.Init }
	p.CanReach = []checker.CanReach[twophase.State, twophase.Action]{
		{Name: "can decide", Goal: decided},
		{Name: "can commit", Goal: func(s *twophase.State) bool { return s.TM == twophase.DecidedCommit }},
		{Name: "can decide without abort", Goal: decided, By: func(a twophase.Action) bool { return a.Kind != twophase.TMAbort }},
	}
	r, err := checker.Check(context.Background(), m, p, o)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// pairs counts, by all states that a search meets, the pairs with the same fingerprint.
func pairs(t *testing.T, m alikeTwoPhase, symmetry bool) (n uint64) {
	t.Helper()
	met := make(map[string]bool)
	p := checker.Properties[twophase.State, twophase.Action]{
		Invariants: []checker.Invariant[twophase.State]{{Name: "met", Check: func(s *twophase.State) checker.Outcome {
			var one twophase.State
			m.Copy(&one, s)
			if symmetry { // which looks at states that it does not meet, to try it
				m.Canonical(&one)
			}
			met[string(m.Encode(nil, &one))] = true
			return checker.Holds
		}}},
		MayStop: func(*twophase.State) bool { return true },
	}
	if _, err := checker.Check(context.Background(), m.Model, p, checker.Options{Workers: 1, Symmetry: symmetry}); err != nil {
		t.Fatal(err)
	}
	sharing := make(map[uint64]uint64)
	for state := range met {
		fp := xxh3.HashString(state)
		n += sharing[fp]
		sharing[fp]++
	}
	return n
}

// Without Exact, states whose fingerprint is that of another are missed, and with them what falls.
func TestSharedFingerprintsMissStates(t *testing.T) {
	whole := searchHasty(t, hasty5(), checker.Options{KeepGoing: true})
	missed := 0
	for _, groups := range []uint64{1, 16, 256, 1024} {
		r := searchHasty(t, alikeTwoPhase{hasty5(), groups}, checker.Options{KeepGoing: true})
		if r.Distinct > groups || r.Exact || r.Collisions != 0 {
			t.Errorf("expected at most %d of %d states, none compared, got %d, exact %t, %d collisions", groups, whole.Distinct, r.Distinct, r.Exact, r.Collisions)
		}
		for i, p := range r.Properties {
			if whole.Properties[i].Verdict == checker.PropertyFalls && p.Verdict != checker.PropertyFalls {
				missed++
			}
		}
	}
	if missed == 0 {
		t.Error("expected a violation to be missed with some number of fingerprints")
	}
}

// With Exact nothing is missed, however many states share a fingerprint: what is found is what is found with a fingerprint each.
func TestExactFindsTheSame(t *testing.T) {
	const plenty = 1 << 63
	for name, base := range map[string]checker.Options{
		"first violation": {}, "all": {KeepGoing: true}, "symmetry": {KeepGoing: true, Symmetry: true},
		"states": {KeepGoing: true, MaxStates: 3000}, "depth": {KeepGoing: true, MaxDepth: 9},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel() // chains of hundreds of states are long under the race detector
			whole := searchHasty(t, hasty5(), base)
			whole.CollisionsExpected = 0
			for _, groups := range []uint64{16, 256, 4096, plenty} {
				m := alikeTwoPhase{hasty5(), groups}
				var collisions uint64
				for _, workers := range []int{1, 2, 4} {
					o := base
					o.Exact, o.Workers = true, workers
					r := searchHasty(t, m, o)
					if workers == 1 {
						collisions = r.Collisions
					}
					if !r.Exact || r.Collisions != collisions || groups == 16 && collisions == 0 || groups == plenty && collisions > 0 {
						t.Errorf("%d fingerprints, %d workers: expected the collisions that one worker met, %d, got %d, exact %t", groups, workers, collisions, r.Collisions, r.Exact)
					}
					r.Exact, r.Collisions = false, 0
					if got, want := findings(t, r), findings(t, whole); got != want {
						t.Errorf("%d fingerprints, %d workers: expected\n%s\ngot\n%s", groups, workers, want, got)
					}
				}
				if base.KeepGoing && base.MaxStates == 0 && base.MaxDepth == 0 {
					if want := pairs(t, m, base.Symmetry); collisions != want {
						t.Errorf("%d fingerprints: expected %d collisions, got %d", groups, want, collisions)
					}
				}
			}
		})
	}
}

func TestExactIsRefused(t *testing.T) {
	for name, o := range map[string]checker.Options{
		"a folder":              {WorkDir: t.TempDir()},
		"memory":                {WorkDir: t.TempDir(), Memory: 1 << 30},
		"memory, no folder":     {Memory: 1 << 30},
		"resuming":              {WorkDir: t.TempDir(), Resume: true},
		"resuming from nowhere": {Resume: true},
	} {
		o.Exact = true
		_, err := twoPhase(3, o)
		for _, part := range []string{"Exact without WorkDir, Resume and Memory", "fingerprints", "search in memory"} {
			if err == nil || !strings.Contains(err.Error(), part) {
				t.Errorf("%s: expected an error with %q, got %v", name, part, err)
			}
		}
	}
}

func TestExactSaysSo(t *testing.T) {
	r := searchHasty(t, alikeTwoPhase{hasty5(), 1}, checker.Options{Exact: true})
	var b strings.Builder
	if err := r.WriteText(&b); err != nil {
		t.Fatal(err)
	}
	want := fmt.Sprintf("\nstates missed: none, they were compared whole; collisions of fingerprints: %d\n\n", r.Collisions)
	if r.Collisions == 0 || !strings.Contains(b.String(), want) || strings.Contains(b.String(), " expected") {
		t.Errorf("expected %q, got\n%s", want, b.String())
	}
}
