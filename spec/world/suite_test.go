package world

import (
	"context"
	"encoding/json"
	"flag"
	"os"
	"slices"
	"testing"

	"github.com/onceproof/onceproof/checker"
	"github.com/onceproof/onceproof/fixtures"
	"github.com/onceproof/onceproof/spec"
)

var update = flag.Bool("update", false, "run the whole check and write what it finds to fixtures/check.json")

// small is the most states of a row that a test explores, and tiny of one in short mode, as under the race detector; make
// check explores the others.
const small, tiny = 400_000, 10_000

func explores(row Row) bool {
	if testing.Short() {
		return row.Distinct <= tiny
	}
	return row.Distinct <= small
}

// TestSuite runs the rows of the whole check that are quick, and compares each with what is recorded.
func TestSuite(t *testing.T) {
	if *update {
		record(t)
		return
	}
	recorded, err := Recorded()
	if err != nil {
		t.Fatal(err)
	}
	reached := map[string]bool{}
	js := jobs(spec.AllReleases()[0])
	if len(js) != len(recorded) {
		t.Fatalf("%d rows, %d recorded; record them with: go test ./spec/world -run TestSuite -update", len(js), len(recorded))
	}
	for i, j := range js {
		if !explores(recorded[i]) {
			continue
		}
		row, err := j.run(context.Background(), checker.Options{})
		if err != nil {
			t.Fatal(err)
		}
		if diff := Differs(row, recorded[i]); diff != "" {
			t.Errorf("%s %s: %s", row.Table, row.Name, diff)
		}
		for _, r := range row.Rules {
			reached[r] = true
		}
	}
	t.Logf("%d rules decided a step", len(reached))
}

// record explores everything.
func record(t *testing.T) {
	var rows []Row
	err := Suite(context.Background(), spec.AllReleases()[0], nil, func(r Row) {
		t.Logf("%s %s: %d states, %s %s %d, %.1f s", r.Table, r.Name, r.Distinct, r.Verdict, r.Falls, r.Length, r.Seconds)
		r.Seconds = 0
		rows = append(rows, r)
	})
	if err != nil {
		t.Fatal(err)
	}
	b, err := json.MarshalIndent(rows, "", "  ")
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile("../../fixtures/check.json", append(b, '\n'), 0o644); err != nil {
		t.Fatal(err)
	}
}

// TestSuiteSaysWhatItShould looks at what is recorded: numbers that agree with themselves prove nothing.
func TestSuiteSaysWhatItShould(t *testing.T) {
	rows, err := Recorded()
	if err != nil {
		t.Fatal(err)
	}
	felled := map[string]bool{}
	held := map[string]bool{}
	for _, r := range rows {
		want := checker.VerdictViolated
		if r.Table == TableModels || r.Table == TableFixes && (r.Why != "" || r.Decides == nil) {
			want = checker.VerdictHolds
		}
		if r.Verdict != want {
			t.Errorf("%s %s: %s, should be %s", r.Table, r.Name, r.Verdict, want)
		}
		if len(r.Never) > 0 {
			t.Errorf("%s %s: never taken: %v", r.Table, r.Name, r.Never)
		}
		felled[r.Falls] = true
		if r.Table == TableModels {
			for _, p := range names(t) {
				if !slices.Contains(r.Vacuous, p) {
					held[p] = true
				}
			}
		}
	}
	for _, p := range names(t) {
		if !felled[p] {
			t.Errorf("nothing fells %s", p)
		}
		if !held[p] {
			t.Errorf("%s is vacuous in every standard configuration", p)
		}
	}
}

func names(t *testing.T) []string {
	m, err := New(Models()[0])
	if err != nil {
		t.Fatal(err)
	}
	var out []string
	p := m.Properties()
	for _, x := range p.Invariants {
		out = append(out, x.Name)
	}
	for _, x := range p.Steps {
		out = append(out, x.Name)
	}
	for _, x := range p.CanReach {
		out = append(out, x.Name)
	}
	return out
}

// TestFixDecides holds each fix to the rule that its switch is used in: a property can fall for several reasons.
func TestFixDecides(t *testing.T) {
	recorded, err := Recorded()
	if err != nil {
		t.Fatal(err)
	}
	want := map[string]struct{ action, off, on string }{
		"KAFKA-6119 off":  {"time out", "TMO-05", "INIT-32"},
		"KAFKA-14402 off": {"arrive", "IDEM-28", "VER-01"},
		"KAFKA-14884 off": {"deliver", "IDEM-28", "IDEM-41"},
		"KAFKA-15591 off": {"deliver", "IDEM-32", "IDEM-34"},
		"KAFKA-18202 off": {"deliver", "IDEM-32", "IDEM-33"},
		"KAFKA-18464 off": {"arrive", "END-30", "END-29"},
		"KAFKA-19446 off": {"deliver", "MARK-06", "MARK-07"},
		"KAFKA-19690 off": {"deliver", "IDEM-41", "IDEM-42"},
		"KAFKA-19999 off": {"deliver", "MARK-07", "MARK-08"},
		"KAFKA-20357 off": {"reload", "INIT-29", "FO-11"},
		"KAFKA-20785 off": {"arrive", "END-24", "END-24"},
		"INIT-31 off":     {"arrive", "INIT-31", "INIT-31"},
		"INIT-41 off":     {"arrive", "INIT-31", "INIT-31"},
		"IDEM-35 off":     {"arrive", "VER-03", "VER-03"},
		"IDEM-43 off":     {"deliver", "IDEM-43", "IDEM-43"},
	}
	for _, r := range recorded {
		w, ok := want[r.Name]
		if !ok {
			if r.Table == TableFixes && r.Decides != nil {
				t.Errorf("%s: decided at %+v: say here by which rules that should be", r.Name, r.Decides)
			}
			continue
		}
		delete(want, r.Name)
		d := r.Decides
		if d == nil || d.Action != w.action || !slices.Contains(d.Off, w.off) || !slices.Contains(d.On, w.on) {
			t.Errorf("%s: decided at %+v, should be a step %q by %s, with the fix on by %s", r.Name, d, w.action, w.off, w.on)
		}
	}
	for name := range want {
		t.Errorf("no row %s", name)
	}
}

func TestFixturesAreEmbedded(t *testing.T) {
	onDisk, err := os.ReadFile("../../fixtures/check.json")
	if err != nil {
		t.Fatal(err)
	}
	if string(onDisk) != string(fixtures.Check) {
		t.Fatal("fixtures/check.json is not what the package embeds")
	}
}
