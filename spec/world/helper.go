package world

// helper is the model in which the checker searches for a way to the end: no faults, no new work, timeouts free of budget,
// and states without their history, which the way does not depend on.
type helper struct{ Model }

func (m *Model) helper() *helper {
	h := &helper{*m}
	h.helping = true
	return h
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
