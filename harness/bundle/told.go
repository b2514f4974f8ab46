package bundle

import (
	"encoding/json"
	"os"
	"strings"

	"github.com/onceproof/onceproof/harness/script"
	"github.com/onceproof/onceproof/harness/steps"
)

// Line is a line of the exchange as the report numbers it: a request with its answer, or what else was done.
type Line struct {
	Number int `json:"number"`
	// Line is that of the script, counted from 1.
	Line    int    `json:"line"`
	Who     string `json:"who,omitempty"`
	Request string `json:"request,omitempty"`
	// Times is how often the request was sent and answered alike.
	Times  int    `json:"times,omitempty"`
	Answer string `json:"answer,omitempty"`
	// Outstanding says that an answer is due and has not come; Answer says why.
	Outstanding bool `json:"outstanding,omitempty"`
	// AnsweredAfter is the number of the line that was sent before the answer came, 0 if it came at once.
	AnsweredAfter int `json:"answered_after,omitempty"`
	// Note is what was done, or is special about the request.
	Note string `json:"note,omitempty"`
}

// Exchange is all that was exchanged, line by line. Only script, history, names and suffix are needed for it.
func (f *Finding) Exchange() []Line {
	out := []Line{}
	for _, x := range f.entries(f.names()) {
		l := Line{Number: x.number, Line: x.line, Who: x.who, Answer: x.answer, AnsweredAfter: x.answeredAfter, Note: x.note + x.remark}
		if x.note == "" {
			l.Request, l.Times = x.request, x.times
			l.Outstanding = x.answer == noAnswer || x.answer == notRead
		}
		out = append(out, l)
	}
	return out
}

// Read is a text of the run as the report has it: without its suffix, producer ids by their names.
func (f *Finding) Read(text string) string { return shownPlainly.Replace(f.names().read(text)) }

// shownPlainly, read only, says in other words what the oracle says for itself, wherever it stands.
var shownPlainly = strings.NewReplacer("aborted list null true", plain("aborted list null true"), "aborted list null false", plain("aborted list null false"))

// Said is a violation as the report has it: what came, and each outcome that was allowed.
func (f *Finding) Said(v *steps.Violation) (came string, allowed []string) {
	of, n := *f, f.names()
	of.Violation = v
	for _, a := range v.Allowed {
		allowed = append(allowed, of.outcome(n, a.Outcome))
	}
	return of.came(n), allowed
}

// WriteExchange writes what was exchanged, and the scenario, of a run that broke no rule, and gives the names of the files.
func WriteExchange(dir string, f *Finding) ([]string, error) {
	quiet := *f
	quiet.Violation = &steps.Violation{Exchange: -1}
	wire, err := json.MarshalIndent(quiet.wire(), "", "  ")
	if err != nil {
		return nil, err
	}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return nil, err
	}
	return writeFiles(dir, []file{{WireFile, string(wire) + "\n"}, {ScenarioFile, script.Feature(f.Script.Name, nil, []*script.Script{f.Script})}})
}
