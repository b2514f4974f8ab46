package oracle_test

import (
	"slices"
	"testing"

	"github.com/onceproof/onceproof/harness/oracle"
	"github.com/onceproof/onceproof/harness/reference"
	"github.com/onceproof/onceproof/spec"
)

// A violation after some hundred exchanges is shown by a handful: an
// InitProducerId, whatever opened the transaction, and the request itself.
func TestShortest(t *testing.T) {
	release := spec.AllReleases()[0]
	for _, m := range reference.Mutants() {
		if m.Name != "end-v5-state" && m.Name != "marker-old-epoch" {
			continue
		}
		for _, sc := range scripts() {
			b := reference.New(spec.Rules{TransactionVersion: 2, Fixes: release.Fixes}, 1)
			b.Mutate(m)
			o, err := watch(b, release, 2, sc)
			v := o.Verdict().Violation
			if v == nil {
				continue
			}
			short := o.Shortest()
			t.Logf("%s in %s: %v of %d exchanges: %v", m.Name, sc.name, short, v.Exchange, err)
			if len(short) == 0 || short[len(short)-1] != v.Exchange || !slices.IsSorted(short) {
				t.Errorf("%s in %s: expected exchanges that end with %d, got %v", m.Name, sc.name, v.Exchange, short)
			}
			if len(short) > 12 {
				t.Errorf("%s in %s: expected at most 12 exchanges, got %v", m.Name, sc.name, short)
			}
			if o.Verdict().Kind != oracle.Violates {
				t.Errorf("%s in %s: the verdict changed to %v", m.Name, sc.name, o.Verdict().Kind)
			}
		}
	}
}
