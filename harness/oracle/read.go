package oracle

import (
	"slices"

	"github.com/onceproof/onceproof/spec"
)

// A read takes place at some moment between its request and its answer. That is
// a hidden step: where something else is followed that changes what it sees, it
// may have taken place before, and then what it saw is kept aside, or not.

// sees is how many parts of a read took place.
func (n *node) sees(c *call) int {
	for _, t := range n.taken {
		if t.exchange == c.exchange {
			return len(t.seen)
		}
	}
	return 0
}

// sightOf is what a part of a read saw, which took place.
func (n *node) sightOf(c *call, part int) sight { return n.takenOf(c).seen[part] }

func (n *node) takenOf(c *call) *taken {
	return &n.taken[slices.IndexFunc(n.taken, func(t taken) bool { return t.exchange == c.exchange })]
}

// overlook forgets what a part of a read saw, when it was right.
func (n *node) overlook(c *call, part int) {
	t := n.takenOf(c)
	t.seen = slices.Clone(t.seen)
	t.seen[part] = sight{s: &spec.State{}}
}

// look lets the next part of a read take place.
func (n *node) look(c *call) {
	for i := range n.taken {
		if t := &n.taken[i]; t.exchange == c.exchange {
			t.seen = append(slices.Clone(t.seen), c.queries[len(t.seen)].sight(&n.s))
			return
		}
	}
	n.taken = append(n.taken, taken{c.exchange, []sight{c.queries[0].sight(&n.s)}})
	slices.SortFunc(n.taken, func(x, y taken) int { return x.exchange - y.exchange })
}

// read keeps the states, of those that the belief is or was in, that show what
// came.
func (b *belief) read(e *event) error {
	c := e.call
	if e.shape != nil {
		return &Violation{Sent: c.text, Came: e.came, Allowed: []Allowed{{Answer: "an answer to it"}}, Rule: c.queries[0].rule()}
	}
	nodes := b.nodes
	for i := range c.queries {
		if err := b.follow(nodes, goal{read: c, part: i}); err != nil {
			return err
		}
		nodes = b.found
		if c.queries[i].kind == ignored {
			continue
		}
		var err error
		if nodes, err = b.readPart(c, i, &e.shown[i]); err != nil {
			return err
		}
	}
	for _, n := range nodes {
		n.forgetRead(c.exchange)
	}
	b.reads = slices.DeleteFunc(b.reads, func(r *call) bool { return r == c })
	b.become(nodes)
	return nil
}

// readPart gives the states, of those in which a part of a read took place, that
// show what came to it.
func (b *belief) readPart(c *call, part int, came *shown) ([]*node, error) {
	q := &c.queries[part]
	var kept []*node
	var attempts []*attempt
	var differences []*difference
	before := b.boundsBefore(c, part)
	for _, n := range b.found {
		m := comparison{b: b, node: n, q: q, s: n.sightOf(c, part).s, came: came, before: before, epochs: attempt{e: &b.epochs, seen: map[int32]int32{}}}
		if d := m.compare(); d != nil {
			differences = append(differences, d)
			continue
		}
		attempts = append(attempts, &m.epochs)
		m.bind()
		n.overlook(c, part)
		kept = append(kept, n)
	}
	if len(kept) == 0 {
		return nil, unread(c, differences)
	}
	if b.epochs.agree(attempts) {
		return nil, &NotJudged{"a coordinator epoch was written into a marker before it was known what the coordinator's own is"}
	}
	return kept, nil
}

// boundsBefore are what a Fetch may tell of the end of the log in the states
// before a part of a read took place.
func (b *belief) boundsBefore(c *call, part int) []bounds {
	q := &c.queries[part]
	var out []bounds
	if q.kind != fetchLog || !q.exists {
		return nil
	}
	for _, n := range b.all {
		if n.sees(c) > part {
			continue
		}
		l := &n.s.Leaders[q.partition]
		if x := (bounds{l.HighWatermark(), l.LastStable()}); !slices.Contains(out, x) {
			out = append(out, x)
		}
	}
	return out
}

// unread makes a violation of the differences that come nearest to what came.
func unread(c *call, differences []*difference) *Violation {
	v := &Violation{Sent: c.text}
	best := 0
	for _, d := range differences {
		best = max(best, d.agreed)
	}
	for _, d := range differences {
		if d.agreed < best {
			continue
		}
		if v.Came == "" {
			v.Came, v.Rule = d.came, d.rule
		}
		a := Allowed{Answer: d.expected, Rules: []spec.Rule{d.rule}}
		if !slices.ContainsFunc(v.Allowed, func(x Allowed) bool { return x.Answer == a.Answer }) {
			v.Allowed = append(v.Allowed, a)
		}
	}
	return v
}
