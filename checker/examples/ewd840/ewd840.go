// Package ewd840 detects on a ring of nodes that all of them have come to rest, after Dijkstra, Feijen and van Gasteren,
// "Derivation of a termination detection algorithm for distributed computations" (EWD 840).
//
// Active nodes wake others by messages, which arrive at once, and come to rest by themselves. A token goes round, from node 0
// to the last and down. It comes back white only if nobody was at work behind it. The model shows an invariant with a premise
// (what is claimed must be true), the invariant from which the paper derives the algorithm, and with [checker.CanReach] that
// the token alone can always bring the news.
package ewd840

import (
	"fmt"

	"github.com/onceproof/onceproof/checker"
)

// Node is one of the ring.
type Node struct {
	Active bool
	// Black: has woken a node that the token may have passed already.
	Black bool
}

// State is the nodes and the token.
type State struct {
	Nodes []Node
	// Token is the node that has it.
	Token int
	// TokenBlack: the round says nothing.
	TokenBlack bool
}

// Kind is the kind of an action.
type Kind uint8

// The actions: the first two are the algorithm's, the others those of the nodes that it watches.
const (
	InitiateProbe Kind = iota
	PassToken
	SendMsg
	Deactivate
)

var kinds = [...]string{"InitiateProbe", "PassToken", "SendMsg", "Deactivate"}

// Action is one step of a node; To is whom it wakes.
type Action struct {
	Kind Kind `json:"kind"`
	Node int  `json:"node"`
	To   int  `json:"to"`
}

// Model is a ring of N nodes.
type Model struct {
	N int
	// Forgetful breaks the algorithm: a node that wakes another stays white.
	Forgetful bool
}

// Init gives every combination of nodes and place of the token. The token begins black, so that nothing is claimed before it
// has been round.
func (m Model) Init(e *checker.Emitter[State, Action]) {
	for token := range m.N {
		for x := range 1 << (2 * m.N) {
			s := e.From(Action{})
			s.Nodes = s.Nodes[:0]
			for i := range m.N {
				s.Nodes = append(s.Nodes, Node{Active: x>>(2*i)&1 != 0, Black: x>>(2*i)&2 != 0})
			}
			s.Token, s.TokenBlack = token, true
		}
	}
}

// Next gives the steps of the algorithm, then those of the nodes.
func (m Model) Next(s *State, e *checker.Emitter[State, Action]) {
	m.initiateProbe(s, e)
	m.passToken(s, e)
	for i, node := range s.Nodes {
		if !node.Active {
			continue
		}
		m.sendMsg(i, e)
		e.From(Action{Kind: Deactivate, Node: i}).Nodes[i].Active = false
	}
}

// initiateProbe: the last round said nothing, so node 0 becomes white and sends a white token on another.
func (m Model) initiateProbe(s *State, e *checker.Emitter[State, Action]) {
	if s.Token != 0 {
		return
	}
	for range holding(s.TokenBlack, s.Nodes[0].Black) {
		n := e.From(Action{Kind: InitiateProbe})
		n.Token, n.TokenBlack = m.N-1, false
		n.Nodes[0].Black = false
	}
}

// passToken: a node at rest hands the token down. One that is black stains it, and is white from then on; where the round is
// void anyway, an active node need not keep it.
func (m Model) passToken(s *State, e *checker.Emitter[State, Action]) {
	i := s.Token
	if i == 0 {
		return
	}
	for range holding(!s.Nodes[i].Active, s.Nodes[i].Black, s.TokenBlack) {
		n := e.From(Action{Kind: PassToken, Node: i})
		n.Token--
		n.TokenBlack = s.TokenBlack || s.Nodes[i].Black
		n.Nodes[i].Black = false
	}
}

// holding counts the reasons for a step that are true. One would do, but TLC takes a step for each disjunct of a guard that is
// true, and the published numbers of generated states count them all.
func holding(reasons ...bool) (n int) {
	for _, r := range reasons {
		if r {
			n++
		}
	}
	return n
}

// sendMsg: an active node wakes another. If that is one that the token has passed, the node becomes black.
func (m Model) sendMsg(i int, e *checker.Emitter[State, Action]) {
	for to := range m.N {
		if to == i {
			continue
		}
		n := e.From(Action{Kind: SendMsg, Node: i, To: to})
		n.Nodes[to].Active = true
		if to > i && !m.Forgetful {
			n.Nodes[i].Black = true
		}
	}
}

// Copy copies deeply.
func (Model) Copy(dst, src *State) {
	nodes := append(dst.Nodes[:0], src.Nodes...)
	*dst = *src
	dst.Nodes = nodes
}

// Encode takes a byte for each node and one for the token.
func (Model) Encode(b []byte, s *State) []byte {
	for _, n := range s.Nodes {
		b = append(b, bit(n.Active)|bit(n.Black)<<1)
	}
	return append(b, byte(s.Token)<<1|bit(s.TokenBlack))
}

func bit(b bool) byte {
	if b {
		return 1
	}
	return 0
}

// Decode is the inverse of Encode.
func (m Model) Decode(s *State, b []byte) error {
	if len(b) != m.N+1 {
		return fmt.Errorf("ewd840: expected a state of %d bytes, got %d", m.N+1, len(b))
	}
	s.Nodes = s.Nodes[:0]
	for _, x := range b[:m.N] {
		s.Nodes = append(s.Nodes, Node{Active: x&1 != 0, Black: x&2 != 0})
	}
	s.Token, s.TokenBlack = int(b[m.N]>>1), b[m.N]&1 != 0
	return nil
}

// Identity names the model and its bounds.
func (m Model) Identity() checker.Identity {
	i := checker.Identity{Name: "ewd840", Version: "1", Bounds: []checker.Bound{{Name: "nodes", Value: fmt.Sprint(m.N)}}}
	if m.Forgetful {
		i.Name = "ewd840-forgetful"
	}
	return i
}

// ActionKinds names the actions for coverage.
func (Model) ActionKinds() []string { return kinds[:] }

// ActionKind is the kind of an action.
func (Model) ActionKind(a Action) int { return int(a.Kind) }

// Terminated: all nodes are at rest, and so will be for ever.
func Terminated(s *State) bool {
	for _, n := range s.Nodes {
		if n.Active {
			return false
		}
	}
	return true
}

// Detected: node 0 may claim that all are at rest.
func Detected(s *State) bool {
	return s.Token == 0 && !s.TokenBlack && !s.Nodes[0].Black && !s.Nodes[0].Active
}

// invariant is the one of the paper: behind the token all are at rest, or a black node before it or the token itself says
// that the round is void.
func invariant(s *State) bool {
	if s.TokenBlack {
		return true
	}
	for _, n := range s.Nodes[:s.Token+1] {
		if n.Black {
			return true
		}
	}
	for _, n := range s.Nodes[s.Token+1:] {
		if n.Active {
			return false
		}
	}
	return true
}

// Properties are that nothing false is claimed, why, and that what is true can always be claimed in the end, also by steps of
// the token alone once all nodes are at rest.
func Properties() checker.Properties[State, Action] {
	return checker.Properties[State, Action]{
		Invariants: []checker.Invariant[State]{
			{
				Name:  "TerminationDetection",
				Doc:   "When node 0 claims that all nodes are at rest, they are.",
				Check: func(s *State) checker.Outcome { return checker.Implies(Detected(s), Terminated(s)) },
			},
			{
				Name:  "Invariant",
				Doc:   "Behind the token all are at rest, or something black says that the round is void.",
				Check: func(s *State) checker.Outcome { return checker.Require(invariant(s)) },
			},
		},
		CanReach: []checker.CanReach[State, Action]{
			{
				Name: "CanDetect",
				Doc:  "If nobody wakes anybody any more, that all are at rest can be detected.",
				Goal: Detected,
				By:   func(a Action) bool { return a.Kind != SendMsg },
			},
			{
				Name: "TokenBringsNews",
				Doc:  "While some node is at work, or else by steps of the token alone, rest can be detected.",
				Goal: func(s *State) bool { return !Terminated(s) || Detected(s) },
				By:   func(a Action) bool { return a.Kind == InitiateProbe || a.Kind == PassToken },
			},
		},
		// When all are at rest and it is known, nothing is left to do.
		MayStop: Detected,
	}
}
