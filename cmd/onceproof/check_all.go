package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"time"

	"github.com/onceproof/onceproof/checker"
	"github.com/onceproof/onceproof/spec"
	"github.com/onceproof/onceproof/spec/world"
)

// wholeCheck is what check without arguments finds. As JSON it is one object.
type wholeCheck struct {
	Verdict  checker.Verdict `json:"verdict"` // of what is recorded: holds if every row is, violated if one is not
	Release  string          `json:"release"`
	Rows     []world.Row     `json:"rows"`
	Expected int             `json:"rows_expected"`
	// Differences are the rows that are not as recorded.
	Differences []string `json:"differences"`
	Distinct    uint64   `json:"distinct"`
	Generated   uint64   `json:"generated"`
	Seconds     float64  `json:"seconds"`
	Error       string   `json:"error,omitempty"` // what could not be written
}

// checkAll runs the whole check and compares it with what is recorded.
func (f *checkFlags) checkAll(ctx context.Context, e *env) (int, error) {
	recorded, err := world.Recorded()
	if err != nil {
		return exitUnjudged, err
	}
	w := &wholeCheck{Release: spec.AllReleases()[0].Name, Rows: []world.Row{}, Expected: len(recorded), Differences: []string{}}
	start := time.Now()
	var progress *checker.ProgressPrinter
	prepare := func(row world.Row) checker.Options {
		var o checker.Options
		o, progress = f.options(e)
		w.announce(e, row)
		return o
	}
	var writing error
	err = world.Suite(ctx, spec.AllReleases()[0], prepare, func(row world.Row) {
		progress.Clear()
		w.add(row, recorded)
		writing = errors.Join(writing, f.writeRow(row))
	})
	w.Seconds = time.Since(start).Seconds()
	switch {
	case ctx.Err() != nil:
		w.Verdict = checker.VerdictInterrupted
	case err != nil:
		return exitUnjudged, err
	default:
		w.conclude(recorded)
	}
	code := w.exitCode()
	if writing != nil {
		code, w.Error = unwrittenTraces(e, code, writing)
	}
	if e.json {
		return code, writeJSON(e.stdout, w)
	}
	w.writeText(e.stdout, f.out)
	return code, nil
}

// announce says on stderr what comes next: the large models one by one, the other rows by table.
func (w *wholeCheck) announce(e *env, row world.Row) {
	first := len(w.Rows) == 0 || w.Rows[len(w.Rows)-1].Table != row.Table
	switch {
	case row.Table == world.TableModels:
		fmt.Fprintf(e.stderr, "%d/%d %s\n", len(w.Rows)+1, w.Expected, row.Name)
	case first:
		fmt.Fprintf(e.stderr, "%d/%d %s\n", len(w.Rows)+1, w.Expected, row.Table)
	}
}

func (w *wholeCheck) add(row world.Row, recorded []world.Row) {
	n := len(w.Rows)
	w.Rows = append(w.Rows, row)
	w.Distinct += row.Distinct
	w.Generated += row.States
	if row.Verdict == checker.VerdictInterrupted || n >= len(recorded) {
		return
	}
	if diff := world.Differs(row, recorded[n]); diff != "" {
		w.Differences = append(w.Differences, fmt.Sprintf("%s %s: %s", row.Table, row.Name, diff))
	}
}

func (w *wholeCheck) conclude(recorded []world.Row) {
	if len(w.Rows) != len(recorded) {
		w.Differences = append(w.Differences, fmt.Sprintf("%d rows, recorded are %d", len(w.Rows), len(recorded)))
	}
	w.Verdict = checker.VerdictHolds
	if len(w.Differences) > 0 {
		w.Verdict = checker.VerdictViolated
	}
}

func (w *wholeCheck) exitCode() int {
	switch {
	case len(w.Differences) > 0:
		return exitViolated
	case w.Verdict == checker.VerdictInterrupted:
		return exitUnjudged
	}
	return exitHolds
}

// writeRow writes the trace of a row, if it has one and is to be written.
func (f *checkFlags) writeRow(row world.Row) error {
	if f.out == "" || row.Trace == nil {
		return nil
	}
	var file bytes.Buffer
	if err := row.Trace.WriteJSON(&file); err != nil {
		return err
	}
	return writeTrace(f.out, string(row.Table)+"-"+row.Name, row.Trace.String(), file.Bytes())
}

func (w *wholeCheck) writeText(out io.Writer, dir string) {
	writeTables(out, w.Rows, w.Release)
	fmt.Fprintf(out, "\n%s distinct states, %s generated, %d rows in %.0f s\n", thousands(w.Distinct), thousands(w.Generated), len(w.Rows), w.Seconds)
	if dir != "" {
		fmt.Fprintf(out, "traces: %s\n", dir)
	}
	for _, d := range w.Differences {
		fmt.Fprintf(out, "not as recorded: %s\n", d)
	}
	switch w.Verdict {
	case checker.VerdictInterrupted:
		fmt.Fprintf(out, "interrupted: %d of %d rows\n", len(w.Rows), w.Expected)
	case checker.VerdictHolds:
		fmt.Fprintln(out, "every row is as recorded in fixtures/check.json")
	default:
		fmt.Fprintf(out, "%d rows are not as recorded in fixtures/check.json; record them with: go test ./spec/world -run TestSuite -update\n", len(w.Differences))
	}
}
