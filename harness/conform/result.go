package conform

import (
	"fmt"
	"strings"
	"time"

	"github.com/onceproof/onceproof/harness/steps"
	"github.com/onceproof/onceproof/spec"
)

// Verdict is what is said of a broker by one scenario.
type Verdict string

// The verdicts. A known deviation is a violation that the profile lists; what could not be judged counts as neither.
const (
	Conforms  Verdict = "conforms"
	Violates  Verdict = "violates"
	Known     Verdict = "known deviation"
	NotJudged Verdict = "could not be judged"
)

// ScenarioResult is what became of one scenario.
type ScenarioResult struct {
	Scenario
	Verdict Verdict `json:"verdict"`
	// Reason says why it is a violation, a known deviation or not judged.
	Reason string `json:"reason,omitempty"`
	// Broken are the rules that are broken, the most likely one first.
	Broken []string `json:"broken_rules,omitempty"`
	// Trace says of a counterexample whether it was reproduced, or what differed.
	Trace string `json:"trace,omitempty"`
	// Step is the line at which it ended, if it did not come to its end.
	Step     string        `json:"step,omitempty"`
	Duration time.Duration `json:"duration_ns"`
	// Violation is nil unless the verdict is Violates or Known.
	Violation *steps.Violation `json:"-"`
	History   []steps.Event    `json:"-"`
	// Shown are the rules that decided in this run: steps of the broker where it tells them (the specification does),
	// and what was read.
	Shown []spec.Rule `json:"-"`

	played played
}

// Skipped is a scenario that was not run.
type Skipped struct {
	Name   string `json:"name"`
	Reason string `json:"reason"`
}

// Result is what became of a run.
type Result struct {
	Broker             string           `json:"broker"`
	Release            string           `json:"release"`
	Strict             bool             `json:"strict"`
	TransactionVersion int16            `json:"transaction_version"`
	Profile            string           `json:"profile,omitempty"`
	Scenarios          []ScenarioResult `json:"scenarios"`
	Skipped            []Skipped        `json:"skipped"`
	// Exploration is what random walks found, nil if none was gone.
	Exploration *Exploration `json:"exploration,omitempty"`
	// Stale are deviations of the profile whose scenario ran and conformed.
	Stale []Deviation `json:"stale_deviations,omitempty"`
	// Tolerated are the fields of answers that the profile lists, with how often they were wrong; StaleFields those of
	// them that never were.
	Tolerated   []FieldDeviation `json:"tolerated_fields,omitempty"`
	StaleFields []FieldDeviation `json:"stale_fields,omitempty"`
	// Stopped says why the run did not come to its end.
	Stopped  string        `json:"stopped,omitempty"`
	Duration time.Duration `json:"duration_ns"`
	Reports  []string      `json:"reports,omitempty"`
	// Unwritten says which report could not be written.
	Unwritten string `json:"error,omitempty"`
	// Notes are about the run itself, such as what could not be cleaned up.
	Notes []string `json:"notes,omitempty"`
}

// Count is the number of scenarios with a verdict.
func (r *Result) Count(v Verdict) int {
	n := 0
	for i := range r.Scenarios {
		if r.Scenarios[i].Verdict == v {
			n++
		}
	}
	return n
}

// ExitCode is 1 for a violation (and, if strict, for a profile that lists what no longer shows), 2 where something could
// not be judged, 0 where all that ran conforms.
func (r *Result) ExitCode() int {
	switch {
	case r.Count(Violates) > 0, r.Strict && len(r.Stale)+len(r.StaleFields) > 0:
		return 1
	case r.Stopped != "", r.Unwritten != "", r.Count(NotJudged) > 0, len(r.Scenarios) == 0:
		return 2
	}
	return 0
}

// Shown are the rules that decided in any scenario that says it shows them.
func (r *Result) Shown() map[spec.Rule]bool {
	out := map[spec.Rule]bool{}
	for i := range r.Scenarios {
		s := &r.Scenarios[i]
		if s.Verdict != Conforms {
			continue
		}
		for _, rule := range s.Rules {
			for _, shown := range s.Shown {
				if rule == shown {
					out[rule] = true
				}
			}
		}
	}
	return out
}

// Summary is the result in a few lines: the counts, each violation, each reason why something was not judged or not run.
func (r *Result) Summary() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s at transaction.version %d, judged by Apache Kafka %s%s: %d scenarios in %.1f s: %d conform, %d violate, %d known deviations, %d could not be judged, %d not run\n",
		r.Broker, r.TransactionVersion, r.Release, strictly(r.Strict), len(r.Scenarios), r.Duration.Seconds(), r.Count(Conforms), r.Count(Violates), r.Count(Known), r.Count(NotJudged), len(r.Skipped))
	for _, v := range []Verdict{Violates, Known, NotJudged} {
		for i := range r.Scenarios {
			if s := &r.Scenarios[i]; s.Verdict == v {
				fmt.Fprintf(&b, "  %s: %s\n    %s\n", v, s.Name, s.Reason)
			}
		}
	}
	if again, other := r.traces(); again+other > 0 {
		fmt.Fprintf(&b, "  counterexamples of the checker: %d reproduced, %d not\n", again, other)
	}
	if r.Exploration != nil {
		b.WriteString(r.Exploration.summary())
	}
	for _, d := range r.Tolerated {
		if d.Answers > 0 {
			fmt.Fprintf(&b, "  judged as if it were right, in %d answers: %s (%s): %s\n", d.Answers, d.Field, strings.Join(d.Rules, ", "), d.Reason)
		}
	}
	for _, d := range r.StaleFields {
		fmt.Fprintf(&b, "  listed in the profile and not seen: %s (%s)\n", d.Field, strings.Join(d.Rules, ", "))
	}
	for _, d := range r.Stale {
		fmt.Fprintf(&b, "  listed in the profile and not seen: %s (%s)\n", d.Scenario, strings.Join(d.Rules, ", "))
	}
	for _, s := range r.Skipped {
		fmt.Fprintf(&b, "  not run: %s: %s\n", s.Name, s.Reason)
	}
	for _, note := range r.Notes {
		fmt.Fprintf(&b, "  %s\n", note)
	}
	if r.Unwritten != "" {
		fmt.Fprintf(&b, "  a report could not be written: %s\n", r.Unwritten)
	}
	if r.Stopped != "" {
		fmt.Fprintf(&b, "  stopped: %s\n", r.Stopped)
	}
	return b.String()
}

func strictly(strict bool) string {
	if strict {
		return " exactly"
	}
	return ""
}
