package world

import (
	"slices"

	"github.com/onceproof/onceproof/spec"
)

// A tester who is the network of a real broker decides when a request arrives and when an answer does, and repeats what he
// likes. He has no hand on what goes on inside: that is done before he has placed the next thing. With Quick the model does
// as that broker does. Two things stay in his hand although they are of the inside: a late copy of a marker, since he can
// send the same marker by himself (WriteTxnMarkers v2), and a transaction that stays in Prepare (see hold).

// byItself reports whether a step is one that a quick broker does before anything else. A late copy of a marker is not:
// nobody waits for its answer, and it arrives when the tester wants it to.
func byItself(s *spec.State, st spec.Step) bool {
	if st.Kind == spec.Deliver {
		m := &s.Net[st.Index]
		return m.Kind != spec.Marker || m.Waited
	}
	return spec.Quiet.Has(st.Kind)
}

// Going appends to dst what a quick broker in this state has to do before anything comes from outside.
func Going(dst []spec.Step, sp *spec.Spec, s *spec.State) []spec.Step {
	return slices.DeleteFunc(sp.Steps(dst, s, spec.Quiet), func(st spec.Step) bool { return !byItself(s, st) })
}

// Overtaken is what is going on inside the broker by itself when a step of the model is taken that comes from outside: what a
// tester can't place. A client that sends, takes an answer or waits no longer overtakes nothing.
func (m *Model) Overtaken(s *State, a Action) []spec.Step {
	if m.Quick == 1 {
		return nil // it was done before, or can be placed all the same (see placeable)
	}
	switch a.Kind {
	case Arrive, Hold:
	case Internal:
		if byItself(&s.Broker, a.Step) || a.Step.Kind == spec.ResendMarker {
			return nil
		}
	default:
		return nil
	}
	return Going(nil, m.sp, &s.Broker)
}

// busy reports whether a quick broker has something to do by itself.
func (m *Model) busy(s *State) bool {
	if m.Quick == 0 || m.helping {
		return false
	}
	var buf [32]spec.Step
	return len(Going(buf[:0], m.sp, &s.Broker)) > 0
}

// Early reports whether the marker that a step delivers is the first of two copies of which the coordinator waits for the
// second. A tester can place it before the request that makes the coordinator send them: to the leader it is the same.
func Early(s *spec.State, st spec.Step) bool {
	if st.Kind != spec.Deliver || byItself(s, st) {
		return false
	}
	first := s.Net[st.Index]
	return slices.ContainsFunc(s.Net, func(m spec.Message) bool {
		return m.Kind == spec.Marker && m.Waited && m.Partition == first.Partition && m.Number == first.Number
	})
}

// placeable leaves of the broker's steps those that a quick broker takes: while it has something to do by itself, that,
// and what can't wait: the coordinator sends a marker again that has not arrived, which leaves a late copy, and that copy
// arrives before the new one.
func (m *Model) placeable(s *State, steps []spec.Step) []spec.Step {
	if !m.busy(s) {
		return steps
	}
	return slices.DeleteFunc(steps, func(st spec.Step) bool {
		if st.Kind == spec.ResendMarker {
			return s.Broker.Net[st.Index].Kind != spec.Marker
		}
		return !byItself(&s.Broker, st) && !Early(&s.Broker, st)
	})
}

// heldEpoch is the producer epoch that a tester's marker holds a partition with: far above any that is granted.
const heldEpoch = 1000

// hold emits the steps by which a tester holds the open transaction: WriteTxnMarkers v1 with a much higher epoch on one of
// its partitions. The partition then refuses the coordinator's marker, and the transaction stays in Prepare until the
// coordinator reloads, and longer (MARK-34). The tester's marker ends what was open in that partition, so that nothing can
// be said of its log any more: who sets the bound looks at properties of the answers alone.
func (m *Model) hold(s *State, e *emitter) {
	t := &s.Broker.Coordinator.Txns[0]
	if m.helping || m.Holds == 0 || t.Memory.Status != spec.Ongoing || t.Pending.Phase != spec.Idle {
		return
	}
	held := 0
	for p := range s.Broker.Leaders {
		if s.holds(p) {
			held++
		}
	}
	for p := range s.Broker.Leaders {
		if held == m.Holds || s.holds(p) || !t.Memory.Partitions.Has(p) {
			continue
		}
		r := spec.Request{API: spec.WriteTxnMarkers, Version: 1, ProducerID: t.Memory.ProducerID, Epoch: heldEpoch, Partition: int8(p),
			CoordinatorEpoch: s.Broker.Coordinator.Epoch}
		n := e.From(Action{Kind: Hold, Request: r})
		m.sp.Submit(&n.Broker, 0, r)
		d := m.sp.Take(&n.Broker, spec.Step{Kind: spec.Handle})
		m.observe(e, s, n, d, &r)
	}
}

// holds reports whether a tester holds transactions at a partition.
func (s *State) holds(partition int) bool {
	return slices.ContainsFunc(s.Broker.Leaders[partition].Producers, func(p spec.Producer) bool { return p.Epoch == heldEpoch })
}

// spared reports whether a request stays under way for ever: a batch to a partition that is held would be refused for the
// tester's epoch, which is no doing of the protocol.
func (m *Model) spared(s *State, r *spec.Request) bool {
	return m.Holds > 0 && r.API == spec.Produce && s.holds(int(r.Partition))
}
