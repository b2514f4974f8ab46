package world

import "github.com/onceproof/onceproof/spec"

// helper is the model in which the checker searches for a way to the end: no faults, no new work, timeouts free of budget,
// and states without their history, which the way does not depend on.
type helper struct{ Model }

func (m *Model) helper() *helper {
	h := &helper{*m}
	h.helping = true
	return h
}

// helpingSteps emits the steps of the helping model. Their order makes the first ones lead on: what is under way arrives before
// anything is sent again, or a client would ask again and again while what it waits for stands still. A timeout comes last.
func (m *Model) helpingSteps(s *State, e *emitter) {
	if m.internalSteps(s, e, spec.Quiet); e.Enough() {
		return
	}
	for i := range s.Broker.Answers {
		if m.receive(s, e, i); e.Enough() {
			return
		}
	}
	for i := range s.Net {
		// a copy that nobody waits for may be lost: the way to the end must not need it
		if s.Net[i].Conn == 0 || i > 0 && s.Net[i] == s.Net[i-1] || m.spared(s, &s.Net[i].Request) {
			continue
		}
		if m.arrive(s, e, i); e.Enough() {
			return
		}
	}
	for i := range s.Clients {
		if m.clientSteps(s, e, i); e.Enough() {
			return
		}
	}
	m.internalSteps(s, e, 1<<spec.TimeOut)
}

// Encode leaves out budgets and history.
func (h *helper) Encode(b []byte, s *State) []byte { return s.appendClients(s.Broker.Append(b)) }

// Decode reads what Encode wrote.
func (h *helper) Decode(s *State, b []byte) error {
	b, err := s.readClients(b)
	if err == nil && len(b) != 0 {
		err = errCut
	}
	s.Budget = Budget{}
	s.Ghost = Ghost{Newest: -1, Owner: -1, Txns: append(s.Ghost.Txns[:0], make([]Txn, maxTxns)...)}
	s.Step = Event{}
	return err
}
