package oracle

import (
	"cmp"
	"maps"
	"slices"
	"time"

	"github.com/onceproof/onceproof/harness/mapping"
	"github.com/onceproof/onceproof/spec"
)

// Held is what the coordinator may hold of a transactional id.
type Held struct {
	Status spec.Status // NoStatus where the id is not known, or the coordinator is down
	// ProducerID is -1 where no answer has shown it yet.
	ProducerID int64
	Epoch      int16
	// Pending says that a transition is in progress: clients get
	// CONCURRENT_TRANSACTIONS.
	Pending bool
}

// Statuses returns, sorted and each once, what the coordinator holds of a
// transactional id in the states of the belief. For an id that no request has
// named it is nil.
func (o *Oracle) Statuses(transactionalID string) []Held {
	id, ok := o.names.LookupTxn(transactionalID)
	if !ok {
		return nil
	}
	b := o.belief
	trace, largest := b.trace, b.largest
	_ = b.follow(b.nodes, goal{seen: txnArea(spec.TxnID(id))}) // where there are too many, some are given
	b.trace, b.largest = trace, largest                        // a look changes nothing
	var out []Held
	for _, n := range b.all {
		h := Held{Status: spec.NoStatus, ProducerID: spec.NoProducer, Epoch: spec.NoEpoch}
		if txns := n.s.Coordinator.Txns; int(id) < len(txns) {
			t := &txns[id]
			h.Pending = t.Pending.Phase != spec.Idle
			if t.Known {
				h.Status, h.ProducerID, h.Epoch = t.Memory.Status, t.Memory.ProducerID, t.Memory.Epoch
			}
			if h.ProducerID >= placeholder {
				h.ProducerID = spec.NoProducer
			}
		}
		if !slices.Contains(out, h) {
			out = append(out, h)
		}
	}
	slices.SortFunc(out, func(x, y Held) int {
		return cmp.Or(cmp.Compare(x.Status, y.Status), cmp.Compare(x.ProducerID, y.ProducerID), cmp.Compare(x.Epoch, y.Epoch), compareBool(x.Pending, y.Pending))
	})
	return out
}

func compareBool(x, y bool) int {
	switch {
	case x == y:
		return 0
	case y:
		return -1
	}
	return 1
}

// Spent returns how long the oracle has worked on each exchange, in order: on
// its request, its answer, and the answer's loss.
func (o *Oracle) Spent() []time.Duration { return slices.Clone(o.spent) }

// spend counts the time since begun to an exchange.
func (o *Oracle) spend(exchange int, begun time.Time) {
	for len(o.spent) < exchange {
		o.spent = append(o.spent, 0)
	}
	o.spent[exchange-1] += time.Since(begun)
}

// Clone returns an oracle that knows what o knows; each goes on by itself.
func (o *Oracle) Clone() *Oracle {
	c := *o
	c.names = o.names.Clone()
	c.events, c.failed, c.spent = slices.Clone(o.events), maps.Clone(o.failed), slices.Clone(o.spent)
	c.sent = maps.Clone(o.sent)
	c.belief = o.belief.clone(c.names)
	return &c
}

// clone copies a belief, for other names.
func (b *belief) clone(names *mapping.Names) *belief {
	c := *b
	c.names = names
	c.nodes = make([]*node, len(b.nodes))
	for i, n := range b.nodes {
		c.nodes[i] = &node{}
		c.nodes[i].copyOf(n)
	}
	c.following = following{index: map[uint64]*node{}}
	c.refs, c.granted = maps.Clone(b.refs), maps.Clone(b.granted)
	c.reads, c.lost = slices.Clone(b.reads), slices.Clone(b.lost)
	c.epochs = epochs{bound: maps.Clone(b.epochs.bound), assumed: maps.Clone(b.epochs.assumed)}
	return &c
}

// Unread returns how many requests, whose answers nobody reads, may be on their
// way yet or wait inside the broker. Each widens the belief until it is known to
// be done.
func (o *Oracle) Unread() int {
	var refs []uint8
	add := func(conn spec.Conn, ref uint8) {
		if conn == 0 && !slices.Contains(refs, ref) {
			refs = append(refs, ref)
		}
	}
	for _, n := range o.belief.nodes {
		for i := range n.s.Inbox {
			add(n.s.Inbox[i].Conn, n.s.Inbox[i].Request.Ref)
		}
		for i := range n.s.Leaders {
			for j := range n.s.Leaders[i].Waiting {
				w := &n.s.Leaders[i].Waiting[j]
				add(w.Conn, w.Request.Ref)
			}
		}
	}
	return len(refs)
}
