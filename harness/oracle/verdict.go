package oracle

import (
	"errors"
	"fmt"
	"strings"

	"github.com/onceproof/onceproof/spec"
)

// Kind is one of the three verdicts.
type Kind uint8

// The verdicts.
const (
	Conforms Kind = iota
	Violates
	CouldNotJudge
)

func (k Kind) String() string {
	return [...]string{"conforms", "violates", "could not be judged"}[k]
}

// Verdict is what the oracle says of a broker.
type Verdict struct {
	Kind      Kind
	Violation *Violation // of Violates
	Reason    string     // of CouldNotJudge
}

func (v *Verdict) err() error {
	switch v.Kind {
	case Violates:
		return v.Violation
	case CouldNotJudge:
		return &NotJudged{v.Reason}
	}
	return nil
}

// NotJudged is the error that says why the oracle gives up. It is no verdict
// on the broker.
type NotJudged struct{ Reason string }

func (n *NotJudged) Error() string { return "could not be judged: " + n.Reason }

// Allowed is an outcome that the spec allows, with the rules that decided it,
// in the order in which they were applied.
type Allowed struct {
	Answer string
	Rules  []spec.Rule
}

// Violation is what no behaviour of the spec explains.
type Violation struct {
	Exchange int    // the number of the exchange that shows it, from 1
	Sent     string // the request
	Came     string // what came; "no answer"
	Allowed  []Allowed
	// Rule is the one most likely broken: it decided what was allowed.
	Rule spec.Rule
}

func (v *Violation) Error() string {
	var b strings.Builder
	fmt.Fprintf(&b, "exchange %d: %s: expected ", v.Exchange, v.Sent)
	if len(v.Allowed) == 0 {
		b.WriteString("no such thing")
	}
	for i, a := range v.Allowed {
		if i > 0 {
			b.WriteString(", or ")
		}
		b.WriteString(a.Answer)
		if len(a.Rules) > 0 {
			b.WriteString(" (" + ruleIDs(a.Rules) + ")")
		}
	}
	fmt.Fprintf(&b, "; got %s", v.Came)
	if v.Rule != spec.NoRule {
		fmt.Fprintf(&b, " [%v]", v.Rule)
	}
	return b.String()
}

// Breaks reports whether r may be the broken rule: it is the one most likely,
// or decided one of the outcomes that were allowed.
func (v *Violation) Breaks(r spec.Rule) bool {
	if v.Rule == r {
		return true
	}
	for _, a := range v.Allowed {
		for _, x := range a.Rules {
			if x == r {
				return true
			}
		}
	}
	return false
}

func ruleIDs(rules []spec.Rule) string {
	ids := make([]string, len(rules))
	for i, r := range rules {
		ids[i] = r.String()
	}
	return strings.Join(ids, ", ")
}

func asViolation(err error) *Violation {
	var v *Violation
	if errors.As(err, &v) {
		return v
	}
	return nil
}

// foremost puts the decisive rule first.
func foremost(rules []spec.Rule) []spec.Rule {
	first := decisive(rules)
	out := make([]spec.Rule, 0, len(rules))
	if first != spec.NoRule {
		out = append(out, first)
	}
	for _, r := range rules {
		if r != first {
			out = append(out, r)
		}
	}
	return out
}

// decisive is the rule that decided last and is not one of those that decide
// nearly every step of their kind.
func decisive(rules []spec.Rule) spec.Rule {
	for i := len(rules) - 1; i >= 0; i-- {
		switch rules[i] {
		case spec.COORD09, spec.SM01, spec.END02, spec.END04, spec.END07, spec.END08, spec.IDEM28, spec.IDEM43, spec.VER01, spec.VER03, spec.ADD07,
			spec.ADD08, spec.ADD20, spec.ADD21, spec.ADD29, spec.INIT38, spec.MARK32,
			spec.INIT39, spec.MARK13, spec.MARK14, spec.MARK15, spec.MARK16, spec.MARK17, spec.MARK31, spec.MARK40, spec.READ06:
			continue
		}
		return rules[i]
	}
	if len(rules) > 0 {
		return rules[len(rules)-1]
	}
	return spec.NoRule
}
