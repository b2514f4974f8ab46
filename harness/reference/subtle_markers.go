package reference

import (
	"slices"

	"github.com/onceproof/onceproof/spec"
)

// subtleMarkers write a wrong marker, or none, in one case of several.
func subtleMarkers() []Mutation {
	type place struct {
		txn   *spec.Txn // nil for a marker by hand
		leads *spec.Leader
		was   *spec.Leader
		batch *spec.Batch
		part  int
	}
	marker := func(name, about string, rules []spec.Rule, change func(b *Broker, at *place)) Mutation {
		return Mutation{Name: name, About: about, Rules: rules, step: func(b *Broker, before *spec.State, d *spec.Decision) {
			if !d.Appended || b.lastAppended(d).Kind == spec.Data {
				return
			}
			at := place{leads: &b.s.Leaders[d.Partition], was: &before.Leaders[d.Partition], batch: b.lastAppended(d), part: int(d.Partition)}
			for i := range b.s.Coordinator.Txns {
				if t := &b.s.Coordinator.Txns[i]; d.Step.Kind == spec.Deliver && t.Known && t.Memory.ProducerID == at.batch.ProducerID {
					at.txn = t
				}
			}
			change(b, &at)
		}}
	}
	remove := func(at *place) { at.leads.Log = at.leads.Log[:len(at.leads.Log)-1] }
	fenced := func(at *place) bool {
		return at.txn != nil && at.batch.Kind == spec.AbortMarker && at.txn.Memory.ClientVersion == 0 && at.batch.Epoch > 0 && at.txn.Memory.LastEpoch == spec.NoEpoch
	}
	gone := []spec.Rule{spec.MARK17, spec.READ02, spec.READ01, spec.IDEM25, spec.IDEM23, spec.READ12, spec.MARK13, spec.IDEM30, spec.LSO01, spec.IDEM12, spec.IDEM28}
	return []Mutation{
		marker("fence-no-marker", "below level 2 the abort of a fenced transaction writes no marker", gone, func(_ *Broker, at *place) {
			if fenced(at) {
				remove(at)
			}
		}),
		marker("second-partition-no-marker", "the markers reach only the first partition of a transaction", gone, func(_ *Broker, at *place) {
			if at.txn != nil && at.part > 0 {
				remove(at)
			}
		}),
		marker("second-partition-other-decision", "the second partition of a committed transaction gets an ABORT marker", []spec.Rule{spec.MARK17}, func(_ *Broker, at *place) {
			if at.txn != nil && at.part > 0 && at.batch.Kind == spec.CommitMarker {
				at.batch.Kind = spec.AbortMarker
			}
		}),
		marker("abort-coordinator-epoch", "the marker of an abort has a coordinator epoch of its own", []spec.Rule{spec.MARK40, spec.MARK13}, func(_ *Broker, at *place) {
			if at.batch.Kind == spec.AbortMarker && at.txn != nil {
				at.batch.CoordinatorEpoch++
			}
		}),
		marker("abort-marker-epoch", "the marker of an abort has the epoch of the data", []spec.Rule{spec.MARK40}, func(_ *Broker, at *place) {
			if at.batch.Kind == spec.AbortMarker && at.batch.Epoch > 0 && at.txn != nil {
				at.batch.Epoch--
			}
		}),
		marker("marker-sequence", "a marker has sequence 0", []spec.Rule{spec.MARK17}, func(_ *Broker, at *place) { at.batch.Sequence = 0 }),
		marker("marker-plain", "a marker lacks the transactional flag", []spec.Rule{spec.MARK17}, func(_ *Broker, at *place) { at.batch.Transactional = false }),
		marker("empty-partition-indexed", "an abort of a partition without data leaves an entry in the transaction index", []spec.Rule{spec.READ04}, func(_ *Broker, at *place) {
			if at.batch.Kind == spec.AbortMarker && len(at.leads.Aborted) == len(at.was.Aborted) {
				at.leads.Aborted = append(at.leads.Aborted, spec.Aborted{ProducerID: at.batch.ProducerID, First: at.was.LogEnd(), Last: at.was.LogEnd()})
			}
		}),
		marker("commit-indexed", "a commit leaves an entry in the transaction index", []spec.Rule{spec.READ04}, func(_ *Broker, at *place) {
			if at.batch.Kind == spec.CommitMarker {
				at.leads.Aborted = append(at.leads.Aborted, spec.Aborted{ProducerID: at.batch.ProducerID, First: 0, Last: at.was.LogEnd()})
			}
		}),
		marker("index-by-first-offset", "the transaction index is in the order of first offsets", []spec.Rule{spec.READ04}, func(_ *Broker, at *place) {
			slices.SortFunc(at.leads.Aborted, func(x, y spec.Aborted) int { return int(x.First - y.First) })
		}),
		marker("index-once-per-id", "the transaction index keeps the last abort of each producer only", []spec.Rule{spec.READ04}, func(_ *Broker, at *place) {
			if n := len(at.leads.Aborted); n > len(at.was.Aborted) {
				last := at.leads.Aborted[n-1]
				at.leads.Aborted = append(slices.DeleteFunc(at.leads.Aborted, func(a spec.Aborted) bool { return a.ProducerID == last.ProducerID }), last)
			}
		}),
		marker("marker-keeps-epoch", "a marker of a higher epoch leaves the producer's epoch", []spec.Rule{spec.MARK13, spec.IDEM24, spec.ADM01, spec.MARK06}, func(_ *Broker, at *place) {
			for i := range at.leads.Producers {
				p := &at.leads.Producers[i]
				for j := range at.was.Producers {
					if w := &at.was.Producers[j]; p.ID == at.batch.ProducerID && w.ID == p.ID {
						p.Epoch = w.Epoch
					}
				}
			}
		}),
		marker("hand-marker-ends-all", "a marker by hand completes the transaction at the coordinator too", []spec.Rule{spec.ADM05, spec.ADM02, spec.END13, spec.END14}, func(b *Broker, at *place) {
			for i := range b.s.Coordinator.Txns {
				if t := &b.s.Coordinator.Txns[i]; at.txn == nil && t.Known && t.Memory.ProducerID == at.batch.ProducerID && t.Memory.Status == spec.Ongoing && t.Pending.Phase == spec.Idle {
					t.Memory.Status, t.Memory.Partitions = spec.CompleteAbort, 0
				}
			}
		}),
	}
}
