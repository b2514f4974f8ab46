// Package twophase is Two-Phase Commit after Gray and Lamport ("Consensus on Transaction Commit", the TLA+ specification
// TwoPhase), as an example of a model: resource managers decide together, through a transaction manager, whether all commit
// or all abort.
//
// Its numbers of states are published, which makes it a test of the checker.
package twophase

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/onceproof/onceproof/checker"
)

// RMState is what a resource manager has come to.
type RMState uint8

// The states of a resource manager.
const (
	Working RMState = iota
	Prepared
	Committed
	Aborted
)

func (s RMState) String() string {
	return [...]string{"working", "prepared", "committed", "aborted"}[s]
}

// TMState is what the transaction manager has decided.
type TMState uint8

// The states of the transaction manager.
const (
	Init TMState = iota
	DecidedCommit
	DecidedAbort
)

func (s TMState) String() string {
	return [...]string{"init", "committed", "aborted"}[s]
}

// State is a state of the whole protocol. Messages are never consumed: a set of those ever sent allows for any loss, delay
// and duplication, since nobody has to receive.
type State struct {
	RM []RMState
	TM TMState
	// TMPrepared are the resource managers of which the transaction manager knows that they are prepared.
	TMPrepared []bool
	// PreparedSent, CommitSent and AbortSent are the messages.
	PreparedSent []bool
	CommitSent   bool
	AbortSent    bool
}

// Kind is the kind of an action.
type Kind uint8

// The actions, by their names in the TLA+ specification.
const (
	TMRcvPrepared Kind = iota
	TMCommit
	TMAbort
	RMPrepare
	RMChooseToAbort
	RMRcvCommitMsg
	RMRcvAbortMsg
)

var kinds = [...]string{
	"TMRcvPrepared", "TMCommit", "TMAbort", "RMPrepare", "RMChooseToAbort", "RMRcvCommitMsg", "RMRcvAbortMsg",
}

func (k Kind) String() string { return kinds[k] }

// Action is one step; RM is the resource manager that it concerns, if any.
type Action struct {
	Kind Kind `json:"kind"`
	RM   int  `json:"rm"`
}

// Model is the protocol with RMs resource managers.
type Model struct {
	RMs int
	// Hasty breaks the protocol: the transaction manager commits without waiting for the last resource manager.
	Hasty bool
}

// Init has everyone at the start.
func (m Model) Init(e *checker.Emitter[State, Action]) {
	*e.From(Action{}) = State{RM: make([]RMState, m.RMs), TMPrepared: make([]bool, m.RMs), PreparedSent: make([]bool, m.RMs)}
}

// Next gives the steps of the transaction manager, then those of each resource manager.
func (m Model) Next(s *State, e *checker.Emitter[State, Action]) {
	m.tmCommit(s, e)
	m.tmAbort(s, e)
	for rm := range m.RMs {
		m.tmRcvPrepared(s, rm, e)
		m.rmPrepare(s, rm, e)
		m.rmChooseToAbort(s, rm, e)
		m.rmRcvCommitMsg(s, rm, e)
		m.rmRcvAbortMsg(s, rm, e)
	}
}

// tmCommit: all are prepared, so the transaction manager decides to commit.
func (m Model) tmCommit(s *State, e *checker.Emitter[State, Action]) {
	if s.TM != Init {
		return
	}
	waits := m.RMs
	if m.Hasty {
		waits--
	}
	for _, prepared := range s.TMPrepared[:waits] {
		if !prepared {
			return
		}
	}
	n := e.From(Action{Kind: TMCommit})
	n.TM = DecidedCommit
	n.CommitSent = true
}

// tmAbort: the transaction manager gives up, for whatever reason.
func (m Model) tmAbort(s *State, e *checker.Emitter[State, Action]) {
	if s.TM != Init {
		return
	}
	n := e.From(Action{Kind: TMAbort})
	n.TM = DecidedAbort
	n.AbortSent = true
}

// tmRcvPrepared: the transaction manager receives that one is prepared, perhaps not for the first time.
func (m Model) tmRcvPrepared(s *State, rm int, e *checker.Emitter[State, Action]) {
	if s.TM != Init || !s.PreparedSent[rm] {
		return
	}
	n := e.From(Action{Kind: TMRcvPrepared, RM: rm})
	n.TMPrepared[rm] = true
}

// rmPrepare: one is ready to commit, and from now on bound by the decision.
func (m Model) rmPrepare(s *State, rm int, e *checker.Emitter[State, Action]) {
	if s.RM[rm] != Working {
		return
	}
	n := e.From(Action{Kind: RMPrepare, RM: rm})
	n.RM[rm] = Prepared
	n.PreparedSent[rm] = true
}

// rmChooseToAbort: one that is not yet bound gives up. It tells nobody; the transaction manager will give up in the end.
func (m Model) rmChooseToAbort(s *State, rm int, e *checker.Emitter[State, Action]) {
	if s.RM[rm] != Working {
		return
	}
	n := e.From(Action{Kind: RMChooseToAbort, RM: rm})
	n.RM[rm] = Aborted
}

// rmRcvCommitMsg: one is told to commit.
func (m Model) rmRcvCommitMsg(s *State, rm int, e *checker.Emitter[State, Action]) {
	if !s.CommitSent {
		return
	}
	n := e.From(Action{Kind: RMRcvCommitMsg, RM: rm})
	n.RM[rm] = Committed
}

// rmRcvAbortMsg: one is told to abort.
func (m Model) rmRcvAbortMsg(s *State, rm int, e *checker.Emitter[State, Action]) {
	if !s.AbortSent {
		return
	}
	n := e.From(Action{Kind: RMRcvAbortMsg, RM: rm})
	n.RM[rm] = Aborted
}

// Copy copies deeply.
func (m Model) Copy(dst, src *State) {
	rm, tmPrepared, preparedSent := dst.RM, dst.TMPrepared, dst.PreparedSent
	*dst = *src
	dst.RM = append(rm[:0], src.RM...)
	dst.TMPrepared = append(tmPrepared[:0], src.TMPrepared...)
	dst.PreparedSent = append(preparedSent[:0], src.PreparedSent...)
}

// Encode takes a byte for each resource manager and one for the rest.
func (m Model) Encode(b []byte, s *State) []byte {
	for i, rm := range s.RM {
		b = append(b, byte(rm)|bit(s.TMPrepared[i])<<2|bit(s.PreparedSent[i])<<3)
	}
	return append(b, byte(s.TM)|bit(s.CommitSent)<<2|bit(s.AbortSent)<<3)
}

func bit(b bool) byte {
	if b {
		return 1
	}
	return 0
}

// Decode is the inverse of Encode.
func (m Model) Decode(s *State, b []byte) error {
	if len(b) != m.RMs+1 {
		return fmt.Errorf("twophase: expected a state of %d bytes, got %d", m.RMs+1, len(b))
	}
	s.RM, s.TMPrepared, s.PreparedSent = s.RM[:0], s.TMPrepared[:0], s.PreparedSent[:0]
	for _, x := range b[:m.RMs] {
		s.RM = append(s.RM, RMState(x&3))
		s.TMPrepared = append(s.TMPrepared, x&4 != 0)
		s.PreparedSent = append(s.PreparedSent, x&8 != 0)
	}
	x := b[m.RMs]
	s.TM, s.CommitSent, s.AbortSent = TMState(x&3), x&4 != 0, x&8 != 0
	return nil
}

// Identity names the model and its bounds.
func (m Model) Identity() checker.Identity {
	i := checker.Identity{Name: "twophase", Version: "1", Bounds: []checker.Bound{{Name: "rms", Value: strconv.Itoa(m.RMs)}}}
	if m.Hasty {
		i.Name = "twophase-hasty"
	}
	return i
}

// ActionKinds names the actions for coverage.
func (m Model) ActionKinds() []string { return kinds[:] }

// ActionKind is the kind of an action.
func (m Model) ActionKind(a Action) int { return int(a.Kind) }

// DescribeAction says who does what.
func (m Model) DescribeAction(a Action) (actor, text string) {
	switch a.Kind {
	case TMCommit:
		return "TM", "decides to commit"
	case TMAbort:
		return "TM", "decides to abort"
	case TMRcvPrepared:
		return "TM", fmt.Sprintf("learns that RM %d is prepared", a.RM)
	}
	actor = fmt.Sprintf("RM %d", a.RM)
	switch a.Kind {
	case RMPrepare:
		return actor, "prepares"
	case RMChooseToAbort:
		return actor, "chooses to abort"
	case RMRcvCommitMsg:
		return actor, "is told to commit"
	}
	return actor, "is told to abort"
}

// Sender is the manager whose message an action receives.
func (m Model) Sender(a Action) string {
	switch a.Kind {
	case TMRcvPrepared:
		return fmt.Sprintf("RM %d", a.RM)
	case RMRcvCommitMsg, RMRcvAbortMsg:
		return "TM"
	}
	return ""
}

// DescribeState gives the state of each manager; messages show in what they do.
func (m Model) DescribeState(s *State) []checker.Field {
	var known []string
	for rm, prepared := range s.TMPrepared {
		if prepared {
			known = append(known, strconv.Itoa(rm))
		}
	}
	fields := []checker.Field{
		{Actor: "TM", Name: "state", Value: s.TM.String()},
		{Actor: "TM", Name: "prepared", Value: "{" + strings.Join(known, " ") + "}"},
	}
	for rm, state := range s.RM {
		fields = append(fields, checker.Field{Actor: fmt.Sprintf("RM %d", rm), Name: "state", Value: state.String()})
	}
	return fields
}

// Properties are the safety of the protocol and that both ends can come about.
func Properties() checker.Properties[State, Action] {
	return checker.Properties[State, Action]{
		Invariants: []checker.Invariant[State]{{
			Name:  "Consistent",
			Doc:   "No resource manager has committed while another has aborted.",
			Check: func(s *State) checker.Outcome { return checker.Require(!some(s, Committed) || !some(s, Aborted)) },
		}},
		Witnesses: []checker.Witness[State]{
			{Name: "Commits", Doc: "All resource managers commit.", Reached: func(s *State) bool { return all(s, Committed) }},
			{Name: "Aborts", Doc: "All resource managers abort.", Reached: func(s *State) bool { return all(s, Aborted) }},
		},
		// All may have aborted of their own accord, with a transaction manager that has yet to give up: that is no end.
		MayStop: func(s *State) bool { return all(s, Committed) || all(s, Aborted) },
	}
}

func some(s *State, state RMState) bool {
	for _, rm := range s.RM {
		if rm == state {
			return true
		}
	}
	return false
}

func all(s *State, state RMState) bool {
	for _, rm := range s.RM {
		if rm != state {
			return false
		}
	}
	return true
}
