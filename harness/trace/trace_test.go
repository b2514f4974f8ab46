package trace_test

import (
	"context"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/onceproof/onceproof/harness/judge"
	"github.com/onceproof/onceproof/harness/reference"
	"github.com/onceproof/onceproof/harness/script"
	"github.com/onceproof/onceproof/harness/steps"
	"github.com/onceproof/onceproof/harness/trace"
	"github.com/onceproof/onceproof/spec"
)

var update = flag.Bool("update", false, "write anew what is generated, and what is recorded")

// folder is where the scenarios are.
const folder = "../../features/traces"

// TestTracesAreFresh searches every counterexample and compares it with its scenario.
func TestTracesAreFresh(t *testing.T) {
	t.Parallel()
	found := all(t)
	want, err := trace.Features(found)
	if err != nil {
		t.Fatal(err)
	}
	fresh(t, "../../docs/traces.md", page(t, found))
	there, err := filepath.Glob(filepath.Join(folder, "*.feature"))
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range there {
		if _, ok := want[filepath.Base(file)]; ok {
			continue
		}
		if !*update {
			t.Errorf("%s: nothing generates it; run: make docs", file)
		} else if err := os.Remove(file); err != nil {
			t.Fatal(err)
		}
	}
	for name, text := range want {
		fresh(t, filepath.Join(folder, name), text)
	}
}

// fresh fails when a file is not as it should be, or writes it.
func fresh(t *testing.T, file, want string) {
	t.Helper()
	got, err := os.ReadFile(file)
	switch {
	case err == nil && string(got) == want:
	case *update:
		if err := os.WriteFile(file, []byte(want), 0o644); err != nil {
			t.Fatal(err)
		}
	default:
		t.Errorf("%s is stale (%v); run: make docs", file, err)
	}
}

// all are the counterexamples.
func all(t *testing.T) []trace.Found {
	t.Helper()
	found, err := trace.All(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return found
}

// play plays a scenario on the reference broker.
func play(ctx context.Context, rules spec.Rules, seed uint64, s *script.Script) (script.Outcome, error) {
	release := spec.Release{Name: "of the counterexample", Fixes: rules.Fixes}
	b := reference.New(rules, seed)
	v, err := b.Versions(ctx)
	if err != nil {
		return script.Outcome{}, err
	}
	return script.Play(ctx, steps.Config{Broker: b, Versions: v, Oracle: judge.New(release, rules.TransactionVersion, true), Suffix: "x", Release: release,
		Patience: 300 * time.Millisecond}, s), nil
}

// Played on the specification with the flaw, each scenario is reproduced line by line, in whatever order hidden steps are
// taken, and the oracle of that specification finds nothing; with the fix it is not.
func TestScenariosShowTheirFlaw(t *testing.T) {
	t.Parallel()
	for _, f := range all(t) {
		if !f.Placeable {
			continue
		}
		for seed := range uint64(3) {
			t.Run(fmt.Sprintf("%s at %d, seed %d", f.ID, f.Level, seed), func(t *testing.T) {
				t.Parallel()
				o, err := play(t.Context(), f.Rules, seed, f.Script)
				if err != nil || o.Kind != script.Reproduced || o.Violation != nil {
					t.Errorf("with the flaw: expected it reproduced and no violation, got %v, %s (%v, %v)\n%s", o.Kind, o.Reason, o.Violation, err, f.Script.Gherkin())
				}
				if !f.Mended {
					return
				}
				rules := f.Rules
				rules.Fixes |= f.Fix
				if o, err = play(t.Context(), rules, seed, f.Script); err != nil || o.Kind != script.NotReproduced || o.Violation != nil {
					t.Errorf("with the fix: expected it not reproduced and no violation, got %v, %s (%v, %v)", o.Kind, o.Reason, o.Violation, err)
				}
			})
		}
	}
}

// Where the checker's steps can all be taken with the release's switches, following them says what the broker made of the
// specification does when the scenario is played on it: so it may be relied on where nothing can be played.
func TestFollowedAsPlayed(t *testing.T) {
	t.Parallel()
	otherWay := []string{"KAFKA-6119"} // with the fix the marker has another epoch: it is another step
	for _, f := range all(t) {
		if !f.Placeable || slices.Contains(otherWay, f.ID) {
			continue
		}
		s, err := f.With(spec.AllReleases()[0].Fixes)
		if err != nil {
			t.Errorf("expected that the steps can be taken: %v", err)
			continue
		}
		rules := f.Rules
		rules.Fixes = spec.AllReleases()[0].Fixes
		o, err := play(t.Context(), rules, 1, f.Script)
		if same := trace.Differs(f.Script, s) < 0; err != nil || same != (o.Kind == script.Reproduced) {
			t.Errorf("%s at %d: followed, the lines are the same: %v; played: %v, %s (%v)", f.ID, f.Level, same, o.Kind, o.Reason, err)
		}
	}
}

// What can't be placed takes a race inside the broker; what no switch mends at a level is a flaw there.
func TestWhatIsPlaceableAndMended(t *testing.T) {
	t.Parallel()
	races := []string{"KAFKA-14884", "KAFKA-19690", "IDEM-43"}
	for _, f := range all(t) {
		nothing := f.ID == "late add" && f.Level == 2     // InitProducerId with the epoch before is a retry there (INIT-34)
		unmended := f.ID == "KAFKA-20357" && f.Level == 0 // value version 0 has no place for the last epoch
		if got := f.Script == nil; got != nothing {
			t.Errorf("%s at %d: nothing falls: expected %v, got %v", f.ID, f.Level, nothing, got)
		}
		if want := !nothing && !slices.Contains(races, f.ID); f.Placeable != want {
			t.Errorf("%s at %d: placeable: expected %v, got %v", f.ID, f.Level, want, f.Placeable)
		}
		if want := f.Fix != 0 && !unmended; f.Mended != want {
			t.Errorf("%s at %d: mended: expected %v, got %v", f.ID, f.Level, want, f.Mended)
		}
	}
}

// Between a request to the coordinator and its append nothing is delivered: no hand could place that.
func TestNothingIsDeliveredBeforeAnAppend(t *testing.T) {
	t.Parallel()
	const acknowledged = "inside the broker, the append of the coordinator is acknowledged"
	// What is appended: the partition that a question adds, and that the last marker is written.
	appended := regexp.MustCompile(`receives (the leader's question: add|the answer to the marker) `)
	for _, f := range all(t) {
		if f.Script == nil || f.Placeable {
			continue
		}
		lines := f.Script.Lines()
		for i := 1; i < len(lines); i++ {
			if lines[i] == acknowledged && strings.HasPrefix(lines[i-1], "inside the broker, ") && !appended.MatchString(lines[i-1]) {
				t.Errorf("%s at %d: expected nothing between a request and its append, got %q", f.ID, f.Level, lines[i-1])
			}
		}
	}
}

// A scenario that can't be placed ends at the step that can't.
func TestWhatCannotBePlacedIsNotJudged(t *testing.T) {
	t.Parallel()
	for _, f := range all(t) {
		if f.Script == nil || f.Placeable {
			continue
		}
		o, err := play(t.Context(), f.Rules, 1, f.Script)
		if err != nil || o.Kind != script.CouldNotJudge || !slices.Contains(f.Script.Tags, trace.Inside) {
			t.Errorf("%s at %d: expected a scenario tagged %s that could not be judged, got %v, %s (%v)", f.ID, f.Level, trace.Inside, o.Kind, o.Reason, err)
		}
	}
}
