package oracle

import (
	"slices"
	"time"

	"github.com/onceproof/onceproof/spec"
)

// node is one state, with what the spec does not hold of it.
//
// Nodes share memory: the slices of the state itself are a node's own, those
// inside of a transactional id or of a leader belong to every node that has the
// same contents, and are never changed in place. A step copies the one leader
// that it touches; logs only grow, and have no room to grow in.
type node struct {
	s spec.State
	// opened is by transactional id when the request that opened its
	// transaction was sent. Of equal states the earliest is kept.
	opened []time.Time
	// taken are the parts of outstanding reads that took place already, with
	// what they saw, where something else happened since.
	taken []taken
	// why are the rules that decided about requests that have no answer yet,
	// for people.
	why []why

	parts sums
	sum   uint64 // of all but the requests of lost
	// lost are the requests in the inbox whose answers nobody reads, by their
	// places in belief.lost.
	lost    uint64
	twin    *node // the next one of the same sum, with others lost
	dropped bool  // another one allows all that it does

	// While steps are followed: see follow.go.
	covered     int
	same        []uint64
	later, held bool
}

// why are the rules that decided about one request, by its mark.
type why struct {
	ref  uint8
	last *decided
}

// decided are the rules of a decision, and what decided before.
type decided struct {
	rules  []spec.Rule
	before *decided
}

// taken is what the next part of an outstanding read saw.
type taken struct {
	exchange int
	seen     []sight // one for each of the first queries
}

// sight is what a query saw of a state, which never changes, and its sum.
type sight struct {
	s   *spec.State
	sum uint64
}

// copyOf makes m the same as n.
func (m *node) copyOf(n *node) {
	s, from := &m.s, &n.s
	s.Allocator, s.Coordinator.Epoch, s.Coordinator.Up = from.Allocator, from.Coordinator.Epoch, from.Coordinator.Up
	s.Coordinator.Txns = append(s.Coordinator.Txns[:0], from.Coordinator.Txns...)
	for i := range s.Coordinator.Txns {
		t := &s.Coordinator.Txns[i]
		t.Log = slices.Clip(t.Log)
	}
	s.Leaders = append(s.Leaders[:0], from.Leaders...)
	s.Inbox = append(s.Inbox[:0], from.Inbox...)
	s.Net = append(s.Net[:0], from.Net...)
	s.Answers = append(s.Answers[:0], from.Answers...)
	m.opened = append(m.opened[:0], n.opened...)
	m.taken = append(m.taken[:0], n.taken...)
	m.why = append(m.why[:0], n.why...)
	m.parts.copyOf(&n.parts)
	m.sum, m.lost, m.twin, m.dropped = n.sum, n.lost, nil, false
	m.covered, m.same, m.later, m.held = 0, m.same[:0], false, false
}

// own gives a leader memory of its own.
func (n *node) own(leader int) {
	l := &n.s.Leaders[leader]
	l.Log, l.Aborted = slices.Clip(l.Log), slices.Clip(l.Aborted)
	l.Producers = slices.Clone(l.Producers)
	l.Verifications, l.Waiting = slices.Clone(l.Verifications), slices.Clone(l.Waiting)
}

// ownAll gives the whole state memory of its own.
func (n *node) ownAll() {
	var s spec.State
	s.Copy(&n.s)
	n.s = s
}

// prepare gives the leaders that will be changed memory of their own.
func (n *node) prepare(a area) {
	if a.whole {
		n.ownAll()
		return
	}
	for i := range n.s.Leaders {
		if a.leaders>>i&1 == 1 {
			n.own(i)
		}
	}
}

// changed brings the sums up to date, and zeroes the history variables, which no
// rule reads and nobody sees.
func (n *node) changed(a area) {
	for i := range n.s.Net {
		n.s.Net[i].Number = 0
	}
	for i := range n.s.Coordinator.Txns {
		if !a.meets(txnArea(spec.TxnID(i))) {
			continue
		}
		x := &n.s.Coordinator.Txns[i]
		x.Memory.Number, x.Pending.Next.Number = 0, 0
		if k := len(x.Log); k > 0 && x.Log[k-1].Number != 0 {
			x.Log[k-1].Number = 0
		}
		n.parts.txns[i].update(x, a.whole)
	}
	for i := range n.s.Leaders {
		if !a.meets(leaderArea(int8(i))) {
			continue
		}
		l := &n.s.Leaders[i]
		if k := len(l.Log); k > 0 && l.Log[k-1].Number != 0 {
			l.Log[k-1].Number = 0
		}
		for j := range l.Producers {
			l.Producers[j].Number = 0
		}
		n.parts.leaders[i].update(l, a.whole)
	}
}

// grow gives the state the transactional ids and partitions that got a name.
func (n *node) grow(txns, partitions int) {
	for len(n.s.Coordinator.Txns) < txns {
		n.s.Coordinator.Txns = append(n.s.Coordinator.Txns, spec.Txn{})
		n.opened = append(n.opened, time.Time{})
		var sum txnSum
		sum.update(&spec.Txn{}, true)
		n.parts.txns = append(n.parts.txns, sum)
	}
	for len(n.s.Leaders) < partitions {
		n.s.Leaders = append(n.s.Leaders, spec.Leader{})
		var sum leaderSum
		sum.update(&spec.Leader{}, true)
		n.parts.leaders = append(n.parts.leaders, sum)
	}
}

// merge takes over what an equal state allows beside, and reports whether that
// is anything.
func (n *node) merge(m *node) (more bool) {
	for i := range n.opened {
		if m.opened[i].Before(n.opened[i]) {
			n.opened[i], more = m.opened[i], true
		}
	}
	return more
}

// covers reports whether n, of the same sum, allows all that m does: a request
// whose answer nobody reads may stay unhandled for ever.
func (n *node) covers(m *node) bool {
	if m.lost&^n.lost != 0 {
		return false
	}
	for i := range n.opened {
		if m.opened[i].Before(n.opened[i]) {
			return false
		}
	}
	return true
}

// explain keeps the rules that decided about a request, until its answer is
// taken.
func (n *node) explain(d *spec.Decision, waiting uint8) {
	ref := d.Request.Ref
	if ref == 0 {
		ref = waiting
	}
	if ref == 0 || len(d.Rules()) == 0 {
		return
	}
	last := &decided{rules: slices.Clone(d.Rules())}
	for i := range n.why {
		if n.why[i].ref == ref {
			last.before, n.why[i].last = n.why[i].last, last
			return
		}
	}
	n.why = append(n.why, why{ref, last})
}

// rules are those that decided about a request so far, each once.
func (n *node) rules(ref uint8) []spec.Rule {
	var decisions []*decided
	for _, w := range n.why {
		for d := w.last; d != nil && w.ref == ref; d = d.before {
			decisions = append(decisions, d)
		}
	}
	var out []spec.Rule
	for _, d := range slices.Backward(decisions) {
		for _, r := range d.rules {
			if !slices.Contains(out, r) {
				out = append(out, r)
			}
		}
	}
	return out
}

// forget drops the rules of a request that has its answer.
func (n *node) forget(ref uint8) {
	n.why = slices.DeleteFunc(n.why, func(w why) bool { return w.ref == ref })
}

// forgetRead drops what an outstanding read saw.
func (n *node) forgetRead(exchange int) {
	n.taken = slices.DeleteFunc(n.taken, func(t taken) bool { return t.exchange == exchange })
}

// hangUp breaks a connection.
func (n *node) hangUp(sp *spec.Spec, conn spec.Conn) {
	for i := range n.s.Leaders {
		if slices.ContainsFunc(n.s.Leaders[i].Waiting, func(w spec.Wait) bool { return w.Conn == conn }) {
			n.own(i)
		}
	}
	sp.Forget(&n.s, conn)
	n.parts.updateAll(&n.s)
}
