package oracle

import (
	"errors"
	"fmt"
	"slices"

	"github.com/onceproof/onceproof/spec"
)

// ErrTooMany says that there are too many states to spell them out.
var ErrTooMany = errors.New("too many states to spell them out")

// CompareSpelledOut takes in all that happened once more, by a belief that is
// spelled out before each event, to its last state, and reports the first event
// after which that one and the oracle's own are not the same set.
func (o *Oracle) CompareSpelledOut(most int) error {
	lazy, whole := newBelief(o, o.belief.sp.Fixes), newBelief(o, o.belief.sp.Fixes)
	for i, e := range o.events {
		all, err := whole.spellOut(most)
		if err != nil {
			return err
		}
		whole.nodes = nil
		for _, n := range all {
			whole.nodes = append(whole.nodes, n)
		}
		have, want := lazy.apply(e), whole.apply(e)
		if v, w := asViolation(have), asViolation(want); (v == nil) != (w == nil) || v != nil && !sameAllowed(v, w) {
			return fmt.Errorf("event %d: expected %v, got %v", i, want, have)
		}
		if have != nil {
			return nil
		}
		if !whole.loadable { // without ids at hand before the one that was seen, but not after
			whole.nodes = slices.DeleteFunc(whole.nodes, func(n *node) bool { return !n.s.Allocator.Ready })
		}
		if len(whole.reads) > 0 {
			continue // what was seen is kept for other moments
		}
		few, err := lazy.spellOut(most)
		if err != nil {
			return err
		}
		many, err := whole.spellOut(most)
		if err != nil {
			return err
		}
		if err := sameStates(lazy.plain(few), whole.plain(many)); err != nil {
			return fmt.Errorf("event %d of\n%s%w", i, story(o.events[:i+1]), err)
		}
	}
	return nil
}

// sameStates compares two sets of states. A state with a request whose answer
// nobody reads stands for the one without it too.
func sameStates(few, many map[uint64][]*node) error {
	for what, sets := range map[string][2]map[uint64][]*node{"expected a state that is not there": {many, few}, "expected no such state": {few, many}} {
		for sum, nodes := range sets[0] {
			for _, n := range nodes {
				if !slices.ContainsFunc(sets[1][sum], func(m *node) bool { return n.lost&^m.lost == 0 }) {
					return fmt.Errorf("%s: %s", what, text(n))
				}
			}
		}
	}
	return nil
}

// story is what happened.
func story(events []*event) string {
	out := ""
	for _, e := range events {
		if e.call != nil {
			out += fmt.Sprintf("  %v %d: %s %s\n", [...]string{"sent", "answered", "lost"}[e.kind], e.call.exchange, e.call.text, e.came)
		}
	}
	return out
}

// text tells states apart.
func text(n *node) string {
	out := fmt.Sprintf("allocator %v", n.s.Allocator)
	for _, t := range n.s.Coordinator.Txns {
		out += fmt.Sprintf("; %v epoch %d %b, %d, then %v", t.Memory.Status, t.Memory.Epoch, t.Memory.Partitions, t.Pending.Phase, t.Pending.Next.Status)
	}
	for _, l := range n.s.Leaders {
		out += fmt.Sprintf("; log %d, %v, %d wait", len(l.Log), l.Verifications, len(l.Waiting))
	}
	for _, a := range n.s.Inbox {
		out += fmt.Sprintf("; %v of %d on %d", a.Request.API, a.Request.Ref, a.Conn)
	}
	for _, m := range n.s.Net {
		out += fmt.Sprintf("; message %d of %d to %d: %v", m.Kind, m.Txn, m.Partition, m.Code)
	}
	return out + fmt.Sprintf("; %v", n.s.Answers)
}

// spellOut takes every step from every state.
func (b *belief) spellOut(most int) (map[uint64]*node, error) {
	all := map[uint64]*node{}
	var queue []*node
	add := func(n *node) {
		m := &node{}
		m.copyOf(n)
		b.dropDead(m)
		sum, _ := m.total(nil, 0, nil)
		if have := all[sum]; have == nil {
			all[sum] = m
			queue = append(queue, m)
		} else if have.merge(m) {
			queue = append(queue, have)
		}
	}
	for _, n := range b.nodes {
		add(n)
	}
	for i := 0; i < len(queue) && len(all) <= most; i++ {
		n := queue[i]
		for _, mv := range b.everything(n) {
			b.do(n, &mv)
			add(mv.to)
		}
	}
	if len(all) > most {
		return nil, ErrTooMany
	}
	return all, nil
}

// plain takes the steps that the oracle takes at once, where nobody can tell.
func (b *belief) plain(all map[uint64]*node) map[uint64][]*node {
	out := map[uint64][]*node{}
	for _, n := range all {
		for i := range n.s.Coordinator.Txns {
			if t := &n.s.Coordinator.Txns[i]; t.Memory.Status.Prepared() && t.Pending.Phase == spec.Idle {
				b.sp.Take(&n.s, spec.Step{Kind: spec.SendMarkers, Index: int8(i)})
				n.changed(txnArea(spec.TxnID(i)))
			}
		}
		b.refuse(n, &move{})
		if !n.asksForID() {
			n.s.Allocator.Ready = true
		}
		n.sum, n.lost = n.total(b.lost, 0, nil)
		out[n.sum] = append(out[n.sum], n)
	}
	return out
}

// everything is all that may happen in a state.
func (b *belief) everything(n *node) []move {
	var moves []move
	for _, st := range b.sp.Steps(nil, &n.s, b.kinds()) {
		if !b.mayBe(n, st) {
			continue
		}
		moves = append(moves, move{Step: st, area: area{whole: true}})
		if st.Kind == spec.Apply && n.decides(spec.TxnID(st.Index)) {
			moves = append(moves, move{Step: st, kind: alone, area: area{whole: true}})
		}
	}
	for i := range n.s.Net {
		m := *n
		m.s = spec.State{}
		m.s.Copy(&n.s)
		if _, ok := b.sp.EvictQuestion(&m.s, i); ok {
			moves = append(moves, move{Step: spec.Step{Kind: spec.Deliver, Index: int8(i)}, kind: evict, area: area{whole: true}})
		}
		m.s.Copy(&n.s)
		if ref := m.s.Net[i].Ref; b.company.of(ref) {
			if _, ok := b.sp.SharedReply(&m.s, i); !ok {
				continue
			}
			moves = append(moves, move{Step: spec.Step{Kind: spec.Deliver, Index: int8(i)}, kind: share, area: area{whole: true}})
		}
	}
	for _, c := range b.reads {
		if n.sees(c) < len(c.queries) {
			moves = append(moves, move{kind: look, read: c})
		}
	}
	return slices.Clip(moves)
}
