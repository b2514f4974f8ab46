package bundle

import (
	"fmt"
	"io"
	"strings"

	"github.com/onceproof/onceproof/checker/itf"
	"github.com/onceproof/onceproof/harness/script"
)

// Trace is what the file of a bundle says: the script that shows a violation, and what was judged, by what.
type Trace struct {
	Script             *script.Script `json:"-"`
	Broker             string         `json:"broker"`
	TransactionVersion int16          `json:"transaction_version"`
	Release            string         `json:"judged_by_release"`
	Strict             bool           `json:"strict"`
	// Profile is the file of what was tolerated in answers when it was found.
	Profile string `json:"profile,omitempty"`
	// Rule is the one most likely broken, if one is known.
	Rule string `json:"rule,omitempty"`
	// Sent, Came and Allowed are the violation in words.
	Sent    string   `json:"sent,omitempty"`
	Came    string   `json:"came"`
	Allowed []string `json:"allowed"`
}

// Where #meta has what a bundle writes.
const (
	metaFinding = "finding"
	metaScript  = "script"
	metaLine    = "line"
)

// itf is the exchange as a trace: a state for each line of the script, with its text and what was exchanged by it.
func (f *Finding) itf() (string, error) {
	n := f.names()
	head := Trace{
		Broker: f.Broker, TransactionVersion: f.TransactionVersion, Release: f.Release, Strict: f.Strict, Profile: f.Profile, Rule: f.rule(),
		Sent: n.read(f.Violation.Sent), Came: f.came(n), Allowed: []string{},
	}
	for _, a := range f.Violation.Allowed {
		head.Allowed = append(head.Allowed, f.outcome(n, a.Outcome))
	}
	about := f.Script.Clone()
	about.Steps = nil
	t := &itf.Trace{
		Meta: map[string]any{
			"format": "ITF", "format-description": "https://apalache-mc.org/docs/adr/015adr-trace.html", "source": f.Script.Name,
			"description": f.sentence(n), "status": "violation", metaFinding: head, metaScript: about,
		},
		Vars: []string{"line", "actor", "request", "answer", "exchanges"},
	}
	entries := f.entries(n)
	t.States = append(t.States, itf.State{Values: values("", nil)})
	for i, st := range f.Script.Steps {
		var of []entry
		for _, x := range entries {
			if x.line == i+1 && x.note == "" {
				of = append(of, x)
			}
		}
		t.States = append(t.States, itf.State{Meta: map[string]any{metaLine: st}, Values: values(st.Text, of)})
	}
	var b strings.Builder
	if err := t.Write(&b); err != nil {
		return "", err
	}
	return b.String(), nil
}

// values are the variables of a state: the line that led to it, the last exchange of that line, and all of them.
func values(text string, of []entry) map[string]itf.Value {
	var all []itf.Value
	var last entry
	for _, x := range of {
		last = x
		all = append(all, itf.Record(
			itf.Field{Name: "actor", Value: itf.String(x.who)}, itf.Field{Name: "request", Value: itf.String(x.request)},
			itf.Field{Name: "answer", Value: itf.String(x.answer)}, itf.Field{Name: "times", Value: itf.Int(fmt.Sprint(x.times))},
		))
	}
	return map[string]itf.Value{
		"line": itf.String(text), "actor": itf.String(last.who), "request": itf.String(last.request), "answer": itf.String(last.answer),
		"exchanges": itf.List(all...),
	}
}

// IsTrace says whether a file in the Informal Trace Format is one of a bundle; a checker's has other #meta.
func IsTrace(t *itf.Trace) bool { return t.Meta[metaScript] != nil }

// ReadTrace reads the trace of a bundle. The error says what was expected and what came if it is none, or if a state shows
// another line than it was made from.
func ReadTrace(r io.Reader) (*Trace, error) {
	file, err := itf.Read(r)
	if err != nil {
		return nil, err
	}
	out := &Trace{Script: &script.Script{}}
	if err := itf.Into(file.Meta, metaScript, out.Script); err != nil {
		return nil, fmt.Errorf("expected the trace of a violation: %w", err)
	}
	if err := itf.Into(file.Meta, metaFinding, out); err != nil {
		return nil, fmt.Errorf("expected the trace of a violation: %w", err)
	}
	out.Script.Steps = nil
	for i := 1; i < len(file.States); i++ {
		var st script.Step
		if err := itf.Into(file.States[i].Meta, metaLine, &st); err != nil {
			return nil, fmt.Errorf("state %d: %w", i, err)
		}
		if shown, _ := file.States[i].Values["line"].Text(); shown != st.Text {
			return nil, fmt.Errorf("state %d: expected the line %q, got %q", i, st.Text, shown)
		}
		out.Script.Steps = append(out.Script.Steps, st)
	}
	return out, out.Script.Check()
}
