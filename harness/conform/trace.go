package conform

import (
	"errors"
	"slices"

	"github.com/onceproof/onceproof/harness/steps"
)

// A scenario made from a counterexample of the checker shows line by line what a broker with a flaw does. What its lines
// expect judges no broker: where one differs, the broker has not that flaw, and the scenario ends. The oracle judges as ever.

// traceTag is that of a scenario that is made from a counterexample.
const traceTag = "@trace"

// fromTrace reports whether the scenario is made from a counterexample.
func (s *Scenario) fromTrace() bool { return slices.Contains(s.Tags, traceTag) }

// insideTag is that of a scenario with a step inside the broker. It is run where there is a hand on that only.
const insideTag = "@inside"

// unplaceable says why a scenario can't be run on any broker, or "".
func (s *Scenario) unplaceable() string {
	if slices.Contains(s.Tags, insideTag) {
		return "a step of it takes place inside the broker, where a tester has a hand with docker:IMAGE,inside=1 only"
	}
	return ""
}

// reproduced is what is said of a counterexample that took place to its end; notReproduced begins what is said of another.
const (
	reproduced    = "reproduced"
	notReproduced = "not reproduced: "
)

// endTrace makes a line of a counterexample that differs end the scenario, and no more.
func (p *play) endTrace(err error) {
	var v *steps.Violation
	if p.scenario.fromTrace() && errors.As(err, &v) && !v.ByOracle {
		v.Harmless = true
	}
}

// traces counts the counterexamples that were reproduced, and those that were not.
func (r *Result) traces() (again, other int) {
	for i := range r.Scenarios {
		switch r.Scenarios[i].Trace {
		case "":
		case reproduced:
			again++
		default:
			other++
		}
	}
	return again, other
}
