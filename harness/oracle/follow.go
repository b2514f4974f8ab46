package oracle

import (
	"fmt"
	"slices"

	"github.com/onceproof/onceproof/spec"
)

// The belief is not spelled out: it is the states of belief.nodes and all that
// hidden steps lead to from them. An answer, or what a read shows, needs only
// those steps that it may depend on: the others can be taken as well afterwards,
// and are left for when they matter. (The model checkers' partial order
// reduction, with persistent sets: Godefroid, "Partial-Order Methods for the
// Verification of Concurrent Systems".) So a goal is followed, by steps in its
// reach alone, each way only until it is there.

// goal is what states are looked for in. The zero goal is none: everything is
// followed to its end.
type goal struct {
	ref  uint8 // a request that has its answer
	gone uint8 // a request that has left the inbox
	read *call // a read of which more than part parts took place
	part int
	seen area // no goal, but all there may be in an area
}

// there reports whether a state is at the goal.
func (g *goal) there(n *node) bool {
	switch {
	case g.ref != 0:
		return slices.ContainsFunc(n.s.Answers, func(a spec.Answer) bool { return a.Conn == spec.Conn(g.ref) })
	case g.gone != 0:
		return n.waiting(g.gone) < 0
	case g.read != nil:
		return n.sees(g.read) > g.part
	}
	return false
}

// waiting is the place of a request in the inbox, or -1.
func (n *node) waiting(ref uint8) int {
	return slices.IndexFunc(n.s.Inbox, func(a spec.Arrival) bool { return a.Request.Ref == ref })
}

// start is where the next step towards the goal takes place.
func (g *goal) start(n *node) area {
	ref := g.ref | g.gone
	switch {
	case g.read != nil:
		return g.read.queries[n.sees(g.read)].area(&n.s)
	case ref == 0 && g.seen != area{}:
		return g.seen
	case ref == 0:
		return area{whole: true}
	}
	if i := n.waiting(ref); i >= 0 {
		return n.requestArea(&n.s.Inbox[i].Request)
	}
	for i := range n.s.Leaders {
		if slices.ContainsFunc(n.s.Leaders[i].Waiting, func(w spec.Wait) bool { return w.Conn == spec.Conn(ref) }) {
			return leaderArea(int8(i))
		}
	}
	for i := range n.s.Coordinator.Txns {
		if p := &n.s.Coordinator.Txns[i].Pending; p.Phase != spec.Idle && p.Conn == spec.Conn(ref) {
			return txnArea(spec.TxnID(i))
		}
	}
	return area{}
}

// following is a search.
type following struct {
	index map[uint64]*node
	all   []*node // seen
	queue []*node // to be looked at
	found []*node // at the goal
	trace uint64  // of all searches, one after another
	// Memory.
	moves []move
	steps []spec.Step
	spare []*node
}

// move is one thing that may happen.
type move struct {
	spec.Step
	kind    moveKind
	read    *call
	area    area
	waiting uint8 // the request that it is about, where the decision does not tell
	to      *node // what it makes
	d       spec.Decision
}

type moveKind uint8

const (
	step  moveKind = iota
	alone          // Apply, the markers not sent yet
	evict          // a question gives way to another one (ADD-22)
	share          // a question went out with one of another version (ADD-23)
	drop           // a marker is given up (MARK-30)
	look           // a read takes place
	mark           // a marker arrives, and the answer to it
)

// follow looks for the states at the goal to which hidden steps lead, and leaves
// out those to which others of them lead.
func (b *belief) follow(from []*node, g goal) error {
	b.begin()
	for _, n := range from {
		b.keep(b.copyOf(n))
	}
	for i := 0; i < len(b.queue); i++ {
		n := b.queue[i]
		switch {
		case n.dropped:
		case g.there(n):
			if !slices.Contains(b.found, n) {
				b.found = append(b.found, n)
			}
		default:
			b.expand(n, &g)
		}
		if len(b.all) > b.max {
			return &NotJudged{fmt.Sprintf("the broker may be in more than %d states", b.max)}
		}
	}
	dropped := func(n *node) bool { return n.dropped }
	b.all, b.found = slices.DeleteFunc(b.all, dropped), slices.DeleteFunc(b.found, dropped)
	b.largest = max(b.largest, len(b.all))
	b.trace = mix(b.trace, b.everywhere())
	return nil
}

// everywhere is a sum of the states that were seen, and of what decided in them.
func (b *belief) everywhere() uint64 {
	var h uint64
	for _, n := range b.all {
		at := n.sum
		for _, w := range n.why {
			for _, r := range w.last.rules {
				at = mix(at, uint64(r))
			}
		}
		h += mix(at, n.lost)
	}
	return h
}

// become makes the given states the belief.
func (b *belief) become(nodes []*node) {
	for _, n := range nodes {
		n.held = true
	}
	for _, n := range slices.Concat(b.all, b.nodes) {
		if !n.held {
			n.held = true
			b.spare = append(b.spare, n)
		}
	}
	for _, n := range nodes {
		n.held = false
	}
	b.nodes = slices.Clone(nodes)
	b.all = b.all[:0]
}

// sift returns the given states, each once.
func (b *belief) sift(nodes []*node) []*node {
	b.begin()
	for _, n := range nodes {
		b.keep(n)
	}
	out := slices.DeleteFunc(slices.Clone(b.all), func(n *node) bool { return n.dropped })
	b.begin()
	return out
}

// begin begins a search.
func (b *belief) begin() {
	clear(b.index)
	b.all, b.queue, b.found = b.all[:0], b.queue[:0], nil
}

// copyOf returns a copy of n in memory that nobody uses.
func (b *belief) copyOf(n *node) *node {
	m := &node{}
	if k := len(b.spare); k > 0 {
		m, b.spare = b.spare[k-1], b.spare[:k-1]
	}
	m.copyOf(n)
	return m
}

// keep keeps a state unless it is there already, and reports which one it is,
// and whether it is new.
func (b *belief) keep(n *node) (kept *node, isNew bool) {
	b.dropDead(n)
	if !n.asksForID() {
		n.s.Allocator.Ready = true // nobody can notice
	}
	n.sum, n.lost = n.total(b.lost, 0, nil)
	first := b.index[n.sum]
	for have := first; have != nil; have = have.twin {
		switch {
		case have.dropped:
		case have.lost == n.lost:
			if have.merge(n) {
				b.queue = append(b.queue, have) // it may time out sooner
			}
			b.spare = append(b.spare, n)
			return have, false
		case have.covers(n):
			b.spare = append(b.spare, n)
			return have, false
		default:
			have.dropped = n.covers(have)
		}
	}
	n.twin, b.index[n.sum] = first, n
	b.all, b.queue = append(b.all, n), append(b.queue, n)
	return n, true
}
