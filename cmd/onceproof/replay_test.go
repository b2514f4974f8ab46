package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// A trace that the checker wrote is reproduced on a broker with the flaw, and not on one without it; --json says the same.
func TestReplay(t *testing.T) {
	t.Parallel()
	_, whole, _ := runCommand(t, "check", "--fix-off", "KAFKA-20785", "--trace", "json", "--bound", "quick=1")
	trace := filepath.Join(t.TempDir(), "trace.json")
	if err := os.WriteFile(trace, []byte(whole), 0o644); err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct {
		args string
		code int
		want string
	}{
		{"--broker spec,fix-off=KAFKA-20785", exitViolated, "\nreproduced: "},
		{"--broker spec,release=trunk", exitHolds, "\nnot reproduced: "},
		{"--broker spec,release=trunk --json", exitHolds, `"verdict": "not reproduced"`},
		{"--broker spec,tv=2 --release trunk --strict", exitViolated, "judges by Apache Kafka trunk exactly"},
	} {
		code, stdout, stderr := runCommand(t, append([]string{"replay", trace}, strings.Fields(test.args)...)...)
		if code != test.code || !strings.Contains(stdout, test.want) || stderr != "" {
			t.Errorf("replay %s: expected exit code %d and %q, got %d and\n%s%s", test.args, test.code, test.want, code, stdout, stderr)
		}
	}
}

// What can't be read is an error that says what to do, and nothing is judged.
func TestWhatCannotBeReplayed(t *testing.T) {
	t.Parallel()
	_, whole, _ := runCommand(t, "check", "--fix-off", "KAFKA-19446", "--trace", "json", "--bound", "quick=1")
	_, asITF, _ := runCommand(t, "check", "--fix-off", "KAFKA-19446", "--trace", "itf", "--bound", "quick=1")
	_, twoPhase, _ := runCommand(t, "check", "twophase-hasty", "--bound", "n=3", "--trace", "json")
	dir := t.TempDir()
	file := func(name, text string) string {
		t.Helper()
		name = filepath.Join(dir, name)
		if err := os.WriteFile(name, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
		return name
	}
	empty := filepath.Join(dir, "empty")
	if err := os.Mkdir(empty, 0o755); err != nil {
		t.Fatal(err)
	}
	const on = " --broker spec"
	for _, test := range []struct{ args, want string }{
		{"", "expected one TRACE, got 0 arguments"},
		{"a b", "expected one TRACE, got 2 arguments"},
		{file("whole.json", whole), "expected --broker BROKER"},
		{file("whole.json", whole) + " --broker nonsense", "HOST:PORT"},
		{file("whole.json", whole) + " --broker spec --release 0.1", "known: 4.4.0"},
		{file("whole.json", whole) + " --broker spec --profile none.json", "none.json"},
		{file("whole.json", whole) + " --broker spec --scenario x", "this is a trace"},
		{file("whole.json", whole) + " --broker spec,tv=0", "ADD-28"},
		{filepath.Join(dir, "none.json") + on, "no such file or directory; onceproof check MODEL --trace json"},
		{empty + on, "expected a folder with trace.itf.json, as conform --report DIR writes one"},
		{"/dev/null" + on, "got an empty file"},
		{"/dev/zero" + on, "got more than 64 MiB"},
		{file("cut.json", whole[:len(whole)/2]) + on, "the file is cut off after"},
		{file("cut.itf.json", asITF[:len(asITF)/2]) + on, "the file is cut off after"},
		{file("object.json", `{"events": []}`) + on, "it names no model; onceproof check MODEL --trace json"},
		{file("list.json", `[1]`) + on, "it names no model"},
		{file("other.itf.json", `{"vars": [], "states": []}`) + on, "expected one that WriteITF wrote"},
		{file("text", "counterexample") + on, "or a feature with a scenario, got neither"},
		{file("binary", "\x00\xff\xfe{") + on, "got neither"},
		{file("old.json", strings.Replace(whole, `"version": "1"`, `"version": "9"`, 1)) + on, `expected version "1", got "9": made by another version of this program; onceproof check fix-19446 finds it anew`},
		{file("format.json", strings.Replace(whole, `"format": 1`, `"format": 7`, 1)) + on, "expected format 1, got 7"},
		{file("unknown.json", strings.Replace(whole, `"fix-19446"`, `"fix-1"`, 1)) + on, `no model "fix-1"; known: faults-tv2`},
		{file("other.json", strings.Replace(whole, "TV2-style", "TV1-style", 1)) + on, "is not enabled"},
		{file("rules.json", strings.Replace(whole, `"rule": "END-20"`, `"rule": "END-21"`, 1)) + on, "has another outcome here"},
		{file("two.json", twoPhase) + on, "there is no broker for it; onceproof trace prints it"},
		{"../../features/end_txn.feature" + on, "expected one scenario, got 10; name one with --scenario: "},
		{"../../features/end_txn.feature --scenario none" + on, `, got "none"`},
		{"../../features/explore.feature" + on, "onceproof conform --tags @explore"},
		{file("a.feature", "Feature: x\n") + on, "expected a scenario, got a feature without any"},
		{file("b.feature", "Scenario: x\n") + on, "expected: #"},
		{file("c.feature", "Feature: x\n  @X-99\n  Scenario: y\n    Given z\n") + on, "X-99"},
		{file("d.feature", "Feature: x\n  Scenario: y\n") + on, "expected a scenario with lines"},
	} {
		code, stdout, stderr := runCommand(t, append([]string{"replay"}, strings.Fields(test.args)...)...)
		if code != exitUnjudged || stdout != "" || !strings.Contains(stderr, test.want) {
			t.Errorf("replay %s: expected exit code 2 and an error with %q, got %d and %s%s", test.args, test.want, code, stderr, stdout)
		}
	}
	// What is no line of the language could not be judged.
	code, stdout, _ := runCommand(t, "replay", file("e.feature", "Feature: x\n  Scenario: y\n    Given z\n"), "--broker", "spec")
	if code != exitUnjudged || !strings.Contains(stdout, "could not be judged: line 1, ") || !strings.Contains(stdout, "no such line") {
		t.Errorf("expected exit code 2 and the line, got %d and\n%s", code, stdout)
	}
}
