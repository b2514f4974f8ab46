package checker

// Found is what the naive search finds. Lengths has the least number of steps to a state or through a step that decides a
// property, -1 where there is none, in the order of Result.Properties.
type Found struct {
	Distinct, Generated uint64
	Depth               int
	Lengths             []int
	// Applied counts, for each property, the states or steps where its premise was true.
	Applied []uint64
}

// Naive searches a model without any trick, as the reference for Check: all states by their whole encodings in a map, the
// depth of each by a queue. With canonical, states of one orbit are one state, represented by the encoding of what canonical
// makes of them; the steps are those of the representative.
func Naive[S, A any](m Model[S, A], p Properties[S, A], canonical func(*S)) Found {
	n := naive[S, A]{model: m, canonical: canonical, depth: make(map[string]int), next: make(map[string][]naiveStep[S, A])}
	for _, s := range n.steps(nil) {
		n.generated++
		n.meet(s.to, 0)
	}
	for len(n.queue) > 0 {
		key := n.queue[0]
		n.queue = n.queue[1:]
		s := n.decode(key)
		n.next[key] = n.steps(&s)
		for _, step := range n.next[key] {
			n.generated++
			n.meet(step.to, n.depth[key]+1)
		}
	}
	f := Found{Distinct: uint64(len(n.depth)), Generated: n.generated}
	for _, depth := range n.depth {
		f.Depth = max(f.Depth, depth+1)
	}
	n.judge(p, &f)
	return f
}

type naive[S, A any] struct {
	model     Model[S, A]
	canonical func(*S)
	depth     map[string]int
	next      map[string][]naiveStep[S, A]
	queue     []string
	generated uint64
}

// naiveStep is an action, the state to which it leads, and the encoding of the one that stands for that.
type naiveStep[S, A any] struct {
	action A
	raw    S
	to     string
}

// naiveSink collects the steps that a model publishes.
type naiveSink[S, A any] func(a A, n *S)

func (f naiveSink[S, A]) publish(a A, n *S, _ []int) { f(a, n) }

// steps gives the steps from a state, the initial ones for nil.
func (n *naive[S, A]) steps(from *S) (list []naiveStep[S, A]) {
	e := Emitter[S, A]{model: n.model, sink: naiveSink[S, A](func(a A, to *S) {
		raw := n.decode(string(n.model.Encode(nil, to)))
		representative := n.decode(string(n.model.Encode(nil, to)))
		if n.canonical != nil {
			n.canonical(&representative)
		}
		list = append(list, naiveStep[S, A]{a, raw, string(n.model.Encode(nil, &representative))})
	})}
	if from == nil {
		e.init()
	} else {
		e.next(from)
	}
	return list
}

func (n *naive[S, A]) decode(key string) (s S) {
	if err := n.model.Decode(&s, []byte(key)); err != nil {
		panic(err)
	}
	return s
}

func (n *naive[S, A]) meet(key string, depth int) {
	if _, known := n.depth[key]; !known {
		n.depth[key] = depth
		n.queue = append(n.queue, key)
	}
}

func (n *naive[S, A]) judge(p Properties[S, A], f *Found) {
	for _, invariant := range p.Invariants {
		var applied uint64
		f.Lengths = append(f.Lengths, n.least(func(key string, s *S) bool {
			outcome := invariant.Check(s)
			if outcome != NotApplicable {
				applied++
			}
			return outcome == Falls
		}))
		f.Applied = append(f.Applied, applied)
	}
	for _, property := range p.Steps {
		var applied uint64
		length := n.least(func(key string, s *S) bool {
			falls := false
			for _, step := range n.next[key] {
				outcome := property.Check(s, step.action, &step.raw)
				if outcome != NotApplicable {
					applied++
				}
				falls = falls || outcome == Falls
			}
			return falls
		})
		if length >= 0 {
			length++
		}
		f.Lengths, f.Applied = append(f.Lengths, length), append(f.Applied, applied)
	}
	for _, w := range p.Witnesses {
		f.Lengths = append(f.Lengths, n.least(func(_ string, s *S) bool { return w.Reached(s) }))
	}
	for _, c := range p.CanReach {
		can := n.canReach(c)
		f.Lengths = append(f.Lengths, n.least(func(key string, _ *S) bool { return !can[key] }))
	}
	f.Lengths = append(f.Lengths, n.least(func(key string, s *S) bool {
		return len(n.next[key]) == 0 && (p.MayStop == nil || !p.MayStop(s))
	}))
}

// least is the least depth of the states that are bad.
func (n *naive[S, A]) least(bad func(key string, s *S) bool) int {
	least := -1
	for key, depth := range n.depth {
		if s := n.decode(key); bad(key, &s) && (least < 0 || depth < least) {
			least = depth
		}
	}
	return least
}

// canReach goes through all states until no more are found from which a helpful step leads to the goal or towards it.
func (n *naive[S, A]) canReach(c CanReach[S, A]) map[string]bool {
	can := make(map[string]bool)
	for more := true; more; {
		more = false
		for key := range n.depth {
			if can[key] {
				continue
			}
			s := n.decode(key)
			reaches := c.Goal(&s)
			for _, step := range n.next[key] {
				reaches = reaches || can[step.to] && (c.By == nil || c.By(step.action))
			}
			if reaches {
				can[key], more = true, true
			}
		}
	}
	return can
}
