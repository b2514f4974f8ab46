package conform

import (
	"bytes"
	"fmt"
	"io/fs"
	"slices"
	"strconv"
	"strings"

	gherkin "github.com/cucumber/gherkin/go/v42"
	messages "github.com/cucumber/messages/go/v34"

	"github.com/onceproof/onceproof/features"
	"github.com/onceproof/onceproof/harness/script"
	"github.com/onceproof/onceproof/spec"
)

// Scenario is a scenario of the features, a row of an outline counting as one.
type Scenario struct {
	Name    string   `json:"name"`
	Feature string   `json:"feature"`
	File    string   `json:"file"`
	Line    int64    `json:"line"`
	Tags    []string `json:"tags"`
	// Levels are the levels of transaction.version at which it runs.
	Levels []int16 `json:"levels"`
	// Rules are those that it says it shows.
	Rules []spec.Rule `json:"-"`
	// Steps are its lines, those of the background first.
	Steps []script.Step `json:"-"`
}

// RunsAt reports whether the scenario is run at a level of transaction.version: it is meant for it, and a tester can place it.
func (s *Scenario) RunsAt(level int16) bool {
	return s.unplaceable() == "" && slices.Contains(s.Levels, level)
}

// Suite reads the scenarios out of the embedded features, in the order in which they run.
func Suite() ([]Scenario, error) {
	var names []string
	for _, pattern := range []string{"*.feature", "traces/*.feature"} {
		some, err := fs.Glob(features.Files, pattern)
		if err != nil {
			return nil, err
		}
		names = append(names, some...)
	}
	slices.Sort(names)
	var all []Scenario
	for _, name := range names {
		text, err := features.Files.ReadFile(name)
		if err != nil {
			return nil, err
		}
		some, err := scenariosIn(name, text)
		if err != nil {
			return nil, fmt.Errorf("features/%s: %w", name, err)
		}
		all = append(all, some...)
	}
	return all, nil
}

func scenariosIn(file string, text []byte) ([]Scenario, error) {
	all, err := parsed(file, text)
	if err != nil {
		return nil, err
	}
	for i := range all {
		s := &all[i]
		if len(s.Levels) == 0 {
			return nil, fmt.Errorf("line %d: scenario %q: expected a tag @tv0, @tv1 or @tv2, got none", s.Line, s.Name)
		}
	}
	return all, nil
}

// parsed are the scenarios of a feature, in which a level need not be said.
func parsed(file string, text []byte) ([]Scenario, error) {
	id := 0
	next := func() string { id++; return strconv.Itoa(id) }
	doc, err := gherkin.ParseGherkinDocumentForLanguage(bytes.NewReader(text), "en", next)
	if err != nil {
		return nil, err
	}
	if doc.Feature == nil {
		return nil, fmt.Errorf("expected a Feature, got none")
	}
	lines := map[string]int64{}
	for _, child := range doc.Feature.Children {
		if child.Scenario != nil {
			lines[child.Scenario.Id] = child.Scenario.Location.Line
		}
	}
	var all []Scenario
	for _, p := range gherkin.Pickles(*doc, file, next) {
		s := Scenario{Name: p.Name, Feature: doc.Feature.Name, File: file, Line: lines[p.AstNodeIds[0]], Tags: tagNames(p.Tags), Steps: stepsOf(p)}
		if err := s.readTags(); err != nil {
			return nil, fmt.Errorf("line %d: %w", s.Line, err)
		}
		all = append(all, s)
	}
	return all, nil
}

func tagNames(tags []*messages.PickleTag) []string {
	var out []string
	for _, t := range tags {
		out = append(out, t.Name)
	}
	return out
}

// readTags reads @tv2 as a level and @IDEM-15 as a rule; other tags are for choosing scenarios.
func (s *Scenario) readTags() error {
	for _, tag := range s.Tags {
		name := strings.TrimPrefix(tag, "@")
		if level, isLevel := strings.CutPrefix(name, "tv"); isLevel {
			n, err := strconv.ParseInt(level, 10, 16)
			if err != nil {
				return fmt.Errorf("expected @tv0, @tv1 or @tv2, got %s", tag)
			}
			s.Levels = append(s.Levels, int16(n))
			continue
		}
		if name != strings.ToUpper(name) {
			continue
		}
		r, err := spec.ParseRule(name)
		if err != nil {
			return err
		}
		s.Rules = append(s.Rules, r)
	}
	return nil
}

// Coverage gives, for each rule that a scenario says it shows, the names of those scenarios.
func Coverage() (map[spec.Rule][]string, error) {
	all, err := Suite()
	if err != nil {
		return nil, err
	}
	out := map[spec.Rule][]string{}
	for _, s := range all {
		for _, r := range s.Rules {
			if !slices.Contains(out[r], s.Name) {
				out[r] = append(out[r], s.Name)
			}
		}
	}
	return out, nil
}
