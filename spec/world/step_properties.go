package world

import (
	"iter"

	"github.com/onceproof/onceproof/checker"
	"github.com/onceproof/onceproof/spec"
)

func (m *Model) uniqueIdentity(old, s *State) checker.Outcome {
	ev := &s.Step
	if m.Style == Idempotent {
		return ev.ownProducerID(old)
	}
	if !ev.Grant || int(ev.Epoch) >= len(old.Ghost.Granted) {
		return checker.NotApplicable
	}
	to := old.Ghost.Granted[ev.Epoch]
	return checker.Require(to == 0 || to == uint8(ev.GrantTo)+1)
}

// ownProducerID is UniqueIdentity without transactional id: each producer is given an id that no other has, or is about to get.
func (ev *Event) ownProducerID(old *State) checker.Outcome {
	id := ev.Decision.ProducerID
	if !ev.Waits || id == spec.NoProducer {
		return checker.NotApplicable
	}
	for i := range old.Clients {
		if int8(i) != ev.Client && old.Clients[i].ProducerID == id {
			return checker.Falls
		}
	}
	for i := range old.Broker.Answers {
		a := &old.Broker.Answers[i]
		if client, _ := slotOf(a.Conn); int8(client) != ev.Client && a.ProducerID == id {
			return checker.Falls
		}
	}
	return checker.Holds
}

// logged returns the record appended to the coordinator's log in a step and the one before it.
func logged(old, s *State) (before, record *spec.Metadata, ok bool) {
	if !s.Step.Decided || s.Step.Decision.Logged == spec.NoStatus {
		return nil, nil, false
	}
	log := s.Broker.Coordinator.Txns[0].Log
	record = &log[len(log)-1]
	if was := old.Broker.Coordinator.Txns[0].Log; len(was) > 0 {
		before = &was[len(was)-1]
	}
	return before, record, true
}

func (m *Model) epochMonotonic(old, s *State) checker.Outcome {
	before, record, ok := logged(old, s)
	if !ok || before == nil || before.ProducerID != record.ProducerID {
		return checker.NotApplicable
	}
	return checker.Require(record.Epoch >= before.Epoch)
}

// validTransition is VALID_PREVIOUS_STATES of TransactionState, with the empty commit of KAFKA-21181. What is empty ends by
// EndTxn v5 alone: with TV1-style requests a decision follows on Ongoing.
func (m *Model) validTransition(old, s *State) checker.Outcome {
	before, record, ok := logged(old, s)
	if !ok {
		return checker.NotApplicable
	}
	from := spec.Empty
	if before != nil {
		from = before.Status
	}
	switch record.Status {
	case spec.Empty:
		return checker.Require(from == spec.Empty || from == spec.CompleteCommit || from == spec.CompleteAbort)
	case spec.Ongoing:
		return checker.Require(!from.Prepared())
	case spec.PrepareCommit, spec.PrepareAbort:
		return checker.Require(from == spec.Ongoing || m.Style == TV2Style && !from.Prepared())
	case spec.CompleteCommit:
		return checker.Require(from == spec.PrepareCommit)
	case spec.CompleteAbort:
		return checker.Require(from == spec.PrepareAbort)
	}
	return checker.Falls
}

func (m *Model) oneOutcome(old, s *State) checker.Outcome {
	if s.Step.Durable.Kind == NoCause {
		return checker.NotApplicable
	}
	meta := &s.Broker.Coordinator.Txns[0].Memory
	if !meta.Status.Prepared() {
		return checker.NotApplicable
	}
	both := uint64(3) << (2 * meta.Number)
	return checker.Require(s.Ghost.Decided&both != both)
}

func (m *Model) markerMatches(_, s *State) checker.Outcome {
	d := &s.Step.Decision
	if !s.Step.Decided || !d.Appended {
		return checker.NotApplicable
	}
	log := s.Broker.Leaders[d.Partition].Log
	marker := &log[len(log)-1]
	if marker.Kind == spec.Data {
		return checker.NotApplicable
	}
	out := checker.NotApplicable
	for i := range ended(log) {
		if log[i].Number != marker.Number {
			return checker.Falls
		}
		out = checker.Holds
	}
	return out
}

func (m *Model) rejectedHasNoEffect(old, s *State) checker.Outcome {
	d := &s.Step.Decision
	if !s.Step.Decided || !(d.Answered && d.Code.Final() || d.Message.Final()) {
		return checker.NotApplicable
	}
	was, is := &old.Broker.Coordinator.Txns[0], &s.Broker.Coordinator.Txns[0]
	unchanged := was.Memory == is.Memory && was.Pending == is.Pending
	return checker.Require(d.Logged == spec.NoStatus && !d.Appended && unchanged && !s.Step.Grant)
}

func (m *Model) fencedStaysFenced(old, s *State) checker.Outcome {
	ev := &s.Step
	d := &ev.Decision
	newest := old.Ghost.Newest
	if !ev.Decided || newest < 0 {
		return checker.NotApplicable
	}
	if ev.Client < 0 {
		return s.endsFenced(d, newest)
	}
	if ev.Client == newest {
		return checker.NotApplicable
	}
	switch d.Logged {
	case spec.Ongoing, spec.PrepareCommit:
		return checker.Falls
	case spec.Empty:
		return checker.Require(s.Ghost.Logged.Kind == FreshInit)
	}
	if ev.Waits && d.Code == spec.None && d.ProducerID != spec.NoProducer {
		return checker.Require(ev.Durable.Kind == FreshInit)
	}
	return checker.Holds
}

// endsFenced is about the batches of fenced incarnations that a marker ends: one that came after the fence may only die with an
// abort marker. It falls if the marker commits a batch of another incarnation than that of its own epoch.
func (s *State) endsFenced(d *spec.Decision, newest int8) checker.Outcome {
	if !d.Appended {
		return checker.NotApplicable
	}
	log := s.Broker.Leaders[d.Partition].Log
	marker := &log[len(log)-1]
	if marker.Kind == spec.Data || int(marker.Epoch) >= len(s.Ghost.Granted) {
		return checker.NotApplicable
	}
	out := checker.NotApplicable
	for i := range ended(log) {
		txn, _ := nameOf(log[i].Data)
		client := s.Ghost.Txns[txn-1].Client
		if int8(client) == newest {
			continue
		}
		if marker.Kind == spec.CommitMarker && client != s.Ghost.Granted[marker.Epoch]-1 {
			return checker.Falls
		}
		out = checker.Holds
	}
	return out
}

// ended gives the places of the batches that the marker at the end of a log ends, the last one first.
func ended(log []spec.Batch) iter.Seq[int] {
	return func(yield func(int) bool) {
		last := len(log) - 1
		for i := last - 1; i >= 0; i-- {
			b := &log[i]
			if b.ProducerID != log[last].ProducerID || !b.Transactional {
				continue
			}
			if b.Kind != spec.Data || !yield(i) {
				return
			}
		}
	}
}

// refusal returns the client that a step refuses a request to, while it waits for the answer. A batch that is not the
// next one expected is sent again when it is out of order, and so is not refused.
func (m *Model) refusal(old, s *State) (client int8, code spec.Code, ok bool) {
	ev := &s.Step
	if !ev.Decided || !ev.Waits || !ev.Decision.Code.Final() {
		return 0, 0, false
	}
	code = ev.Decision.Code
	if code == spec.OutOfOrderSequence && old.Clients[ev.Client].Batches[ev.Slot-1] == Waiting {
		return 0, 0, false
	}
	return ev.Client, code, true
}

func (m *Model) ownerNotRefused(old, s *State) checker.Outcome {
	ev := &s.Step
	// without transactional id every producer owns its producer id
	if !ev.Waits || ev.Client != old.Ghost.Owner && m.Style != Idempotent {
		return checker.NotApplicable
	}
	_, code, ok := m.refusal(old, s)
	if !ok {
		return checker.Holds
	}
	switch code {
	case spec.ProducerFenced, spec.InvalidProducerEpoch, spec.InvalidProducerMapping, spec.InvalidTxnState, spec.OutOfOrderSequence:
		return checker.Falls
	}
	return checker.Holds
}

func (m *Model) fencedHearsFenced(old, s *State) checker.Outcome {
	ev := &s.Step
	if ev.Waits && old.Ghost.Lost[ev.Client] && ev.Decision.Request.API == spec.EndTxn && ev.Decision.Code == spec.None {
		// only an abort after a timeout (END-24)
		return checker.Require(!old.Clients[ev.Client].Commit && old.Ghost.Newest == ev.Client)
	}
	client, code, ok := m.refusal(old, s)
	if !ok || !old.Ghost.Lost[client] {
		return checker.NotApplicable
	}
	return checker.Require(code == spec.ProducerFenced || code == spec.InvalidProducerEpoch)
}
