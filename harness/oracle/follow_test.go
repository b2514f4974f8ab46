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

// A broker with any two of the fixes that the release lacks is explained, where it
// need not be that release exactly.
func TestABrokerMayHaveTwoFixesMore(t *testing.T) {
	t.Parallel()
	release := spec.AllReleases()[0]
	var lacks []spec.Fixes
	for _, info := range spec.AllFixInfo() {
		if !release.Fixes.Has(info.Fix) {
			lacks = append(lacks, info.Fix)
		}
	}
	needed := 0
	for i, x := range lacks {
		for _, y := range lacks[:i] {
			for seed := range uint64(4) {
				w, err := newWalkOn(release.Fixes|x|y, oracle.Config{Release: release, TransactionVersion: 2}, 7000+uint64(i)*10+seed)
				if err != nil {
					t.Fatal(err)
				}
				if err := w.run(); err != nil {
					t.Errorf("%v and %v, seed %d: %v", x.IDs(), y.IDs(), seed, err)
				}
				if w.o.Fixes() != release.Fixes {
					needed++
				}
			}
		}
	}
	if needed < 20 {
		t.Errorf("expected that the fixes show in many walks, got %d", needed)
	}
}
