package oracle

import "github.com/onceproof/onceproof/spec"

// aside reports whether a marker goes to a leader where nothing else can happen
// that an area depends on. Then it and its answer are one step of the
// coordinator's.
func (b *belief) aside(n *node, m *spec.Message, a area) bool {
	at := leaderArea(m.Partition)
	if m.Kind != spec.Marker || !m.Waited || a.meets(at) || len(n.s.Leaders[m.Partition].Waiting) > 0 {
		return false
	}
	for i := range n.s.Inbox {
		if n.requestArea(&n.s.Inbox[i].Request).meets(at) {
			return false
		}
	}
	for i := range n.s.Net {
		if x := &n.s.Net[i]; x.Partition == m.Partition && *x != *m {
			return false
		}
	}
	for i := range n.s.Coordinator.Txns {
		if spec.TxnID(i) != m.Txn && b.markerTo(n, spec.TxnID(i))&at.leaders != 0 {
			return false
		}
	}
	for _, c := range b.reads {
		for i := n.sees(c); i < len(c.queries); i++ {
			if c.queries[i].area(&n.s).meets(at) {
				return false
			}
		}
	}
	return true
}

// whole reports whether all markers of a transaction are answered, or as good as
// that, so that the answers may be taken: until then they change nothing but
// what DescribeTransactions shows. They are taken in one order.
func (b *belief) whole(n *node, g *goal, a area, m *spec.Message) bool {
	t := &n.s.Coordinator.Txns[m.Txn]
	if *g == (goal{}) || t.Pending.Phase != spec.Completing {
		return true
	}
	for _, c := range b.reads {
		for i := range c.queries {
			if q := &c.queries[i]; q.kind == describeTxn && q.txn == m.Txn {
				return true
			}
		}
	}
	answered, first := spec.Partitions(0), true
	for i := range n.s.Net {
		x := &n.s.Net[i]
		if x.Txn != m.Txn || !(x.Kind == spec.MarkerReply && x.Code == spec.None || b.aside(n, x, a)) {
			continue
		}
		if x.Partition < m.Partition {
			first = false
		}
		answered = answered.With(int(x.Partition))
	}
	return first && t.Memory.Partitions&^answered == 0
}
