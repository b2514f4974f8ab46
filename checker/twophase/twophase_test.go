package twophase_test

import (
	"context"
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
		t.Logf("%d: %.2f s, %.0f B", want.rms, r.Seconds, float64(r.PeakRSSBytes)/float64(r.Distinct))
	}
}
