package main

import (
	"context"
	"flag"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/onceproof/onceproof/harness/conform"
	"github.com/onceproof/onceproof/spec"
	"github.com/onceproof/onceproof/spec/world"
)

// ruleInfo is a rule, and who has seen it decide.
type ruleInfo struct {
	ID        string `json:"id"`
	Section   string `json:"section"`
	Statement string `json:"statement"`
	Source    string `json:"source"`
	Versions  string `json:"versions"`
	// Models are those in which the checker takes a step that the rule decides; Unchecked says why there is none.
	Models    []string `json:"models"`
	Unchecked string   `json:"unchecked_because,omitempty"`
	Scenarios []string `json:"scenarios"`
	Fixes     []string `json:"fixes"` // switches of its guard
}

// Checked reports whether the checker takes a step that the rule decides.
func (r *ruleInfo) Checked() bool { return len(r.Models) > 0 }

// allRules is every rule with the recorded rows and the embedded scenarios that reach it.
func allRules() ([]ruleInfo, error) {
	recorded, err := world.Recorded()
	if err != nil {
		return nil, err
	}
	scenarios, err := conform.Coverage()
	if err != nil {
		return nil, err
	}
	var out []ruleInfo
	for _, r := range spec.AllRules() {
		i := r.Info()
		info := ruleInfo{ID: i.ID, Section: i.Section, Statement: i.Statement, Source: i.Source, Versions: i.Versions,
			Models: []string{}, Scenarios: append([]string{}, scenarios[r]...), Fixes: []string{}}
		for _, row := range recorded {
			if row.Table != world.TableWeakenings && slices.Contains(row.Rules, i.ID) && !slices.Contains(info.Models, row.Model) {
				info.Models = append(info.Models, row.Model)
			}
		}
		if len(info.Models) == 0 {
			info.Unchecked = r.Scope()
		}
		for _, f := range spec.AllFixInfo() {
			if f.Rule == r {
				info.Fixes = append(info.Fixes, f.ID)
			}
		}
		out = append(out, info)
	}
	return out, nil
}

func ruleCommand() command {
	return command{
		name: "rule", args: "ID", about: "a rule: statement, source, versions, the models and scenarios that show it",
		examples: []string{"onceproof rule END-20", "onceproof rule IDEM-15 --json"},
		setUp: func(*flag.FlagSet) runner {
			return func(_ context.Context, e *env, args []string) (int, error) {
				if len(args) != 1 {
					return exitUnjudged, fmt.Errorf("expected one ID such as END-20, got %d arguments", len(args))
				}
				r, err := spec.ParseRule(args[0])
				if err != nil {
					return exitUnjudged, fmt.Errorf("%w; onceproof list rules has them all", err)
				}
				return exitHolds, printRule(e, r)
			}
		},
	}
}

func printRule(e *env, r spec.Rule) error {
	rules, err := allRules()
	if err != nil {
		return err
	}
	info := &rules[slices.Index(spec.AllRules(), r)]
	if e.json {
		return writeJSON(e.stdout, info)
	}
	info.writeText(e.stdout)
	return nil
}

func (r *ruleInfo) writeText(w io.Writer) {
	fmt.Fprintf(w, "%s (%s)\n  %s\nsource:   %s\nholds for: %s\n", r.ID, r.Section, r.Statement, r.Source, r.Versions)
	if len(r.Fixes) > 0 {
		fmt.Fprintf(w, "switched by: %s\n", strings.Join(r.Fixes, ", "))
	}
	if r.Checked() {
		fmt.Fprintf(w, "checked in: %s\n", strings.Join(r.Models, ", "))
	} else {
		fmt.Fprintf(w, "not reached by the checker: %s\n", r.Unchecked)
	}
	if len(r.Scenarios) == 0 {
		fmt.Fprintln(w, "scenarios: none yet")
		return
	}
	fmt.Fprintln(w, "scenarios:")
	for _, s := range r.Scenarios {
		fmt.Fprintf(w, "  %s\n", s)
	}
}
