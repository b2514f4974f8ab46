package checker

// Initial calls visit with each initial state, and Successors with each step of a state, in the order of the model. The state
// handed over is valid during the call only. They are for tests and measurements of a model; a search does not go this way.
func Initial[S, A any](m Model[S, A], visit func(n *S)) {
	e := Emitter[S, A]{model: m, sink: visitor[S, A](func(_ A, n *S) { visit(n) })}
	e.init()
}

// Successors is described at Initial.
func Successors[S, A any](m Model[S, A], s *S, visit func(a A, n *S)) {
	e := Emitter[S, A]{model: m, sink: visitor[S, A](visit)}
	e.next(s)
}

type visitor[S, A any] func(a A, n *S)

func (v visitor[S, A]) publish(a A, n *S, _ []int) { v(a, n) }
