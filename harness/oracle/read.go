package oracle

import (
	"slices"

	"github.com/onceproof/onceproof/spec"
)

// A read takes place at some moment between its request and its answer. While
// nothing else happens, that moment is a state of the belief: it is kept, with
// what can follow it. When something else happens first, the belief is split:
// the read may have taken place, and then what it saw is kept aside, or not.

// takeReads splits the belief before an event that is not the answer to an
// outstanding read.
func (b *belief) takeReads(e *event) error {
	begun := false
	for _, c := range b.reads {
		if c == e.call || e.kind == sent && len(e.call.requests) == 0 || e.kind == restarted {
			continue
		}
		if !begun {
			begun = true
			b.begin()
			for _, n := range b.nodes {
				b.keep(n, false)
			}
		}
		for _, n := range slices.Clone(b.all) {
			for n.sees(c) < len(c.queries) {
				m := b.spareNode(n)
				m.look(c)
				if n = m; !b.keep(m, true) {
					break
				}
			}
		}
	}
	if !begun {
		return nil
	}
	return b.finish()
}

// sees is how many parts of a read took place.
func (n *node) sees(c *call) int {
	for _, t := range n.taken {
		if t.exchange == c.exchange {
			return len(t.seen)
		}
	}
	return 0
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
	b.reads = slices.DeleteFunc(b.reads, func(r *call) bool { return r == c })
	if e.shape != nil {
		return &Violation{Sent: c.text, Came: e.came, Allowed: []Allowed{{Answer: "an answer to it"}}, Rule: c.queries[0].rule()}
	}
	nodes := b.nodes
	for i := range c.queries {
		if c.queries[i].kind == ignored {
			continue
		}
		kept, err := b.readPart(c, i, &e.shown[i], nodes)
		if err != nil {
			return err
		}
		if len(kept) == len(nodes) {
			continue // nothing is ruled out
		}
		if err := b.close(kept); err != nil {
			return err
		}
		nodes = b.nodes
	}
	for _, n := range nodes {
		n.forgetRead(c.exchange)
	}
	return b.sift(nodes)
}

// readPart keeps the states that show what came to one query.
func (b *belief) readPart(c *call, i int, came *shown, nodes []*node) ([]*node, error) {
	q := &c.queries[i]
	var kept []*node
	var attempts []*attempt
	var differences []*difference
	before := boundsOf(nodes, q)
	for _, n := range nodes {
		s := &n.s
		for _, t := range n.taken {
			if t.exchange == c.exchange && i < len(t.seen) {
				s = t.seen[i].s
			}
		}
		m := comparison{b: b, node: n, q: q, s: s, came: came, before: before, epochs: attempt{e: &b.epochs, seen: map[int32]int32{}}}
		if d := m.compare(); d != nil {
			differences = append(differences, d)
			continue
		}
		attempts = append(attempts, &m.epochs)
		kept = append(kept, m.bound())
	}
	if len(kept) == 0 {
		return nil, unread(c, differences)
	}
	if b.epochs.agree(attempts) {
		return nil, &NotJudged{"a coordinator epoch was written into a marker before it was known what the coordinator's own is"}
	}
	return kept, nil
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
