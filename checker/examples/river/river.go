// Package river is the puzzle of the missionaries and cannibals: so many of each cross a river in a boat for a few, and on no
// bank may missionaries be outnumbered by cannibals.
//
// That everybody gets across is a [checker.Witness]: a state that has to be reachable. Where it is not, as with four of each in
// a boat for two, that is the violation, and no trace can show it.
package river

import (
	"fmt"

	"github.com/onceproof/onceproof/checker"
)

// State is who is still on the bank where they start; all others are on the far one.
type State struct {
	Missionaries, Cannibals int
	// Far says on which bank the boat is.
	Far bool
}

// Action is a crossing by those in the boat.
type Action struct {
	Missionaries int `json:"missionaries"`
	Cannibals    int `json:"cannibals"`
}

// Model is the puzzle with so many of each, and so many places in the boat.
type Model struct{ Each, Boat int }

// Init has everybody and the boat on the near bank.
func (m Model) Init(e *checker.Emitter[State, Action]) {
	*e.From(Action{}) = State{Missionaries: m.Each, Cannibals: m.Each}
}

// Next tries each load of the boat that has somebody to row, and drops those after which somebody is eaten.
func (m Model) Next(s *State, e *checker.Emitter[State, Action]) {
	for missionaries := range m.Boat + 1 {
		for cannibals := range m.Boat + 1 - missionaries {
			if missionaries+cannibals == 0 {
				continue
			}
			n := e.From(Action{missionaries, cannibals})
			if s.Far {
				n.Missionaries += missionaries
				n.Cannibals += cannibals
			} else {
				n.Missionaries -= missionaries
				n.Cannibals -= cannibals
			}
			n.Far = !s.Far
			if !m.possible(n) || !m.safe(n) {
				e.Drop()
			}
		}
	}
}

// possible is false if there were not as many to take.
func (m Model) possible(s *State) bool {
	return 0 <= s.Missionaries && s.Missionaries <= m.Each && 0 <= s.Cannibals && s.Cannibals <= m.Each
}

// safe looks at both banks. Cannibals among themselves harm nobody.
func (m Model) safe(s *State) bool {
	near := s.Missionaries == 0 || s.Missionaries >= s.Cannibals
	far := s.Missionaries == m.Each || m.Each-s.Missionaries >= m.Each-s.Cannibals
	return near && far
}

// Copy copies.
func (Model) Copy(dst, src *State) { *dst = *src }

// Encode takes a byte for each number and one for the boat.
func (Model) Encode(b []byte, s *State) []byte {
	b = append(b, byte(s.Missionaries), byte(s.Cannibals), 0)
	if s.Far {
		b[len(b)-1] = 1
	}
	return b
}

// Decode is the inverse of Encode.
func (Model) Decode(s *State, b []byte) error {
	if len(b) != 3 {
		return fmt.Errorf("river: expected a state of 3 bytes, got %d", len(b))
	}
	*s = State{Missionaries: int(b[0]), Cannibals: int(b[1]), Far: b[2] == 1}
	return nil
}

// Identity names the model and its bounds.
func (m Model) Identity() checker.Identity {
	return checker.Identity{Name: "river", Version: "1", Bounds: []checker.Bound{
		{Name: "each", Value: fmt.Sprint(m.Each)}, {Name: "boat", Value: fmt.Sprint(m.Boat)},
	}}
}

// Across is true when nobody is left on the near bank.
func Across(s *State) bool { return s.Missionaries == 0 && s.Cannibals == 0 }

// Properties asks for a way across.
func Properties() checker.Properties[State, Action] {
	return checker.Properties[State, Action]{
		Witnesses: []checker.Witness[State]{{Name: "Across", Doc: "Everybody gets to the far bank.", Reached: Across}},
	}
}
