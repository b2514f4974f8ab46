package conform

import (
	"encoding/hex"
	"encoding/json"
	"fmt"
	"path/filepath"
	"strings"
	"time"
	"unicode"

	"github.com/onceproof/onceproof/harness/steps"
	"github.com/onceproof/onceproof/spec"
)

// Report is what is written of a violation: everything that is needed to judge it without the run.
type Report struct {
	Scenario           string          `json:"scenario"`
	Feature            string          `json:"feature"`
	File               string          `json:"file"`
	Line               int64           `json:"line"`
	Step               string          `json:"step"`
	Verdict            Verdict         `json:"verdict"`
	Known              string          `json:"known_because,omitempty"`
	Broker             string          `json:"broker"`
	TransactionVersion int16           `json:"transaction_version"`
	Release            string          `json:"judged_by_release"`
	Strict             bool            `json:"strict"`
	Command            string          `json:"command"`
	Sent               string          `json:"sent"`
	Came               string          `json:"came"`
	Allowed            []ReportAllowed `json:"allowed"`
	Rules              []ReportRule    `json:"rules"`
	Exchange           int             `json:"exchange,omitempty"`
	History            []ReportEvent   `json:"history"`
}

// ReportAllowed is an outcome that was allowed, and the rules by which.
type ReportAllowed struct {
	Outcome string   `json:"outcome"`
	Rules   []string `json:"rules"`
}

// ReportRule is a rule that may be the broken one, with its source.
type ReportRule struct {
	ID        string `json:"id"`
	Statement string `json:"statement"`
	Source    string `json:"source"`
	Versions  string `json:"versions"`
}

// ReportEvent is one exchange, or one thing that was done; the bytes are whole frames in hexadecimal.
type ReportEvent struct {
	At         time.Time `json:"at"`
	Connection uint16    `json:"connection"`
	Text       string    `json:"text"`
	Request    string    `json:"request_hex,omitempty"`
	Response   string    `json:"response_hex,omitempty"`
}

// writeReports writes a Markdown and a JSON file for each violation, known ones too.
func writeReports(dir string, r *Result) ([]string, error) {
	if err := whole(dir); err != nil {
		return nil, err
	}
	all, err := Suite()
	if err != nil {
		return nil, err
	}
	var files []string
	for i := range r.Scenarios {
		s := &r.Scenarios[i]
		if s.Violation == nil {
			continue
		}
		report := newReport(r, s, all)
		base := filepath.Join(dir, "violation-"+slug(s.Name))
		text, err := json.MarshalIndent(report, "", "  ")
		if err != nil {
			return files, err
		}
		if err := WriteWhole(base+".json", append(text, '\n')); err != nil {
			return files, err
		}
		if err := WriteWhole(base+".md", []byte(report.Markdown())); err != nil {
			return files, err
		}
		files = append(files, base+".md", base+".json")
	}
	return files, nil
}

func newReport(r *Result, s *ScenarioResult, all []Scenario) *Report {
	v := s.Violation
	out := &Report{
		Scenario: s.Name, Feature: s.Feature, File: s.File, Line: s.Line, Step: s.Step, Verdict: s.Verdict,
		Broker: r.Broker, TransactionVersion: r.TransactionVersion, Release: r.Release, Strict: r.Strict, Command: command(r, s, all),
		Sent: v.Sent, Came: v.Came, Exchange: v.Exchange,
	}
	if s.Verdict == Known {
		out.Known = s.Reason
	}
	for _, a := range v.Allowed {
		out.Allowed = append(out.Allowed, ReportAllowed{a.Outcome, ids(a.Rules)})
	}
	for _, rule := range v.Rules {
		info := rule.Info()
		out.Rules = append(out.Rules, ReportRule{info.ID, info.Statement, info.Source, info.Versions})
	}
	for i := range s.History {
		out.History = append(out.History, newEvent(&s.History[i]))
	}
	return out
}

func newEvent(e *steps.Event) ReportEvent {
	out := ReportEvent{At: e.At, Connection: e.Conn, Text: strings.TrimSpace(e.String())}
	if e.Exchange != nil {
		out.Request = hex.EncodeToString(e.Exchange.RequestFrame())
		out.Response = hex.EncodeToString(e.Exchange.ResponseFrame())
	}
	return out
}

// command runs the scenario again, with those of which its tags do not tell it.
func command(r *Result, s *ScenarioResult, all []Scenario) string {
	text := fmt.Sprintf("onceproof conform --broker %s --release %s", r.Broker, r.Release)
	if r.Strict {
		text += " --strict"
	}
	if r.Profile != "" {
		text += " --profile " + r.Profile
	}
	return text + fmt.Sprintf(" --tags %q", strings.Join(fewestTags(&s.Scenario, all), " && "))
}

// fewestTags are tags of a scenario that choose no more scenarios than all its tags do. Each one taken is the one that
// leaves the fewest others.
func fewestTags(s *Scenario, all []Scenario) []string {
	chosen := func(tags []string) int {
		n := 0
		for i := range all {
			if all[i].hasAll(tags) {
				n++
			}
		}
		return n
	}
	var tags []string
	for fewest := chosen(s.Tags); chosen(tags) > fewest; {
		best := ""
		for _, t := range s.Tags {
			if best == "" || chosen(append(tags[:len(tags):len(tags)], t)) < chosen(append(tags[:len(tags):len(tags)], best)) {
				best = t
			}
		}
		tags = append(tags, best)
	}
	return tags
}

func ids(rules []spec.Rule) []string {
	out := []string{}
	for _, r := range rules {
		out = append(out, r.String())
	}
	return out
}

// Markdown is the report for people.
func (r *Report) Markdown() string {
	var b strings.Builder
	fmt.Fprintf(&b, "# %s\n\n", r.Scenario)
	fmt.Fprintf(&b, "%s at transaction.version %d, judged by Apache Kafka %s%s: **%s**.\n\n", r.Broker, r.TransactionVersion, r.Release, strictly(r.Strict), r.Verdict)
	if r.Known != "" {
		fmt.Fprintf(&b, "Known: %s\n\n", r.Known)
	}
	fmt.Fprintf(&b, "Feature \"%s\" (features/%s:%d), at the line\n\n    %s\n\n", r.Feature, r.File, r.Line, r.Step)
	if r.Sent != "" {
		fmt.Fprintf(&b, "## What was sent\n\n    %s\n\n", r.Sent)
	}
	came := r.Came
	if came == "" {
		came = "an answer with nothing in it"
	}
	fmt.Fprintf(&b, "## What came\n\n    %s\n\n## What was allowed\n\n", came)
	for _, a := range r.Allowed {
		fmt.Fprintf(&b, "- %s", a.Outcome)
		if len(a.Rules) > 0 {
			fmt.Fprintf(&b, " (%s)", strings.Join(a.Rules, ", "))
		}
		b.WriteString("\n")
	}
	b.WriteString("\n## By which rules\n\n| rule | statement | source | holds for |\n|---|---|---|---|\n")
	for _, x := range r.Rules {
		fmt.Fprintf(&b, "| %s | %s | %s | %s |\n", x.ID, cell(x.Statement), cell(x.Source), cell(x.Versions))
	}
	b.WriteString("\n## What went over the wire\n\n[n] is the connection. The JSON file beside this one has every byte.\n\n```\n")
	for _, e := range r.History {
		b.WriteString(e.Text + "\n")
	}
	fmt.Fprintf(&b, "```\n\n## Once more\n\n    %s\n", r.Command)
	return b.String()
}

// cell keeps a text inside its cell of a table.
func cell(text string) string { return strings.ReplaceAll(text, "|", `\|`) }

// slug makes the name of a scenario one of a file.
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
