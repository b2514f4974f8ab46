package paxos

import (
	"bytes"
	"fmt"

	"github.com/onceproof/onceproof/checker"
)

// Copy copies deeply.
func (m Model) Copy(dst, src *State) {
	dst.Begun = append(dst.Begun[:0], src.Begun...)
	dst.Proposal = append(dst.Proposal[:0], src.Proposal...)
	dst.Acceptors = m.room(dst.Acceptors)
	for i, from := range src.Acceptors {
		to := &dst.Acceptors[i]
		promises, votes := to.Promises, to.Votes
		*to = from
		to.Promises = append(promises[:0], from.Promises...)
		to.Votes = append(votes[:0], from.Votes...)
	}
}

// room makes the list as long as there are acceptors, and keeps what memory it has.
func (m Model) room(list []Acceptor) []Acceptor {
	if len(list) != m.Acceptors {
		return make([]Acceptor, m.Acceptors)
	}
	return list
}

// Encode takes two bytes for each ballot, and three bytes and two for each ballot for each acceptor. Ballots and values come
// plus 1, so that none is 0.
func (m Model) Encode(b []byte, s *State) []byte {
	for bal, begun := range s.Begun {
		b = append(b, bit(begun), byte(s.Proposal[bal]+1))
	}
	for i := range s.Acceptors {
		b = m.encodeAcceptor(b, &s.Acceptors[i])
	}
	return b
}

func (m Model) encodeAcceptor(b []byte, a *Acceptor) []byte {
	b = append(b, byte(a.MaxBal+1), byte(a.VoteBal+1), byte(a.Vote+1))
	for bal, p := range a.Promises {
		x := bit(a.Votes[bal]) | bit(p.Sent)<<1
		if p.Sent {
			x |= byte(p.Bal+1) << 2
		}
		b = append(b, x)
		if p.Sent {
			x = byte(p.Value + 1)
		} else {
			x = 0
		}
		b = append(b, x)
	}
	return b
}

func bit(b bool) byte {
	if b {
		return 1
	}
	return 0
}

// Decode is the inverse of Encode.
func (m Model) Decode(s *State, b []byte) error {
	if want := 2*m.Ballots + m.Acceptors*(3+2*m.Ballots); len(b) != want {
		return fmt.Errorf("paxos: expected a state of %d bytes, got %d", want, len(b))
	}
	s.Begun, s.Proposal = s.Begun[:0], s.Proposal[:0]
	for range m.Ballots {
		s.Begun = append(s.Begun, b[0] == 1)
		s.Proposal = append(s.Proposal, int8(b[1])-1)
		b = b[2:]
	}
	s.Acceptors = m.room(s.Acceptors)
	for i := range s.Acceptors {
		a := &s.Acceptors[i]
		a.MaxBal, a.VoteBal, a.Vote = int8(b[0])-1, int8(b[1])-1, int8(b[2])-1
		a.Promises, a.Votes = a.Promises[:0], a.Votes[:0]
		b = b[3:]
		for range m.Ballots {
			a.Votes = append(a.Votes, b[0]&1 != 0)
			p := Promise{Sent: b[0]&2 != 0}
			if p.Sent {
				p.Bal, p.Value = int8(b[0]>>2)-1, int8(b[1])-1
			}
			a.Promises = append(a.Promises, p)
			b = b[2:]
		}
	}
	return nil
}

// Canonical rewrites a state to the one of its orbit with the least encoding: it tries each renaming of the values, and for
// each sorts the acceptors, which have nothing else that tells them apart.
func (m Model) Canonical(s *State) {
	var best State
	var least, code []byte
	permutations(m.Values, func(to []int8) {
		var n State
		m.Copy(&n, s)
		rename(&n, to)
		m.sort(n.Acceptors)
		code = m.Encode(code[:0], &n)
		if least == nil || bytes.Compare(code, least) < 0 {
			least, best = append(least[:0], code...), n
		}
	})
	m.Copy(s, &best)
}

// rename gives each value v the name to[v].
func rename(s *State, to []int8) {
	for bal, v := range s.Proposal {
		if v != none {
			s.Proposal[bal] = to[v]
		}
	}
	for i := range s.Acceptors {
		a := &s.Acceptors[i]
		if a.Vote != none {
			a.Vote = to[a.Vote]
		}
		for bal, p := range a.Promises {
			if p.Sent && p.Value != none {
				a.Promises[bal].Value = to[p.Value]
			}
		}
	}
}

// sort orders acceptors by their encodings; they are few.
func (m Model) sort(list []Acceptor) {
	var x, y []byte
	for i := range list {
		for j := i; j > 0; j-- {
			x, y = m.encodeAcceptor(x[:0], &list[j-1]), m.encodeAcceptor(y[:0], &list[j])
			if bytes.Compare(x, y) <= 0 {
				break
			}
			list[j-1], list[j] = list[j], list[j-1]
		}
	}
}

// permutations calls use with each order of the numbers below n, in memory that it uses again.
func permutations(n int, use func([]int8)) {
	list := make([]int8, n)
	for i := range list {
		list[i] = int8(i)
	}
	var from func(i int)
	from = func(i int) {
		if i == n {
			use(list)
			return
		}
		for j := i; j < n; j++ {
			list[i], list[j] = list[j], list[i]
			from(i + 1)
			list[i], list[j] = list[j], list[i]
		}
	}
	from(0)
}

// Identity names the model and its bounds.
func (m Model) Identity() checker.Identity {
	i := checker.Identity{Name: "paxos", Version: "1", Bounds: []checker.Bound{
		{Name: "acceptors", Value: fmt.Sprint(m.Acceptors)},
		{Name: "values", Value: fmt.Sprint(m.Values)},
		{Name: "ballots", Value: fmt.Sprint(m.Ballots)},
	}}
	if m.Deaf {
		i.Name = "paxos-deaf"
	}
	return i
}

// ActionKinds names the actions for coverage.
func (Model) ActionKinds() []string { return kinds[:] }

// ActionKind is the kind of an action.
func (Model) ActionKind(a Action) int { return int(a.Kind) }
