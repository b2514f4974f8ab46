package conform_test

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/onceproof/onceproof/harness/conform"
	"github.com/onceproof/onceproof/spec"
)

// A broker that is ahead of the release it is judged by conforms; judged by that release exactly it does not.
func TestABrokerWithMoreFixesConformsUnlessStrict(t *testing.T) {
	t.Parallel()
	trunk, err := spec.ParseRelease("trunk")
	if err != nil {
		t.Fatal(err)
	}
	for level := range int8(3) {
		t.Run(fmt.Sprintf("tv%d", level), func(t *testing.T) {
			t.Parallel()
			o := onSpec(level, trunk.Fixes, 1)
			o.Strict = false
			r := run(t, o)
			wantAll(t, &r)
			o.Strict, o.Release = true, "trunk"
			r = run(t, o)
			wantAll(t, &r)
			o.Release, o.FailFast = "4.4.0", true
			if r = run(t, o); r.Count(conform.Violates) == 0 {
				t.Errorf("expected a broker with the fixes of trunk to violate 4.4.0 exactly, got:\n%s", r.Summary())
			}
		})
	}
}

// notFromOutside are the switches that no client sees one request at a time: they are about a batch whose verification
// is under way inside the broker.
var notFromOutside = spec.Fix14884 | spec.Fix19690 | spec.FixIDEM43

// Each switch, flipped against the release that is judged by, is called a violation by some scenario.
func TestEachSwitchIsSeen(t *testing.T) {
	t.Parallel()
	release := spec.AllReleases()[0].Fixes
	for _, fix := range spec.AllFixInfo() {
		t.Run(fix.ID, func(t *testing.T) {
			t.Parallel()
			seen := slices.ContainsFunc([]int8{2, 1, 0}, func(level int8) bool {
				o := onSpec(level, release^fix.Fix, 1)
				o.FailFast, o.Patience = true, 200*time.Millisecond
				r := run(t, o)
				return r.Count(conform.Violates) > 0
			})
			if hidden := notFromOutside.Has(fix.Fix); seen == hidden {
				t.Errorf("%s (%s): expected a violation %v, got %v", fix.ID, fix.Title, !hidden, seen)
			}
		})
	}
}
