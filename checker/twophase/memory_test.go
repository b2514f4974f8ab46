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
		r, err := checker.Check(context.Background(), twophase.Model{RMs: 8}, twophase.Properties(), checker.Options{})
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
	if peak > 100*states {
		t.Errorf("expected at most 100 bytes a state, got %d", peak/states)
	}
	t.Logf("%d bytes a state", peak/states)
}
