package checker

import (
	"fmt"
	"slices"
	"strings"
)

// Outcome is what a property says of one state or step.
type Outcome uint8

const (
	// NotApplicable: the premise of the property is false here, so that it says nothing.
	NotApplicable Outcome = iota
	// Holds: the property applies and is true.
	Holds
	// Falls: the property applies and is false.
	Falls
)

// Require is the outcome of a property without a premise.
func Require(condition bool) Outcome {
	if condition {
		return Holds
	}
	return Falls
}

// Implies is the outcome of "premise, therefore conclusion"; a property whose premise is false everywhere is reported as
// vacuous.
func Implies(premise, conclusion bool) Outcome {
	if !premise {
		return NotApplicable
	}
	return Require(conclusion)
}

// Invariant has to hold in every reachable state.
type Invariant[S any] struct {
	Name string
	Doc  string
	// Check is called once for each distinct state.
	Check func(*S) Outcome
}

// StepProperty has to hold for every step between reachable states.
type StepProperty[S, A any] struct {
	Name string
	Doc  string
	// Check is called for each generated step, those that lead to known states too.
	Check func(old *S, a A, new *S) Outcome
	// OfStates, if not nil, says what Check says, without a look at the action. The search calls it in place of Check, which saves
	// a copy of the action for each property and step.
	OfStates func(old, new *S) Outcome
}

// Witness is a state that has to be reachable. It guards a model against being too narrow: that nothing bad happens is worth
// little when nothing happens at all.
type Witness[S any] struct {
	Name    string
	Doc     string
	Reached func(*S) bool
}

// CanReach has to hold in every reachable state: some sequence of helpful steps leads from it to a goal. It is the branching-time
// "always possibly" (AG EF), which needs no fairness.
type CanReach[S, A any] struct {
	Name string
	Doc  string
	Goal func(*S) bool
	// By says which actions help; nil means all.
	By func(A) bool
	// Model, if not nil, gives the steps from a reachable state to the goal in place of the model checked. It may lift
	// budgets, say, or start nothing new; what can be reached with it from a single state has to be finite. The search is
	// depth first, in the order of Next: it is fast where the steps that Next gives first lead on.
	Model Model[S, A]
}

// Properties is what is checked of a model.
type Properties[S, A any] struct {
	Invariants []Invariant[S]
	Steps      []StepProperty[S, A]
	Witnesses  []Witness[S]
	CanReach   []CanReach[S, A]
	// MayStop says whether a state without an enabled step is a proper end. Any other such state is a deadlock, which is a
	// violation; nil means that no state may stop.
	MayStop func(*S) bool
}

// Only keeps the properties of the given names, of whatever kind, and MayStop. The error says which names there are.
func (p Properties[S, A]) Only(names ...string) (Properties[S, A], error) {
	q := Properties[S, A]{MayStop: p.MayStop}
	var known []string
	kept := func(name string) bool {
		known = append(known, name)
		return slices.Contains(names, name)
	}
	for _, x := range p.Invariants {
		if kept(x.Name) {
			q.Invariants = append(q.Invariants, x)
		}
	}
	for _, x := range p.Steps {
		if kept(x.Name) {
			q.Steps = append(q.Steps, x)
		}
	}
	for _, x := range p.Witnesses {
		if kept(x.Name) {
			q.Witnesses = append(q.Witnesses, x)
		}
	}
	for _, x := range p.CanReach {
		if kept(x.Name) {
			q.CanReach = append(q.CanReach, x)
		}
	}
	for _, n := range names {
		if !slices.Contains(known, n) {
			return q, fmt.Errorf("no property %q; known: %s", n, strings.Join(known, ", "))
		}
	}
	return q, nil
}
