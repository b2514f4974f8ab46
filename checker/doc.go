// Package checker is an explicit-state model checker: it searches all states of a [Model] breadth first, checks [Properties]
// in them, and gives a shortest [Trace] to each violation.
//
// A model fills states that the checker owns. This one counts to a bound:
//
//	type State struct{ N uint8 }
//	type Action struct{ By uint8 }
//	type Counter struct{}
//
//	func (Counter) Init(e *checker.Emitter[State, Action]) { *e.From(Action{}) = State{} }
//
//	func (Counter) Next(s *State, e *checker.Emitter[State, Action]) {
//		for by := uint8(1); by <= 2 && s.N < 10; by++ {
//			n := e.From(Action{by}) // a copy of s; published by the next From, or when Next returns
//			n.N += by
//		}
//	}
//
//	func (Counter) Copy(dst, src *State)               { *dst = *src }
//	func (Counter) Encode(b []byte, s *State) []byte   { return append(b, s.N) }
//	func (Counter) Decode(s *State, b []byte) error    { s.N = b[0]; return nil }
//
//	r, err := checker.Check(ctx, Counter{}, checker.Properties[State, Action]{
//		Invariants: []checker.Invariant[State]{{
//			Name:  "small",
//			Check: func(s *State) checker.Outcome { return checker.Require(s.N < 11) },
//		}},
//		MayStop: func(s *State) bool { return s.N >= 10 },
//	}, checker.Options{})
//	// r.Verdict is VerdictViolated, r.Violations[0].Trace the shortest way to 11.
//
// Package twophase is a complete example, and package examples has more. What else a model can offer are optional interfaces: [Identifier], [Describer],
// [ActionKinds], [Decider], [Budgeter]. Within a step, a model names the rules that decided it with [Emitter.Decided]; where
// it leaves a step out because of a bound, it says so with [Emitter.BudgetHit].
//
// A [Result] is written as text or JSON, as is a [Trace]; [ReadTrace] and [Replay] bring a trace back to life.
//
// With [Options.WorkDir] a search writes checkpoints, from which [Options.Resume] goes on; with [Options.Memory] it keeps to an
// amount of memory, and has the rest in files.
//
// With [Options.Exact] it compares the states themselves, where it otherwise compares 64-bit fingerprints.
//
// With [Options.Symmetry] it searches one state of those that a [Canonical] model takes for the same.
//
// # What is certain
//
// States are told apart by 64-bit fingerprints, so with some probability (it is part of the result) a state is taken for
// another and missed; with [Options.Exact] none is. A trace is exact: it is rebuilt by running the model. All counts, verdicts and
// traces are the same with any number of workers. Every state that is counted has been checked, also when a bound ended the search.
package checker
