package oracle

import (
	"testing"

	"github.com/onceproof/onceproof/spec"
)

// The rule named first is the one that made the answer what it is, not one that has a part in every answer of its kind.
func TestDecisiveRuleComesFirst(t *testing.T) {
	for _, row := range []struct {
		about string
		rules []spec.Rule
		want  spec.Rule
	}{
		{"an empty commit that is written", []spec.Rule{spec.END02, spec.END29, spec.END30, spec.END23, spec.END31, spec.COORD09, spec.SM01, spec.END04, spec.END07, spec.END08, spec.MARK31}, spec.END31},
		{"Produce v12 out of order", []spec.Rule{spec.VER01, spec.VER03, spec.ADD21, spec.ADD20, spec.ADD07, spec.ADD08, spec.IDEM33, spec.ADD29}, spec.IDEM33},
		{"a first batch", []spec.Rule{spec.VER01, spec.VER03, spec.ADD21, spec.ADD10, spec.IDEM30, spec.IDEM28, spec.IDEM43}, spec.IDEM30},
		{"nothing but what is common to all", []spec.Rule{spec.COORD09, spec.SM01}, spec.SM01},
	} {
		got := foremost(row.rules)
		if got[0] != row.want || len(got) != len(row.rules) {
			t.Errorf("%s: %v of %v, want %v first", row.about, got, row.rules, row.want)
		}
	}
	if got := foremost(nil); len(got) != 0 {
		t.Errorf("no rules, and yet %v", got)
	}
}
