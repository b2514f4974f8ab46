package oracle_test

import (
	"errors"
	"fmt"
	"os"
	"slices"
	"testing"
	"text/tabwriter"

	"github.com/onceproof/onceproof/harness/oracle"
	"github.com/onceproof/onceproof/harness/reference"
	"github.com/onceproof/onceproof/spec"
)

// watch runs a script on a broker that follows some rules, judged strictly by
// a release.
func watch(b *reference.Broker, release spec.Release, tv int8, sc script) (*oracle.Oracle, error) {
	c, err := newTester(b, oracle.Config{Release: release, TransactionVersion: tv, Strict: true}, "topic", 2)
	if err != nil {
		return nil, err
	}
	c.patience = 20
	if sc.overlap {
		b.Overlap()
	}
	err = c.run(sc.run)
	return c.o, err
}

// hunt runs the scripts until the oracle calls a violation.
func hunt(make func(tv int8, seed uint64) *reference.Broker, release spec.Release, rules []spec.Rule) (first *oracle.Violation, where string, named bool) {
	for _, tv := range []int8{2, 1, 0} {
		for _, sc := range scripts() {
			seeds := uint64(2)
			if sc.overlap {
				seeds = 60
			}
			for seed := range seeds {
				_, err := watch(make(tv, seed), release, tv, sc)
				var v *oracle.Violation
				if !errors.As(err, &v) {
					continue
				}
				right := len(rules) == 0 || slices.ContainsFunc(rules, v.Breaks)
				if first == nil || right && !named {
					first, where, named = v, fmt.Sprintf("%s, tv%d", sc.name, tv), right
				}
				if named {
					return first, where, named
				}
			}
		}
	}
	return first, where, named
}

// Every mutant of the reference broker is called a violation, and the rule
// that it breaks is named.
func TestMutantsAreFound(t *testing.T) {
	t.Parallel()
	release := spec.AllReleases()[0]
	w := tabwriter.NewWriter(os.Stdout, 2, 8, 2, ' ', 0)
	found := 0
	for _, m := range reference.Mutants() {
		v, where, named := hunt(func(tv int8, seed uint64) *reference.Broker {
			b := reference.New(spec.Rules{TransactionVersion: tv, Fixes: release.Fixes}, seed)
			b.Mutate(m)
			return b
		}, release, m.Rules)
		switch {
		case v == nil:
			t.Errorf("%s (%s): survives", m.Name, m.About)
		case !named:
			t.Errorf("%s (%s): expected one of the rules %v, got %v", m.Name, m.About, m.Rules, v)
		default:
			found++
			fmt.Fprintf(w, "%s\t%v\t%s\n", m.Name, v.Rule, where)
		}
	}
	if testing.Verbose() {
		_ = w.Flush()
	}
	if found < 60 {
		t.Errorf("expected at least 60 mutants found, got %d", found)
	}
}

// A broker with a switch flipped against the release is called a violation by
// that release, strictly, and conforms when it is the better one.
func TestFlippedFixesAreFound(t *testing.T) {
	t.Parallel()
	for _, release := range spec.AllReleases() {
		for _, fix := range spec.AllFixInfo() {
			make := func(tv int8, seed uint64) *reference.Broker {
				return reference.New(spec.Rules{TransactionVersion: tv, Fixes: release.Fixes ^ fix.Fix}, seed)
			}
			v, where, _ := hunt(make, release, nil)
			if v == nil {
				t.Errorf("%s by %s: survives", fix.ID, release.Name)
				continue
			}
			t.Logf("%s by %s: %v in %s", fix.ID, release.Name, v, where)
			if release.Fixes.Has(fix.Fix) {
				continue
			}
			for _, sc := range scripts() {
				for tv := range int8(3) {
					c, err := newTester(make(tv, 1), oracle.Config{Release: release, TransactionVersion: tv}, "topic", 2)
					if err != nil {
						t.Fatal(err)
					}
					if err := c.run(sc.run); err != nil {
						t.Errorf("%s beside %s, not strict, %s at %d: %v", fix.ID, release.Name, sc.name, tv, err)
					}
				}
			}
		}
	}
}
