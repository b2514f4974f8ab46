package spec

import "slices"

// Spec is the broker side under one set of rules. It holds no state.
type Spec struct{ Rules }

// New returns the broker side under the given rules.
func New(r Rules) *Spec { return &Spec{Rules: r} }

// Submit lets a request arrive on a connection. A Handle step handles it.
func (sp *Spec) Submit(s *State, conn Conn, r Request) {
	s.Inbox = append(s.Inbox, Arrival{Conn: conn, Request: r})
}

// Answer takes the answer for conn out of the state, if it is there.
func (sp *Spec) Answer(s *State, conn Conn) (Answer, bool) {
	for i := range s.Answers {
		if s.Answers[i].Conn == conn {
			a := s.Answers[i]
			s.Answers = slices.Delete(s.Answers, i, i+1)
			return a, true
		}
	}
	return Answer{}, false
}

// Forget breaks a connection: what was asked on it goes on, its answer goes nowhere.
func (sp *Spec) Forget(s *State, conn Conn) {
	for i := range s.Inbox {
		if s.Inbox[i].Conn == conn {
			s.Inbox[i].Conn = 0
		}
	}
	for i := range s.Coordinator.Txns {
		if p := &s.Coordinator.Txns[i].Pending; p.Conn == conn {
			p.Conn = 0
		}
	}
	for i := range s.Leaders {
		for j := range s.Leaders[i].Waiting {
			if w := &s.Leaders[i].Waiting[j]; w.Conn == conn {
				w.Conn = 0
			}
		}
	}
	s.Answers = slices.DeleteFunc(s.Answers, func(a Answer) bool { return a.Conn == conn })
}

// Outstanding reports whether a request on conn is still somewhere: not handled, under way inside, or answered and the
// answer not taken.
func (sp *Spec) Outstanding(s *State, conn Conn) bool {
	for i := range s.Inbox {
		if s.Inbox[i].Conn == conn {
			return true
		}
	}
	for i := range s.Coordinator.Txns {
		if p := &s.Coordinator.Txns[i].Pending; p.Phase != Idle && p.Conn == conn {
			return true
		}
	}
	for i := range s.Leaders {
		for j := range s.Leaders[i].Waiting {
			if s.Leaders[i].Waiting[j].Conn == conn {
				return true
			}
		}
	}
	for i := range s.Answers {
		if s.Answers[i].Conn == conn {
			return true
		}
	}
	return false
}

// answer gives an answer. An answer to nobody is dropped.
func (s *State) answer(d *Decision, a Answer) {
	d.Answered, d.Code = true, a.Code
	d.ProducerID, d.Epoch = a.ProducerID, a.Epoch
	d.Conn = a.Conn
	if a.Conn == 0 {
		return
	}
	i := len(s.Answers)
	for i > 0 && s.Answers[i-1].Conn > a.Conn {
		i--
	}
	s.Answers = slices.Insert(s.Answers, i, a)
}

// send puts a message under way, in its place in the sorted bag.
func (s *State) send(m Message) {
	f := m.fields()
	i := len(s.Net)
	for i > 0 {
		if g := s.Net[i-1].fields(); compareFields(g[:], f[:]) <= 0 {
			break
		}
		i--
	}
	s.Net = slices.Insert(s.Net, i, m)
}

// receive takes message i out of the bag.
func (s *State) receive(i int) Message {
	m := s.Net[i]
	s.Net = slices.Delete(s.Net, i, i+1)
	return m
}
