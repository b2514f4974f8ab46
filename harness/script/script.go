// Package script is a scenario as data: lines of the features' language (package steps) that were not written by a person.
// A counterexample of the checker, a walk of the explorer and the report of a violation are scripts; each can be printed
// as Gherkin, kept as JSON, and played on any broker.
package script

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
)

// Script is one scenario.
type Script struct {
	Name  string   `json:"name"`
	About []string `json:"about,omitempty"` // lines for people
	// Tags are those of the scenario, without rules and levels of their own: "@tv2", "@trace".
	Tags []string `json:"tags,omitempty"`
	// Breaks names the rule that a broker broke when it was found; "" where the lines alone say what shows it.
	Breaks string `json:"breaks,omitempty"`
	// Fails says that the last line says what has to be, and that a broker is broken where it does not hold.
	Fails bool `json:"fails,omitempty"`
	// Demands says that each line says what has to be, as where a person wrote them.
	Demands bool   `json:"demands,omitempty"`
	Steps   []Step `json:"steps"`
}

// Step is one line, with its table.
type Step struct {
	// Keyword is Given, When, Then or And.
	Keyword string     `json:"keyword"`
	Text    string     `json:"text"`
	Table   [][]string `json:"table,omitempty"`
}

// Given, When, Then and the others of their kind.
const (
	Given = "Given"
	When  = "When"
	Then  = "Then"
	And   = "And"
)

// Add appends a line. A keyword that is that of the line before is written as And.
func (s *Script) Add(keyword, format string, args ...any) {
	s.Steps = append(s.Steps, Step{Keyword: keyword, Text: fmt.Sprintf(format, args...)})
}

// AddTable appends a line with a table, the heading first.
func (s *Script) AddTable(keyword, text string, rows [][]string) {
	s.Steps = append(s.Steps, Step{Keyword: keyword, Text: text, Table: rows})
}

// Clone is a copy that shares nothing that changes.
func (s *Script) Clone() *Script {
	c := *s
	c.About, c.Tags, c.Steps = slices.Clone(s.About), slices.Clone(s.Tags), slices.Clone(s.Steps)
	return &c
}

// Lines are the texts of its steps, which have no tables.
func (s *Script) Lines() []string {
	var out []string
	for _, st := range s.Steps {
		out = append(out, st.Text)
	}
	return out
}

// OfLines is a script of lines without tables. Those that introduce a topic or a producer are Given.
func OfLines(name string, lines []string) *Script {
	s := &Script{Name: name}
	for _, l := range lines {
		keyword := When
		if strings.HasPrefix(l, "topic ") || strings.HasPrefix(l, "producer ") {
			keyword = Given
		}
		s.Steps = append(s.Steps, Step{Keyword: keyword, Text: l})
	}
	return s
}

// Gherkin is the scenario as a feature file has it, indented by two spaces.
func (s *Script) Gherkin() string {
	var b strings.Builder
	if len(s.Tags) > 0 {
		fmt.Fprintf(&b, "  %s\n", strings.Join(s.Tags, " "))
	}
	fmt.Fprintf(&b, "  Scenario: %s\n", s.Name)
	for _, line := range s.About {
		fmt.Fprintf(&b, "    %s\n", line)
	}
	if len(s.About) > 0 {
		b.WriteString("\n")
	}
	before := ""
	for _, st := range s.Steps {
		keyword := st.Keyword
		if keyword == before {
			keyword = And
		} else if keyword != And {
			before = keyword
		}
		fmt.Fprintf(&b, "    %s %s\n", keyword, st.Text)
		b.WriteString(rows(st.Table))
	}
	return b.String()
}

// rows is a table with its columns aligned.
func rows(table [][]string) string {
	var width []int
	for _, row := range table {
		for i, cell := range row {
			if i == len(width) {
				width = append(width, 0)
			}
			width[i] = max(width[i], len([]rune(cell)))
		}
	}
	var b strings.Builder
	for _, row := range table {
		b.WriteString("      |")
		for i, cell := range row {
			fmt.Fprintf(&b, " %-*s |", width[i], cell)
		}
		b.WriteString("\n")
	}
	return b.String()
}

// Feature is a whole feature file of scripts.
func Feature(name string, about []string, scripts []*Script) string {
	var b strings.Builder
	fmt.Fprintf(&b, "Feature: %s\n", name)
	for _, line := range about {
		fmt.Fprintf(&b, "  %s\n", line)
	}
	for _, s := range scripts {
		b.WriteString("\n" + s.Gherkin())
	}
	return b.String()
}

// Parse reads a script from JSON.
func Parse(text []byte) (*Script, error) {
	var s Script
	if err := json.Unmarshal(text, &s); err != nil {
		return nil, fmt.Errorf("expected a script as JSON: %w", err)
	}
	return &s, s.Check()
}

// Check says what is wrong with a script that was read.
func (s *Script) Check() error {
	if len(s.Steps) == 0 {
		return errors.New("expected a script with steps, got none")
	}
	for i, st := range s.Steps {
		if st.Text == "" || strings.ContainsAny(st.Text, "\n\r") {
			return fmt.Errorf("step %d: expected one line of text, got %q", i+1, st.Text)
		}
	}
	return nil
}
