package oracle

import (
	"time"

	"github.com/onceproof/onceproof/spec"
)

// area is a set of parts of a broker: transactional ids, leaders, the producer
// ids at hand. Steps in areas that have nothing in common may be taken in either
// order: the same comes out.
type area struct {
	txns, leaders uint64
	ids           bool
	whole         bool
}

// txnArea is that of a transactional id, nothing for one that is none. From the
// 64th on they share one part, which is no loss but of time.
func txnArea(id spec.TxnID) area {
	if id < 0 {
		return area{}
	}
	return area{txns: 1 << min(uint(id), 63)}
}

func leaderArea(partition int8) area { return area{leaders: 1 << uint(partition)} }

func (a area) meets(b area) bool {
	return a.whole || b.whole || a.txns&b.txns|a.leaders&b.leaders != 0 || a.ids && b.ids
}

func (a area) and(b area) area {
	return area{a.txns | b.txns, a.leaders | b.leaders, a.ids || b.ids, a.whole || b.whole}
}

// requestArea is where a request is handled.
func (n *node) requestArea(r *spec.Request) area {
	switch r.API {
	case spec.Produce, spec.WriteTxnMarkers:
		if int(r.Partition) >= len(n.s.Leaders) {
			return area{}
		}
		return leaderArea(r.Partition)
	case spec.InitProducerID:
		a := txnArea(r.Txn)
		a.ids = n.takesID(r)
		return a
	}
	return txnArea(r.Txn)
}

// takesID reports whether a request may take a producer id.
func (n *node) takesID(r *spec.Request) bool {
	return r.API == spec.InitProducerID && (r.Txn < 0 || !n.s.Coordinator.Txns[r.Txn].Known)
}

// asksForID reports whether a request waits that may take a producer id.
func (n *node) asksForID() bool {
	for i := range n.s.Inbox {
		if n.takesID(&n.s.Inbox[i].Request) {
			return true
		}
	}
	return false
}

// messageArea is where a message arrives.
func messageArea(m *spec.Message) area {
	switch {
	case m.Kind == spec.Ask && m.Txn < 0: // it is answered at once
		return leaderArea(m.Partition)
	case m.Kind == spec.Ask, m.Kind == spec.MarkerReply:
		return txnArea(m.Txn)
	}
	return leaderArea(m.Partition)
}

// stepArea is what a step changes.
func (n *node) stepArea(st spec.Step) area {
	switch st.Kind {
	case spec.Handle:
		return n.requestArea(&n.s.Inbox[st.Index].Request)
	case spec.Deliver:
		return messageArea(&n.s.Net[st.Index])
	case spec.Apply, spec.TimeOut, spec.SendMarkers:
		return txnArea(spec.TxnID(st.Index))
	case spec.ResendMarker:
		return txnArea(n.s.Net[st.Index].Txn)
	case spec.BlockArrives, spec.BlockExhausted:
		return area{ids: true}
	}
	return area{whole: true}
}

// area is what a query looks at.
func (q *query) area(s *spec.State) area {
	switch q.kind {
	case fetchLog, latestOffset, activeProducers:
		if q.exists {
			return leaderArea(int8(q.partition))
		}
	case describeTxn:
		return txnArea(q.txn)
	case listTxns, fetchState:
		if len(s.Coordinator.Txns) > 0 {
			return area{txns: 1<<min(uint(len(s.Coordinator.Txns)), 64) - 1}
		}
	}
	return area{}
}

// reach grows an area until no step outside of it can bring about a new one
// inside of it: what arrives there has been sent from there, or is under way.
// So whatever happens outside first may as well happen after any of the steps
// inside.
func (b *belief) reach(n *node, a area) area {
	if !n.s.Coordinator.Up {
		return area{whole: true}
	}
	for {
		was := a
		for i := range n.s.Net {
			if m := &n.s.Net[i]; !b.aside(n, m, a) {
				a = b.reachMessage(a, m)
			}
		}
		for i := range n.s.Inbox {
			r := &n.s.Inbox[i].Request
			at := n.requestArea(r)
			if at.meets(a) || r.API == spec.Produce && txnArea(r.Txn).meets(a) { // a batch may ask the coordinator
				a = a.and(at)
			}
			if r.API == spec.Produce && at.meets(a) && n.questions(r.Txn) > 2 { // its question changes what becomes of others (EvictQuestion)
				a = a.and(txnArea(r.Txn))
			}
		}
		for i := range n.s.Coordinator.Txns {
			id := txnArea(spec.TxnID(i))
			p := &n.s.Coordinator.Txns[i].Pending
			switch {
			case id.meets(a):
			case p.Asked && leaderArea(p.Partition).meets(a), a.leaders != 0 && b.markerTo(n, spec.TxnID(i))&a.leaders != 0:
				a = a.and(id)
			}
		}
		for _, c := range b.reads {
			if have := n.sees(c); have < len(c.queries) {
				if at := c.queries[have].area(&n.s); at.meets(a) {
					a = a.and(at)
				}
			}
		}
		if a == was {
			return a
		}
	}
}

// questions is how many questions about a transactional id are under way, or
// may be soon.
func (n *node) questions(id spec.TxnID) int {
	count := 0
	for i := range n.s.Net {
		if m := &n.s.Net[i]; m.Kind == spec.Ask && m.Txn == id {
			count++
		}
	}
	for i := range n.s.Inbox {
		if r := &n.s.Inbox[i].Request; r.API == spec.Produce && r.Txn == id {
			count++
		}
	}
	return count
}

// reachMessage takes in where a message goes from inside, or comes from that
// goes inside.
func (b *belief) reachMessage(a area, m *spec.Message) area {
	txn, leader := txnArea(m.Txn), leaderArea(m.Partition)
	switch {
	case m.Kind == spec.Marker && txn.meets(a): // an answer comes back
		a = a.and(leader)
	case m.Kind == spec.Ask && leader.meets(a), b.resend && m.Waited && leader.meets(a):
		a = a.and(txn)
	}
	return a
}

// markerTo are the leaders to which the coordinator may yet send markers of a
// transactional id.
func (b *belief) markerTo(n *node, id spec.TxnID) uint64 {
	t := &n.s.Coordinator.Txns[id]
	to, timeout := t.Memory.Partitions, t.Memory.TimeoutMs
	ends := t.Memory.Status.Prepared() && t.Pending.Phase == spec.Idle
	open := t.Memory.Status == spec.Ongoing
	if t.Pending.Phase == spec.Appending {
		next := &t.Pending.Next
		to, timeout = to|next.Partitions, min(timeout, next.TimeoutMs)
		ends, open = ends || next.Status.Prepared(), open || next.Status == spec.Ongoing
	}
	ends = ends || open && b.passed(n.opened[id], timeout)
	for i := range n.s.Inbox {
		r := &n.s.Inbox[i].Request
		if r.Txn != id {
			continue
		}
		switch r.API {
		case spec.EndTxn, spec.InitProducerID:
			ends = true
		case spec.AddPartitionsToTxn:
			to, ends = to|r.Partitions, ends || b.passed(b.sentAt[r.Ref], timeout)
		case spec.Produce:
			to, ends = to.With(int(r.Partition)), ends || b.passed(b.sentAt[r.Ref], timeout)
		}
	}
	for i := range n.s.Net {
		if m := &n.s.Net[i]; m.Kind == spec.Ask && m.Txn == id {
			to, ends = to.With(int(m.Partition)), ends || b.passed(b.sentAt[m.Ref], timeout)
		}
	}
	if !ends {
		return 0
	}
	return uint64(to)
}

// slack is how much sooner than its timeout a transaction may be aborted: the
// broker counts in whole milliseconds.
const slack = 5 * time.Millisecond

// passed reports whether a transaction that was opened at some time may have
// timed out.
func (b *belief) passed(opened time.Time, timeoutMs int32) bool {
	return b.now.Sub(opened) >= time.Duration(timeoutMs)*time.Millisecond-slack
}
