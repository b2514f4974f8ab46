package main

import (
	"bytes"
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/onceproof/onceproof/spec"
	"github.com/onceproof/onceproof/spec/world"
)

// runCommand runs onceproof with the arguments.
func runCommand(t *testing.T, args ...string) (code int, stdout, stderr string) {
	t.Helper()
	var out, errs bytes.Buffer
	code = run(t.Context(), &env{stdout: &out, stderr: &errs}, args)
	return code, out.String(), errs.String()
}

func TestArguments(t *testing.T) {
	cut := filepath.Join(t.TempDir(), "cut.json")
	if err := os.WriteFile(cut, []byte(`{"format": 1, "model": {"na`), 0o644); err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct {
		args   string
		code   int
		stdout string
		stderr string
	}{
		{"", 2, "", "onceproof check [MODEL ...]"},
		{"help", 0, "onceproof check [MODEL ...]", ""},
		{"help conform", 0, "onceproof conform --broker BROKER", ""},
		{"help nothing", 2, "", `no command "nothing"; known: check, conform`},
		{"check --help", 0, "onceproof check twophase --bound n=8 --json", ""},
		{"list --help", 0, "onceproof list fixes", ""},
		{"rule --help", 0, "onceproof rule END-20", ""},
		{"trace --help", 0, "onceproof trace trace.json", ""},
		{"version", 0, "onceproof ", ""},
		{"--version", 0, "onceproof ", ""},
		{"version 2", 2, "", "expected no argument"},
		{"serve", 2, "", `no command "serve"; known: check, conform, replay, trace, list, rule, version, help`},

		{"check nosuch", 2, "", `no model "nosuch"; known: faults-tv2, `},
		{"check twophases", 2, "", `no model "twophases"; known: faults-tv2, `},
		{"check --nosuch", 2, "", "flag provided but not defined"},
		{"check --fix-off KAFKA-1", 2, "", `no fix "KAFKA-1"; known: KAFKA-6119, `},
		{"check idempotent --fix-on KAFKA-1", 2, "", `no fix "KAFKA-1"; known: KAFKA-6119, `},
		{"check idempotent --property Justice", 2, "", `no property "Justice"; known: NoLostCommit, `},
		{"check twophase --property Justice", 2, "", `no property "Justice"; known: Consistent, Commits, Aborts`},
		{"check idempotent --bound moons=2", 2, "", `no bound "moons"; known: incarnations, transactions, `},
		{"check --trace json", 2, "", "expected a MODEL with --trace json; --out DIR"},
		{"check idempotent --bound partitions", 2, "", `--bound: expected NAME=N, got "partitions"; known: incarnations, `},
		{"check idempotent --bound partitions=77", 2, "", "bound partitions is 77, must be 1 to 4"},
		{"check twophase --bound n=0", 2, "", "bound n is 0, must be 1 to 32"},
		{"check twophase --tv 2", 2, "", "twophase has no releases, versions and fixes"},
		{"check --release 0.11", 2, "", `no release "0.11"; known: 4.4.0, trunk`},
		{"check --tv 3", 2, "", "expected --tv 0, 1 or 2, got 3"},
		{"check --trace xml", 2, "", "expected --trace text, json, "},
		{"check --workers -1", 2, "", "expected --workers and --max-depth of at least 0"},

		{"check twophase --workdir a --resume b", 2, "", "for a search that begins or --resume for one that goes on"},
		{"check twophase --checkpoint-every 5m", 2, "", "expected --workdir DIR or --resume DIR"},
		{"check twophase --checkpoint-every -5m --workdir a", 2, "", "--checkpoint-every of at least 0"},
		{"check --workdir a", 2, "", "expected a MODEL with --workdir"},
		{"check twophase idempotent --workdir a", 2, "", "expected one MODEL with --workdir and --resume, got 2"},
		{"check twophase --memory 512MiB", 2, "", "expected --workdir DIR or --resume DIR with --memory"},
		{"check twophase --workdir a --memory 512MiB --max-states 9", 2, "", "expected --memory without --max-states"},
		{"check twophase --workdir a --memory 512MB", 2, "", "expected a size as 512MiB"},
		{"check twophase --workdir a --memory 1MiB", 2, "", "expected at least 128MiB"},
		{"check twophase --exact --workdir a", 2, "", "expected --exact without --workdir, --resume and --memory"},
		{"check twophase --exact --resume a", 2, "", "search in memory, or without --exact"},
		{"check twophase --exact --workdir a --memory 512MiB", 2, "", "expected --exact without --workdir, --resume and --memory"},
		{"check twophase --workdir main.go", 2, "", "name one that can be written to"},

		{"check idempotent", 0, "model idempotent", ""},
		{"check idempotent --workers 1", 0, "a producer without transactional id", ""},
		{"check twophase --bound n=3", 0, "288 distinct states", ""},
		{"check paxos --bound values=2,acceptors=3,ballots=2", 0, "3921 distinct states", ""},
		{"check paxos --bound values=2,acceptors=3,ballots=2 --symmetry --property OneValue", 0, "443 distinct states up to symmetry", ""},
		{"check paxos --bound ballots=17", 2, "", "bound ballots is 17, must be 1 to 16"},
		{"check paxos --bound n=3", 2, "", `no bound "n"; known: acceptors, values, ballots`},
		{"check --bound n=3 twophase --workers 1", 0, "288 distinct states", ""},
		{"check twophase --bound n=3 --exact", 0, "states missed: none, they were compared whole; collisions of fingerprints: 0\n", ""},
		{"check twophase --bound n=3 --exact --symmetry --json", 0, `"exact": true`, ""},
		{"check twophase-hasty --bound n=3 --exact", 1, "Consistent falls after 7 steps", ""},
		{"check idempotent --exact", 0, "239 distinct states", ""},
		{"check twophase-hasty --bound n=3", 1, "Consistent falls after 7 steps", ""},
		{"check twophase-hasty --bound n=3 --property Aborts", 0, "308 distinct", ""},
		{"check twophase --bound n=7 --max-states 100", 2, "not exhausted", ""},
		{"check twophase --bound n=7 --max-depth 3", 2, "not exhausted", ""},
		{"check --fix-off KAFKA-19446", 1, "MarkerMatchesTransaction falls after", ""},
		{"check --fix-off 19446,KAFKA-19999", 1, "fix-19999", ""},
		{"check fix-19446 --fix-off KIP-1228 --fix-on KIP-1228", 0, "model fix-19446", ""},
		{"check fix-20785 --release 4.4.0", 1, "FencedHearsFenced falls", ""},
		{"check fix-20785 --release 4.4.0 --fix-on KAFKA-20785", 0, "model fix-20785", ""},
		{"check fix-20785 --tv 1", 0, "style=TV1-style, transaction.version=1", ""},
		{"check idempotent twophase --bound n=3", 2, "", `no bound "n"; known: `},
		{"check idempotent fix-20785 --property InOrder", 0, "fix-20785", ""},

		{"list", 2, "", "expected one of models, fixes, properties, rules, releases"},
		{"list nosuch", 2, "", `no list "nosuch"; known: models, fixes`},
		{"list models", 0, "late-end-txn", ""},
		{"list --json models", 0, "twophase-hasty", ""},
		{"list fixes", 0, "KAFKA-19446  4.2.0", ""},
		{"list properties", 0, "NoLostCommit", ""},
		{"list rules", 0, "END-20", ""},
		{"list releases", 0, "4.4.0: ", ""},
		{"rule", 2, "", "expected one ID"},
		{"rule END-99", 2, "", `no rule "END-99": the nearest are`},
		{"rule END-98", 2, "", "onceproof list rules has them all"},
		{"rule end-20", 0, "checked in: ", ""},
		{"rule END-28", 0, "not reached by the checker: the test for a transition in progress comes first", ""},

		{"conform", 2, "", "expected --broker BROKER"},
		{"conform spec", 2, "", "a broker is given with --broker"},
		{"conform --broker nosuch", 2, "", "a broker is one of"},
		{"conform --broker spec --release 0.11", 2, "", `no release "0.11"; known:`},
		{"conform --broker spec --tags nosuch", 2, "", "expected terms such as @IDEM-15"},
		{"conform --broker spec --profile nosuch.json", 2, "", "profile: open nosuch.json"},
		{"conform --broker spec --tls-ca nosuch.pem", 2, "", "--tls-ca: open nosuch.pem"},
		{"conform --broker 127.0.0.1:1", 2, "", "no broker answers at 127.0.0.1:1"},
		{"conform --broker spec --tags @explore", 2, "", "expected --explore N with --tags @explore"},
		{"conform --broker spec --tags @END-20 --seed 4", 2, "", "expected --explore N with"},
		{"conform --broker spec --explore 0 --actors 1", 2, "", "expected --explore N with"},
		{"conform --broker spec --explore -1", 2, "", "--explore: expected 1 to"},
		{"conform --broker spec --explore 50 --actors 9", 2, "", "--actors: expected 1 to 3, got 9"},
		{"conform --broker spec --explore 50 --actors 0", 2, "", "--actors: expected 1 or more, got 0"},
		{"conform --broker spec --explore 50 --partitions 5", 2, "", "--partitions: expected 1 to 4, got 5"},
		{"conform --broker spec --explore 50 --seed x", 2, "", `invalid value "x" for flag -seed`},
		{"conform --list --explore 50 --tags @explore", 0, "Random walks", ""},
		{"conform --broker spec --explore 50 --tags @explore --actors 1 --partitions 1", 0, "exchanges in 2 walks from seed 1", ""},
		{"conform --list", 0, "idempotence.feature", ""},
		{"conform --list --tags @explore", 0, "Random walks", ""},
		{"conform --broker spec --tags @END-20 --strict", 0, "0 violate", ""},

		{"trace", 2, "", "expected one FILE"},
		{"trace nosuch.json", 2, "", "open nosuch.json"},
		{"trace " + cut, 2, "", "the file is cut off after"},
	} {
		t.Run(test.args, func(t *testing.T) {
			code, stdout, stderr := runCommand(t, strings.Fields(test.args)...)
			if code != test.code {
				t.Errorf("expected exit code %d, got %d", test.code, code)
			}
			if !strings.Contains(stdout, test.stdout) {
				t.Errorf("expected %q on stdout, got\n%s", test.stdout, stdout)
			}
			if !strings.Contains(stderr, test.stderr) {
				t.Errorf("expected %q on stderr, got\n%s", test.stderr, stderr)
			}
		})
	}
}

func TestInterruptedIsCouldNotBeJudged(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	for _, args := range [][]string{{"check"}, {"check", "twophase", "--bound", "n=9"}} {
		var out, errs bytes.Buffer
		if code := run(ctx, &env{stdout: &out, stderr: &errs}, args); code != exitUnjudged {
			t.Errorf("%v: expected exit code 2, got %d", args, code)
		}
		if !strings.Contains(out.String(), "interrupted") {
			t.Errorf("%v: expected to hear that it was interrupted, got\n%s", args, out.String())
		}
	}
}

// Who interrupts a run that has no broker yet is not told that the broker is at fault.
func TestInterruptedBeforeThereIsABroker(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	var out, errs bytes.Buffer
	code := run(ctx, &env{stdout: &out, stderr: &errs}, []string{"conform", "--broker", "spec"})
	if code != exitUnjudged || !strings.Contains(errs.String(), "interrupted before anything was judged") {
		t.Errorf("expected exit code 2 and to hear that it was interrupted, got %d and %s", code, errs.String())
	}
}

// The models of a release's flaws are searched for the property that is listed for each: another one that falls earlier
// has another reason.
func TestTheFlawsOfAReleaseAreTheListedOnes(t *testing.T) {
	for _, test := range []struct {
		flags checkFlags
		want  int
	}{
		{checkFlags{release: "4.4.0", tv: unset}, 1},
		{checkFlags{release: "4.4.0", tv: unset, property: list{"InOrder", "NoLostCommit"}}, 2},
	} {
		searches, err := test.flags.searches()
		if err != nil {
			t.Fatal(err)
		}
		for i, row := range world.ReleaseRows(spec.AllReleases()[0]) {
			p := searches[i].(*protocolSearch).properties
			if n := len(p.Invariants) + len(p.Steps) + len(p.CanReach); n != test.want {
				t.Errorf("%s: expected %d properties, got %d", row.Config.Name, test.want, n)
			}
		}
	}
}

// What --out can't write does not take back what was found.
func TestATraceThatCannotBeWrittenIsPrintedAllTheSame(t *testing.T) {
	dir := t.TempDir()
	if err := os.Mkdir(filepath.Join(dir, "fix-19446-MarkerMatchesTransaction.json"), 0o755); err != nil {
		t.Fatal(err)
	}
	code, stdout, stderr := runCommand(t, "check", "--fix-off", "KAFKA-19446", "--out", dir)
	if code != exitViolated || !strings.Contains(stdout, "MarkerMatchesTransaction falls after") || !strings.Contains(stderr, "--out: ") {
		t.Errorf("expected exit code 1, the trace, and the error, got %d, %s\n%s", code, stderr, stdout)
	}
	code, stdout, _ = runCommand(t, "check", "--fix-off", "KAFKA-19446", "--out", dir, "--json")
	var got outcome
	if err := json.Unmarshal([]byte(stdout), &got); err != nil || code != exitViolated || got.Length == 0 || got.Error == "" {
		t.Errorf("expected exit code 1 and an object with the violation and the error, got %d (%v)\n%s", code, err, stdout)
	}
}

func TestAnErrorIsAnObjectToo(t *testing.T) {
	code, stdout, _ := runCommand(t, "check", "nosuch", "--json")
	var got struct{ Error string }
	if err := json.Unmarshal([]byte(stdout), &got); err != nil || code != exitUnjudged || !strings.Contains(got.Error, "no model") {
		t.Errorf("expected exit code 2 and an object with the error, got %d and %q (%v)", code, stdout, err)
	}
}
