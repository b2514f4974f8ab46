package steps

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/cucumber/godog"

	"github.com/onceproof/onceproof/spec"
)

// Allowed is one outcome that the rules allow, with the rules that give it.
type Allowed struct {
	Outcome string
	Rules   []spec.Rule
}

// Violation is an error that says that the broker broke a rule: what was sent, what came, and what was allowed.
type Violation struct {
	Sent    string
	Came    string
	Allowed []Allowed
	// Rules are those that are broken: of the allowed outcomes, or of the scenario where one of its lines does not hold.
	Rules []spec.Rule
	// ByOracle says that no behaviour of the specification explains what came; otherwise a line of the scenario failed.
	ByOracle bool
	// Exchange is the number of the exchange that shows it, counted from 1; 0 if a line of the scenario failed.
	Exchange int
	// Harmless says that it only ends its scenario, which is about a broker with a flaw: where a line differs there is none.
	Harmless bool
}

// Is makes godog skip the rest of the scenario instead of calling it failed, where it is harmless.
func (v *Violation) Is(target error) bool { return v.Harmless && target == godog.ErrSkip }

// AddRule adds a rule that may be the broken one, behind those that are more likely.
func (v *Violation) AddRule(r spec.Rule) {
	if !slices.Contains(v.Rules, r) {
		v.Rules = append(v.Rules, r)
	}
}

func (v *Violation) Error() string {
	var b strings.Builder
	if v.Sent != "" {
		fmt.Fprintf(&b, "sent %s; ", v.Sent)
	}
	b.WriteString("expected ")
	if len(v.Allowed) == 0 {
		b.WriteString("another answer")
	}
	for i, a := range v.Allowed {
		if i > 0 {
			b.WriteString(", or ")
		}
		b.WriteString(a.Outcome)
		if len(a.Rules) > 0 {
			fmt.Fprintf(&b, " (%s)", ruleIDs(a.Rules))
		}
	}
	if v.Came == "" {
		b.WriteString("; got an answer with nothing in it")
		return b.String()
	}
	fmt.Fprintf(&b, "; got %s", v.Came)
	return b.String()
}

func ruleIDs(rules []spec.Rule) string {
	ids := make([]string, len(rules))
	for i, r := range rules {
		ids[i] = r.String()
	}
	return strings.Join(ids, ", ")
}

// mismatch is a line of the scenario that does not hold.
func mismatch(expected, got string) *Violation {
	return &Violation{Allowed: []Allowed{{Outcome: expected}}, Came: got}
}

// Unjudged is an error that says why nothing can be said about the broker: it went away, it lacks a version, the
// harness could not go on.
type Unjudged struct {
	Reason string
	Err    error
}

func (u *Unjudged) Error() string {
	if u.Err == nil {
		return u.Reason
	}
	return u.Reason + ": " + u.Err.Error()
}

// Is makes godog skip the rest of the scenario instead of calling it failed.
func (u *Unjudged) Is(target error) bool { return target == godog.ErrSkip }

// Unwrap gives the cause.
func (u *Unjudged) Unwrap() error { return u.Err }

func unjudged(err error, format string, args ...any) *Unjudged {
	return &Unjudged{Reason: fmt.Sprintf(format, args...), Err: err}
}

// Classify finds the violation, or the reason why nothing was judged, in the error of a step. An error that is neither
// is the harness's own, which judges nothing.
func Classify(err error) (*Violation, *Unjudged) {
	var v *Violation
	if errors.As(err, &v) {
		return v, nil
	}
	var u *Unjudged
	if errors.As(err, &u) {
		return nil, u
	}
	return nil, unjudged(err, "the harness could not go on")
}
