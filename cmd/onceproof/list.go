package main

import (
	"context"
	"flag"
	"fmt"
	"strings"

	"github.com/onceproof/onceproof/checker"
	"github.com/onceproof/onceproof/spec"
	"github.com/onceproof/onceproof/spec/world"
)

// lists are what list takes.
var lists = []string{"models", "fixes", "properties", "rules", "releases"}

func listCommand() command {
	return command{
		name: "list", args: strings.Join(lists, "|"), about: "what there is",
		examples: []string{"onceproof list fixes", "onceproof list rules --json"},
		setUp: func(*flag.FlagSet) runner {
			return func(_ context.Context, e *env, args []string) (int, error) {
				if len(args) != 1 {
					return exitUnjudged, fmt.Errorf("expected one of %s, got %d arguments", strings.Join(lists, ", "), len(args))
				}
				switch args[0] {
				case "models":
					return exitHolds, listModels(e)
				case "fixes":
					return exitHolds, listFixes(e)
				case "properties":
					return exitHolds, listProperties(e)
				case "rules":
					return exitHolds, listRules(e)
				case "releases":
					return exitHolds, listReleases(e)
				}
				return exitUnjudged, fmt.Errorf("no list %q; known: %s", args[0], strings.Join(lists, ", "))
			}
		},
	}
}

// modelInfo is a model with what is recorded of it.
type modelInfo struct {
	Name    string `json:"name"`
	About   string `json:"about"`
	Version int8   `json:"transaction_version"`
	Style   string `json:"style"`
	Bounds  string `json:"bounds"`
	// Distinct and Verdict are the recorded ones, with every fix on.
	Distinct uint64          `json:"distinct,omitempty"`
	Verdict  checker.Verdict `json:"verdict,omitempty"`
	Falls    string          `json:"falls,omitempty"`
}

func allModels() ([]modelInfo, error) {
	recorded, err := world.Recorded()
	if err != nil {
		return nil, err
	}
	byModel := map[string]world.Row{}
	for _, r := range recorded {
		if r.Table == world.TableModels || r.Table == world.TableFlaws || r.Table == world.TableFixes && strings.HasSuffix(r.Name, " on") {
			byModel[r.Model] = r
		}
	}
	configs := world.Models()
	for _, f := range world.FixRows() {
		configs = append(configs, f.Config)
	}
	for _, f := range world.Flaws() {
		configs = append(configs, f.Config)
	}
	var out []modelInfo
	for _, c := range configs {
		r := byModel[c.Name]
		out = append(out, modelInfo{c.Name, c.About, c.Rules.TransactionVersion, c.Style.String(), c.Bounds(), r.Distinct, r.Verdict, r.Falls})
	}
	for _, m := range exampleModels() {
		out = append(out, modelInfo{Name: m.name, About: m.about, Style: "-", Bounds: m.say(m.usual())})
	}
	return out, nil
}

func listModels(e *env) error {
	models, err := allModels()
	if err != nil {
		return err
	}
	if e.json {
		return writeJSON(e.stdout, map[string]any{"models": models, "bounds": world.BoundNames()})
	}
	t := newTable("MODEL", "TV", "STYLE", "BOUNDS", "DISTINCT", "VERDICT", "ABOUT")
	for _, m := range models {
		version, distinct, verdict := fmt.Sprint(m.Version), thousands(m.Distinct), string(m.Verdict)
		if m.Falls != "" {
			verdict = m.Falls + " falls"
		}
		if m.Verdict == "" {
			version, distinct, verdict = "-", "", ""
		}
		t.row(m.Name, version, m.Style, m.Bounds, distinct, verdict, m.About)
	}
	t.writeTo(e.stdout)
	_, err = fmt.Fprintf(e.stdout, "\nCounts and verdicts are the recorded ones, every fix on. Bounds, for --bound: %s\n", strings.Join(world.BoundNames(), ", "))
	return err
}

// fixInfo is a switch with what is recorded of it.
type fixInfo struct {
	ID       string   `json:"id"`
	Title    string   `json:"title"`
	Rule     string   `json:"rule"`
	Since    string   `json:"since,omitempty"` // "" if no release has it
	Releases []string `json:"releases"`
	Model    string   `json:"model"`
	Property string   `json:"property,omitempty"` // falls with the fix off
	Length   int      `json:"length,omitempty"`
	Why      string   `json:"why,omitempty"` // why none falls
	Distinct uint64   `json:"distinct"`      // with the fix on
}

func allFixes() ([]fixInfo, error) {
	recorded, err := world.Recorded()
	if err != nil {
		return nil, err
	}
	pairs := map[string]fixPair{}
	for _, p := range fixPairs(inTable(recorded, world.TableFixes)) {
		if _, ok := pairs[p.id]; !ok {
			pairs[p.id] = p
		}
	}
	var out []fixInfo
	for _, f := range spec.AllFixInfo() {
		info := fixInfo{ID: f.ID, Title: f.Title, Rule: f.Rule.String(), Since: f.Since, Releases: []string{}}
		for _, r := range spec.AllReleases() {
			if r.Fixes.Has(f.Fix) {
				info.Releases = append(info.Releases, r.Name)
			}
		}
		if p, ok := pairs[f.ID]; ok {
			info.Model, info.Property, info.Length, info.Why = p.off.Model, p.off.Falls, p.off.Length, p.off.Why
			if p.on != nil {
				info.Distinct = p.on.Distinct
			}
		}
		out = append(out, info)
	}
	return out, nil
}

func listFixes(e *env) error {
	fixes, err := allFixes()
	if err != nil {
		return err
	}
	if e.json {
		return writeJSON(e.stdout, map[string]any{"fixes": fixes})
	}
	t := newTable("FIX", "SINCE", "RULE", "OFF: FALLS", "STEPS", "WITHOUT IT")
	for _, f := range fixes {
		since, steps := f.Since, ""
		if since == "" {
			since = "none"
		}
		if f.Property != "" {
			steps = fmt.Sprint(f.Length)
		}
		t.row(f.ID, since, f.Rule, f.Property, steps, f.Title)
	}
	t.writeTo(e.stdout)
	return nil
}

// propertyInfo is a property and what a user loses when it falls.
type propertyInfo struct {
	Name string       `json:"name"`
	Kind checker.Kind `json:"kind"`
	Doc  string       `json:"doc"`
}

func allProperties() ([]propertyInfo, error) {
	m, err := world.New(world.Models()[0])
	if err != nil {
		return nil, err
	}
	p := m.Properties()
	var out []propertyInfo
	for _, x := range p.Invariants {
		out = append(out, propertyInfo{x.Name, checker.KindInvariant, x.Doc})
	}
	for _, x := range p.Steps {
		out = append(out, propertyInfo{x.Name, checker.KindStep, x.Doc})
	}
	for _, x := range p.CanReach {
		out = append(out, propertyInfo{x.Name, checker.KindCanReach, x.Doc})
	}
	for _, x := range p.Witnesses {
		out = append(out, propertyInfo{x.Name, checker.KindWitness, x.Doc})
	}
	return out, nil
}

func listProperties(e *env) error {
	properties, err := allProperties()
	if err != nil {
		return err
	}
	if e.json {
		return writeJSON(e.stdout, map[string]any{"properties": properties})
	}
	t := newTable("PROPERTY", "KIND", "DEMANDS")
	for _, p := range properties {
		t.row(p.Name, string(p.Kind), p.Doc)
	}
	t.writeTo(e.stdout)
	return nil
}

func listRules(e *env) error {
	rules, err := allRules()
	if err != nil {
		return err
	}
	if e.json {
		return writeJSON(e.stdout, map[string]any{"rules": rules})
	}
	t := newTable("RULE", "VERSIONS", "CHECKED", "SCENARIOS", "STATEMENT")
	for _, r := range rules {
		checked := "no"
		if r.Checked() {
			checked = "yes"
		}
		t.row(r.ID, r.Versions, checked, fmt.Sprint(len(r.Scenarios)), r.Statement)
	}
	t.writeTo(e.stdout)
	return nil
}

// releaseInfo is a release as a set of switches.
type releaseInfo struct {
	Name  string   `json:"name"`
	About string   `json:"about"`
	On    []string `json:"fixes_on"`
	Off   []string `json:"fixes_off"`
}

func listReleases(e *env) error {
	var releases []releaseInfo
	for _, r := range spec.AllReleases() {
		releases = append(releases, releaseInfo{r.Name, r.About, r.Fixes.IDs(), (spec.AllFixes &^ r.Fixes).IDs()})
	}
	if e.json {
		return writeJSON(e.stdout, map[string]any{"releases": releases})
	}
	for _, r := range releases {
		fmt.Fprintf(e.stdout, "%s: %s\n  on:  %s\n  off: %s\n", r.Name, r.About, strings.Join(r.On, " "), strings.Join(r.Off, " "))
	}
	return nil
}
