package explore_test

import (
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/onceproof/onceproof/fixtures"
	"github.com/onceproof/onceproof/harness/explore"
	"github.com/onceproof/onceproof/harness/reference"
	"github.com/onceproof/onceproof/spec"
)

var update = flag.Bool("update", false, "explore every mutant and every flipped fix anew, and write fixtures/explore.json")

const (
	recordedFile = "../../fixtures/explore.json"
	// within is how many exchanges a walk may take to find a mutant.
	within = 2000
	// seeds is from how many seeds it is tried to find it.
	seeds = 3
)

// wrong is a broker that is wrong in one way, at a level.
type wrong struct {
	kind, name string
	rules      []spec.Rule
	release    spec.Release
	level      int8
	fixes      spec.Fixes
	mutation   *reference.Mutation
}

// brokers are all that are wrong, at the level given.
func brokers(level int8) []wrong {
	var all []wrong
	release := spec.AllReleases()[0]
	for _, m := range slices.Concat(reference.Mutants(), reference.Subtle()) {
		all = append(all, wrong{kind: "mutant", name: m.Name, rules: m.Rules, release: release, level: level, fixes: release.Fixes, mutation: &m})
	}
	for _, r := range spec.AllReleases() {
		for _, f := range spec.AllFixInfo() {
			kind := "fix off"
			if !r.Fixes.Has(f.Fix) {
				kind = "fix on"
			}
			all = append(all, wrong{kind: kind, name: f.ID + " in " + r.Name, release: r, level: level, fixes: r.Fixes ^ f.Fix})
		}
	}
	return all
}

func (w *wrong) options() explore.Options {
	o := onSpec(w.level, w.fixes, func(b *reference.Broker) {
		if w.mutation != nil {
			b.Mutate(*w.mutation)
		}
	})
	o.Exchanges, o.Release, o.FirstOnly, o.Suffix = within, w.release, true, "m"
	return o
}

// named reports whether a violation names a rule that the mutation may break.
func (w *wrong) named(f *explore.Failure) bool {
	return len(w.rules) == 0 || slices.ContainsFunc(f.Violation.Rules, func(r spec.Rule) bool { return slices.Contains(w.rules, r) })
}

// hunt explores from a seed until the broker is found to be wrong, and says how.
func (w *wrong) hunt(ctx context.Context, seed uint64) (*fixtures.Hunted, error) {
	o := w.options()
	o.Seed = seed
	r, err := explore.Run(ctx, o)
	if err != nil || len(r.Failures) == 0 || r.Failures[0].Exchange > within || !w.named(r.Failures[0]) {
		return nil, err
	}
	f := r.Failures[0]
	return &fixtures.Hunted{Kind: w.kind, Name: w.name, Seed: seed, Level: int16(w.level), Rule: f.Signature.Rule, Exchanges: f.Exchange, Length: f.Length,
		Script: f.Script.Lines()}, nil
}

// Every mutant and flipped fix that is recorded as found by exploration is found again, within as many exchanges, by the
// same rule, and shortened as far: to no more than twice the shortest that is known.
func TestExplorationFindsWhatIsWrong(t *testing.T) {
	if *update {
		record(t)
	}
	t.Parallel()
	rec, err := fixtures.Explored()
	if err != nil {
		t.Fatal(err)
	}
	mutants := 0
	for _, want := range rec.Found {
		i := slices.IndexFunc(brokers(int8(want.Level)), func(w wrong) bool { return w.name == want.Name && w.kind == want.Kind })
		if i < 0 {
			t.Errorf("%s %q is recorded and there is none of that name", want.Kind, want.Name)
			continue
		}
		if want.Kind == "mutant" {
			mutants++
		}
		if want.Shortest > 0 && want.Length > 2*want.Shortest {
			t.Errorf("%s %q: shortened to %d exchanges, more than twice the shortest, %d", want.Kind, want.Name, want.Length, want.Shortest)
		}
		w := brokers(int8(want.Level))[i]
		t.Run(want.Name, func(t *testing.T) {
			t.Parallel()
			got, err := w.hunt(t.Context(), want.Seed)
			if err != nil {
				t.Fatal(err)
			}
			waits := slices.ContainsFunc(want.Script, func(l string) bool { return strings.HasSuffix(l, " times out") })
			if waits && got != nil && got.Rule == want.Rule && got.Length <= 2*want.Shortest {
				return // how soon a transaction times out hangs on the machine, and with it what else happens until then
			}
			if got == nil || got.Rule != want.Rule || got.Exchanges != want.Exchanges || got.Length != want.Length {
				t.Errorf("expected %+v, got %+v", want, got)
			}
		})
	}
	if mutants < 40 {
		t.Errorf("expected at least 40 mutants found, got %d", mutants)
	}
}

// record hunts at each level and writes what was found; for how short it is, all shorter scenarios are tried.
func record(t *testing.T) {
	var rec fixtures.Exploration
	var mu sync.Mutex
	var wg sync.WaitGroup
	slots := make(chan struct{}, 2)
	all := brokers(2)
	hunted := make([]*fixtures.Hunted, len(all))
	for i := range all {
		wg.Go(func() {
			slots <- struct{}{}
			defer func() { <-slots }()
			for try := range 3 * seeds {
				w := brokers(int8(2 - try%3))[i]
				h, err := w.hunt(t.Context(), uint64(1+try/3))
				if err != nil {
					t.Error(err)
					return
				}
				if h == nil {
					continue
				}
				if h.Shortest = shortest(t, &w, h); h.Length > 2*h.Shortest {
					continue
				}
				mu.Lock()
				hunted[i] = h
				fmt.Printf("%s %s tv%d: %s after %d, length %d, shortest %d\n", h.Kind, h.Name, h.Level, h.Rule, h.Exchanges, h.Length, h.Shortest)
				mu.Unlock()
				return
			}
			fmt.Printf("%s %s: not found\n", all[i].kind, all[i].name)
		})
	}
	wg.Wait()
	rec.Within = within
	for i, h := range hunted {
		if h != nil {
			rec.Found = append(rec.Found, *h)
		} else {
			rec.Missed = append(rec.Missed, fixtures.Missed{Kind: all[i].kind, Name: all[i].name})
		}
	}
	text, err := json.MarshalIndent(&rec, "", " ")
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(recordedFile, append(text, '\n'), 0o644); err != nil {
		t.Fatal(err)
	}
}

// shortest is how many exchanges the shortest scenario that breaks the same rule makes as far as it matters: the shortest
// there is, or, if none is shorter than half of what was found, that half.
func shortest(t *testing.T, w *wrong, h *fixtures.Hunted) int {
	o := w.options()
	o.Patience = 20 * time.Millisecond
	half := (h.Length + 1) / 2
	s, _, err := explore.Shortest(t.Context(), o, w.level, h.Rule, min(half-1, 3))
	if err != nil {
		t.Error(err)
	}
	if s != nil {
		return explore.Moves(s)
	}
	return min(half, 4)
}
