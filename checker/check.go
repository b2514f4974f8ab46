package checker

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"
	"time"
)

// Check searches the states of a model breadth first and checks the properties. It returns an error when the model itself is
// at fault and that is noticed (it has no initial state, Decode is not the inverse of Encode, a trace can't be rebuilt because it is
// not deterministic), or when memory or files fail; a violation is no error.
// When ctx ends, Check returns what is known by then.
func Check[S any, A comparable](ctx context.Context, m Model[S, A], p Properties[S, A], o Options) (*Result[A], error) {
	s := newSearch(m, p, o)
	defer s.free()
	if o.Symmetry && s.canonical == nil {
		return nil, errNoSymmetry
	}
	verdict, err := s.run(ctx)
	if err != nil {
		return nil, err
	}
	if s.links.count == 0 && verdict != VerdictInterrupted {
		return nil, errNoInitialState
	}
	r := &Result[A]{
		Model:      identity(m),
		Verdict:    verdict,
		Distinct:   s.links.count,
		Generated:  s.total.generated,
		Depth:      s.depth,
		Workers:    s.options.Workers,
		Symmetry:   s.canonical != nil,
		Exact:      o.Exact,
		Collisions: s.collisions,
	}
	if !o.Exact {
		r.CollisionsExpected = math.Pow(float64(s.links.count), 2) / math.Exp2(65)
	}
	s.coverage(r)
	for _, v := range s.verdicts() {
		r.Properties = append(r.Properties, v.PropertyResult)
		if v.Verdict != PropertyFalls {
			continue
		}
		violation, err := violation(s, v)
		if err != nil {
			return nil, err
		}
		r.Violations = append(r.Violations, violation)
		r.Verdict = VerdictViolated
	}
	slices.SortStableFunc(r.Violations, func(a, b Violation[A]) int { return cmp.Compare(a.order(), b.order()) })
	r.Seconds = time.Since(s.started).Seconds()
	r.PeakRSSBytes = peakRSS()
	return r, nil
}

// order puts violations without a trace last.
func (v *Violation[A]) order() int {
	if v.Trace == nil {
		return math.MaxInt
	}
	return v.Length
}

// decided is a property with what was found about it.
type decided struct {
	PropertyResult
	number int
	doc    string
	// path leads to the state or through the step, nil where there is none.
	path []int
}

// verdicts goes through the properties in the order of their numbers.
func (s *search[S, A]) verdicts() []decided {
	var list []decided
	add := func(kind Kind, name, doc string) {
		n := len(list)
		d := decided{PropertyResult{Name: name, Kind: kind, Applied: s.total.applied[n], Length: -1}, n, doc, nil}
		if at := s.total.first[n]; at != none {
			if kind == KindStep {
				k := link(at)
				d.path = append(s.links.path(k.parent()), k.ordinal())
			} else {
				d.path = s.links.path(at)
			}
			d.Length = len(d.path) - 1
		}
		d.Verdict = d.judge(s.exhausted)
		list = append(list, d)
	}
	for _, p := range s.properties.Invariants {
		add(KindInvariant, p.Name, p.Doc)
	}
	for _, p := range s.properties.Steps {
		add(KindStep, p.Name, p.Doc)
	}
	for _, p := range s.properties.Witnesses {
		add(KindWitness, p.Name, p.Doc)
	}
	for _, p := range s.properties.CanReach {
		add(KindCanReach, p.Name, p.Doc)
	}
	add(KindDeadlock, "no deadlock", "Every state has an enabled step or is a proper end.")
	return list
}

func (d *decided) judge(exhausted bool) PropertyVerdict {
	found := d.path != nil
	if d.Kind == KindWitness {
		switch {
		case found:
			return PropertyHolds
		case exhausted:
			return PropertyFalls
		}
		return PropertyUndecided
	}
	premised := d.Kind == KindInvariant || d.Kind == KindStep
	switch {
	case found:
		return PropertyFalls
	case !exhausted:
		return PropertyUndecided
	case premised && d.Applied == 0:
		return PropertyVacuous
	}
	return PropertyHolds
}

// concrete is the path to a violation as the model without symmetry goes it.
func (s *search[S, A]) concrete(d decided) ([]int, error) {
	if s.canonical == nil {
		return d.path, nil
	}
	var last func(old *S, a A, new *S) bool
	if d.Kind == KindStep {
		check := s.properties.Steps[d.number-s.stepAt].Check
		last = func(old *S, a A, new *S) bool { return check(old, a, new) == Falls }
	}
	return concretePath(s.model, s.canonical, d.path, last)
}

// violation rebuilds the trace of a property that fell, by running the model again.
func violation[S any, A comparable](s *search[S, A], d decided) (Violation[A], error) {
	v := Violation[A]{Property: d.Name, Kind: d.Kind}
	if d.path == nil {
		return v, nil
	}
	path, err := s.concrete(d)
	if err != nil {
		return v, err
	}
	p := newPlayer(s.model)
	if err := p.follow(path); err != nil {
		return v, err
	}
	v.Length, v.Trace = d.Length, &p.trace
	v.Trace.Property, v.Trace.Doc = d.Name, d.doc
	switch d.Kind {
	case KindInvariant:
		if s.properties.Invariants[d.number].Check(&p.state) != Falls {
			return v, fmt.Errorf("checker: the model is not deterministic: %s fell, but not where the same steps led again", d.Name)
		}
	case KindDeadlock:
		if p.take(func(int, A) bool { return true }) {
			return v, fmt.Errorf("checker: the model is not deterministic: %s fell, but not where the same steps led again", d.Name)
		}
		v.Trace.Note = "No step is enabled in the last state, which is not a proper end."
	case KindCanReach:
		v.Trace.Note = fmt.Sprintf("No goal can be reached from the last state: all %d states within reach of it were searched.",
			newGoalSearch(s, d.number-s.canReachAt).within(&p.state))
	}
	return v, nil
}

func (s *search[S, A]) coverage(r *Result[A]) {
	for i, kind := range actionKinds(s.model) {
		r.Actions = append(r.Actions, ActionCoverage{kind, s.total.actions[i]})
	}
	for i, d := range decisions(s.model) {
		r.Decisions = append(r.Decisions, DecisionCoverage{d, s.total.decisions[i]})
	}
	for i, b := range budgets(s.model) {
		r.Budgets = append(r.Budgets, BudgetCoverage{b, s.total.budgets[i]})
	}
}
