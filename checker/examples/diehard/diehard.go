// Package diehard is the puzzle of the film: measure four gallons with a jug of five, a jug of three and a tap.
//
// To solve a puzzle with a model checker, claim that it can't be solved. The counterexample is the solution, and because the
// search is breadth first, a shortest one.
package diehard

import (
	"fmt"

	"github.com/onceproof/onceproof/checker"
)

// The sizes of the jugs and the amount wanted, in gallons.
const (
	SmallSize = 3
	BigSize   = 5
	Wanted    = 4
)

// State is what the jugs hold, in gallons.
type State struct{ Small, Big uint8 }

// Action is one of the six things that can be done.
type Action uint8

// The actions.
const (
	FillSmall Action = iota
	FillBig
	EmptySmall
	EmptyBig
	SmallToBig
	BigToSmall
)

// Model is the puzzle. Every action is always possible, if only to no effect: filling a full jug is a step too, as it is in the
// specification DieHard.tla, and so the numbers of generated states agree.
type Model struct{}

// Init has both jugs empty.
func (Model) Init(e *checker.Emitter[State, Action]) { *e.From(0) = State{} }

// Next gives the six actions.
func (Model) Next(s *State, e *checker.Emitter[State, Action]) {
	e.From(FillSmall).Small = SmallSize
	e.From(FillBig).Big = BigSize
	e.From(EmptySmall).Small = 0
	e.From(EmptyBig).Big = 0

	poured := min(s.Small, BigSize-s.Big)
	n := e.From(SmallToBig)
	n.Small, n.Big = s.Small-poured, s.Big+poured

	poured = min(s.Big, SmallSize-s.Small)
	n = e.From(BigToSmall)
	n.Small, n.Big = s.Small+poured, s.Big-poured
}

// Copy copies.
func (Model) Copy(dst, src *State) { *dst = *src }

// Encode takes a byte for each jug.
func (Model) Encode(b []byte, s *State) []byte { return append(b, s.Small, s.Big) }

// Decode is the inverse of Encode.
func (Model) Decode(s *State, b []byte) error {
	if len(b) != 2 {
		return fmt.Errorf("diehard: expected a state of 2 bytes, got %d", len(b))
	}
	s.Small, s.Big = b[0], b[1]
	return nil
}

// Identity names the model.
func (Model) Identity() checker.Identity { return checker.Identity{Name: "diehard", Version: "1"} }

// DescribeAction says what is done.
func (Model) DescribeAction(a Action) (actor, text string) {
	return "hero", [...]string{
		"fills the small jug", "fills the big jug", "empties the small jug", "empties the big jug",
		"pours the small jug into the big one", "pours the big jug into the small one",
	}[a]
}

// DescribeState gives the gallons in each jug.
func (Model) DescribeState(s *State) []checker.Field {
	return []checker.Field{
		{Actor: "small jug", Name: "gallons", Value: fmt.Sprint(s.Small)},
		{Actor: "big jug", Name: "gallons", Value: fmt.Sprint(s.Big)},
	}
}

// Properties claims that there is no solution.
func Properties() checker.Properties[State, Action] {
	return checker.Properties[State, Action]{Invariants: []checker.Invariant[State]{{
		Name:  "NotSolved",
		Doc:   "The big jug never holds four gallons.",
		Check: func(s *State) checker.Outcome { return checker.Require(s.Big != Wanted) },
	}}}
}
