package oracle

import (
	"slices"

	"github.com/onceproof/onceproof/spec"
)

// expand takes the steps that a state's goal may depend on. Of the states at the
// goal it leaves out those that another one leads to: where a step and the last
// one towards the goal come out the same in either order, the goal is looked for
// before that step only.
func (b *belief) expand(n *node, g *goal) {
	b.moves = b.possible(b.moves[:0], n, g)
	goals := 0
	var last area
	for i := range b.moves {
		mv := &b.moves[i]
		b.do(n, mv)
		if g.there(mv.to) {
			goals++
			last = last.and(mv.area)
		}
	}
	var same []uint64
	if goals > 0 {
		same = b.reachGoal(n, g, goals)
	}
	for i := range b.moves {
		mv := &b.moves[i]
		if mv.to == nil {
			continue
		}
		if goals > 0 && !last.meets(mv.area) {
			mv.to.covered = goals
		}
		b.took(n, mv, same)
	}
}

// reachGoal keeps the states at the goal, of so many, that no other leads to. It
// returns the answers that were given without any other effect.
func (b *belief) reachGoal(n *node, g *goal, goals int) (same []uint64) {
	before, lost := n.total(b.lost, g.ref|g.gone, g.read)
	remembered := g.read == nil && b.sp.Fixes.Has(spec.FixIDEM35) // batches that wait matter to others
	for i := range b.moves {
		mv := &b.moves[i]
		m := mv.to
		if !g.there(m) {
			continue
		}
		mv.to = nil
		covered := n.covered == goals
		if after, unread := m.total(b.lost, g.ref|g.gone, g.read); after == before && unread == lost && !(remembered && n.waiting(g.ref|g.gone) < 0) {
			answer := g.answer(m)
			covered = covered || slices.Contains(n.same, answer)
			same = append(same, answer)
		}
		if covered {
			b.spare = append(b.spare, m)
			continue
		}
		if kept, isNew := b.keep(m); isNew {
			kept.explain(&mv.d, mv.waiting)
		}
	}
	return same
}

// answer is the sum of what a state at the goal gives.
func (g *goal) answer(n *node) uint64 {
	switch {
	case g.read != nil:
		for _, t := range n.taken {
			if t.exchange == g.read.exchange {
				return t.seen[g.part].sum
			}
		}
	case g.ref != 0:
		for i := range n.s.Answers {
			if n.s.Answers[i].Conn == spec.Conn(g.ref) {
				return addAnswer(0, &n.s.Answers[i])
			}
		}
	}
	return 0
}

// took keeps what a move has made of n.
func (b *belief) took(n *node, mv *move, same []uint64) {
	m := mv.to
	later := mv.kind != drop && spec.Quiet.Has(mv.Kind)
	lost, covered := m.lost, m.covered
	kept, isNew := b.keep(m)
	if isNew {
		kept.explain(&mv.d, mv.waiting)
	}
	kept.later = kept.later || later
	if kept.lost != lost && !isNew {
		return
	}
	kept.covered = max(kept.covered, covered)
	for _, answer := range same {
		if mv.kind != evict && mv.kind != share && mv.kind != alone && !slices.Contains(kept.same, answer) {
			kept.same = append(kept.same, answer)
		}
	}
}

// possible appends to moves what may happen in n, as far as the goal may depend on it.
func (b *belief) possible(moves []move, n *node, g *goal) []move {
	a := b.reach(n, g.start(n))
	b.steps = b.sp.Steps(b.steps[:0], &n.s, b.kinds())
	for _, st := range b.steps {
		mv := move{Step: st, area: n.stepArea(st)}
		mine := st.Kind == spec.Handle && n.s.Inbox[st.Index].Request.Ref == g.ref|g.gone
		if !mine && !mv.area.meets(a) || !b.mayBe(n, st) {
			continue
		}
		switch st.Kind {
		case spec.Deliver:
			m := &n.s.Net[st.Index]
			if mv.waiting = m.Ref; m.Kind == spec.MarkerReply && !b.whole(n, g, a, m) {
				continue
			}
		case spec.Apply:
			if n.decides(spec.TxnID(st.Index)) {
				mv.kind = alone
			}
		}
		moves = append(moves, mv)
	}
	for i := range n.s.Net {
		m := &n.s.Net[i]
		mv := move{Step: spec.Step{Kind: spec.Deliver, Index: int8(i)}, area: messageArea(m), waiting: m.Ref}
		switch {
		case m.Kind == spec.Ask && n.questions(m.Txn) > 1:
			mv.kind = evict
		case m.Kind == spec.Reply && m.Code == spec.TransactionAbortable && b.company.of(m.Ref):
			mv.kind = share
		case b.leaderless && m.Kind == spec.Marker && m.Waited:
			mv.kind, mv.area = drop, txnArea(m.Txn)
		case m.Kind == spec.Marker && b.aside(n, m, a) && b.whole(n, g, a, m):
			mv.kind, mv.area = mark, txnArea(m.Txn)
		default:
			continue
		}
		if mv.area.meets(a) {
			moves = append(moves, mv)
		}
	}
	for _, c := range b.reads {
		if have := n.sees(c); have < len(c.queries) {
			if at := c.queries[have].area(&n.s); c == g.read || at.meets(a) {
				moves = append(moves, move{Step: spec.Step{Kind: spec.NumStepKinds}, kind: look, read: c, area: at})
			}
		}
	}
	return moves
}

// decides reports whether an append that is about to be acknowledged is a
// decision, and something else has arrived that may be handled before the markers
// are sent, and be answered otherwise then.
func (n *node) decides(id spec.TxnID) bool {
	return n.s.Coordinator.Txns[id].Pending.Next.Status.Prepared() && slices.ContainsFunc(n.s.Inbox, func(a spec.Arrival) bool {
		return a.Request.Txn == id && a.Request.API != spec.Produce
	})
}

// do makes a move on a copy of n.
func (b *belief) do(n *node, mv *move) {
	m := b.copyOf(n)
	mv.to = m
	if mv.kind == look {
		m.look(mv.read)
		return
	}
	m.prepare(mv.area)
	switch mv.kind {
	case step:
		if mv.Kind == spec.Reload {
			m.s.Coordinator.Epoch = nextGeneration(n.s.Coordinator.Epoch) - 1 // the load adds 1
		}
		mv.d = b.sp.Take(&m.s, mv.Step)
		if d := &mv.d; d.Txn >= 0 && d.Logged == spec.Ongoing && n.s.Coordinator.Txns[d.Txn].Memory.Status != spec.Ongoing {
			m.opened[d.Txn] = b.sentAt[d.Request.Ref]
		}
	case alone:
		mv.d = b.sp.ApplyAlone(&m.s, spec.TxnID(mv.Index))
	case evict:
		mv.d, _ = b.sp.EvictQuestion(&m.s, int(mv.Index))
	case share:
		mv.d, _ = b.sp.SharedReply(&m.s, int(mv.Index))
	case drop:
		mv.d = b.sp.DropMarker(&m.s, int(mv.Index))
	case mark:
		partition := n.s.Net[mv.Index].Partition
		m.own(int(partition))
		b.sp.Take(&m.s, mv.Step)
		m.changed(leaderArea(partition))
		for i := range m.s.Net {
			if x := &m.s.Net[i]; x.Kind == spec.MarkerReply && x.Txn == n.s.Net[mv.Index].Txn && x.Partition == partition {
				mv.d = b.sp.Take(&m.s, spec.Step{Kind: spec.Deliver, Index: int8(i)})
				break
			}
		}
	}
	m.changed(mv.area)
	if mv.area.txns != 0 {
		b.refuse(m, mv)
	}
}

// refuse lets replies arrive that refuse a batch. They change nothing but that
// the batch waits no more, and nothing changes them, so that it does not matter
// when.
func (b *belief) refuse(n *node, mv *move) {
	if b.sp.Fixes.Has(spec.FixIDEM35) { // the leader remembers the batch
		return
	}
	for i := 0; i < len(n.s.Net); i++ {
		m := &n.s.Net[i]
		if m.Kind != spec.Reply || m.Code == spec.None || m.Code == spec.TransactionAbortable && b.company.of(m.Ref) {
			continue
		}
		n.explain(&mv.d, mv.waiting)
		a, ref := leaderArea(m.Partition), m.Ref
		n.prepare(a)
		mv.d, mv.waiting = b.sp.Take(&n.s, spec.Step{Kind: spec.Deliver, Index: int8(i)}), ref
		n.changed(a)
		i--
	}
}

// kinds are the hidden steps that may happen without the harness's doing.
func (b *belief) kinds() spec.StepKinds {
	kinds := spec.Quiet | spec.Kinds(spec.TimeOut)
	if b.loadable {
		kinds |= spec.Kinds(spec.BlockExhausted)
	}
	if b.resend {
		kinds |= spec.Kinds(spec.ResendMarker)
	}
	return kinds
}

// mayBe says of a step that needs more than to be enabled whether it may have
// happened.
func (b *belief) mayBe(n *node, st spec.Step) bool {
	switch st.Kind {
	case spec.TimeOut:
		return b.passed(n.opened[st.Index], n.s.Coordinator.Txns[st.Index].Memory.TimeoutMs)
	case spec.BlockExhausted:
		return n.asksForID()
	}
	return true
}
