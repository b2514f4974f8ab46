package main

import (
	"bytes"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/onceproof/onceproof/checker"
	"github.com/onceproof/onceproof/spec"
	"github.com/onceproof/onceproof/spec/world"
)

var update = flag.Bool("update", false, "write what is generated in README.md and docs/, and the golden files, anew")

const root = "../../"

// What stands between the marks is generated.
var blocks = regexp.MustCompile(`(?s)(<!-- generated: (\w+)[^>]* -->\n).*?(<!-- end -->)`)

// TestDocsAreFresh compares what is generated in README.md and docs/ with what generates it.
func TestDocsAreFresh(t *testing.T) {
	compare(t, root+"docs/rules.md", rulesPage(t))
	pages, err := filepath.Glob(root + "docs/*.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, page := range append(pages, root+"README.md") {
		text, err := os.ReadFile(page)
		if err != nil {
			t.Fatal(err)
		}
		compare(t, page, blocks.ReplaceAllStringFunc(string(text), func(block string) string {
			m := blocks.FindStringSubmatch(block)
			generate, ok := generators[m[2]]
			if !ok {
				t.Errorf("%s: nothing generates %q", page, m[2])
				return block
			}
			return m[1] + generate(t) + m[3]
		}))
	}
}

// compare fails when a file is stale, or writes it.
func compare(t *testing.T, file, want string) {
	t.Helper()
	got, err := os.ReadFile(file)
	if err != nil && !*update {
		t.Fatal(err)
	}
	if string(got) == want {
		return
	}
	if *update {
		if err := os.WriteFile(file, []byte(want), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	t.Errorf("%s is stale at %s; run: make docs", file, firstDifference(string(got), want))
}

func firstDifference(got, want string) string {
	g, w := strings.Split(got, "\n"), strings.Split(want, "\n")
	for i := range min(len(g), len(w)) {
		if g[i] != w[i] {
			return fmt.Sprintf("line %d: %q, should be %q", i+1, g[i], w[i])
		}
	}
	return fmt.Sprintf("its end: %d lines, should be %d", len(g), len(w))
}

// Every rule is reached by the checker, or says why not; never both.
func TestEveryRuleIsReachedOrSaysWhyNot(t *testing.T) {
	rules, err := allRules()
	if err != nil {
		t.Fatal(err)
	}
	for i, r := range spec.AllRules() {
		switch info := &rules[i]; {
		case info.Checked() && r.Scope() != "":
			t.Errorf("%v is reached by the checker in %v, though out of scope: %s", r, info.Models, r.Scope())
		case !info.Checked() && info.Unchecked == "":
			t.Errorf("%v is not reached by the checker: it needs a reason in spec/scope.go", r)
		}
	}
}

// markdown is a table in Markdown.
func markdown(head []string, rows [][]string) string {
	var b strings.Builder
	line := func(cells []string) {
		for _, c := range cells {
			b.WriteString("| " + strings.ReplaceAll(c, "|", `\|`) + " ")
		}
		b.WriteString("|\n")
	}
	line(head)
	b.WriteString(strings.Repeat("|---", len(head)) + "|\n")
	for _, r := range rows {
		line(r)
	}
	return b.String()
}

var generators = map[string]func(t *testing.T) string{
	"models":     modelsTable,
	"fixes":      fixesTable,
	"flaws":      flawsTable,
	"release":    releaseTable,
	"weakenings": weakeningsTable,
	"properties": propertiesTable,
	"trace":      readmeTrace,
	"brokers":    brokersTable,
	"kfake":      kfakeTable,
	"coverage":   coverageLine,
	"help":       helpText,
	"triples":    triplesTable,
	"explored":   exploredTable,
	"examples":   examplesTable,
	"puzzle":     diehardModel,
	"solution":   diehardTrace,
	"symmetry":   symmetryTable,
	"alone":      aloneTable,
}

func recordedIn(t *testing.T, table world.Table) []world.Row {
	t.Helper()
	rows, err := world.Recorded()
	if err != nil {
		t.Fatal(err)
	}
	return inTable(rows, table)
}

func modelsTable(t *testing.T) string {
	var rows [][]string
	var distinct, generated uint64
	for _, r := range recordedIn(t, world.TableModels) {
		rows = append(rows, []string{"`" + r.Name + "`", r.About, r.Bounds, thousands(r.Distinct), thousands(r.States), fmt.Sprint(r.Depth), string(r.Verdict)})
		distinct, generated = distinct+r.Distinct, generated+r.States
	}
	rows = append(rows, []string{"", "all", "", thousands(distinct), thousands(generated), "", ""})
	return markdown([]string{"model", "what it is", "bounds", "distinct states", "generated", "depth", "verdict"}, rows)
}

// jira links the issues of Apache Kafka.
func jira(id string) string {
	if strings.HasPrefix(id, "KAFKA-") {
		return "[" + id + "](https://issues.apache.org/jira/browse/" + id + ")"
	}
	return id
}

func fixesTable(t *testing.T) string {
	var rows [][]string
	for _, p := range fixPairs(recordedIn(t, world.TableFixes)) {
		fix, err := spec.ParseFix(p.id)
		if err != nil {
			t.Fatal(err)
		}
		info := fix.Info()
		falls, steps, by, since := p.off.Falls, fmt.Sprint(p.off.Length), "", info.Since
		if since == "" {
			since = "no release"
		}
		if falls == "" {
			falls, steps = "none: "+p.off.Why, ""
		}
		if d := p.off.Decides; d != nil {
			by = fmt.Sprintf("%d, %s: %s", d.Step, d.Action, strings.Join(d.Off, " "))
		}
		rows = append(rows, []string{jira(p.id), info.Title, since, falls, steps, by, thousands(p.on.Distinct)})
	}
	return markdown([]string{"fix", "without it", "fixed in", "falls", "steps", "decided at step, by", "states with it, nothing falls"}, rows)
}

func flawsTable(t *testing.T) string { return fallenTable(recordedIn(t, world.TableFlaws)) }

func weakeningsTable(t *testing.T) string { return fallenTable(recordedIn(t, world.TableWeakenings)) }

func releaseTable(t *testing.T) string { return fallenTable(recordedIn(t, world.TableRelease)) }

func fallenTable(rows []world.Row) string {
	var out [][]string
	for _, r := range rows {
		out = append(out, []string{jira(r.Name), about(&r), r.Falls, fmt.Sprint(r.Length), "`" + r.Model + "`"})
	}
	return markdown([]string{"name", "what happens", "falls", "steps", "model"}, out)
}

func propertiesTable(t *testing.T) string {
	properties, err := allProperties()
	if err != nil {
		t.Fatal(err)
	}
	recorded, err := world.Recorded()
	if err != nil {
		t.Fatal(err)
	}
	var rows [][]string
	for _, p := range properties {
		var fells []string
		for _, r := range recorded {
			name := strings.TrimSuffix(r.Name, " off")
			if r.Falls == p.Name && r.Table != world.TableRelease && !slices.Contains(fells, name) {
				fells = append(fells, name)
			}
		}
		rows = append(rows, []string{p.Name, string(p.Kind), p.Doc, strings.Join(fells, ", ")})
	}
	return markdown([]string{"property", "kind", "demands, and what a user loses", "felled by"}, rows)
}

// readmeTrace is the trace that the README begins with: what the command prints, from the first EndTxn on, without the
// appends that are acknowledged.
func readmeTrace(t *testing.T) string {
	code, out, _ := runCommand(t, "check", "late-end-txn", "--property", "NoAbortedRead", "--trace", "json")
	var trace checker.Trace[any]
	if err := json.Unmarshal([]byte(out), &trace); err != nil || code != exitViolated {
		t.Fatalf("expected exit code 1 and a trace, got %d (%v)", code, err)
	}
	ended := false
	trace.Steps = slices.DeleteFunc(trace.Steps, func(s checker.Step[any]) bool {
		ended = ended || strings.HasPrefix(s.Text, "sends EndTxn")
		return !ended || strings.Contains(s.Text, "its append is acknowledged")
	})
	var b strings.Builder
	b.WriteString("```\n")
	writeSteps(&b, &trace)
	b.WriteString("```\n")
	return b.String()
}

func helpText(t *testing.T) string {
	var b bytes.Buffer
	writeHelp(&b)
	return "```\n" + b.String() + "```\n"
}
