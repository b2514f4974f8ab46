package oracle

import (
	"slices"

	"github.com/onceproof/onceproof/spec"
)

// dropDead drops the requests from the inbox that nobody reads the answer of and
// that will change nothing any more, whenever they are handled. Epochs only grow.
func (b *belief) dropDead(n *node) {
	if len(b.lost) == 0 {
		return
	}
	n.s.Inbox = slices.DeleteFunc(n.s.Inbox, func(a spec.Arrival) bool { return a.Conn == 0 && n.dead(&a.Request) })
}

// dead reports whether a request will change nothing, whatever comes before it.
func (n *node) dead(r *spec.Request) bool {
	switch r.API {
	case spec.Produce, spec.WriteTxnMarkers: // its epoch is below the leader's (IDEM-24, MARK-06, MARK-07)
		if int(r.Partition) >= len(n.s.Leaders) {
			return true
		}
		return slices.ContainsFunc(n.s.Leaders[r.Partition].Producers, func(p spec.Producer) bool {
			return p.ID == r.ProducerID && r.Epoch < p.Epoch
		})
	case spec.AddPartitionsToTxn, spec.EndTxn: // not that of the coordinator's producer (ADD-04, END-13, END-30)
		if r.Txn < 0 || r.VerifyOnly {
			return true
		}
		t := &n.s.Coordinator.Txns[r.Txn]
		return t.Known && t.Memory.ProducerID < placeholder && (r.ProducerID != t.Memory.ProducerID || r.Epoch < t.Memory.Epoch)
	}
	return false
}
