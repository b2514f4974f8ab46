package twophase_test

import (
	"bytes"
	"context"
	"encoding/json"
	"testing"

	"github.com/onceproof/onceproof/checker"
	"github.com/onceproof/onceproof/checker/twophase"
)

// The counts that TLC gives for the TLA+ specification, and stateright for its translation.
var published = []struct {
	rms                 int
	distinct, generated uint64 // generated is 0 where it is not published
	depth               int
}{
	{rms: 3, distinct: 288, depth: 11},
	{rms: 5, distinct: 8832, depth: 17},
	{rms: 7, distinct: 296448, generated: 2744706, depth: 23},
	{rms: 8, distinct: 1745408, generated: 18507778, depth: 26},
	{rms: 9, distinct: 10340352, generated: 123558402, depth: 29},
}

func TestPublishedCounts(t *testing.T) {
	for _, want := range published {
		if want.rms == 9 && (testing.Short() || raceDetector) {
			t.Log("9 resource managers left out: too slow in short mode and under the race detector")
			continue
		}
		r, err := checker.Check(context.Background(), twophase.Model{RMs: want.rms}, twophase.Properties(), checker.Options{})
		if err != nil {
			t.Fatal(err)
		}
		if r.Verdict != checker.HoldsVerdict {
			t.Errorf("%d resource managers: expected to hold, got %s", want.rms, r.Verdict)
		}
		if r.Distinct != want.distinct || r.Depth != want.depth || want.generated != 0 && r.Generated != want.generated {
			t.Errorf("%d resource managers: expected %d distinct states, %d generated, depth %d; got %d, %d, %d",
				want.rms, want.distinct, want.generated, want.depth, r.Distinct, r.Generated, r.Depth)
		}
	}
}

func TestHastyManagerBreaksConsistency(t *testing.T) {
	var want []byte
	for _, workers := range []int{1, 2, 3} {
		r, err := checker.Check(context.Background(), twophase.Model{RMs: 6, Hasty: true}, twophase.Properties(), checker.Options{Workers: workers})
		if err != nil {
			t.Fatal(err)
		}
		if r.Verdict != checker.Violated || r.Violations[0].Property != "Consistent" {
			t.Fatalf("expected Consistent to fall, got %s", r.Verdict)
		}
		// All but one prepare and are heard, the manager commits, one is told, the last chooses to abort.
		if length := r.Violations[0].Length; length != 5+5+3 {
			t.Errorf("expected 13 steps, got %d", length)
		}
		r.Seconds, r.PeakRSSBytes, r.Workers = 0, 0, 0
		got, err := json.Marshal(r)
		if err != nil {
			t.Fatal(err)
		}
		if want == nil {
			want = got
		}
		if !bytes.Equal(got, want) {
			t.Errorf("%d workers: expected %s, got %s", workers, want, got)
		}
	}
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
