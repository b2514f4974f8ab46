package checker

import (
	"bytes"
	"errors"
	"fmt"
	"slices"
)

// Canonical is an optional interface of a Model with things that are interchangeable: Canonical changes s in place to the
// representative of its orbit, the states that differ from it only by which of these things is which. With
// Options.Symmetry one state of each orbit is searched.
//
// It has to be exact to pay, and right to be sound: two states with the same representative have the same steps up to the
// renaming. All states that have the same representative must agree on each invariant, witness, goal and on MayStop, and
// corresponding steps on each step property and on CanReach.By. Not every member of an orbit needs to be reachable; where one
// is later than another, or never, the depth of the search may be less than without symmetry. The checker tries all this on the
// first thousand states that a search without symmetry meets, and on those that the steps of the first thousand representatives
// lead to, each against its own representative; an error says what disagrees. What only later states show goes unnoticed.
//
// A property of fair runs does not survive it, since a fair run of the quotient may favour one of the interchangeable
// things for ever; there is no such property here, and there must be none together with Symmetry. CanReach survives; its searches
// from single states are without symmetry.
type Canonical[S any] interface {
	Canonical(s *S)
}

// canonical is the representative's choice, nil where a model offers none or it is not wanted.
func canonical[S, A any](m Model[S, A], o Options) Canonical[S] {
	if !o.Symmetry {
		return nil
	}
	c, _ := m.(Canonical[S])
	return c
}

var errNoSymmetry = errors.New("checker: symmetry is asked for, but the model does not say what is interchangeable: it has no method Canonical")

// representative changes a state to the one that stands for it and encodes that. Without symmetry it is the state itself.
func representative[S, A any](m Model[S, A], c Canonical[S], b []byte, s *S) []byte {
	if c != nil {
		c.Canonical(s)
	}
	return m.Encode(b, s)
}

// concretePath turns a path of representatives into one of states that really follow one another. path holds ordinals of
// steps, each counted from the representative of the state before. The result begins with the same initial state, and takes
// at each step the first that leads into the orbit which the path has next; last, if not nil, must agree to the last step.
func concretePath[S, A any](m Model[S, A], c Canonical[S], path []int, last func(old *S, a A, new *S) bool) ([]int, error) {
	q := &orbits[S, A]{model: m, canonical: c}
	q.emitter = Emitter[S, A]{model: m, sink: q}
	// First the representatives.
	wanted := make([][]byte, 0, len(path))
	for i, ordinal := range path {
		q.accept = func(at int, _ A, _ *S, _ []byte) bool { return at == ordinal }
		if !q.step(i == 0) {
			return nil, fmt.Errorf("checker: the model is not deterministic: after %d steps there was no step %d", i, ordinal)
		}
		wanted = append(wanted, q.orbit)
		c.Canonical(&q.state)
	}
	concrete := make([]int, 0, len(path))
	for i, ordinal := range path {
		q.accept = func(at int, a A, n *S, orbit []byte) bool {
			if i == 0 {
				return at == ordinal
			}
			return bytes.Equal(orbit, wanted[i]) && (last == nil || i < len(path)-1 || last(&q.state, a, n))
		}
		if !q.step(i == 0) {
			return nil, fmt.Errorf("checker: the symmetry of the model is wrong: after %d steps no step leads where one from the representative does", i)
		}
		concrete = append(concrete, q.taken)
	}
	return concrete, nil
}

// orbits runs a model step by step and looks at the orbit that each step leads into.
type orbits[S, A any] struct {
	model     Model[S, A]
	canonical Canonical[S]
	emitter   Emitter[S, A]
	state     S
	accept    func(ordinal int, a A, n *S, orbit []byte) bool

	next, folded S
	ordinal      int
	// taken is the ordinal of the step accepted, -1 if none is, and orbit the encoded representative of where it led.
	taken int
	orbit []byte
}

// step goes to the first successor that is accepted, or to the first such initial state. It reports false if there is none.
func (q *orbits[S, A]) step(initial bool) bool {
	q.ordinal, q.taken = 0, -1
	if initial {
		q.emitter.init()
	} else {
		q.emitter.next(&q.state)
	}
	if q.taken < 0 {
		return false
	}
	q.model.Copy(&q.state, &q.next)
	return true
}

func (q *orbits[S, A]) publish(a A, n *S, _ []int) {
	if q.taken < 0 {
		q.model.Copy(&q.folded, n)
		orbit := representative(q.model, q.canonical, nil, &q.folded)
		if q.accept(q.ordinal, a, n, orbit) {
			q.taken, q.orbit = q.ordinal, orbit
			q.model.Copy(&q.next, n)
		}
	}
	q.ordinal++
}

// symmetryProof tries, on a state and its representative, that they are as good as one another.
type symmetryProof[S, A any] struct {
	search  *search[S, A]
	emitter Emitter[S, A]
	from    *S
	folded  S
	steps   []string
	fold    S
}

func newSymmetryProof[S, A any](s *search[S, A]) *symmetryProof[S, A] {
	p := &symmetryProof[S, A]{search: s}
	p.emitter = Emitter[S, A]{model: s.model, sink: p}
	return p
}

// try returns an error if a state and its representative disagree.
func (p *symmetryProof[S, A]) try(n *S) error {
	s := p.search
	s.model.Copy(&p.folded, n)
	orbit := representative(s.model, s.canonical, nil, &p.folded)
	s.model.Copy(&p.fold, &p.folded)
	if again := representative(s.model, s.canonical, nil, &p.fold); !bytes.Equal(again, orbit) {
		return fmt.Errorf("checker: Canonical of a representative, encoded as %x, gives another, %x", orbit, again)
	}
	concrete := s.model.Encode(nil, n)
	if bytes.Equal(concrete, orbit) {
		return nil
	}
	if name := p.disagreement(n, &p.folded); name != "" {
		return fmt.Errorf("checker: %s is not the same of the state %x and of its representative %x: it can't be checked with symmetry", name, concrete, orbit)
	}
	if !slices.Equal(p.stepsOf(n), p.stepsOf(&p.folded)) {
		return fmt.Errorf("checker: the state %x and its representative %x have different steps: the symmetry of the model is wrong", concrete, orbit)
	}
	return nil
}

// tryConcrete tries the states that a search without symmetry would meet first, since those of the search are representatives
// and the states one step from them: what a property says of the others is not seen there.
func (s *search[S, A]) tryConcrete() error {
	t := &concreteTrial[S, A]{search: s, proof: newSymmetryProof(s), seen: make(map[string]bool)}
	t.emitter = Emitter[S, A]{model: s.model, sink: t}
	t.emitter.init()
	for len(t.next) > 0 && t.err == nil {
		b := t.next[0]
		t.next = t.next[1:]
		if s.decode(s.model, &t.state, b) {
			t.emitter.next(&t.state)
		} else {
			return s.failure.err
		}
	}
	return t.err
}

// concreteTrial is the search of tryConcrete, for as many states as are put to the proof.
type concreteTrial[S, A any] struct {
	search  *search[S, A]
	proof   *symmetryProof[S, A]
	emitter Emitter[S, A]
	state   S
	seen    map[string]bool
	next    [][]byte
	err     error
}

func (t *concreteTrial[S, A]) publish(_ A, n *S, _ []int) {
	b := t.search.model.Encode(nil, n)
	if t.err != nil || t.seen[string(b)] || uint64(len(t.seen)) >= t.search.options.proved {
		return
	}
	t.seen[string(b)] = true
	t.next = append(t.next, b)
	t.err = t.proof.try(n)
}

// disagreement names a property of states that tells two states apart.
func (p *symmetryProof[S, A]) disagreement(a, b *S) string {
	props := &p.search.properties
	for _, x := range props.Invariants {
		if x.Check(a) != x.Check(b) {
			return x.Name
		}
	}
	for _, x := range props.Witnesses {
		if x.Reached(a) != x.Reached(b) {
			return x.Name
		}
	}
	for _, x := range props.CanReach {
		if x.Goal(a) != x.Goal(b) {
			return x.Name
		}
	}
	if props.MayStop != nil && props.MayStop(a) != props.MayStop(b) {
		return "MayStop"
	}
	return ""
}

// stepsOf lists the steps of a state up to symmetry: where each leads, of which kind it is and what the properties of steps
// say of it.
func (p *symmetryProof[S, A]) stepsOf(n *S) []string {
	p.from, p.steps = n, nil
	p.emitter.next(n)
	slices.Sort(p.steps)
	return p.steps
}

func (p *symmetryProof[S, A]) publish(a A, n *S, _ []int) {
	s := p.search
	var b []byte
	for i := range s.properties.Steps {
		b = append(b, byte(s.properties.Steps[i].Check(p.from, a, n)))
	}
	for _, x := range s.properties.CanReach {
		if x.By != nil && x.By(a) {
			b = append(b, 'y')
		} else {
			b = append(b, 'n')
		}
	}
	if s.kinds != nil {
		b = fmt.Append(b, s.kinds.ActionKind(a), " ")
	}
	p.steps = append(p.steps, string(representative(s.model, s.canonical, b, n)))
}
