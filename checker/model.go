package checker

// Model is a transition system: what states there are at the start, and which steps lead from a state to the next.
//
// The checker owns every state that a method is given. Encode must be canonical (two states are the same exactly when
// their bytes are), Decode its inverse, and Init and Next deterministic: the same steps in the same order each time, since
// traces are rebuilt by running them again. The methods are called from several goroutines at once, so a model keeps what
// it changes in the state and nowhere else.
type Model[S, A any] interface {
	// Init publishes the initial states: n := e.From(zero action) gives a state with unknown contents to set up wholly.
	Init(e *Emitter[S, A])
	// Next publishes a successor of s for each enabled step: n := e.From(action) gives a copy of s to change. It leaves s as it is.
	Next(s *S, e *Emitter[S, A])
	// Copy makes dst equal to src in memory of dst's own, reusing what dst has.
	Copy(dst, src *S)
	// Encode appends the canonical bytes of s to b.
	Encode(b []byte, s *S) []byte
	// Decode sets s to the state that Encode gave b for, reusing the memory of s. It keeps no reference to b.
	Decode(s *S, b []byte) error
}

// Identity says which model was checked. A trace carries it, and is replayed only on a model of the same identity.
type Identity struct {
	Name string `json:"name"`
	// Version changes whenever an old trace could mean something else in the model of today.
	Version string  `json:"version,omitempty"`
	Bounds  []Bound `json:"bounds,omitempty"`
}

// Bound is one parameter that makes the model finite, such as the number of clients.
type Bound struct {
	Name  string `json:"name"`
	Value string `json:"value"`
}

// Identifier is an optional interface of a Model. Without it the model goes by the name of its Go type.
type Identifier interface {
	Identity() Identity
}

// Field is one part of a state as people read it: which actor holds it, what it is called, what it is.
type Field struct {
	Actor string `json:"actor"`
	Name  string `json:"name"`
	Value string `json:"value"`
}

// Describer is an optional interface of a Model: states and actions in words. The fields of a state come in the order in
// which they should be read; a trace prints those that changed. Without it a trace prints actions as Go does, and no states.
type Describer[S, A any] interface {
	DescribeState(s *S) []Field
	DescribeAction(a A) (actor, text string)
}

// Messenger is an optional interface of a Model whose actors send one another messages: Sender says from which actor the
// message came that an action receives, "" where it receives none.
type Messenger[A any] interface {
	Sender(a A) string
}

// ActionKinds is an optional interface of a Model that sorts actions into kinds, for coverage: a kind that is never taken
// is a part of the model that was not checked.
type ActionKinds[A any] interface {
	ActionKinds() []string
	// ActionKind gives an index into ActionKinds.
	ActionKind(a A) int
}

// Decision is a rule of the model together with what it decided.
type Decision struct {
	Rule    string `json:"rule"`
	Outcome string `json:"outcome"`
}

// Decider is an optional interface of a Model whose steps are decided by named rules. Decisions lists all there are; while a
// step is built, the model calls Emitter.Decided with the index of each decision that made the step what it is.
type Decider interface {
	Decisions() []Decision
}

// Budgeter is an optional interface of a Model with budgets (so many crashes, so many retries). Budgets lists their names;
// where a step is left out only because a budget is used up, Next calls Emitter.BudgetHit with the index of the budget.
type Budgeter interface {
	Budgets() []string
}
