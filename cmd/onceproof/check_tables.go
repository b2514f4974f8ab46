package main

import (
	"fmt"
	"io"
	"strings"

	"github.com/onceproof/onceproof/checker"
	"github.com/onceproof/onceproof/spec/world"
)

// writeTables writes the tables of the whole check, those that have rows.
func writeTables(w io.Writer, rows []world.Row, release string) {
	for _, t := range []struct {
		table world.Table
		title string
		write func(w io.Writer, rows []world.Row)
	}{
		{world.TableModels, "Models: every fix on, nothing falls", writeModels},
		{world.TableFixes, "Fixes: with one off its property falls, decided by that fix; with it on nothing does", writeFixes},
		{world.TableFlaws, "Flaws of TV1-style requests: they fall with every fix on", writeFallen},
		{world.TableRelease, "Apache Kafka " + release + " as it is: real flaws of a real broker", writeRelease},
		{world.TableWeakenings, "Properties that no fix fells: each falls with one guard weakened", writeFallen},
	} {
		if some := inTable(rows, t.table); len(some) > 0 {
			fmt.Fprintf(w, "\n%s\n\n", t.title)
			t.write(w, some)
		}
	}
}

func inTable(rows []world.Row, t world.Table) []world.Row {
	var out []world.Row
	for _, r := range rows {
		if r.Table == t {
			out = append(out, r)
		}
	}
	return out
}

func writeModels(w io.Writer, rows []world.Row) {
	t := newTable("MODEL", "TV", "BOUNDS", "DISTINCT", "GENERATED", "DEPTH", "SECONDS", "VERDICT", "VACUOUS")
	for _, r := range rows {
		t.row(r.Name, fmt.Sprint(r.Version), r.Bounds, thousands(r.Distinct), thousands(r.States), fmt.Sprint(r.Depth),
			fmt.Sprintf("%.1f", r.Seconds), verdict(&r), strings.Join(r.Vacuous, " "))
	}
	t.writeTo(w)
}

// verdict is the verdict of a row, with the property that falls.
func verdict(r *world.Row) string {
	if r.Verdict != checker.VerdictViolated {
		return string(r.Verdict)
	}
	return fmt.Sprintf("%s falls after %d steps", r.Falls, r.Length)
}

// fixPair is a fix off and on.
type fixPair struct {
	id      string
	off, on *world.Row
}

func fixPairs(rows []world.Row) []fixPair {
	var out []fixPair
	for i := range rows {
		r := &rows[i]
		if id, ok := strings.CutSuffix(r.Name, " off"); ok {
			out = append(out, fixPair{id: id, off: r})
		} else if n := len(out); n > 0 {
			out[n-1].on = r
		}
	}
	return out
}

func writeFixes(w io.Writer, rows []world.Row) {
	var notes []string
	t := newTable("FIX", "TV", "OFF: FALLS", "STEPS", "DECIDED AT", "OFF BY", "ON BY", "ON: VERDICT", "DISTINCT")
	for _, p := range fixPairs(rows) {
		falls, steps := p.off.Falls, fmt.Sprint(p.off.Length)
		if falls == "" {
			falls, steps = string(p.off.Verdict), ""
			notes = append(notes, fmt.Sprintf("%s: nothing falls; %s", p.id, p.off.Why))
		}
		at, off, on := "", "", ""
		if d := p.off.Decides; d != nil {
			at, off, on = fmt.Sprintf("%d, %s", d.Step, d.Action), strings.Join(d.Off, " "), strings.Join(d.On, " ")
		}
		cells := []string{p.id, fmt.Sprint(p.off.Version), falls, steps, at, off, on}
		if p.on != nil {
			cells = append(cells, exhausted(p.on), thousands(p.on.Distinct))
		}
		t.row(cells...)
	}
	t.writeTo(w)
	for _, n := range notes {
		fmt.Fprintln(w, n)
	}
}

// exhausted is the verdict on a fix that is on.
func exhausted(r *world.Row) string {
	if r.Verdict == checker.VerdictHolds {
		return "exhausted, holds"
	}
	return verdict(r)
}

func writeFallen(w io.Writer, rows []world.Row) {
	t := newTable("NAME", "TV", "MODEL", "BOUNDS", "FALLS", "STEPS", "DISTINCT", "ABOUT")
	for _, r := range rows {
		falls, steps := r.Falls, fmt.Sprint(r.Length)
		if r.Verdict != checker.VerdictViolated {
			falls, steps = string(r.Verdict), ""
		}
		t.row(r.Name, fmt.Sprint(r.Version), r.Model, r.Bounds, falls, steps, thousands(r.Distinct), about(&r))
	}
	t.writeTo(w)
}

// about is what a row is about, without its name.
func about(r *world.Row) string { return strings.TrimPrefix(r.About, r.Name+": ") }

// writeRelease writes the flaws of a release, each with its trace: who acts and what decides; "onceproof check MODEL
// --release R" prints the same with what changes.
func writeRelease(w io.Writer, rows []world.Row) {
	writeFallen(w, rows)
	for _, r := range rows {
		if r.Trace != nil {
			fmt.Fprintf(w, "\n%s: %s falls after %d steps\n", r.Name, r.Falls, r.Length)
			writeSteps(w, r.Trace)
		}
	}
}

// writeSteps writes a trace with a line for each step.
func writeSteps[A any](w io.Writer, t *checker.Trace[A]) {
	for _, s := range t.Steps {
		var by []string
		for _, d := range s.Decisions {
			by = append(by, d.Rule)
		}
		rules := ""
		if by != nil {
			rules = "  [" + strings.Join(by, " ") + "]"
		}
		fmt.Fprintf(w, "%4d. %s: %s%s\n", s.Number, s.Actor, s.Text, rules)
	}
}
