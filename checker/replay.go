package checker

import (
	"fmt"
	"slices"
	"strings"
)

// player runs a model along one path and describes it.
type player[S any, A comparable] struct {
	model   Model[S, A]
	words   []Decision
	emitter Emitter[S, A]
	state   S
	next    S
	trace   Trace[A]

	// choose says whether the step with this ordinal is the one to take.
	choose  func(ordinal int, a A) bool
	ordinal int
	taken   bool
	step    Step[A]
	// offered are the actions of the steps that could have been taken.
	offered []A
}

func newPlayer[S any, A comparable](m Model[S, A]) *player[S, A] {
	p := &player[S, A]{model: m, words: decisions(m), trace: Trace[A]{Model: identity(m), Steps: []Step[A]{}}}
	p.emitter = Emitter[S, A]{model: m, sink: p}
	return p
}

func (p *player[S, A]) publish(a A, n *S, decisions []int) {
	if !p.taken && p.choose(p.ordinal, a) {
		p.taken = true
		p.model.Copy(&p.next, n)
		p.step = Step[A]{Action: a}
		for _, earlier := range p.offered {
			if earlier == a {
				p.step.Choice++
			}
		}
		for _, d := range decisions {
			p.step.Decisions = append(p.step.Decisions, p.words[d])
		}
	}
	p.offered = append(p.offered, a)
	p.ordinal++
}

func (p *player[S, A]) prepare(choose func(ordinal int, a A) bool) {
	p.choose, p.ordinal, p.taken, p.offered = choose, 0, false, nil
}

// start goes to an initial state, by its ordinal.
func (p *player[S, A]) start(initial int) bool {
	p.prepare(func(ordinal int, _ A) bool { return ordinal == initial })
	p.emitter.init()
	if !p.taken {
		return false
	}
	p.model.Copy(&p.state, &p.next)
	p.trace.Initial = initial
	p.trace.State = describeState(p.model, &p.state)
	return true
}

// take takes the first step that is chosen.
func (p *player[S, A]) take(choose func(ordinal int, a A) bool) bool {
	p.prepare(choose)
	p.emitter.next(&p.state)
	if !p.taken {
		return false
	}
	p.trace.Length++
	p.step.Number = p.trace.Length
	p.step.Actor, p.step.Text = describeAction(p.model, p.step.Action)
	p.step.From = sender(p.model, p.step.Action)
	p.step.Changes = changes(describeState(p.model, &p.state), describeState(p.model, &p.next))
	p.trace.Steps = append(p.trace.Steps, p.step)
	p.model.Copy(&p.state, &p.next)
	return true
}

// follow runs along ordinals, as links hold them.
func (p *player[S, A]) follow(path []int) error {
	if !p.start(path[0]) {
		return fmt.Errorf("checker: Init does not give the same states each time: no initial state %d", path[0])
	}
	for i, wanted := range path[1:] {
		if !p.take(func(ordinal int, _ A) bool { return ordinal == wanted }) {
			return fmt.Errorf("checker: Next does not give the same steps each time: after %d steps there were %d, not more than %d",
				i, p.ordinal, wanted)
		}
	}
	return nil
}

// Replay runs a model along the actions of a trace and returns the trace as the model gives it now. After each step, and
// before the first with number 0, it calls visit, unless that is nil; the state is valid during the call only. The error names
// the first step that is not enabled, and what is.
func Replay[S any, A comparable](m Model[S, A], t *Trace[A], visit func(step int, s *S)) (*Trace[A], error) {
	p := newPlayer(m)
	if !p.start(t.Initial) {
		return nil, fmt.Errorf("checker: replay of %s: there is no initial state %d, only %d", t.Model.Name, t.Initial, p.ordinal)
	}
	if visit != nil {
		visit(0, &p.state)
	}
	for i, s := range t.Steps {
		skip := s.Choice
		taken := p.take(func(_ int, a A) bool {
			if a != s.Action {
				return false
			}
			skip--
			return skip < 0
		})
		if !taken {
			return nil, fmt.Errorf("checker: replay of %s: step %d is not enabled: expected %s, the state has %s",
				t.Model.Name, i+1, p.say(s.Action), p.sayOffered())
		}
		if visit != nil {
			visit(i+1, &p.state)
		}
	}
	p.trace.Property, p.trace.Doc, p.trace.Note = t.Property, t.Doc, t.Note
	return &p.trace, nil
}

func (p *player[S, A]) say(a A) string {
	actor, text := describeAction(p.model, a)
	if actor == "" {
		return fmt.Sprintf("%q", text)
	}
	return fmt.Sprintf("%q", actor+": "+text)
}

func (p *player[S, A]) sayOffered() string {
	if len(p.offered) == 0 {
		return "no step at all"
	}
	var said []string
	for _, a := range p.offered {
		if s := p.say(a); !slices.Contains(said, s) {
			said = append(said, s)
		}
	}
	return strings.Join(said, ", ")
}
