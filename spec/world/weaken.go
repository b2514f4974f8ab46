package world

import "github.com/onceproof/onceproof/spec"

// Weakening changes one guard or effect of the protocol for the worse. It shows that a property can fall which no switch
// fells; nothing but that check uses it.
type Weakening struct {
	Name     string
	Property string
	Config   Config
	// after changes what the broker did in a step.
	after func(s *State, d *spec.Decision, req *spec.Request)
}

// Weakenings has one for each property that no fix row fells.
func Weakenings() []Weakening {
	return []Weakening{
		{"a duplicate is appended again", "NoDuplicate",
			base("weak-duplicate", "", Idempotent, batches(2, 1), clientFaults(1)), appendDuplicate},
		{"the LSO does not see an open transaction", "LSOCorrect",
			base("weak-lso", "", TV2Style), closeTransactions},
		{"half of a transaction gets the other marker", "AtomicVisibility",
			base("weak-marker", "", TV2Style, twoPartitions), swapMarker},
		{"InitProducerId keeps the epoch", "UniqueIdentity",
			base("weak-init", "", TV2Style, incarnations(2)), keepEpoch},
		{"EndTxn takes the epoch back", "EpochMonotonic",
			base("weak-epoch", "", TV2Style, transactions(2)), lowerEpoch},
		{"a commit is completed as an abort", "ValidTransition",
			base("weak-complete", "", TV2Style), completeAsAbort},
		{"the completion of a commit decides anew", "OneOutcome",
			base("weak-outcome", "", TV2Style), decideAnew},
		{"a refused batch is appended all the same", "RejectedHasNoEffect",
			base("weak-refusal", "", TV2Style, timeouts(1)), appendRefused},
	}
}

func appendDuplicate(s *State, d *spec.Decision, _ *spec.Request) {
	if d.By(spec.IDEM15) {
		l := &s.Broker.Leaders[d.Partition]
		l.Log = append(l.Log, l.Log[0])
	}
}

func closeTransactions(s *State, d *spec.Decision, _ *spec.Request) {
	if d.Appended {
		l := &s.Broker.Leaders[d.Partition]
		for i := range l.Producers {
			l.Producers[i].Open = spec.NoOffset
		}
	}
}

func swapMarker(s *State, d *spec.Decision, _ *spec.Request) {
	if !d.Appended || d.Partition != 1 {
		return
	}
	l := &s.Broker.Leaders[1]
	last := &l.Log[len(l.Log)-1]
	if last.Kind == spec.CommitMarker {
		last.Kind = spec.AbortMarker
		l.Aborted = append(l.Aborted, spec.Aborted{ProducerID: last.ProducerID, First: 0, Last: l.LogEnd() - 1})
	}
}

// relog changes the record that a step has just logged.
func relog(s *State, change func(m *spec.Metadata)) {
	t := &s.Broker.Coordinator.Txns[0]
	change(&t.Pending.Next)
	t.Log[len(t.Log)-1] = t.Pending.Next
}

func keepEpoch(s *State, d *spec.Decision, _ *spec.Request) {
	if d.Logged == spec.Empty && d.By(spec.INIT25) && s.Broker.Coordinator.Txns[0].Pending.Next.Epoch > 0 {
		relog(s, func(m *spec.Metadata) { m.Epoch-- })
	}
}

func lowerEpoch(s *State, d *spec.Decision, _ *spec.Request) {
	if d.Logged.Prepared() && s.Broker.Coordinator.Txns[0].Pending.Next.Epoch > 1 {
		relog(s, func(m *spec.Metadata) { m.Epoch -= 2 })
	}
}

func completeAsAbort(s *State, d *spec.Decision, _ *spec.Request) {
	if d.Logged == spec.CompleteCommit {
		relog(s, func(m *spec.Metadata) { m.Status = spec.CompleteAbort })
	}
}

func decideAnew(s *State, d *spec.Decision, _ *spec.Request) {
	if d.Logged == spec.CompleteCommit {
		relog(s, func(m *spec.Metadata) { m.Status = spec.PrepareAbort })
	}
}

func appendRefused(s *State, d *spec.Decision, _ *spec.Request) {
	if d.Answered && d.Code == spec.InvalidProducerEpoch && d.Request.API == spec.Produce {
		l := &s.Broker.Leaders[d.Partition]
		l.Log = append(l.Log, l.Log[len(l.Log)-1])
		d.Appended = true
	}
}
