package checker

import (
	"encoding/json"
	"fmt"
	"io"

	"github.com/onceproof/onceproof/checker/itf"
)

// itfHead is what a trace in the Informal Trace Format says of itself; its states have the rest.
type itfHead struct {
	Format   int      `json:"format"`
	Model    Identity `json:"model"`
	Property string   `json:"property,omitempty"`
	Doc      string   `json:"doc,omitempty"`
	Note     string   `json:"note,omitempty"`
	Initial  int      `json:"initial"`
	Length   int      `json:"length"`
}

// itfHeadName is where the head is in #meta.
const itfHeadName = "trace"

// WriteITF writes the trace in the Informal Trace Format so that ReadITF can read it back. There is a variable for each
// actor, a record of its fields, and three for the step that led to a state: action, actor, decisions. The action as the
// model has it is in the #meta of its state.
func (t *Trace[A]) WriteITF(w io.Writer) error {
	file, err := t.itf()
	if err != nil {
		return err
	}
	return file.Write(w)
}

func (t *Trace[A]) itf() (*itf.Trace, error) {
	about := t.Model.Name
	if t.Property != "" {
		about = fmt.Sprintf("%s falls after %d %s. %s", t.Property, t.Length, plural(t.Length, "step", "steps"), t.Doc)
	}
	out := &itf.Trace{
		Meta: map[string]any{
			"format": "ITF", "format-description": "https://apalache-mc.org/docs/adr/015adr-trace.html",
			"source": t.Model.Name, "description": about, "status": "violation",
			itfHeadName: itfHead{TraceFormat, t.Model, t.Property, t.Doc, t.Note, t.Initial, t.Length},
		},
		Vars: []string{"action", "actor", "decisions"},
	}
	if t.Property == "" {
		out.Meta["status"] = "ok"
	}
	out.States = append(out.States, itf.State{Values: stepValues(&Step[A]{})})
	for i := range t.Steps {
		s := &t.Steps[i]
		action, err := json.Marshal(s.Action)
		if err != nil {
			return nil, fmt.Errorf("checker: step %d: %w", s.Number, err)
		}
		meta := map[string]any{"action": json.RawMessage(action)}
		if s.Choice > 0 {
			meta["choice"] = s.Choice
		}
		out.States = append(out.States, itf.State{Meta: meta, Values: stepValues(s)})
	}
	newColumns(t).addTo(out)
	return out, nil
}

// stepValues are the variables that say which step led to a state.
func stepValues[A any](s *Step[A]) map[string]itf.Value {
	var by []itf.Value
	for _, d := range s.Decisions {
		by = append(by, itf.Record(itf.Field{Name: "rule", Value: itf.String(d.Rule)}, itf.Field{Name: "outcome", Value: itf.String(d.Outcome)}))
	}
	return map[string]itf.Value{"action": itf.String(s.Text), "actor": itf.String(s.Actor), "decisions": itf.List(by...)}
}

// columns are the fields of a trace, each with its value in every state, by actor.
type columns struct {
	actors []string
	of     map[string][]*column
	// states is the number of states.
	states int
}

type column struct {
	name   string
	nth    int // among the actor's fields of this name
	values []string
}

// newColumns follows the changes of a trace.
func newColumns[A any](t *Trace[A]) *columns {
	c := &columns{of: make(map[string][]*column), states: 1 + len(t.Steps)}
	c.set(0, t.State)
	for i, s := range t.Steps {
		for _, of := range c.of {
			for _, col := range of {
				col.values[i+1] = col.values[i]
			}
		}
		c.change(i+1, s.Changes)
	}
	return c
}

// set gives the fields of a state that has none yet.
func (c *columns) set(state int, fields []Field) {
	count := make(map[[2]string]int)
	for _, f := range fields {
		k := [2]string{f.Actor, f.Name}
		count[k]++
		c.column(f.Actor, f.Name, count[k]).values[state] = f.Value
	}
}

// change applies what a step changed. Of several fields with the same actor and name the one that had the value changes.
func (c *columns) change(state int, changes []Change) {
	done := make(map[*column]bool)
	for _, x := range changes {
		nth := 1
		for ; ; nth++ {
			col := c.column(x.Actor, x.Name, nth)
			if !done[col] && col.values[state] == x.From {
				done[col] = true
				col.values[state] = x.To
				break
			}
		}
	}
}

// column finds a column, or adds an empty one.
func (c *columns) column(actor, name string, nth int) *column {
	of, known := c.of[actor]
	if !known {
		c.actors = append(c.actors, actor)
	}
	for _, col := range of {
		if col.name == name && col.nth == nth {
			return col
		}
	}
	col := &column{name: name, nth: nth, values: make([]string, c.states)}
	c.of[actor] = append(of, col)
	return col
}

// addTo adds a variable for each actor to every state. A field has one type in all of them: an integer if it is one in
// each, else a text, which is empty where there is no such field.
func (c *columns) addTo(t *itf.Trace) {
	var names itf.Names
	for _, v := range t.Vars {
		names.New(v)
	}
	for _, actor := range c.actors {
		variable := names.New(actor)
		t.Vars = append(t.Vars, variable)
		records := make([][]itf.Field, c.states)
		var fields itf.Names
		for _, col := range c.of[actor] {
			name := fields.New(col.name)
			value := col.kind()
			for i := range records {
				records[i] = append(records[i], itf.Field{Name: name, Value: value(col.values[i])})
			}
		}
		for i := range records {
			t.States[i].Values[variable] = itf.Record(records[i]...)
		}
	}
}

func (c *column) kind() func(string) itf.Value {
	for _, v := range c.values {
		if !itf.Integer(v) {
			return itf.String
		}
	}
	return itf.Int
}

// ITFIdentity says of which model a file in the Informal Trace Format is a trace.
func ITFIdentity(r io.Reader) (Identity, error) {
	_, head, err := readITFHead(r)
	return head.Model, err
}

func readITFHead(r io.Reader) (*itf.Trace, itfHead, error) {
	var head itfHead
	file, err := itf.Read(r)
	if err != nil {
		return nil, head, fmt.Errorf("checker: reading a trace: %w", err)
	}
	if err := itf.Into(file.Meta, itfHeadName, &head); err != nil {
		return nil, head, fmt.Errorf("checker: reading a trace: expected one that WriteITF wrote: %w", err)
	}
	return file, head, nil
}

// ReadITF reads a trace of the model m, runs it again, and returns it as the model gives it now. The error says what was
// expected and what came if the file is cut off, is no trace of this model, is not one that the model follows, or if a
// state is another than the file says.
func ReadITF[S any, A comparable](r io.Reader, m Model[S, A]) (*Trace[A], error) {
	file, head, err := readITFHead(r)
	if err != nil {
		return nil, err
	}
	if err := checkHead(head.Format, head.Model, identity(m)); err != nil {
		return nil, err
	}
	if head.Length < 0 || len(file.States) != head.Length+1 {
		return nil, fmt.Errorf("checker: reading a trace: expected %d states, got %d", head.Length+1, len(file.States))
	}
	t := &Trace[A]{Model: head.Model, Property: head.Property, Doc: head.Doc, Note: head.Note, Initial: head.Initial, Length: head.Length}
	for i := range file.States[1:] {
		meta := file.States[i+1].Meta
		s := Step[A]{Number: i + 1}
		if err := itf.Into(meta, "action", &s.Action); err != nil {
			return nil, fmt.Errorf("checker: reading a trace: step %d: %w", i+1, err)
		}
		if _, ok := meta["choice"]; ok {
			if err := itf.Into(meta, "choice", &s.Choice); err != nil {
				return nil, fmt.Errorf("checker: reading a trace: step %d: %w", i+1, err)
			}
		}
		t.Steps = append(t.Steps, s)
	}
	again, err := Replay(m, t, nil)
	if err != nil {
		return nil, err
	}
	if err := sameStates(again, file); err != nil {
		return nil, err
	}
	return again, nil
}

// sameStates says where a file differs from the trace that its actions give.
func sameStates[A any](t *Trace[A], file *itf.Trace) error {
	want, err := t.itf()
	if err != nil {
		return err
	}
	for i := range want.States {
		for _, name := range want.Vars {
			w, got := want.States[i].Values[name], file.States[i].Values[name]
			if got == nil || !w.Equal(got) {
				return fmt.Errorf("checker: reading a trace: state %d has another %s here than when the trace was written: expected %s, got %s", i, name, got, w)
			}
		}
	}
	return nil
}
