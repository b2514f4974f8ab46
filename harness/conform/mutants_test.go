package conform_test

import (
	"context"
	"slices"
	"testing"
	"time"

	"github.com/onceproof/onceproof/harness/broker"
	"github.com/onceproof/onceproof/harness/reference"
	"github.com/onceproof/onceproof/spec"
)

// Each way in which the reference broker can be made wrong is called a violation by some feature, and one of the rules
// that it breaks is named.
func TestEachMutantIsSeenByAFeature(t *testing.T) {
	t.Parallel()
	for _, m := range slices.Concat(reference.Mutants(), reference.Subtle()) {
		t.Run(m.Name, func(t *testing.T) {
			t.Parallel()
			var named []spec.Rule
			for _, level := range []int8{2, 1} {
				for _, fast := range []bool{true, false} {
					named = append(named, broken(t, m, level, fast)...)
					if slices.ContainsFunc(m.Rules, func(rule spec.Rule) bool { return slices.Contains(named, rule) }) {
						return
					}
				}
			}
			t.Errorf("%s: expected a violation of one of %v, got %v", m.About, m.Rules, named)
		})
	}
}

// broken are the rules that violations name when the features run against a mutant, up to the first if fast.
func broken(t *testing.T, m reference.Mutation, level int8, fast bool) []spec.Rule {
	t.Helper()
	o := onSpec(level, spec.AllReleases()[0].Fixes, 1)
	healthy := o.Spec
	o.Patience, o.FailFast = 200*time.Millisecond, fast
	o.Spec = func(ctx context.Context, target broker.Target) (broker.Broker, error) {
		b, err := healthy(ctx, target)
		b.(*reference.Broker).Mutate(m)
		return b, err
	}
	r := run(t, o)
	var named []spec.Rule
	for i := range r.Scenarios {
		if v := r.Scenarios[i].Violation; v != nil {
			named = append(named, v.Rules...)
		}
	}
	return named
}
