package twophase_test

import (
	"context"
	"encoding/json"
	"os"
	"runtime"
	"testing"

	"github.com/onceproof/onceproof/checker"
	"github.com/onceproof/onceproof/checker/twophase"
)

// published holds the counts in fixtures/checker-twophase.json; generated is 0 where it is not published.
type published struct {
	Counts []struct {
		RMs       int    `json:"rms"`
		Distinct  uint64 `json:"distinct"`
		Generated uint64 `json:"generated"`
		Depth     int    `json:"depth"`
	} `json:"counts"`
}

func readPublished(t testing.TB) (p published) {
	t.Helper()
	b, err := os.ReadFile("../../fixtures/checker-twophase.json")
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(b, &p); err != nil {
		t.Fatal(err)
	}
	return p
}

func TestPublishedCounts(t *testing.T) {
	for _, want := range readPublished(t).Counts {
		if want.RMs > 8 && testing.Short() || want.RMs > 7 && raceDetector {
			t.Logf("%d resource managers left out: too slow in short mode (above 8) or under the race detector (above 7)", want.RMs)
			continue
		}
		r, err := checker.Check(context.Background(), twophase.Model{RMs: want.RMs}, twophase.Properties(), checker.Options{})
		if err != nil {
			t.Fatal(err)
		}
		if r.Verdict != checker.VerdictHolds {
			t.Errorf("%d resource managers: expected to hold, got %s", want.RMs, r.Verdict)
		}
		if r.Distinct != want.Distinct || r.Depth != want.Depth || want.Generated != 0 && r.Generated != want.Generated {
			t.Errorf("%d resource managers: expected %d distinct states, %d generated, depth %d; got %d, %d, %d",
				want.RMs, want.Distinct, want.Generated, want.Depth, r.Distinct, r.Generated, r.Depth)
		}
	}
}

func TestHastyManagerBreaksConsistency(t *testing.T) {
	var want string
	for _, workers := range []int{1, 2, 3} {
		r, err := checker.Check(context.Background(), twophase.Model{RMs: 6, Hasty: true}, twophase.Properties(), checker.Options{Workers: workers})
		if err != nil {
			t.Fatal(err)
		}
		if r.Verdict != checker.VerdictViolated || r.Violations[0].Property != "Consistent" {
			t.Fatalf("expected Consistent to fall, got %s", r.Verdict)
		}
		// All but one prepare and are heard, the manager commits, one is told, the last chooses to abort.
		if length := r.Violations[0].Length; length != 5+5+3 {
			t.Errorf("expected 13 steps, got %d", length)
		}
		got := findings(t, r)
		if want == "" {
			want = got
		}
		if got != want {
			t.Errorf("%d workers: expected %s, got %s", workers, want, got)
		}
	}
}

// findings are a result without what differs from run to run.
func findings(t *testing.T, r *checker.Result[twophase.Action]) string {
	t.Helper()
	same := *r
	same.Seconds, same.PeakRSSBytes, same.Workers = 0, 0, 0
	b, err := json.Marshal(same)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

func TestDecisionCanAlwaysBeReached(t *testing.T) {
	decided := func(s *twophase.State) bool { return s.TM != twophase.Init }
	p := twophase.Properties()
	p.CanReach = []checker.CanReach[twophase.State, twophase.Action]{
		{Name: "with abort", Goal: decided, By: func(a twophase.Action) bool { return a.Kind == twophase.TMAbort }},
		{Name: "without abort", Goal: decided, By: func(a twophase.Action) bool { return a.Kind != twophase.TMAbort }},
	}
	r, err := checker.Check(context.Background(), twophase.Model{RMs: 5}, p, checker.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if len(r.Violations) != 1 || r.Violations[0].Property != "without abort" || r.Violations[0].Length != 1 {
		t.Errorf("expected that a single manager that chooses to abort prevents a decision without TMAbort, got %+v", r.Violations)
	}
}

func TestSearchAllocatesNothingPerState(t *testing.T) {
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	r, err := checker.Check(context.Background(), twophase.Model{RMs: 7}, twophase.Properties(), checker.Options{Workers: 1})
	if err != nil {
		t.Fatal(err)
	}
	runtime.ReadMemStats(&after)
	if allocations := after.Mallocs - before.Mallocs; allocations > r.Distinct/20 {
		t.Errorf("expected few allocations for %d states, got %d", r.Distinct, allocations)
	}
}
