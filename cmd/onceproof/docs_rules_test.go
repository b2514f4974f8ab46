package main

import (
	"encoding/json"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/onceproof/onceproof/harness/conform"
)

// rulesPage is docs/rules.md.
func rulesPage(t *testing.T) string {
	rules, err := allRules()
	if err != nil {
		t.Fatal(err)
	}
	var b strings.Builder
	b.WriteString("<!-- Generated from spec/rules_*.go, spec/scope.go, fixtures/check.json and features/*.feature by make docs; do not edit. -->\n\n# Rules\n\n")
	b.WriteString("Every rule of the protocol, who has seen it decide, and what is open. \"Checked\" is the number of models in which a step of the\n" +
		"checker is decided by it; where there is none, the reason. \"Scenarios\" are those of `features/` that say they show it: a test\n" +
		"holds each to the rules that decided in its run on the specification. `onceproof rule ID` has the source, the models and the\n" +
		"scenarios by name.\n\n" + coverageLine(t))
	section := ""
	var rows [][]string
	flush := func() {
		if rows != nil {
			fmt.Fprintf(&b, "\n## %s\n\n%s", section, markdown([]string{"rule", "statement", "holds for", "checked", "scenarios"}, rows))
		}
		rows = nil
	}
	for _, r := range rules {
		if r.Section != section {
			flush()
			section = r.Section
		}
		checked, scenarios := "no: "+r.Unchecked, "open"
		if r.Checked() {
			checked = fmt.Sprintf("in %d", len(r.Models))
		}
		if n := len(r.Scenarios); n > 0 {
			scenarios = fmt.Sprint(n)
		}
		rows = append(rows, []string{r.ID, r.Statement, r.Versions, checked, scenarios})
	}
	flush()
	return b.String()
}

func coverageLine(t *testing.T) string {
	rules, err := allRules()
	if err != nil {
		t.Fatal(err)
	}
	scenarios, err := conform.Suite()
	if err != nil {
		t.Fatal(err)
	}
	checked, shown, either := 0, 0, 0
	for i := range rules {
		r := &rules[i]
		if r.Checked() {
			checked++
		}
		if len(r.Scenarios) > 0 {
			shown++
		}
		if r.Checked() || len(r.Scenarios) > 0 {
			either++
		}
	}
	return fmt.Sprintf("Of %d rules the checker reaches %d, and %d scenarios show %d; together %d.\n", len(rules), checked, len(scenarios), shown, either)
}

// brokersTable says what the tests demand of each broker.
func brokersTable(t *testing.T) string {
	all, err := conform.Suite()
	if err != nil {
		t.Fatal(err)
	}
	var at [3]int
	for _, s := range all {
		for level := range at {
			if s.RunsAt(int16(level)) && !slices.Contains(s.Tags, "@explore") { // which is run on demand
				at[level]++
			}
		}
	}
	known := 0
	for _, d := range kfakeProfile(t).Deviations {
		i := slices.IndexFunc(all, func(s conform.Scenario) bool { return s.Name == d.Scenario })
		if i < 0 {
			t.Fatalf("the profile of kfake names no scenario: %q", d.Scenario)
		}
		if all[i].RunsAt(2) {
			known++
		}
	}
	conforms := func(level int) string { return fmt.Sprintf("all %d conform", at[level]) }
	return markdown([]string{"broker", "`--broker`", "transaction.version 2", "1", "0"}, [][]string{
		{"the specification", "`spec`", conforms(2), conforms(1), conforms(0)},
		{"Apache Kafka 4.4.0", "`docker:onceproof/kafka:4.4.0,tv=N`", conforms(2), conforms(1), conforms(0)},
		{"kfake", "`kfake`", fmt.Sprintf("%d of %d are known deviations, the others conform or could not be judged", known, at[2]), "-", "-"},
		{"any other", "`HOST:PORT`", "to be seen", "to be seen", "to be seen"},
	})
}

func kfakeProfile(t *testing.T) conform.Profile {
	t.Helper()
	text, err := os.ReadFile(root + "fixtures/brokers/kfake.json")
	if err != nil {
		t.Fatal(err)
	}
	var p conform.Profile
	if err := json.Unmarshal(text, &p); err != nil {
		t.Fatal(err)
	}
	return p
}

func kfakeTable(t *testing.T) string {
	p := kfakeProfile(t)
	var rows [][]string
	for _, d := range p.Deviations {
		rows = append(rows, []string{strings.Join(d.Rules, " "), d.Reason, d.Scenario})
	}
	return p.About + "\n\n" + markdown([]string{"rules", "what it does instead", "scenario"}, rows)
}
