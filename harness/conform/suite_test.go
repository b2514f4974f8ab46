package conform_test

import (
	"slices"
	"testing"

	"github.com/onceproof/onceproof/harness/conform"
)

// A scenario is known by its name: profiles, reports and the tables in docs/ refer to it.
func TestScenariosHaveNamesOfTheirOwn(t *testing.T) {
	all, err := conform.Suite()
	if err != nil {
		t.Fatal(err)
	}
	seen := map[string]bool{}
	for _, s := range all {
		if seen[s.Name] {
			t.Errorf("%s:%d: there is another scenario %q", s.File, s.Line, s.Name)
		}
		seen[s.Name] = true
		if s.Feature == "" || s.Line == 0 {
			t.Errorf("%q: expected a feature and a line, got %q and %d", s.Name, s.Feature, s.Line)
		}
	}
	if len(all) < 40 {
		t.Errorf("expected at least 40 scenarios, got %d", len(all))
	}
}

func TestScenariosShowEnoughRules(t *testing.T) {
	coverage, err := conform.Coverage()
	if err != nil {
		t.Fatal(err)
	}
	if len(coverage) < 90 {
		t.Errorf("expected scenarios that show at least 90 rules, got %d rules", len(coverage))
	}
	all, err := conform.Suite()
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range all {
		generated := slices.Contains(s.Tags, "@trace") || slices.Contains(s.Tags, "@explore")
		if len(s.Rules) == 0 && !generated {
			t.Errorf("%s:%d: %q is tagged with no rule", s.File, s.Line, s.Name)
		}
	}
}
