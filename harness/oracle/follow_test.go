package oracle_test

import (
	"errors"
	"fmt"
	"testing"

	"github.com/onceproof/onceproof/harness/oracle"
	"github.com/onceproof/onceproof/spec"
)

// The steps that the oracle leaves out change nothing: on random walks its belief
// is the same set of states as one that is spelled out to the last, after every
// event.
func TestWhatIsLeftOutChangesNothing(t *testing.T) {
	t.Parallel()
	walks := uint64(30)
	if testing.Short() {
		walks = 5
	}
	for level := range int8(3) {
		t.Run(fmt.Sprintf("tv%d", level), func(t *testing.T) {
			t.Parallel()
			compared := uint64(0)
			for seed := range walks {
				w, err := newWalk(spec.AllReleases()[0], level, 1000+seed)
				if err != nil {
					t.Fatal(err)
				}
				if err := w.run(); err != nil {
					t.Fatalf("seed %d: %v", seed, err)
				}
				err = w.o.CompareSpelledOut(300)
				if err == nil {
					compared++
				} else if !errors.Is(err, oracle.ErrTooMany) {
					t.Errorf("seed %d: %v", seed, err)
				}
			}
			if compared < walks/2 {
				t.Errorf("expected that most walks can be compared, got %d of %d", compared, walks)
			}
			t.Logf("%d of %d walks compared", compared, walks)
		})
	}
}
