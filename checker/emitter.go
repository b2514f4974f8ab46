package checker

// Emitter takes the steps of a model one after another. A step begins with From and is published by the next From or by
// the return of Init or Next; only one step is under construction at a time, in memory that the checker owns and reuses.
type Emitter[S, A any] struct {
	model     Model[S, A]
	sink      sink[S, A]
	base      *S
	scratch   S
	action    A
	decisions []int
	budgets   []uint64
	open      bool
	// stepwise says that the sink looks at each step as soon as it is built, and may set enough: that it wants no more steps of
	// the state being expanded.
	stepwise, enough bool
}

// sink is the use that is made of published steps. The state is valid during the call only.
type sink[S, A any] interface {
	publish(a A, n *S, decisions []int)
}

// From publishes the step begun before, if there is one, and begins the next: the state returned is a copy of the state
// being expanded, to be changed in place. In Init it holds what was left in it and has to be set up wholly.
func (e *Emitter[S, A]) From(a A) *S {
	e.flush()
	e.open = true
	e.action = a
	e.decisions = e.decisions[:0]
	if e.base != nil {
		e.model.Copy(&e.scratch, e.base)
	}
	return &e.scratch
}

// Drop abandons the step begun last, for a guard that is known only after trying.
func (e *Emitter[S, A]) Drop() {
	e.open = false
}

// Decided notes that a decision, an index into Decider.Decisions, made the step begun last what it is.
func (e *Emitter[S, A]) Decided(decision int) {
	e.decisions = append(e.decisions, decision)
}

// BudgetHit counts a step that is missing only because a budget, an index into Budgeter.Budgets, is used up.
func (e *Emitter[S, A]) BudgetHit(budget int) {
	if e.budgets != nil {
		e.budgets[budget]++
	}
}

// Enough reports that no more steps of the state being expanded are looked at, so that Next may return: a search for a way to
// a goal takes one step at a time. To leave it out costs time and nothing else.
func (e *Emitter[S, A]) Enough() bool {
	if e.stepwise {
		e.flush()
	}
	return e.enough
}

func (e *Emitter[S, A]) flush() {
	if e.open {
		e.open = false
		e.sink.publish(e.action, &e.scratch, e.decisions)
	}
}

func (e *Emitter[S, A]) init() {
	e.base = nil
	e.model.Init(e)
	e.flush()
}

func (e *Emitter[S, A]) next(s *S) {
	e.base, e.enough = s, false
	e.model.Next(s, e)
	e.flush()
}
