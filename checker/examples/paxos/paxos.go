// Package paxos is the consensus algorithm Paxos as Lamport specifies it without leaders or learners (Paxos.tla): acceptors
// choose one value at most, by votes in ballots.
//
// Acceptors are interchangeable, and so are values. [Model.Canonical] says which of the states that differ only by their names
// stands for all of them; a search with symmetry visits one of each orbit.
package paxos

import (
	"github.com/onceproof/onceproof/checker"
)

// none is the ballot before the first, the value not yet there, the message not sent.
const none = -1

// Promise is a message of phase 1b: an acceptor answers a ballot with the last vote that it gave, if it gave any.
type Promise struct {
	Sent       bool
	Bal, Value int8
}

// Acceptor is what one acceptor remembers, and what it has said.
type Acceptor struct {
	// MaxBal is the highest ballot that it has taken part in.
	MaxBal int8
	// VoteBal and Vote are its last vote.
	VoteBal, Vote int8
	// Promises and Votes are its messages of phases 1b and 2b, by ballot. The value of a vote is that of the ballot's proposal.
	Promises []Promise
	Votes    []bool
}

// State is the acceptors, and the leader's messages by ballot. Messages are never consumed: who does not receive one has lost
// it, who does so late has it late.
type State struct {
	Acceptors []Acceptor
	// Begun: the message of phase 1a was sent.
	Begun []bool
	// Proposal is the value of the message of phase 2a.
	Proposal []int8
}

// Kind is the kind of an action.
type Kind uint8

// The actions, by their names in the specification.
const (
	Phase1a Kind = iota
	Phase1b
	Phase2a
	Phase2b
)

var kinds = [...]string{"Phase1a", "Phase1b", "Phase2a", "Phase2b"}

// Action is a step in ballot Bal: of its leader (1a, and 2a with Value), or of Acceptor (1b, 2b).
type Action struct {
	Kind     Kind `json:"kind"`
	Bal      int  `json:"bal"`
	Acceptor int  `json:"acceptor"`
	Value    int  `json:"value"`
}

// Model is the algorithm. A quorum is any smallest majority of the acceptors.
type Model struct {
	Acceptors, Values, Ballots int
	// Deaf breaks the algorithm: a leader proposes what it likes, whatever the promises say.
	Deaf bool
}

// Init has nothing sent.
func (m Model) Init(e *checker.Emitter[State, Action]) {
	s := State{Begun: make([]bool, m.Ballots)}
	for range m.Ballots {
		s.Proposal = append(s.Proposal, none)
	}
	for range m.Acceptors {
		s.Acceptors = append(s.Acceptors, Acceptor{none, none, none, make([]Promise, m.Ballots), make([]bool, m.Ballots)})
	}
	*e.From(Action{}) = s
}

// Next gives the steps of the leaders, then those of the acceptors.
func (m Model) Next(s *State, e *checker.Emitter[State, Action]) {
	for bal := range m.Ballots {
		// Phase 1a may be done again: a message sent twice is the same message.
		e.From(Action{Kind: Phase1a, Bal: bal}).Begun[bal] = true
		m.phase2a(s, bal, e)
	}
	for a := range s.Acceptors {
		for bal := range m.Ballots {
			m.phase1b(s, a, bal, e)
			m.phase2b(s, a, bal, e)
		}
	}
}

// phase1b: an acceptor that hears of a higher ballot than any before takes part in no lower one from now on, and says how it
// voted last.
func (m Model) phase1b(s *State, a, bal int, e *checker.Emitter[State, Action]) {
	if !s.Begun[bal] || bal <= int(s.Acceptors[a].MaxBal) {
		return
	}
	n := &e.From(Action{Kind: Phase1b, Bal: bal, Acceptor: a}).Acceptors[a]
	n.MaxBal = int8(bal)
	n.Promises[bal] = Promise{true, n.VoteBal, n.Vote}
}

// phase2a: the leader has promises from a quorum. Where none of them tells of a vote it proposes any value, else that of the
// highest ballot. As in the specification there is a step for each quorum and each promise that allows it, of which all but
// the first lead to the same state; the published numbers count them.
func (m Model) phase2a(s *State, bal int, e *checker.Emitter[State, Action]) {
	if s.Proposal[bal] != none {
		return
	}
	for quorum := range m.quorums() {
		promised, highest := true, int8(none)
		for a := range s.Acceptors {
			if quorum&(1<<a) != 0 {
				p := s.Acceptors[a].Promises[bal]
				promised = promised && p.Sent
				highest = max(highest, p.Bal)
			}
		}
		if !promised {
			continue
		}
		if highest <= none || m.Deaf {
			for v := range m.Values {
				e.From(Action{Kind: Phase2a, Bal: bal, Value: v}).Proposal[bal] = int8(v)
			}
			continue
		}
		for a := range s.Acceptors {
			p := s.Acceptors[a].Promises[bal]
			if quorum&(1<<a) != 0 && p.Bal == highest {
				e.From(Action{Kind: Phase2a, Bal: bal, Value: int(p.Value)}).Proposal[bal] = p.Value
			}
		}
	}
}

// quorums gives the sets of acceptors, as bits, that are smallest majorities.
func (m Model) quorums() func(yield func(int) bool) {
	return func(yield func(int) bool) {
		for set := range 1 << m.Acceptors {
			size := 0
			for a := range m.Acceptors {
				size += set >> a & 1
			}
			if size == m.Acceptors/2+1 && !yield(set) {
				return
			}
		}
	}
}

// phase2b: an acceptor votes for a proposal, unless it takes part in a higher ballot.
func (m Model) phase2b(s *State, a, bal int, e *checker.Emitter[State, Action]) {
	if s.Proposal[bal] == none || bal < int(s.Acceptors[a].MaxBal) {
		return
	}
	n := &e.From(Action{Kind: Phase2b, Bal: bal, Acceptor: a, Value: int(s.Proposal[bal])}).Acceptors[a]
	n.MaxBal, n.VoteBal, n.Vote = int8(bal), int8(bal), s.Proposal[bal]
	n.Votes[bal] = true
}

// Chosen: a quorum has voted for v in one ballot.
func (m Model) Chosen(s *State, v int) bool {
	for bal, proposal := range s.Proposal {
		if int(proposal) != v {
			continue
		}
		votes := 0
		for _, a := range s.Acceptors {
			if a.Votes[bal] {
				votes++
			}
		}
		if votes > m.Acceptors/2 {
			return true
		}
	}
	return false
}

func (m Model) chosen(s *State) (values int) {
	for v := range m.Values {
		if m.Chosen(s, v) {
			values++
		}
	}
	return values
}

// Properties are those of consensus. None of them knows an acceptor or a value by its name, which symmetry asks for.
func (m Model) Properties() checker.Properties[State, Action] {
	return checker.Properties[State, Action]{
		Invariants: []checker.Invariant[State]{{
			Name:  "OneValue",
			Doc:   "At most one value is chosen.",
			Check: func(s *State) checker.Outcome { return checker.Require(m.chosen(s) <= 1) },
		}},
		Steps: []checker.StepProperty[State, Action]{{
			Name: "ForEver",
			Doc:  "What is chosen stays chosen.",
			Check: func(old *State, _ Action, new *State) checker.Outcome {
				for v := range m.Values {
					if m.Chosen(old, v) && !m.Chosen(new, v) {
						return checker.Falls
					}
				}
				return checker.Holds
			},
		}},
		Witnesses: []checker.Witness[State]{{
			Name: "Chooses", Doc: "A value is chosen.", Reached: func(s *State) bool { return m.chosen(s) > 0 },
		}},
	}
}
