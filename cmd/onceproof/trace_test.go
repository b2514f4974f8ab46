package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// A trace that was written is read back, replayed, and printed as it was: from --out and from --trace json, of a model
// with changed bounds and switches, and of Two-Phase Commit.
func TestTracesThereAndBack(t *testing.T) {
	for _, args := range []string{
		"check --fix-off KAFKA-19446",
		"check late-end-txn --property NoAbortedRead --bound timeouts=1,prior=1",
		"check fix-20785 --release 4.4.0 --fix-off KAFKA-19690",
		"check twophase-hasty --bound n=4",
	} {
		t.Run(args, func(t *testing.T) {
			dir := t.TempDir()
			code, printed, _ := runCommand(t, append(strings.Fields(args), "--out", dir)...)
			if code != exitViolated {
				t.Fatalf("expected exit code 1, got %d", code)
			}
			file := only(t, dir, "*.json")
			code, text, stderr := runCommand(t, "trace", file)
			if code != exitHolds || !strings.Contains(printed, text) {
				t.Errorf("expected the trace that was printed, got exit code %d, %s\n%s", code, stderr, text)
			}
			written, err := os.ReadFile(only(t, dir, "*.txt"))
			if err != nil || string(written) != text {
				t.Errorf("expected the text file to be the same (%v)", err)
			}
			_, again, _ := runCommand(t, append(strings.Fields(args), "--trace", "json")...)
			asJSON, err := os.ReadFile(file)
			if err != nil || again != string(asJSON) {
				t.Errorf("expected --trace json to print the file, and nothing else, on stdout (%v)", err)
			}
			asITF := filepath.Join(dir, "trace.itf.json")
			_, itfText, _ := runCommand(t, append(strings.Fields(args), "--trace", "itf")...)
			if err := os.WriteFile(asITF, []byte(itfText), 0o644); err != nil {
				t.Fatal(err)
			}
			for format, want := range map[string]string{"text": text, "json": again, "itf": itfText} {
				if code, got, stderr := runCommand(t, "trace", "--format", format, asITF); code != exitHolds || got != want {
					t.Errorf("expected the ITF file to give the same %s, got exit code %d, %s\n%s", format, code, stderr, got)
				}
			}
			_, diagram, _ := runCommand(t, append(strings.Fields(args), "--trace", "mermaid")...)
			if _, got, _ := runCommand(t, "trace", asITF, "--format", "mermaid"); got != diagram || !strings.HasPrefix(got, "sequenceDiagram\n") {
				t.Errorf("expected one diagram, got\n%s\nand\n%s", diagram, got)
			}
		})
	}
}

func only(t *testing.T, dir, pattern string) string {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(dir, pattern))
	if err != nil || len(files) != 1 {
		t.Fatalf("expected one file %s, got %v (%v)", pattern, files, err)
	}
	return files[0]
}

func TestBrokenTraceFiles(t *testing.T) {
	_, whole, _ := runCommand(t, "check", "--fix-off", "KAFKA-19446", "--trace", "json")
	_, asITF, _ := runCommand(t, "check", "--fix-off", "KAFKA-19446", "--trace", "itf")
	_, twoPhase, _ := runCommand(t, "check", "twophase-hasty", "--bound", "n=3", "--trace", "json")
	change := func(text, from, to string) string {
		if !strings.Contains(text, from) {
			t.Fatalf("the trace has no %q", from)
		}
		return strings.Replace(text, from, to, 1)
	}
	for _, test := range []struct{ name, file, want string }{
		{"empty", "", "the file is empty"},
		{"cut off", whole[:len(whole)/2], "the file is cut off after"},
		{"no trace", "counterexample", "invalid character"},
		{"another object", "{}", "expected a trace as onceproof check writes it"},
		{"a list", "[1, 2]", "expected a trace as onceproof check writes it"},
		{"a model that is unknown", change(whole, "fix-19446", "fix-1"), `no model "fix-1"; known: faults-tv2`},
		{"another format", change(whole, `"format": 1`, `"format": 7`), "expected format 1, got 7"},
		{"another version", change(whole, `"version": "1"`, `"version": "9"`), `expected version "1", got "9": made by another version of this program`},
		{"a fix that is unknown", change(whole, "KAFKA-6119", "KAFKA-1"), `no fix "KAFKA-1"; known:`},
		{"another model", change(whole, "TV2-style", "TV1-style"), "is not enabled"},
		{"a step missing", change(whole, `"length": 24`, `"length": 25`), "expected 25 steps, got 24"},
		{"another outcome", change(whole, `"rule": "END-20"`, `"rule": "END-21"`), "step 12 has another outcome here"},
		{"ITF, cut off", asITF[:len(asITF)/2], "the file is cut off after"},
		{"ITF of another tool", `{"vars": [], "states": []}`, "expected one that WriteITF wrote"},
		{"ITF, an unknown model", change(asITF, `"name": "fix-19446"`, `"name": "fix-1"`), `no model "fix-1"; known: faults-tv2`},
		{"ITF, another outcome", change(asITF, `"rule": "END-20"`, `"rule": "END-21"`), "state 12 has another decisions here"},
		{"two phases, other bounds", change(twoPhase, `"value": "3"`, `"value": "1"`), "is not enabled"},
		{"two phases, no bounds", change(twoPhase, `"value": "3"`, `"value": "many"`), "model twophase-hasty: expected bounds as n=7"},
		{"two phases, too many", change(twoPhase, `"value": "3"`, `"value": "1000000000"`), "model twophase-hasty: expected bounds as n=7"},
	} {
		t.Run(test.name, func(t *testing.T) {
			file := filepath.Join(t.TempDir(), "trace.json")
			if err := os.WriteFile(file, []byte(test.file), 0o644); err != nil {
				t.Fatal(err)
			}
			code, stdout, stderr := runCommand(t, "trace", file)
			if code != exitUnjudged || stdout != "" || !strings.Contains(stderr, test.want) {
				t.Errorf("expected exit code 2 and an error with %q, got %d and %s%s", test.want, code, stderr, stdout)
			}
		})
	}
}
