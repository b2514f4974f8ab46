// Package philosophers is the problem of the dining philosophers: between each two of them at the round table lies one fork,
// and to eat takes both.
//
// When everybody holds one fork and waits for the other, nobody can go on: a deadlock, to which the checker gives the shortest
// way. With the forks numbered, and everybody taking the lower number first, there is none.
package philosophers

import (
	"fmt"

	"github.com/onceproof/onceproof/checker"
)

// Philosopher is how far one has come.
type Philosopher struct {
	// Hungry: wants to eat, until both forks are laid down again.
	Hungry bool
	// Left and Right: holds that fork.
	Left, Right bool
}

// State is all of them, clockwise. Fork i lies to the left of philosopher i, who has fork i+1 to the right.
type State struct{ At []Philosopher }

// Kind is the kind of an action.
type Kind uint8

// The actions.
const (
	GetHungry Kind = iota
	TakeLeft
	TakeRight
	PutDown
)

var kinds = [...]string{"GetHungry", "TakeLeft", "TakeRight", "PutDown"}

// Action is one step of a philosopher.
type Action struct {
	Kind Kind `json:"kind"`
	Who  int  `json:"who"`
}

// Model is a table of Seats, two or more.
type Model struct {
	Seats int
	// InOrder has everybody take the fork with the lower number first. That is the left one, but for the last seat, whose
	// right fork is fork 0; so there can't be a ring of philosophers that wait for each other.
	InOrder bool
}

// Init has everybody thinking.
func (m Model) Init(e *checker.Emitter[State, Action]) {
	*e.From(Action{}) = State{make([]Philosopher, m.Seats)}
}

// Next gives the steps of each philosopher.
func (m Model) Next(s *State, e *checker.Emitter[State, Action]) {
	for i, p := range s.At {
		switch {
		case !p.Hungry:
			e.From(Action{GetHungry, i}).At[i].Hungry = true
		case p.Left && p.Right:
			e.From(Action{PutDown, i}).At[i] = Philosopher{}
		}
		last := i == m.Seats-1
		neighbour := s.At[(i+m.Seats-1)%m.Seats]
		if p.Hungry && !p.Left && !neighbour.Right && !(m.InOrder && last && !p.Right) {
			e.From(Action{TakeLeft, i}).At[i].Left = true
		}
		neighbour = s.At[(i+1)%m.Seats]
		if p.Hungry && !p.Right && !neighbour.Left && !(m.InOrder && !last && !p.Left) {
			e.From(Action{TakeRight, i}).At[i].Right = true
		}
	}
}

// Copy copies deeply.
func (Model) Copy(dst, src *State) { dst.At = append(dst.At[:0], src.At...) }

// Encode takes a byte for each philosopher.
func (Model) Encode(b []byte, s *State) []byte {
	for _, p := range s.At {
		b = append(b, bit(p.Hungry)|bit(p.Left)<<1|bit(p.Right)<<2)
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
	if len(b) != m.Seats {
		return fmt.Errorf("philosophers: expected a state of %d bytes, got %d", m.Seats, len(b))
	}
	s.At = s.At[:0]
	for _, x := range b {
		s.At = append(s.At, Philosopher{Hungry: x&1 != 0, Left: x&2 != 0, Right: x&4 != 0})
	}
	return nil
}

// Identity names the model and its bounds.
func (m Model) Identity() checker.Identity {
	i := checker.Identity{Name: "philosophers", Version: "1", Bounds: []checker.Bound{{Name: "seats", Value: fmt.Sprint(m.Seats)}}}
	if m.InOrder {
		i.Name = "philosophers-in-order"
	}
	return i
}

// ActionKinds names the actions for coverage.
func (Model) ActionKinds() []string { return kinds[:] }

// ActionKind is the kind of an action.
func (Model) ActionKind(a Action) int { return int(a.Kind) }

// DescribeAction says who does what.
func (Model) DescribeAction(a Action) (actor, text string) {
	return fmt.Sprintf("philosopher %d", a.Who), [...]string{
		"gets hungry", "takes the left fork", "takes the right fork", "puts both forks down",
	}[a.Kind]
}

// DescribeState gives what each is at.
func (Model) DescribeState(s *State) []checker.Field {
	var fields []checker.Field
	for i, p := range s.At {
		value := "thinks"
		switch {
		case p.Left && p.Right:
			value = "eats"
		case p.Left:
			value = "holds the left fork"
		case p.Right:
			value = "holds the right fork"
		case p.Hungry:
			value = "is hungry"
		}
		fields = append(fields, checker.Field{Actor: fmt.Sprintf("philosopher %d", i), Name: "state", Value: value})
	}
	return fields
}

// Properties asks that no fork is in two hands, and that the last philosopher eats at some time. That nobody is stuck is
// checked of every model.
func Properties() checker.Properties[State, Action] {
	return checker.Properties[State, Action]{
		Invariants: []checker.Invariant[State]{{
			Name: "OneHand",
			Doc:  "A fork is held by one philosopher at most.",
			Check: func(s *State) checker.Outcome {
				for i, p := range s.At {
					if p.Right && s.At[(i+1)%len(s.At)].Left {
						return checker.Falls
					}
				}
				return checker.Holds
			},
		}},
		Witnesses: []checker.Witness[State]{{
			Name:    "Eats",
			Doc:     "The last philosopher eats.",
			Reached: func(s *State) bool { p := s.At[len(s.At)-1]; return p.Left && p.Right },
		}},
	}
}
