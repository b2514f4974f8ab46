package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// Each scenario of features/traces says by which command the checker prints it.
func TestEachTraceIsPrintedByItsCommand(t *testing.T) {
	t.Parallel()
	files, err := filepath.Glob(root + "features/traces/*.feature")
	if err != nil || len(files) == 0 {
		t.Fatalf("expected features, got %d (%v)", len(files), err)
	}
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for _, scenario := range strings.Split(string(text), "  Scenario: ")[1:] {
			command, lines, ok := strings.Cut(scenario[strings.Index(scenario, "onceproof check "):], "\n\n")
			if !ok {
				t.Fatalf("%s: expected a command and lines, got %q", file, scenario)
			}
			lines, _, _ = strings.Cut(lines, "\n\n") // the tags of the next one
			code, stdout, stderr := runCommand(t, strings.Fields(command)[1:]...)
			if code != exitViolated || !strings.Contains(stdout, strings.TrimRight(lines, "\n")) {
				t.Errorf("%s: %s: expected exit code %d and\n%s\ngot %d and\n%s%s", file, command, exitViolated, lines, code, stdout, stderr)
			}
		}
	}
}

func TestATraceOfAnotherModelIsNoScenario(t *testing.T) {
	t.Parallel()
	for _, args := range []string{"check twophase-hasty --bound n=3 --trace gherkin", "check idempotent --bound prior=1 --trace gherkin"} {
		code, stdout, stderr := runCommand(t, strings.Fields(args)...)
		if code != exitUnjudged || stdout != "" || !strings.Contains(stderr, "expected a ") {
			t.Errorf("%s: expected exit code %d and a reason, got %d, %q and %q", args, exitUnjudged, code, stdout, stderr)
		}
	}
}
