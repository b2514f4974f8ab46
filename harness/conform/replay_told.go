package conform

import (
	"encoding/json"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strings"

	"github.com/onceproof/onceproof/harness/bundle"
	"github.com/onceproof/onceproof/harness/script"
	"github.com/onceproof/onceproof/harness/steps"
)

// telling prints a replay while it goes on.
type telling struct {
	out     io.Writer
	err     error // the first of writing
	finding bundle.Finding
	release string

	notes   int          // that are printed
	printed int          // lines of the exchange
	open    map[int]bool // of those whose answer is outstanding, by number
}

func (t *telling) printf(format string, args ...any) {
	if _, err := fmt.Fprintf(t.out, format, args...); err != nil && t.err == nil {
		t.err = err
	}
}

// heading says what is played, and on what.
func (t *telling) heading(res *Replayed, g *given) {
	switch {
	case g.kind == Counterexample && g.property != "":
		t.printf("%s: a counterexample of the checker: %s falls in %s\n  %s\n", res.Trace, g.property, g.model, g.doc)
	case g.kind == Counterexample:
		t.printf("%s: a counterexample of the checker: %s\n", res.Trace, res.Name)
	case g.kind == Found:
		t.printf("%s: a violation found on %s: %s\n", res.Trace, g.finding.Broker, res.Name)
		t.rule(g)
	default:
		t.printf("%s: a scenario: %s\n", res.Trace, res.Name)
	}
	if g.kind == Counterexample {
		t.printf("  Its lines are what the model's broker answered: where all hold, this broker does the same.\n")
	}
	t.printf("on %s at transaction.version %d; the oracle judges by Apache Kafka %s%s\n", res.Broker, res.TransactionVersion, res.Release, strictly(res.Strict))
	t.note(res)
	t.printf("\n")
}

// note prints the notes that are new.
func (t *telling) note(res *Replayed) {
	for _, note := range res.Notes[t.notes:] {
		t.printf("  %s\n", note)
	}
	t.notes = len(res.Notes)
}

// rule says which rule a violation broke, and what came then.
func (t *telling) rule(g *given) {
	if len(g.rules) == 0 {
		return
	}
	info := g.rules[0].Info()
	t.printf("  %s: %s\n  then came %s; allowed was %s\n", info.ID, info.Statement, g.finding.Came, strings.Join(g.finding.Allowed, " or "))
}

// step prints what was exchanged at a step, and what that says.
func (t *telling) step(p *script.Played) {
	f := &t.finding
	whole := f.Script
	f.Script = whole.Clone()
	f.Script.Steps = whole.Steps[:p.Step+1]
	f.History, f.Names = p.History, p.Names
	defer func() { f.Script = whole }()
	if t.open == nil {
		t.open = map[int]bool{}
	}
	lines := f.Exchange()
	landed := t.landed(whole, lines)
	for i := t.printed; i < len(lines); i++ {
		l := &lines[i]
		switch {
		case l.Request == "" && len(landed) == 1 && strings.HasSuffix(l.Note, " is answered"):
			t.printf("%4d. %s: %s (the answer to %d)\n", l.Number, l.Note, landed[0].Answer, landed[0].Number)
			landed = nil
		case l.Request == "":
			t.printf("%4d. %s\n", l.Number, l.Note)
		case underWay(whole, l):
			t.open[l.Number] = true
			t.printf("%4d. %s: %s, under way%s\n", l.Number, l.Who, l.Request, remark(l))
		default:
			t.printf("%4d. %s: %s%s → %s%s\n", l.Number, l.Who, l.Request, times(l.Times), l.Answer, remark(l))
		}
	}
	for _, l := range landed {
		t.printf("      the answer to %d: %s\n", l.Number, l.Answer)
	}
	t.printed = len(lines)
	if p.Violation != nil && p.Err == nil {
		t.printf("      the oracle: Apache Kafka %s does not do this (%s): %s\n", t.release, strings.Join(ids(p.Violation.Rules), ", "), f.Read(p.Violation.Error()))
	}
	if p.Err != nil {
		t.ended(p, whole)
	}
}

// landed are the lines whose answer was outstanding and has come.
func (t *telling) landed(s *script.Script, lines []bundle.Line) []*bundle.Line {
	var out []*bundle.Line
	for i := range lines[:t.printed] {
		if l := &lines[i]; t.open[l.Number] && !underWay(s, l) {
			delete(t.open, l.Number)
			out = append(out, l)
		}
	}
	return out
}

// ended prints the line at which the script ends, with what it expected and what came.
func (t *telling) ended(p *script.Played, s *script.Script) {
	t.printf("\n  line %d of %d: %s\n", p.Step+1, len(s.Steps), s.Steps[p.Step].Text)
	v, unjudged := steps.Classify(p.Err)
	if unjudged != nil {
		t.printf("    %v\n", unjudged)
		return
	}
	came, allowed := t.finding.Said(v)
	for i, a := range v.Allowed {
		word := "expected"
		if i > 0 {
			word = "      or"
		}
		by := ""
		if len(a.Rules) > 0 {
			by = " (" + strings.Join(ids(a.Rules), ", ") + ")"
		}
		t.printf("    %s %s%s\n", word, allowed[i], by)
	}
	t.printf("    came     %s\n", came)
}

// end prints the verdict.
func (t *telling) end(res *Replayed) {
	t.printf("\n%s: %s\n", res.Verdict, res.Reason)
	if res.Property != "" && res.Verdict == script.Reproduced.String() {
		t.printf("  %s: %s\n", res.Property, res.Doc)
	}
	if v := res.Violation; v != nil && v.Line != res.Line {
		t.printf("  on the way, at line %d, the oracle calls a violation of %s: %s\n", v.Line, strings.Join(v.Rules, ", "), v.Text)
	}
	if res.Known != "" {
		t.printf("  a known deviation: %s\n", res.Known)
	}
	for _, d := range res.Tolerated {
		t.printf("  judged as if it were right, in %d answers: %s: %s\n", d.Answers, d.Field, d.Reason)
	}
	t.note(res)
	if res.Unwritten != "" {
		t.printf("  a report could not be written: %s\n", res.Unwritten)
	}
	for _, name := range res.Reports {
		t.printf("  written: %s\n", name)
	}
}

// underWay reports whether a line's answer is outstanding because the script has it so.
func underWay(s *script.Script, l *bundle.Line) bool {
	return l.Outstanding && strings.Contains(s.Steps[l.Line-1].Text, " is under way as ")
}

func times(n int) string {
	if n < 2 {
		return ""
	}
	return fmt.Sprintf(" (%d times)", n)
}

func remark(l *bundle.Line) string {
	if l.Note == "" {
		return ""
	}
	return " (" + l.Note + ")"
}

// write writes the reports of a replay: what was exchanged, and the folder of a violation where a rule was broken.
func (p *replaying) write() {
	if p.ReportDir == "" {
		return
	}
	files, err := p.writeFolder()
	p.res.Reports = files
	if err == nil {
		name := filepath.Join(p.ReportDir, "replay.json")
		p.res.Reports = append(p.res.Reports, name)
		var text []byte
		if text, err = json.MarshalIndent(&p.res, "", "  "); err == nil {
			err = bundle.WriteWhole(name, append(text, '\n'))
		}
	}
	if err != nil {
		p.res.Unwritten = err.Error()
	}
}

func (p *replaying) writeFolder() ([]string, error) {
	o := &p.out
	f := p.told.finding
	f.History, f.Names, f.Violation = o.History, o.Names, o.Violation
	f.Broker, f.TransactionVersion, f.Versions, f.Release, f.Strict, f.Profile = p.res.Broker, p.res.TransactionVersion, p.versions, p.res.Release, p.Strict, p.Profile
	f.Known, f.From = p.res.Known, "replay of "+p.given.file
	if o.Violation == nil {
		return bundle.WriteExchange(filepath.Join(p.ReportDir, "replay-of-"+slug(p.res.Name)), &f)
	}
	f.Script = f.Script.Clone()
	f.Script.Tags = tagsOfViolation(f.Script.Tags)
	f.Script.Steps, f.Script.Demands, f.Script.Breaks, f.Script.Fails = f.Script.Steps[:o.ViolatedAt+1], false, "", true
	if o.Violation.ByOracle && len(o.Violation.Rules) > 0 {
		f.Script.Breaks, f.Script.Fails = o.Violation.Rules[0].String(), false
	}
	f.History = slices.DeleteFunc(slices.Clone(o.History), func(e steps.Event) bool { return e.Line > o.ViolatedAt+1 })
	return bundle.Write(filepath.Join(p.ReportDir, "violation-"+slug(p.res.Name)), &f)
}
