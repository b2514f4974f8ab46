package checker_test

import (
	"context"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/onceproof/onceproof/checker"
	"github.com/onceproof/onceproof/checker/examples/diehard"
	"github.com/onceproof/onceproof/checker/examples/ewd840"
	"github.com/onceproof/onceproof/checker/examples/paxos"
	"github.com/onceproof/onceproof/checker/examples/philosophers"
	"github.com/onceproof/onceproof/checker/examples/river"
	"github.com/onceproof/onceproof/checker/twophase"
	"pgregory.net/rapid"
)

// fataler is a *testing.T or a *rapid.T.
type fataler interface {
	Helper()
	Fatalf(format string, args ...any)
}

// agree fails unless Check, run with the options, finds what the naive search found, and its traces can be played.
func agree[S any, A comparable](t fataler, m checker.Model[S, A], p checker.Properties[S, A], o checker.Options, want checker.Found) {
	t.Helper()
	o.KeepGoing = true
	r, err := checker.Check(context.Background(), m, p, o)
	if err != nil {
		t.Fatalf("%+v: %v", o, err)
	}
	if r.Distinct != want.Distinct || r.Generated != want.Generated || r.Depth != want.Depth {
		t.Fatalf("%+v: expected %d distinct states, %d generated, depth %d; got %d, %d, %d",
			o, want.Distinct, want.Generated, want.Depth, r.Distinct, r.Generated, r.Depth)
	}
	if len(r.Properties) != len(want.Lengths) {
		t.Fatalf("%+v: expected %d properties, got %d", o, len(want.Lengths), len(r.Properties))
	}
	for i, got := range r.Properties {
		if got.Length != want.Lengths[i] {
			t.Fatalf("%+v: %s: expected %d steps, got %d", o, got.Name, want.Lengths[i], got.Length)
		}
		if verdict := verdict(got.Kind, i, want); got.Verdict != verdict {
			t.Fatalf("%+v: %s: expected that it %s, got %s", o, got.Name, verdict, got.Verdict)
		}
		if i < len(want.Applied) && got.Applied != want.Applied[i] {
			t.Fatalf("%+v: %s: expected that it applies %d times, got %d", o, got.Name, want.Applied[i], got.Applied)
		}
	}
	for _, v := range r.Violations {
		if v.Trace == nil {
			continue
		}
		steps := 0
		if _, err := checker.Replay(m, v.Trace, func(step int, _ *S) { steps = step }); err != nil || steps != v.Length {
			t.Fatalf("%+v: %s: replay of %d steps ended after %d: %v", o, v.Property, v.Length, steps, err)
		}
	}
}

// verdict is what has to be said of property i.
func verdict(kind checker.Kind, i int, want checker.Found) checker.PropertyVerdict {
	found := want.Lengths[i] >= 0
	switch {
	case found != (kind == checker.KindWitness):
		return map[bool]checker.PropertyVerdict{true: checker.PropertyFalls, false: checker.PropertyHolds}[found || kind == checker.KindWitness]
	case i < len(want.Applied) && want.Applied[i] == 0:
		return checker.PropertyVacuous
	}
	return checker.PropertyHolds
}

// against searches a model naively and with one and two workers.
func against[S any, A comparable](t *testing.T, m checker.Model[S, A], p checker.Properties[S, A]) {
	t.Helper()
	want := checker.Naive(m, p, nil)
	for _, workers := range []int{1, 2} {
		agree(t, m, p, checker.Options{Workers: workers}, want)
	}
}

// againstOrbits is against with one state of each orbit, and compares the lengths with those of all states.
func againstOrbits[S any, A comparable](t *testing.T, m interface {
	checker.Model[S, A]
	checker.Canonical[S]
}, p checker.Properties[S, A]) {
	t.Helper()
	want := checker.Naive(m, p, m.Canonical)
	if all := checker.Naive(m, p, nil); !slices.Equal(all.Lengths, want.Lengths) {
		t.Errorf("expected the lengths %v with symmetry too, got %v", all.Lengths, want.Lengths)
	}
	for _, workers := range []int{1, 2} {
		agree(t, m, p, checker.Options{Workers: workers, Symmetry: true}, want)
	}
}

func TestExamplesAgainstNaiveSearch(t *testing.T) {
	against(t, diehard.Model{}, diehard.Properties())
	against(t, river.Model{Each: 3, Boat: 2}, river.Properties())
	against(t, river.Model{Each: 4, Boat: 2}, river.Properties())
	against(t, philosophers.Model{Seats: 5}, philosophers.Properties())
	against(t, philosophers.Model{Seats: 5, InOrder: true}, philosophers.Properties())
	against(t, ewd840.Model{N: 3}, ewd840.Properties())
	against(t, ewd840.Model{N: 4, Forgetful: true}, ewd840.Properties())
	against(t, twophase.Model{RMs: 4}, twophase.Properties())
	againstOrbits(t, twophase.Model{RMs: 5}, twophase.Properties())
	for _, deaf := range []bool{false, true} {
		m := paxos.Model{Acceptors: 3, Values: 2, Ballots: 2, Deaf: deaf}
		against(t, m, m.Properties())
		againstOrbits(t, m, m.Properties())
	}
}

// way is a way to run a search.
type way struct {
	name string
	// symmetry: states that differ by names are one.
	symmetry bool
	// alike: many states share a fingerprint.
	alike bool
	// rare: it costs so much that only every 64th model is searched this way, unless the test is told how many there are to be.
	rare bool
	set  func(o *checker.Options, dir string)
}

// ways are the ways to run a search, all of which find the same; each is tried with one worker and with two.
func ways() []way {
	nothing := func(*checker.Options, string) {}
	symmetry := func(o *checker.Options, _ string) { o.Symmetry = true }
	checkpoints := func(o *checker.Options, dir string) { o.WorkDir = dir }
	// So few are held that also a small model goes to files.
	memory := func(o *checker.Options, dir string) { o.WorkDir = dir; o.Hold(4) }
	exact := func(o *checker.Options, _ string) { o.Exact = true }
	and := func(set func(*checker.Options, string)) func(*checker.Options, string) {
		return func(o *checker.Options, dir string) { set(o, dir); symmetry(o, dir) }
	}
	return []way{
		{name: "plain", set: nothing},
		{name: "symmetry", symmetry: true, set: symmetry},
		{name: "exact", rare: true, set: exact},
		{name: "exact and symmetry", symmetry: true, rare: true, set: and(exact)},
		{name: "exact, alike", alike: true, set: exact},
		{name: "exact, alike and symmetry", symmetry: true, alike: true, set: and(exact)},
		{name: "checkpoints", rare: true, set: checkpoints},
		{name: "checkpoints and symmetry", symmetry: true, rare: true, set: and(checkpoints)},
		{name: "memory", rare: true, set: memory},
		{name: "memory and symmetry", symmetry: true, rare: true, set: and(memory)},
	}
}

// Thousands of random models; told how many, each is searched in every way:
//
//	go test ./checker -run TestRandomModels -rapid.checks 100000 -timeout 3h
func TestRandomModels(t *testing.T) {
	const ordinary, here = "100", "2000" // what rapid does, and what this test does, if it is not told how many
	every := uint64(1)
	if checks := flag.Lookup("rapid.checks"); checks.Value.String() == ordinary {
		every = 64
		if err := checks.Value.Set(here); err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = checks.Value.Set(ordinary) })
	}
	var models, states uint64
	defer func() { t.Logf("%d models, %d states", models, states) }()
	dir := t.TempDir()
	rapid.Check(t, func(t *rapid.T) {
		m := randomMachine(t)
		p := randomProperties(t, m)
		models++
		plain := checker.Naive(m, p, nil)
		states += plain.Distinct
		orbits := checker.Naive(m, p, m.Canonical)
		if !slices.Equal(plain.Lengths, orbits.Lengths) {
			t.Fatalf("expected the lengths %v with symmetry too, got %v", plain.Lengths, orbits.Lengths)
		}
		for _, w := range ways() {
			if w.rare && models%every != 0 {
				continue
			}
			var model checker.Model[whole, act] = m
			if w.alike {
				model = alikeMachine{m}
			}
			want := plain
			if w.symmetry {
				want = orbits
			}
			for _, workers := range []int{1, 2} {
				o := checker.Options{Workers: workers}
				w.set(&o, filepath.Join(dir, fmt.Sprint(w.name, models, workers)))
				if models%2 == 0 {
					o.Prove(1) // as the levels of large models are searched
				}
				agree(t, model, p, o, want)
				if o.WorkDir != "" {
					_ = os.RemoveAll(o.WorkDir)
				}
			}
		}
	})
}
