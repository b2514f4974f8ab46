package twophase_test

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"testing"
	"time"

	"github.com/onceproof/onceproof/checker"
	"github.com/onceproof/onceproof/checker/twophase"
)

// measureAlone, if set in the environment, makes a test of memory do the search and nothing else.
const measureAlone = "TWOPHASE_MEASURE_ALONE"

// peakOf gives the peak of memory of a search, and how many states it found. The peak of a process counts what it did before, so
// the search is given a process of its own, in which the test does not go on.
func peakOf[S any](t *testing.T, m checker.Model[S, twophase.Action], p checker.Properties[S, twophase.Action], o checker.Options) (peak, states uint64) {
	t.Helper()
	if testing.Short() || raceDetector || runtime.GOOS != "linux" {
		t.Skip("left out in short mode, under the race detector, and where the system does not give the peak of memory")
	}
	if os.Getenv(measureAlone) != "" {
		r, err := checker.Check(context.Background(), m, p, o)
		if err != nil {
			t.Fatal(err)
		}
		fmt.Printf("%d bytes for %d states\n", r.PeakRSSBytes, r.Distinct)
		t.SkipNow()
	}
	search := exec.Command(os.Args[0], "-test.run=^"+t.Name()+"$")
	search.Env = append(os.Environ(), measureAlone+"=1")
	out, err := search.Output()
	if err != nil {
		t.Fatal(err)
	}
	if _, err := fmt.Sscanf(string(out), "%d bytes for %d states", &peak, &states); err != nil {
		t.Fatalf("expected the size of the search, got %q", out)
	}
	return peak, states
}

// Long states are many bytes in what workers have at hand, and few states in a block of the frontier.
func TestBoundOnMemoryHoldsForLongStates(t *testing.T) {
	o := checker.Options{Workers: 2, Memory: checker.LeastMemory, WorkDir: t.TempDir(), CheckpointEvery: time.Hour}
	peak, states := peakOf(t, long{twophase.Model{RMs: 6}}, twophase.Properties(), o)
	if states != 50_816 || peak > checker.LeastMemory {
		t.Errorf("expected at most %d bytes and 50816 states, got %d and %d", checker.LeastMemory, peak, states)
	}
	t.Logf("%d MiB", peak>>20)
}

// long is the same model with states of 4 KiB.
type long struct{ twophase.Model }

func (m long) Encode(b []byte, s *twophase.State) []byte {
	return append(m.Model.Encode(b, s), make([]byte, 4<<10)...)
}

func (m long) Decode(s *twophase.State, b []byte) error { return m.Model.Decode(s, b[:m.RMs+1]) }

func TestMemoryPerState(t *testing.T) {
	peak, states := peakOf(t, twophase.Model{RMs: 8}, twophase.Properties(), checker.Options{Workers: 2})
	// What a process takes before it meets a state, and for the rounds of two workers, is no part of what a state takes.
	const empty, perState = 32 << 20, 18
	if limit := empty + perState*states; peak > limit {
		t.Errorf("expected at most %d bytes for %d states, got %d", limit, states, peak)
	}
	t.Logf("%.1f bytes a state, all counted", float64(peak)/float64(states))
}
