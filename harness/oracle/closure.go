package oracle

import (
	"fmt"
	"slices"
	"time"

	"github.com/onceproof/onceproof/spec"
)

// slack is how much sooner than its timeout a transaction may be aborted: the
// broker counts in whole milliseconds.
const slack = 5 * time.Millisecond

// close makes the given states and all that hidden steps lead to from them the
// belief.
func (b *belief) close(from []*node) error {
	seen := make(map[string]*node, 4*len(from))
	var all, queue []*node
	var key []byte
	add := func(n *node) {
		b.settleIDs(n)
		key = n.key(key[:0])
		if have, ok := seen[string(key)]; ok {
			if have.merge(n) {
				queue = append(queue, have) // it may time out sooner
			}
			return
		}
		seen[string(key)] = n
		all, queue = append(all, n), append(queue, n)
	}
	for _, n := range from {
		add(n)
	}
	var steps []spec.Step
	for i := 0; i < len(queue); i++ {
		n := queue[i]
		steps = b.sp.Steps(steps[:0], &n.s, b.kinds())
		for _, st := range steps {
			if !b.possible(n, st) {
				continue
			}
			add(b.take(n, st))
			if st.Kind == spec.Apply && len(n.s.Inbox) > 0 && n.s.Coordinator.Txns[st.Index].Pending.Next.Status.Prepared() {
				add(b.applyAlone(n, st))
			}
		}
		for j := range n.s.Net {
			if m := b.beside(n, j); m != nil {
				add(m)
			}
		}
		if len(all) > b.max {
			return &NotJudged{fmt.Sprintf("the broker may be in more than %d states", b.max)}
		}
	}
	b.nodes = all
	b.largest = max(b.largest, len(all))
	return nil
}

// beside is what may become of a message under way other than its arrival.
func (b *belief) beside(n *node, i int) *node {
	msg := &n.s.Net[i]
	if msg.Kind != spec.Ask && !(b.leaderless && msg.Kind == spec.Marker && msg.Waited) {
		return nil
	}
	m := n.copy()
	if msg.Kind == spec.Marker {
		b.sp.DropMarker(&m.s, i)
	} else {
		d, ok := b.sp.EvictQuestion(&m.s, i)
		if !ok {
			return nil
		}
		m.explain(&d, 0)
	}
	m.forgetHistory()
	return m
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
// have happened.
func (b *belief) possible(n *node, st spec.Step) bool {
	switch st.Kind {
	case spec.TimeOut:
		t := &n.s.Coordinator.Txns[st.Index]
		timeout := time.Duration(t.Memory.TimeoutMs) * time.Millisecond
		return b.now.Sub(n.opened[st.Index]) >= timeout-slack
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

// take does a step on a copy of n.
func (b *belief) take(n *node, st spec.Step) *node {
	m := n.copy()
	was := spec.NoStatus
	if st.Kind == spec.Reload {
		m.s.Coordinator.Epoch = nextGeneration(n.s.Coordinator.Epoch) - 1 // the load adds 1
	}
	waiting := b.waiting(n, st)
	d := b.sp.Take(&m.s, st)
	if d.Txn >= 0 && d.Logged != spec.NoStatus {
		was = n.s.Coordinator.Txns[d.Txn].Memory.Status
		if d.Logged == spec.Ongoing && was != spec.Ongoing {
			m.opened[d.Txn] = b.sentAt[d.Request.Ref]
		}
	}
	m.explain(&d, waiting)
	m.forgetHistory()
	return m
}

// applyAlone is an acknowledged append whose markers are not sent yet, for what
// else has arrived to be handled in that moment.
func (b *belief) applyAlone(n *node, st spec.Step) *node {
	m := n.copy()
	waiting := b.waiting(n, st)
	d := b.sp.ApplyAlone(&m.s, spec.TxnID(st.Index))
	m.explain(&d, waiting)
	m.forgetHistory()
	return m
}

// waiting is the mark of the request that a step is about, where the decision
// does not tell.
func (b *belief) waiting(n *node, st spec.Step) uint8 {
	if st.Kind != spec.Deliver {
		return 0
	}
	return n.s.Net[st.Index].Ref
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
	rules := slices.Clone(n.rules(ref))
	for _, r := range d.Rules() {
		if !slices.Contains(rules, r) {
			rules = append(rules, r)
		}
	}
	n.forget(ref)
	n.why = append(n.why, why{ref, rules})
}

// rules are those that decided about a request so far.
func (n *node) rules(ref uint8) []spec.Rule {
	for _, w := range n.why {
		if w.ref == ref {
			return w.rules
		}
	}
	return nil
}

// forget drops the rules of a request that has its answer.
func (n *node) forget(ref uint8) {
	n.why = slices.DeleteFunc(n.why, func(w why) bool { return w.ref == ref })
}

// forgetHistory zeroes the history variables, which no rule reads and nobody
// sees.
func (n *node) forgetHistory() {
	for i := range n.s.Coordinator.Txns {
		t := &n.s.Coordinator.Txns[i]
		t.Memory.Number, t.Pending.Next.Number = 0, 0
		if k := len(t.Log); k > 0 {
			t.Log[k-1].Number = 0
		}
	}
	for i := range n.s.Net {
		n.s.Net[i].Number = 0
	}
	for i := range n.s.Leaders {
		l := &n.s.Leaders[i]
		if k := len(l.Log); k > 0 {
			l.Log[k-1].Number = 0
		}
		for j := range l.Producers {
			l.Producers[j].Number = 0
		}
	}
}

func (n *node) copy() *node {
	m := &node{opened: slices.Clone(n.opened), taken: slices.Clone(n.taken), why: slices.Clone(n.why)}
	m.s.Copy(&n.s)
	return m
}

// key is the same exactly for nodes that behave the same. When a transaction
// began is not in it: of equal states the earliest beginning allows most.
func (n *node) key(b []byte) []byte {
	b = n.s.Append(b)
	for _, t := range n.taken {
		b = append(b, byte(t.exchange), byte(t.exchange>>8), byte(len(t.seen)))
		for _, s := range t.seen {
			b = s.Append(b)
		}
	}
	return b
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

// bindable reports whether a placeholder can stand for a producer id: nobody
// else has it.
func (b *belief) bindable(n *node, id int64) bool {
	if id < 0 || id >= placeholder || b.granted[id] {
		return false
	}
	for i := range n.s.Coordinator.Txns {
		if t := &n.s.Coordinator.Txns[i]; t.Known && t.Memory.ProducerID == id {
			return false
		}
	}
	return true
}

// bind puts a producer id in the place of a placeholder. Only the coordinator
// and answers can hold one: a client that does not know its id can't use it.
func (n *node) bind(from, to int64) {
	put := func(s *spec.State) {
		set := func(id *int64) {
			if *id == from {
				*id = to
			}
		}
		for i := range s.Coordinator.Txns {
			t := &s.Coordinator.Txns[i]
			set(&t.Memory.ProducerID)
			set(&t.Memory.PrevProducerID)
			set(&t.Pending.Next.ProducerID)
			set(&t.Pending.Next.PrevProducerID)
			for j := range t.Log {
				set(&t.Log[j].ProducerID)
				set(&t.Log[j].PrevProducerID)
			}
		}
		for i := range s.Answers {
			set(&s.Answers[i].ProducerID)
		}
	}
	put(&n.s)
	for i := range n.taken {
		seen := make([]*spec.State, len(n.taken[i].seen))
		for j, s := range n.taken[i].seen {
			seen[j] = &spec.State{}
			seen[j].Copy(s)
			put(seen[j])
		}
		n.taken[i].seen = seen
	}
}
