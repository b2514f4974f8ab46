package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"strings"

	"github.com/onceproof/onceproof/checker"
	"github.com/onceproof/onceproof/harness/bundle"
)

// outcome is what the search of one model found, as check --json prints it.
type outcome struct {
	Model              string                     `json:"model"`
	About              string                     `json:"about,omitempty"`
	Style              string                     `json:"style,omitempty"`
	TransactionVersion *int8                      `json:"transaction_version,omitempty"`
	FixesOff           []string                   `json:"fixes_off"`
	Bounds             map[string]int             `json:"bounds"`
	Verdict            checker.Verdict            `json:"verdict"`
	Distinct           uint64                     `json:"distinct"`
	Generated          uint64                     `json:"generated"`
	Depth              int                        `json:"depth"`
	Seconds            float64                    `json:"seconds"`
	PeakRSSBytes       uint64                     `json:"peak_rss_bytes"`
	Workers            int                        `json:"workers"`
	Symmetry           bool                       `json:"symmetry,omitempty"`
	Exact              bool                       `json:"exact,omitempty"`
	Collisions         uint64                     `json:"collisions,omitempty"`
	CollisionsExpected float64                    `json:"collisions_expected"`
	Properties         []checker.PropertyResult   `json:"properties"`
	Actions            []checker.ActionCoverage   `json:"actions,omitempty"`
	Decisions          []checker.DecisionCoverage `json:"decisions,omitempty"`
	Budgets            []checker.BudgetCoverage   `json:"budgets,omitempty"`
	// Property, Length and Trace are those of the violation with the shortest trace.
	Property   string           `json:"property,omitempty"`
	Length     int              `json:"length,omitempty"`
	Trace      json.RawMessage  `json:"trace,omitempty"`
	Violations []foundViolation `json:"violations,omitempty"`
	Error      string           `json:"error,omitempty"` // what could not be written

	writeText func(io.Writer) error
}

// foundViolation is a property that fell. Its trace is the file that "onceproof trace" reads.
type foundViolation struct {
	Property string          `json:"property"`
	Kind     checker.Kind    `json:"kind"`
	Length   int             `json:"length"`
	Trace    json.RawMessage `json:"trace,omitempty"`
	text     string
	// write writes the trace in one of traceFormats; nil if there is none.
	write func(w io.Writer, format string) error
}

func newOutcome[A any](r *checker.Result[A]) *outcome {
	out := &outcome{
		Model: r.Model.Name, FixesOff: []string{}, Bounds: map[string]int{}, Verdict: r.Verdict, Distinct: r.Distinct, Generated: r.Generated,
		Depth: r.Depth, Seconds: r.Seconds, PeakRSSBytes: r.PeakRSSBytes, Workers: r.Workers,
		Exact: r.Exact, Collisions: r.Collisions, CollisionsExpected: r.CollisionsExpected, Symmetry: r.Symmetry, Properties: r.Properties, Actions: r.Actions, Budgets: r.Budgets,
	}
	for _, d := range r.Decisions {
		if d.Steps > 0 {
			out.Decisions = append(out.Decisions, d)
		}
	}
	for _, v := range r.Violations {
		found := foundViolation{Property: v.Property, Kind: v.Kind, Length: v.Length}
		if v.Trace == nil {
			found.text = v.Property + ": no state shows it\n"
		} else {
			var file bytes.Buffer
			v.Trace.WriteJSON(&file) // a Buffer gives no errors
			found.Trace, found.text = file.Bytes(), v.Trace.String()
			found.write = func(w io.Writer, format string) error { return writeTraceAs(w, v.Trace, format) }
		}
		out.Violations = append(out.Violations, found)
	}
	if len(out.Violations) > 0 {
		first := &out.Violations[0]
		out.Property, out.Length, out.Trace = first.Property, first.Length, first.Trace
	}
	// Rules are listed with --json; traces are printed as the flags say.
	short := *r
	short.Decisions, short.Violations = nil, nil
	out.writeText = short.WriteText
	return out
}

// severalOutcomes is what check --json prints for more than one model.
type severalOutcomes struct {
	Verdict     checker.Verdict `json:"verdict"`
	Results     []*outcome      `json:"results"`
	NotSearched []string        `json:"not_searched,omitempty"` // those left out by an interrupt
	Error       string          `json:"error,omitempty"`        // what could not be written
}

// checkEach searches one model after the other.
func (f *checkFlags) checkEach(ctx context.Context, e *env, searches []search) (int, error) {
	words := e.stdout
	if f.trace != "text" {
		words = e.stderr
	}
	if e.json {
		words = io.Discard
	}
	all := severalOutcomes{Verdict: checker.VerdictHolds}
	var printed bool
	var unwritten error
	for i, s := range searches {
		if i > 0 {
			fmt.Fprintln(words)
		}
		o, progress := f.options(e)
		found, err := s.run(ctx, o)
		progress.Clear()
		if err != nil {
			return exitUnjudged, fmt.Errorf("model %s: %w", s.name(), err)
		}
		all.add(found)
		unwritten = errors.Join(unwritten, f.writeTraces(found))
		if err := f.print(e, words, found, &printed); err != nil {
			return exitUnjudged, err
		}
		if found.Verdict == checker.VerdictInterrupted && f.folder() != "" {
			fmt.Fprintf(e.stderr, "go on with: %s\n", f.goOn())
		}
		if ctx.Err() != nil {
			for _, s := range searches[i+1:] {
				all.NotSearched = append(all.NotSearched, s.name())
			}
			break
		}
	}
	if len(searches) > 1 {
		all.writeTable(words)
	}
	code := all.exitCode()
	if unwritten != nil {
		code, all.Error = unwrittenTraces(e, code, unwritten)
	}
	if !e.json {
		return code, nil
	}
	if len(searches) == 1 {
		all.Results[0].Error = all.Error
		return code, writeJSON(e.stdout, all.Results[0])
	}
	return code, writeJSON(e.stdout, &all)
}

// unwrittenTraces says that traces could not be written. What was found counts all the same: a violation stays one.
func unwrittenTraces(e *env, code int, err error) (int, string) {
	fmt.Fprintf(e.stderr, "onceproof check: --out: %v\n", err)
	if code == exitHolds {
		code = exitUnjudged
	}
	return code, err.Error()
}

// print prints what a search found, and its traces.
func (f *checkFlags) print(e *env, words io.Writer, found *outcome, printed *bool) error {
	if found.About != "" {
		fmt.Fprintln(words, found.About)
	}
	if err := found.writeText(words); err != nil {
		return err
	}
	for i := range found.Violations {
		v := &found.Violations[i]
		if f.trace == "text" || v.Trace == nil {
			fmt.Fprintf(words, "\n%s", v.text)
			continue
		}
		if !*printed && !e.json {
			*printed = true
			if err := v.write(e.stdout, f.trace); err != nil {
				return err
			}
		}
	}
	return nil
}

// writeTraces writes the traces of a search into the folder of --out, if there is one.
func (f *checkFlags) writeTraces(found *outcome) error {
	if f.out == "" {
		return nil
	}
	for i := range found.Violations {
		v := &found.Violations[i]
		if v.Trace == nil {
			continue
		}
		if err := writeTrace(f.out, found.Model+"-"+v.Property, v.text, v.Trace); err != nil {
			return err
		}
	}
	return nil
}

// writeTrace writes a trace for people and for "onceproof trace".
func writeTrace(dir, name, text string, file []byte) error {
	base := filepath.Join(dir, fileName(name))
	if err := bundle.WriteWhole(base+".txt", []byte(text)); err != nil {
		return err
	}
	return bundle.WriteWhole(base+".json", file)
}

// fileName makes a name one of a file.
func fileName(name string) string {
	return strings.Trim(strings.Map(func(r rune) rune {
		switch {
		case r >= 'a' && r <= 'z', r >= 'A' && r <= 'Z', r >= '0' && r <= '9', r == '.':
			return r
		}
		return '-'
	}, name), "-")
}

// add adds one outcome. A violation outweighs that something was not searched to the end.
func (s *severalOutcomes) add(o *outcome) {
	s.Results = append(s.Results, o)
	weight := map[checker.Verdict]int{checker.VerdictNotExhausted: 1, checker.VerdictInterrupted: 2, checker.VerdictViolated: 3}
	if weight[o.Verdict] > weight[s.Verdict] {
		s.Verdict = o.Verdict
	}
}

func (s *severalOutcomes) exitCode() int {
	switch s.Verdict {
	case checker.VerdictHolds:
		return exitHolds
	case checker.VerdictViolated:
		return exitViolated
	}
	return exitUnjudged
}

func (s *severalOutcomes) writeTable(w io.Writer) {
	fmt.Fprintln(w)
	t := newTable("MODEL", "DISTINCT", "GENERATED", "DEPTH", "SECONDS", "VERDICT", "FALLS", "STEPS")
	for _, o := range s.Results {
		steps := ""
		if o.Property != "" {
			steps = fmt.Sprint(o.Length)
		}
		t.row(o.Model, thousands(o.Distinct), thousands(o.Generated), fmt.Sprint(o.Depth), fmt.Sprintf("%.1f", o.Seconds),
			string(o.Verdict), o.Property, steps)
	}
	t.writeTo(w)
	if len(s.NotSearched) > 0 {
		fmt.Fprintf(w, "\ninterrupted, not searched: %s\n", strings.Join(s.NotSearched, ", "))
	}
}
