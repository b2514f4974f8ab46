package oracle

import (
	"fmt"
	"slices"
	"time"

	"github.com/onceproof/onceproof/spec"
)

// The belief is closed: what hidden steps lead to from one of its states is in
// it. So an event has little to do. A request that arrives is new to every
// state, and only what becomes of it has to be looked for: the other steps lead
// from states that have it to states that have it. An answer that is taken, or a
// connection that breaks, leaves a closed belief closed. Only where a read has
// ruled out states, or time has brought a timeout, the steps are taken anew.

// slack is how much sooner than its timeout a transaction may be aborted: the
// broker counts in whole milliseconds.
const slack = 5 * time.Millisecond

// closing is a belief in the making.
type closing struct {
	index map[uint64]*node
	all   []*node
	queue []*node // those whose steps are to be taken
	spare []*node // memory
}

// begin makes an empty belief in the making.
func (b *belief) begin() {
	clear(b.index)
	b.all, b.queue = b.all[:0], b.queue[:0]
}

// spareNode returns a copy of n in memory that nobody uses.
func (b *belief) spareNode(n *node) *node {
	m := &node{}
	if k := len(b.spare); k > 0 {
		m, b.spare = b.spare[k-1], b.spare[:k-1]
	}
	m.copyOf(n)
	return m
}

// keep puts a state into the belief in the making unless it is there, and
// reports whether it was put. If it is to be followed its steps will be taken.
func (b *belief) keep(n *node, follow bool) bool {
	b.settleIDs(n)
	n.sum, n.lost = n.total(b.lost)
	n.twin, n.dropped = nil, false
	first := b.index[n.sum]
	for have := first; have != nil; have = have.twin {
		if have.dropped {
			continue
		}
		if have.lost == n.lost {
			if have.merge(n) {
				b.queue = append(b.queue, have) // it may time out sooner
			}
			b.spare = append(b.spare, n)
			return false
		}
		if have.covers(n) {
			b.spare = append(b.spare, n)
			return false
		}
		have.dropped = n.covers(have)
	}
	n.twin, b.index[n.sum] = first, n
	b.all = append(b.all, n)
	if follow {
		b.queue = append(b.queue, n)
	}
	return true
}

// finish takes all steps that are to be taken, and makes what was made the
// belief.
func (b *belief) finish() error {
	var steps []spec.Step
	for i := 0; i < len(b.queue); i++ {
		n := b.queue[i]
		if n.dropped {
			continue
		}
		steps = b.sp.Steps(steps[:0], &n.s, b.kinds())
		for _, st := range steps {
			if b.possible(n, st) {
				b.step(n, st)
			}
		}
		b.beside(n)
		if len(b.all) > b.max {
			return &NotJudged{fmt.Sprintf("the broker may be in more than %d states", b.max)}
		}
	}
	b.nodes, b.all = b.all, b.nodes[:0]
	b.nodes = slices.DeleteFunc(b.nodes, func(n *node) bool { return n.dropped })
	b.largest = max(b.largest, len(b.nodes))
	return nil
}

// close makes the given states and all that hidden steps lead to from them the
// belief.
func (b *belief) close(from []*node) error {
	b.timeOut = time.Time{}
	b.begin()
	for _, n := range from {
		b.keep(n, true)
	}
	return b.finish()
}

// sift makes the given states, which are closed, the belief.
func (b *belief) sift(nodes []*node) error {
	b.begin()
	for _, n := range nodes {
		b.keep(n, false)
	}
	return b.finish()
}

// arrived closes the belief after count requests have arrived in every state,
// which may make other kinds of step possible.
func (b *belief) arrived(count int, kinds spec.StepKinds) error {
	b.begin()
	for _, n := range b.nodes {
		b.keep(n, false)
	}
	var steps []spec.Step
	for _, n := range slices.Clone(b.all) {
		old := len(n.s.Inbox) - count
		steps = b.sp.Steps(steps[:0], &n.s, kinds|spec.Kinds(spec.Handle, spec.Apply))
		for _, st := range steps {
			switch {
			case n.dropped, st.Kind == spec.Handle && int(st.Index) < old:
			case st.Kind == spec.Apply && old == 0:
				b.alone(n, st) // it may be seen now
			case st.Kind != spec.Apply && b.possible(n, st):
				b.step(n, st)
			}
		}
	}
	return b.finish()
}

// step does a step on a copy of n.
func (b *belief) step(n *node, st spec.Step) {
	m, t := b.spareNode(n), n.touches(st)
	m.prepare(t)
	if st.Kind == spec.Reload {
		m.s.Coordinator.Epoch = nextGeneration(n.s.Coordinator.Epoch) - 1 // the load adds 1
	}
	d := b.sp.Take(&m.s, st)
	if d.Txn >= 0 && d.Logged == spec.Ongoing && n.s.Coordinator.Txns[d.Txn].Memory.Status != spec.Ongoing {
		m.opened[d.Txn] = b.sentAt[d.Request.Ref]
	}
	b.took(m, n, st, t, &d)
	b.alone(n, st)
}

// alone is an acknowledged append whose markers are not sent yet, for what else
// has arrived to be handled in that moment.
func (b *belief) alone(n *node, st spec.Step) {
	if st.Kind != spec.Apply || len(n.s.Inbox) == 0 || !n.s.Coordinator.Txns[st.Index].Pending.Next.Status.Prepared() {
		return
	}
	m, t := b.spareNode(n), n.touches(st)
	m.prepare(t)
	d := b.sp.ApplyAlone(&m.s, spec.TxnID(st.Index))
	b.took(m, n, st, t, &d)
}

// took keeps what a step has made of n.
func (b *belief) took(m, n *node, st spec.Step, t touched, d *spec.Decision) {
	m.changed(t)
	if !b.keep(m, true) {
		return
	}
	waiting := uint8(0) // the request that the step is about, where the decision does not tell
	if st.Kind == spec.Deliver {
		waiting = n.s.Net[st.Index].Ref
	}
	m.explain(d, waiting)
}

// beside is what may become of messages under way other than their arrival.
func (b *belief) beside(n *node) {
	for i := range n.s.Net {
		st := spec.Step{Kind: spec.Deliver, Index: int8(i)}
		switch msg := &n.s.Net[i]; {
		case msg.Kind == spec.Ask && n.asks(msg.Txn) > 1:
			m := b.spareNode(n)
			d, ok := b.sp.EvictQuestion(&m.s, i)
			if !ok {
				b.spare = append(b.spare, m)
				continue
			}
			b.took(m, n, st, touched{txn: -1, leader: -1}, &d)
		case b.leaderless && msg.Kind == spec.Marker && msg.Waited:
			m, t := b.spareNode(n), touched{txn: int(msg.Txn), leader: -1}
			d := b.sp.DropMarker(&m.s, i)
			b.took(m, n, st, t, &d)
		}
	}
}

// asks is how many questions about a transactional id are under way.
func (n *node) asks(id spec.TxnID) int {
	count := 0
	for i := range n.s.Net {
		if m := &n.s.Net[i]; m.Kind == spec.Ask && m.Txn == id {
			count++
		}
	}
	return count
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

// possible says of a step that needs more than to be enabled whether it may
// have happened. It notes when the next transaction may time out.
func (b *belief) possible(n *node, st spec.Step) bool {
	switch st.Kind {
	case spec.TimeOut:
		t := &n.s.Coordinator.Txns[st.Index]
		at := n.opened[st.Index].Add(time.Duration(t.Memory.TimeoutMs)*time.Millisecond - slack)
		if !b.now.Before(at) {
			return true
		}
		if b.timeOut.IsZero() || at.Before(b.timeOut) {
			b.timeOut = at
		}
		return false
	case spec.BlockExhausted:
		return n.asksForID()
	}
	return true
}

// settleIDs brings the block of producer ids where nobody can notice.
func (b *belief) settleIDs(n *node) {
	if !n.asksForID() {
		n.s.Allocator.Ready = true
	}
}

// asksForID reports whether a request that may take a producer id waits.
func (n *node) asksForID() bool {
	return slices.ContainsFunc(n.s.Inbox, func(a spec.Arrival) bool { return a.Request.API == spec.InitProducerID })
}
