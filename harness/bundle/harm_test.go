package bundle

import (
	"slices"
	"strings"
	"testing"

	"github.com/onceproof/onceproof/harness/steps"
	"github.com/onceproof/onceproof/spec"
)

// Whatever rule is broken, in whatever way, the report says who is hurt. Where what is shown is wrong, it says so by the
// rule, but for what a request has to be like.
func TestEveryRuleSaysWhoIsHurt(t *testing.T) {
	aboutRequests := strings.Fields(`IDEM-01 IDEM-02 IDEM-03 IDEM-04 IDEM-07 IDEM-08 IDEM-09 IDEM-10 IDEM-11 IDEM-12 IDEM-13 IDEM-14 IDEM-24 IDEM-26 IDEM-29
		IDEM-37 IDEM-38 IDEM-39 IDEM-42 IDEM-46 IDEM-48 IDEM-49 ADD-01 ADD-02 ADD-03 ADD-04 ADD-05 ADD-06 ADD-07 ADD-08 ADD-09 ADD-22 ADD-23 ADD-27 ADD-28
		INIT-01 INIT-02 INIT-03 INIT-04 INIT-06 INIT-08 INIT-09 INIT-10 INIT-11 INIT-37 INIT-38`)
	for _, r := range spec.AllRules() {
		for s := range numShapes {
			if harmOf(r, s) == "" {
				t.Errorf("%v: nothing is said of shape %d", r, s)
			}
		}
		if generic := harmOf(r, differs) == anyRule[differs]; generic != slices.Contains(aboutRequests, r.String()) {
			t.Errorf("%v: says by itself who is hurt: %t, expected the opposite", r, !generic)
		}
	}
}

// A rule stands in one row; its family in another at most.
func TestRulesOfTheTableAreRules(t *testing.T) {
	seen := map[string]bool{}
	for _, h := range harms {
		for _, name := range strings.Fields(h.rules) {
			if seen[name] {
				t.Errorf("%s stands in two rows", name)
			}
			seen[name] = true
			if _, err := spec.ParseRule(name); strings.Contains(name, "-") && err != nil {
				t.Error(err)
			}
			if !strings.Contains(name, "-") && !slices.ContainsFunc(spec.AllRules(), func(r spec.Rule) bool { return strings.HasPrefix(r.String(), name+"-") }) {
				t.Errorf("no rule is of the family %s", name)
			}
		}
	}
}

func TestInWhatWayAnAnswerIsWrong(t *testing.T) {
	for _, test := range []struct {
		came    string
		allowed []string
		want    shape
	}{
		{"NONE, base offset 1", []string{"INVALID_PRODUCER_EPOCH"}, accepted},
		{"NONE, producer 7, epoch 1", []string{"CONCURRENT_TRANSACTIONS"}, early},
		{"NONE, producer 7, epoch 2", []string{"CONCURRENT_TRANSACTIONS", "NONE, producer 7, epoch 1"}, field},
		{"PRODUCER_FENCED, producer -1, epoch 0", []string{"NONE, a new producer id, epoch 0"}, refused},
		{"INVALID_TXN_STATE", []string{"PRODUCER_FENCED"}, otherCode},
		{"OUT_OF_ORDER_SEQUENCE_NUMBER, base offset 0", []string{"OUT_OF_ORDER_SEQUENCE_NUMBER"}, field},
		{"expected 0 as the start of the log of t-0, got -1", []string{"NONE, base offset 0"}, field},
		{"", []string{"t-0 NONE t-2 NONE"}, silent},
		{"no answer", []string{"NONE"}, silent},
		{"t-1 NONE", []string{"t-1 CONCURRENT_TRANSACTIONS"}, early},
		{"state Empty", []string{"state PrepareCommit", "state CompleteCommit"}, differs},
		{"at offset 1 a COMMIT marker of producer 7, epoch 0", []string{"at offset 1 a COMMIT marker of producer 7, epoch 1"}, differs},
	} {
		v := &steps.Violation{Came: test.came}
		for _, a := range test.allowed {
			v.Allowed = append(v.Allowed, steps.Allowed{Outcome: a})
		}
		if got := shapeOf(v); got != test.want {
			t.Errorf("%q, allowed %q: expected shape %d, got %d", test.came, test.allowed, test.want, got)
		}
	}
}

// A sentence claims no more than what follows: a wrong field beside a refusal is harmless, whatever the rule.
func TestHarm(t *testing.T) {
	for _, test := range []struct {
		rule          spec.Rule
		came, allowed string
		want          string
	}{
		{spec.ADD23, "NONE, base offset 1", "INVALID_PRODUCER_EPOCH", "instance that was fenced"},
		{spec.IDEM23, "NONE, base offset 1", "OUT_OF_ORDER_SEQUENCE_NUMBER", "miss records"},
		{spec.IDEM15, "NONE, base offset 1", "NONE, base offset 0", "told something wrong"},
		{spec.INIT22, "PRODUCER_FENCED, producer -1, epoch 0", "PRODUCER_FENCED", "By that alone no record"},
		{spec.END14, "NONE", "INVALID_TXN_STATE", "takes for decided what is not"},
		{spec.LSO01, "last stable offset 5", "last stable offset 3", "not decided"},
		{spec.READ02, "aborted list null true", "aborted list null false", "no list of aborted"},
		{spec.READ02, "aborted list null false", "aborted list null true", "told that there is none (null)"},
		{spec.MARK13, "coordinator epoch of producer 7 0", "coordinator epoch of producer 7 -1", "of the last marker"},
		{spec.IDEM45, "INVALID_PRODUCER_EPOCH", "NONE, base offset 1", "outside any transaction"},
		{spec.MARK40, "at offset 1 a COMMIT marker, epoch 0", "at offset 1 a COMMIT marker, epoch 1", "can pass for one of the next"},
		{spec.NoRule, "state Empty", "state Ongoing", "misled"},
	} {
		v := &steps.Violation{Came: test.came, Allowed: []steps.Allowed{{Outcome: test.allowed}}}
		if test.rule != spec.NoRule {
			v.Rules = []spec.Rule{test.rule}
		}
		if got := Harm(v); !strings.Contains(got, test.want) {
			t.Errorf("%v, %q: expected %q in %q", test.rule, test.came, test.want, got)
		}
	}
}
