package main

import (
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/onceproof/onceproof/checker"
	"github.com/onceproof/onceproof/harness/script"
	"github.com/onceproof/onceproof/harness/trace"
	"github.com/onceproof/onceproof/spec/world"
)

// traceFormats are the formats in which a trace is printed. The json and itf forms can be read back; gherkin is a scenario
// that plays it on a broker.
func traceFormats() []string { return []string{"text", "json", "itf", "mermaid", "gherkin"} }

// traceFormat says whether there is such a format.
func traceFormat(flag, format string) error {
	if !slices.Contains(traceFormats(), format) {
		return fmt.Errorf("expected %s %s, got %q", flag, strings.Join(traceFormats(), ", "), format)
	}
	return nil
}

// writeTraceAs writes a trace in one of the formats.
func writeTraceAs[A any](w io.Writer, t *checker.Trace[A], format string) error {
	switch format {
	case "json":
		return t.WriteJSON(w)
	case "itf":
		return t.WriteITF(w)
	case "mermaid":
		return t.WriteMermaid(w)
	case "gherkin":
		return writeGherkin(w, t)
	}
	return t.WriteText(w)
}

// writeGherkin writes a counterexample of the protocol's model as a feature of one scenario.
func writeGherkin(w io.Writer, t any) error {
	of, ok := t.(*checker.Trace[world.Action])
	if !ok {
		return errors.New("expected a trace of the protocol for --trace gherkin, got one of another model")
	}
	s, err := trace.Script(of)
	if err != nil {
		return err
	}
	_, err = io.WriteString(w, script.Feature("Counterexample in "+of.Model.Name, nil, []*script.Script{s}))
	return err
}
