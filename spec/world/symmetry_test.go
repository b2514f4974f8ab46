package world

import (
	"context"
	"encoding/json"
	"slices"
	"testing"

	"github.com/onceproof/onceproof/checker"
)

// folds are configurations with several incarnations that are explored whole with and without symmetry; the small ones in
// short mode.
func folds() []Config {
	all := []Config{
		base("two", "", TV2Style, incarnations(2)),
		base("two-tv1", "", TV1Style, incarnations(2)),
		base("two-transactions", "", TV2Style, incarnations(2), transactions(2)),
		base("two-transactions-tv1", "", TV1Style, incarnations(2), transactions(2), each(1)),
		base("two-timeout", "", TV2Style, incarnations(2), timeouts(1)),
		base("two-crash", "", TV2Style, incarnations(2), crashes(1)),
		base("two-crash-tv1", "", TV1Style, incarnations(2), crashes(1)),
		base("two-idempotent", "", Idempotent, incarnations(2), transactions(2), each(1)),
		base("three", "", TV2Style, incarnations(3)),
	}
	if testing.Short() {
		return slices.DeleteFunc(all, func(c Config) bool { return c.Crashes > 0 || c.Incarnations == 3 })
	}
	return all
}

func explore(t *testing.T, c Config, symmetry bool) *checker.Result[Action] {
	t.Helper()
	m, err := New(c)
	if err != nil {
		t.Fatal(err)
	}
	r, err := checker.Check(context.Background(), m, m.Properties(), checker.Options{KeepGoing: true, Symmetry: symmetry})
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// sameVerdicts compares what is found with and without symmetry, and replays the traces on the model without.
func sameVerdicts(t *testing.T, c Config) {
	t.Helper()
	full, folded := explore(t, c, false), explore(t, c, true)
	t.Logf("%s: %d states, %d with symmetry; depth %d, %d", c.Name, full.Distinct, folded.Distinct, full.Depth, folded.Depth)
	if full.Verdict != folded.Verdict {
		t.Errorf("%s: %s, with symmetry %s", c.Name, full.Verdict, folded.Verdict)
	}
	for i, p := range full.Properties {
		if q := folded.Properties[i]; p.Verdict != q.Verdict || p.Length != q.Length {
			t.Errorf("%s: %s %s after %d steps, with symmetry %s, %d", c.Name, p.Name, p.Verdict, p.Length, q.Verdict, q.Length)
		}
	}
	m, err := New(c)
	if err != nil {
		t.Fatal(err)
	}
	for _, v := range folded.Violations {
		if v.Trace == nil {
			continue
		}
		again, err := checker.Replay(m, v.Trace, nil)
		if err != nil {
			t.Errorf("%s: %s: %v", c.Name, v.Property, err)
			continue
		}
		a, _ := json.Marshal(v.Trace)
		if b, _ := json.Marshal(again); string(a) != string(b) {
			t.Errorf("%s: %s: replayed the trace reads otherwise", c.Name, v.Property)
		}
	}
}

func TestSymmetryChangesNoVerdict(t *testing.T) {
	for _, c := range folds() {
		sameVerdicts(t, c)
	}
}

// TestSymmetryOfRowsWithSeveralIncarnations does the same with the fixes that take two of them, off and on.
func TestSymmetryOfRowsWithSeveralIncarnations(t *testing.T) {
	for _, r := range FixRows() {
		if r.Incarnations < 2 || testing.Short() && r.ClientFaults > 0 {
			continue
		}
		off := r.Off()
		off.Name += "-off"
		sameVerdicts(t, off)
		sameVerdicts(t, r.Config)
	}
}

// TestRepresentativeIsThatOfTheWholeOrbit renames the incarnations of every state in every way: the representative is the
// same. It is exact then: no orbit has two.
func TestRepresentativeIsThatOfTheWholeOrbit(t *testing.T) {
	for _, c := range folds() {
		m, err := New(c)
		if err != nil {
			t.Fatal(err)
		}
		var image State
		representative := func(s *State, exchanges ...int) string {
			m.Copy(&image, s)
			for _, at := range exchanges {
				image.exchange(at)
			}
			m.Canonical(&image)
			return string(m.Encode(nil, &image))
		}
		p := checker.Properties[State, Action]{
			MayStop: func(*State) bool { return true },
			Invariants: []invariant{{Name: "one representative", Check: func(s *State) checker.Outcome {
				started := 0
				for started < len(s.Clients) && s.Clients[started].Phase != Off {
					started++
				}
				if started < 2 {
					return checker.NotApplicable
				}
				want := representative(s)
				same := want == representative(s, 0)
				if started == 3 {
					same = same && want == representative(s, 1) && want == representative(s, 0, 1) &&
						want == representative(s, 1, 0) && want == representative(s, 0, 1, 0)
				}
				return checker.Require(same)
			}}},
		}
		r, err := checker.Check(context.Background(), m, p, checker.Options{Workers: 1})
		if err != nil {
			t.Fatal(err)
		}
		if r.Verdict != checker.VerdictHolds {
			t.Errorf("%s: %s", c.Name, r.Violations[0].Trace)
		}
	}
}
