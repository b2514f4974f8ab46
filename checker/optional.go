package checker

import "fmt"

// identity is what the model says of itself, or else the name of its type.
func identity[S, A any](m Model[S, A]) Identity {
	if i, ok := m.(Identifier); ok {
		return i.Identity()
	}
	return Identity{Name: fmt.Sprintf("%T", m)}
}

func actionKinds[S, A any](m Model[S, A]) []string {
	if k, ok := m.(ActionKinds[A]); ok {
		return k.ActionKinds()
	}
	return nil
}

func decisions[S, A any](m Model[S, A]) []Decision {
	if d, ok := m.(Decider); ok {
		return d.Decisions()
	}
	return nil
}

func budgets[S, A any](m Model[S, A]) []string {
	if b, ok := m.(Budgeter); ok {
		return b.Budgets()
	}
	return nil
}

// describeAction gives actor and text; without a Describer the action as Go prints it.
func describeAction[S, A any](m Model[S, A], a A) (actor, text string) {
	if d, ok := m.(Describer[S, A]); ok {
		return d.DescribeAction(a)
	}
	return "", fmt.Sprintf("%+v", a)
}

// sender is "" without a Messenger.
func sender[S, A any](m Model[S, A], a A) string {
	if s, ok := m.(Messenger[A]); ok {
		return s.Sender(a)
	}
	return ""
}

// describeState gives no fields without a Describer.
func describeState[S, A any](m Model[S, A], s *S) []Field {
	if d, ok := m.(Describer[S, A]); ok {
		return d.DescribeState(s)
	}
	return nil
}
