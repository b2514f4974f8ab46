package twophase_test

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"testing"

	"github.com/onceproof/onceproof/checker"
	"github.com/onceproof/onceproof/checker/twophase"
)

// measureAlone, if set in the environment, makes TestMemoryPerState do the search and nothing else.
const measureAlone = "TWOPHASE_MEASURE_ALONE"

// The peak of a process counts what it did before, so the search is given a process of its own.
func TestMemoryPerState(t *testing.T) {
	if testing.Short() || raceDetector || runtime.GOOS != "linux" {
		t.Skip("left out in short mode, under the race detector, and where the system does not give the peak of memory")
	}
	if os.Getenv(measureAlone) != "" {
		r, err := checker.Check(context.Background(), twophase.Model{RMs: 8}, twophase.Properties(), checker.Options{Workers: 2})
		if err != nil {
			t.Fatal(err)
		}
		fmt.Printf("%d bytes for %d states\n", r.PeakRSSBytes, r.Distinct)
		return
	}
	search := exec.Command(os.Args[0], "-test.run=^TestMemoryPerState$")
	search.Env = append(os.Environ(), measureAlone+"=1")
	out, err := search.Output()
	if err != nil {
		t.Fatal(err)
	}
	var peak, states uint64
	if _, err := fmt.Sscanf(string(out), "%d bytes for %d states", &peak, &states); err != nil {
		t.Fatalf("expected the size of the search, got %q", out)
	}
	// What a process takes before it meets a state, and for the rounds of two workers, is no part of what a state takes.
	const empty, perState = 32 << 20, 18
	if limit := empty + perState*states; peak > limit {
		t.Errorf("expected at most %d bytes for %d states, got %d", limit, states, peak)
	}
	t.Logf("%.1f bytes a state, all counted", float64(peak)/float64(states))
}
