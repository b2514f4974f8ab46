package conform

import (
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"unicode"

	messages "github.com/cucumber/messages/go/v34"

	"github.com/onceproof/onceproof/harness/broker"
	"github.com/onceproof/onceproof/harness/bundle"
	"github.com/onceproof/onceproof/harness/script"
	"github.com/onceproof/onceproof/spec"
)

// played is what a report needs of a scenario that ran.
type played struct {
	line     int // at which it ended, counted from 1; 0 if at none
	names    map[string]int64
	suffix   string
	versions broker.Versions
}

func (p *play) played() played {
	return played{line: p.line, names: p.world.Names(), suffix: p.world.Suffix, versions: p.world.Versions}
}

// writeReports writes a bundle for each violation, known ones too.
func writeReports(dir string, r *Result) ([]string, error) {
	if err := errors.Join(whole(dir), writeJUnit(dir, r)); err != nil {
		return nil, err
	}
	var files []string
	for i := range r.Scenarios {
		s := &r.Scenarios[i]
		if s.Violation == nil || slices.Contains(s.Tags, exploreTag) { // what walks found has bundles of its own
			continue
		}
		some, err := bundle.Write(filepath.Join(dir, "violation-"+slug(s.Name)), r.finding(s))
		files = append(files, some...)
		if err != nil {
			return files, err
		}
	}
	return files, nil
}

// finding is a violation for the report.
func (r *Result) finding(s *ScenarioResult) *bundle.Finding {
	f := &bundle.Finding{
		Script: s.script(), Violation: s.Violation, History: s.History,
		Broker: r.Broker, TransactionVersion: r.TransactionVersion, Versions: s.played.versions, Release: r.Release, Strict: r.Strict, Profile: r.Profile,
		Names: s.played.names, Suffix: s.played.suffix, From: fmt.Sprintf("features/%s:%d", s.File, s.Line),
	}
	if s.Verdict == Known {
		f.Known = s.Reason
	}
	return f
}

// script is the scenario up to the line at which it showed a violation.
func (s *ScenarioResult) script() *script.Script {
	out := &script.Script{Name: s.Name, Tags: tagsOfViolation(s.Tags), Steps: s.Steps[:min(s.played.line, len(s.Steps))]}
	if s.Violation.ByOracle && len(s.Violation.Rules) > 0 {
		out.Breaks = s.Violation.Rules[0].String()
	} else {
		out.Fails = true
	}
	return out
}

// tagsOfViolation leaves out the tag by which a scenario's lines would judge no broker.
func tagsOfViolation(tags []string) []string {
	return slices.DeleteFunc(slices.Clone(tags), func(tag string) bool { return tag == traceTag })
}

// stepsOf are the lines of a scenario as a runner has them.
func stepsOf(p *messages.Pickle) []script.Step {
	keywords := map[messages.PickleStepType]string{
		messages.PickleStepType_CONTEXT: script.Given, messages.PickleStepType_ACTION: script.When, messages.PickleStepType_OUTCOME: script.Then,
	}
	var out []script.Step
	for _, s := range p.Steps {
		st := script.Step{Keyword: keywords[s.Type], Text: s.Text}
		if st.Keyword == "" {
			st.Keyword = script.And
		}
		if s.Argument != nil && s.Argument.DataTable != nil {
			for _, row := range s.Argument.DataTable.Rows {
				var cells []string
				for _, c := range row.Cells {
					cells = append(cells, c.Value)
				}
				st.Table = append(st.Table, cells)
			}
		}
		out = append(out, st)
	}
	return out
}

func ids(rules []spec.Rule) []string {
	out := []string{}
	for _, r := range rules {
		out = append(out, r.String())
	}
	return out
}

// slug makes the name of a scenario one of a folder.
func slug(name string) string {
	var b strings.Builder
	for _, r := range strings.ToLower(name) {
		switch {
		case unicode.IsLetter(r) || unicode.IsDigit(r):
			b.WriteRune(r)
		case !strings.HasSuffix(b.String(), "-"):
			b.WriteByte('-')
		}
	}
	return strings.Trim(b.String(), "-")
}
