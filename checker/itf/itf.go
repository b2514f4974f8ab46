// Package itf writes and reads the Informal Trace Format, in which Apalache, Quint and their viewers exchange
// counterexamples: a JSON object with the names of variables and their values in every state
// (https://apalache-mc.org/docs/adr/015adr-trace.html).
package itf

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
)

// Extension ends the name of a file in this format, by convention.
const Extension = ".itf.json"

// Trace is a sequence of states.
type Trace struct {
	// Meta is free: each tool writes there what it wants to know again.
	Meta map[string]any
	// Params are names that the initial state sets beside Vars; Vars those that every state sets.
	Params []string
	Vars   []string
	States []State
	// Loop is the state at which a lasso closes; nil for a finite trace.
	Loop *int
}

// State gives each variable its value.
type State struct {
	Meta   map[string]any
	Values map[string]Value
}

// Text is the text under a name of the free part, empty if there is none.
func Text(meta map[string]any, name string) string {
	s, _ := meta[name].(string)
	return s
}

// Into reads what the free part has under a name into v. The error says what is missing, or is of another shape.
func Into(meta map[string]any, name string, v any) error {
	part, ok := meta[name]
	if !ok {
		return fmt.Errorf("itf: expected %q in #meta, got nothing", name)
	}
	data, err := json.Marshal(part)
	if err != nil {
		return fmt.Errorf("itf: %q in #meta: %w", name, err)
	}
	if err := json.Unmarshal(data, v); err != nil {
		return fmt.Errorf("itf: %q in #meta: %w", name, err)
	}
	return nil
}

// Is says whether a file is meant to be in this format: a JSON object with variables and states.
func Is(data []byte) bool {
	var head struct {
		Vars   *json.RawMessage `json:"vars"`
		States *json.RawMessage `json:"states"`
	}
	return json.Unmarshal(data, &head) == nil && head.Vars != nil && head.States != nil
}

// file is a trace as it stands in the file. The order of its fields is the one in which such files are read.
type file struct {
	Meta   map[string]any               `json:"#meta,omitempty"`
	Params []string                     `json:"params,omitempty"`
	Vars   []string                     `json:"vars"`
	States []map[string]json.RawMessage `json:"states"`
	Loop   *int                         `json:"loop,omitempty"`
}

// Write writes the trace; states go with #meta first, then their variables in the order of Vars.
func (t *Trace) Write(w io.Writer) error {
	var b bytes.Buffer
	b.WriteString("{")
	if t.Meta != nil {
		if err := member(&b, "#meta", t.Meta); err != nil {
			return err
		}
		b.WriteString(",")
	}
	if err := member(&b, "params", append([]string{}, t.Params...)); err != nil {
		return err
	}
	b.WriteString(",")
	if err := member(&b, "vars", append([]string{}, t.Vars...)); err != nil {
		return err
	}
	b.WriteString(`,"states":[`)
	for i := range t.States {
		if i > 0 {
			b.WriteString(",")
		}
		if err := t.writeState(&b, i); err != nil {
			return err
		}
	}
	b.WriteString("]")
	if t.Loop != nil {
		fmt.Fprintf(&b, `,"loop":%d`, *t.Loop)
	}
	b.WriteString("}")
	var out bytes.Buffer
	if err := json.Indent(&out, b.Bytes(), "", "  "); err != nil {
		return fmt.Errorf("itf: %w", err)
	}
	out.WriteString("\n")
	_, err := w.Write(out.Bytes())
	return err
}

func (t *Trace) writeState(b *bytes.Buffer, i int) error {
	s := &t.States[i]
	b.WriteString("{")
	meta := map[string]any{"index": i}
	for name, v := range s.Meta {
		meta[name] = v
	}
	if err := member(b, "#meta", meta); err != nil {
		return err
	}
	names := t.Vars
	if i == 0 {
		names = append(append([]string{}, t.Params...), t.Vars...)
	}
	for _, name := range names {
		v, ok := s.Values[name]
		if !ok {
			return fmt.Errorf("itf: state %d has no value for %s", i, name)
		}
		b.WriteString(",")
		if err := member(b, name, json.RawMessage(v)); err != nil {
			return err
		}
	}
	b.WriteString("}")
	return nil
}

// member writes a name and its value.
func member(b *bytes.Buffer, name string, v any) error {
	value, err := plain(v)
	if err != nil {
		return fmt.Errorf("itf: %s: %w", name, err)
	}
	key, err := plain(name)
	if err != nil {
		return fmt.Errorf("itf: %s: %w", name, err)
	}
	b.Write(key)
	b.WriteString(":")
	b.Write(value)
	return nil
}

// plain is JSON that leaves <, > and & as they are.
func plain(v any) ([]byte, error) {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(v); err != nil {
		return nil, err
	}
	return bytes.TrimRight(b.Bytes(), "\n"), nil
}

// Read reads a trace. The error says what is not as the format has it: every variable has a value in every state, and
// values are of its kinds.
func Read(r io.Reader) (*Trace, error) {
	data, err := io.ReadAll(r)
	if err != nil {
		return nil, fmt.Errorf("itf: %w", err)
	}
	if len(bytes.TrimSpace(data)) == 0 {
		return nil, errors.New("itf: the file is empty")
	}
	var f file
	d := json.NewDecoder(bytes.NewReader(data))
	d.UseNumber() // a number of more than 53 bits keeps its value
	if err := d.Decode(&f); err != nil {
		if errors.Is(err, io.ErrUnexpectedEOF) {
			return nil, fmt.Errorf("itf: the file is cut off after %d bytes", len(data))
		}
		return nil, fmt.Errorf("itf: %w", err)
	}
	if f.Vars == nil || f.States == nil {
		return nil, errors.New(`itf: expected an object with "vars" and "states", got other JSON`)
	}
	t := &Trace{Meta: f.Meta, Params: f.Params, Vars: f.Vars, Loop: f.Loop}
	for i, s := range f.States {
		state, err := f.readState(i, s)
		if err != nil {
			return nil, err
		}
		t.States = append(t.States, state)
	}
	if f.Loop != nil && (*f.Loop < 0 || *f.Loop >= len(f.States)) {
		return nil, fmt.Errorf("itf: expected a loop to one of %d states, got %d", len(f.States), *f.Loop)
	}
	return t, nil
}

func (f *file) readState(i int, s map[string]json.RawMessage) (State, error) {
	out := State{Values: make(map[string]Value, len(s))}
	for name, value := range s {
		if name == "#meta" {
			d := json.NewDecoder(bytes.NewReader(value))
			d.UseNumber()
			if err := d.Decode(&out.Meta); err != nil {
				return out, fmt.Errorf("itf: state %d: #meta: %w", i, err)
			}
			continue
		}
		if strings.HasPrefix(name, "#") {
			return out, fmt.Errorf("itf: state %d: expected the name of a variable, got %q", i, name)
		}
		if err := valid(value); err != nil {
			return out, fmt.Errorf("itf: state %d: %s: %w", i, name, err)
		}
		out.Values[name] = Value(value)
	}
	names := f.Vars
	if i == 0 {
		names = append(append([]string{}, f.Params...), f.Vars...)
	}
	for _, name := range names {
		if _, ok := out.Values[name]; !ok {
			return out, fmt.Errorf("itf: state %d: expected a value for %q, got nothing", i, name)
		}
	}
	return out, nil
}
