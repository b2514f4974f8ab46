package checker

import (
	"fmt"
	"io"
	"strings"
)

// Trace is a path from an initial state, as people read it and as it can be replayed.
type Trace[A any] struct {
	Model Identity `json:"model"`
	// Property is what the trace shows to be violated, if anything, and Doc what it demands.
	Property string `json:"property,omitempty"`
	Doc      string `json:"doc,omitempty"`
	// Note says what the last state has to do with the property, where that does not show.
	Note string `json:"note,omitempty"`
	// Initial is which of the initial states the path starts from, counted from 0 in the order of Init.
	Initial int     `json:"initial"`
	State   []Field `json:"state,omitempty"`
	// Length is the number of steps.
	Length int       `json:"length"`
	Steps  []Step[A] `json:"steps"`
}

// Step is one step of a trace.
type Step[A any] struct {
	// Number counts from 1.
	Number int `json:"number"`
	Action A   `json:"action"`
	// Choice tells steps with the same action from the same state apart: how many of them come before in the order of Next.
	Choice int    `json:"choice,omitempty"`
	Actor  string `json:"actor,omitempty"`
	// From is the actor whose message the step receives, if it does.
	From      string     `json:"from,omitempty"`
	Text      string     `json:"text"`
	Decisions []Decision `json:"decisions,omitempty"`
	Changes   []Change   `json:"changes,omitempty"`
}

// Change is a field of the state that a step changed. An empty value means that there is no such field.
type Change struct {
	Actor string `json:"actor"`
	Name  string `json:"name"`
	From  string `json:"from"`
	To    string `json:"to"`
}

// changes compares two descriptions of a state, in the order of the new one; what is gone comes last.
func changes(old, new []Field) []Change {
	type key struct {
		actor, name string
		nth         int
	}
	numbered := func(fields []Field, visit func(key, Field)) {
		count := make(map[key]int)
		for _, f := range fields {
			k := key{actor: f.Actor, name: f.Name}
			count[k]++
			visit(key{f.Actor, f.Name, count[k]}, f)
		}
	}
	before := make(map[key]string)
	numbered(old, func(k key, f Field) { before[k] = f.Value })
	var list []Change
	numbered(new, func(k key, f Field) {
		if was, ok := before[k]; !ok || was != f.Value {
			list = append(list, Change{f.Actor, f.Name, was, f.Value})
		}
		delete(before, k)
	})
	numbered(old, func(k key, f Field) {
		if _, gone := before[k]; gone {
			list = append(list, Change{f.Actor, f.Name, f.Value, ""})
		}
	})
	return list
}

// String is the trace as WriteText gives it.
func (t *Trace[A]) String() string {
	var b strings.Builder
	t.WriteText(&b) // a Builder gives no errors
	return b.String()
}

// WriteText writes the trace for people: the initial state, then each step with its actor, the decisions that made it, and
// what it changed.
func (t *Trace[A]) WriteText(w io.Writer) error {
	var b strings.Builder
	if t.Property != "" {
		fmt.Fprintf(&b, "%s falls after %d %s\n", t.Property, t.Length, plural(t.Length, "step", "steps"))
	}
	if t.Doc != "" {
		fmt.Fprintf(&b, "%s\n", t.Doc)
	}
	fmt.Fprintf(&b, "model %s\n\n", t.Model)
	fmt.Fprintf(&b, "%4d. initial state\n", 0)
	writeByActor(&b, t.State, func(f Field) (string, string) { return f.Actor, f.Name + " " + f.Value })
	for _, s := range t.Steps {
		subject := ""
		if s.Actor != "" {
			subject = s.Actor + ": "
		}
		fmt.Fprintf(&b, "%4d. %s%s\n", s.Number, subject, s.Text)
		writeDecisions(&b, s.Decisions)
		writeByActor(&b, s.Changes, func(c Change) (string, string) { return c.Actor, c.String() })
	}
	if t.Note != "" {
		fmt.Fprintf(&b, "\n%s\n", t.Note)
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// writeDecisions writes the rules that have no outcome of their own in one line, and each other one in a line.
func writeDecisions(b *strings.Builder, decisions []Decision) {
	var bare []string
	for _, d := range decisions {
		if d.Outcome == "" {
			bare = append(bare, d.Rule)
		}
	}
	if len(bare) > 0 {
		fmt.Fprintf(b, "      [%s]\n", strings.Join(bare, " "))
	}
	for _, d := range decisions {
		if d.Outcome != "" {
			fmt.Fprintf(b, "      [%s] %s\n", d.Rule, d.Outcome)
		}
	}
}

// writeByActor writes a line for each run of entries with the same actor.
func writeByActor[E any](b *strings.Builder, entries []E, split func(E) (actor, text string)) {
	last, first := "", true
	for _, e := range entries {
		actor, text := split(e)
		switch {
		case first:
			fmt.Fprintf(b, "        %s  %s", actor, text)
		case actor == last:
			fmt.Fprintf(b, ", %s", text)
		default:
			fmt.Fprintf(b, "\n        %s  %s", actor, text)
		}
		last, first = actor, false
	}
	if !first {
		b.WriteString("\n")
	}
}

// String is the change in one phrase.
func (c Change) String() string {
	switch {
	case c.From == "":
		return c.Name + " " + c.To
	case c.To == "":
		return c.Name + " " + c.From + " is gone"
	}
	return c.Name + " " + c.From + " → " + c.To
}

// String is the name of the model with its version and bounds.
func (i Identity) String() string {
	var b strings.Builder
	b.WriteString(i.Name)
	if i.Version != "" {
		fmt.Fprintf(&b, " (version %s)", i.Version)
	}
	for n, bound := range i.Bounds {
		separator := ", "
		if n == 0 {
			separator = " with "
		}
		fmt.Fprintf(&b, "%s%s=%s", separator, bound.Name, bound.Value)
	}
	return b.String()
}

func plural(n int, one, many string) string {
	if n == 1 {
		return one
	}
	return many
}
