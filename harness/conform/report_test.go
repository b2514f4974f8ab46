package conform_test

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/onceproof/onceproof/harness/broker"
	"github.com/onceproof/onceproof/harness/bundle"
	"github.com/onceproof/onceproof/harness/conform"
	"github.com/onceproof/onceproof/harness/judge"
	"github.com/onceproof/onceproof/harness/script"
	"github.com/onceproof/onceproof/harness/steps"
	"github.com/onceproof/onceproof/spec"
)

// Every violation of a run becomes a bundle, whose trace is read back and shows it again on the same kind of broker.
func TestAReportedViolationIsReproducedFromItsTrace(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	r, err := conform.Run(t.Context(), conform.Options{Broker: "kfake", ReportDir: dir})
	if err != nil {
		t.Fatal(err)
	}
	if r.Count(conform.Violates) == 0 || r.Unwritten != "" {
		t.Fatalf("expected violations and their reports, got %s", r.Summary())
	}
	traces := 0
	for _, name := range r.Reports {
		if filepath.Base(name) != bundle.TraceFile {
			continue
		}
		traces++
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		trace, err := bundle.ReadTrace(bytes.NewReader(text))
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if out := replayed(t, trace); out.Kind != script.Reproduced {
			t.Errorf("%s: expected it to be reproduced, got %v: %s", trace.Script.Name, out.Kind, out.Reason)
		}
	}
	if traces != r.Count(conform.Violates) {
		t.Errorf("expected a trace for each of %d violations, got %d", r.Count(conform.Violates), traces)
	}
}

func replayed(t *testing.T, trace *bundle.Trace) script.Outcome {
	t.Helper()
	release, err := spec.ParseRelease(trace.Release)
	if err != nil {
		t.Fatal(err)
	}
	target, err := broker.Parse(trace.Broker)
	if err != nil {
		t.Fatal(err)
	}
	b, err := broker.Open(t.Context(), target, broker.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer b.Close(t.Context())
	v, err := b.Versions(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return script.Play(t.Context(), steps.Config{
		Broker: b, Versions: v, Oracle: judge.New(release, int8(v.TransactionVersion), trace.Strict), Suffix: "again",
		Release: release, Strict: trace.Strict, Patience: 2 * time.Second,
	}, trace.Script)
}

// A report says in its first lines what is broken, and goes on with what was exchanged and what was allowed.
func TestAReportBeginsWithWhatIsBroken(t *testing.T) {
	dir := t.TempDir()
	r, err := conform.Run(t.Context(), conform.Options{Broker: "kfake", Tags: "@VER-02 && @IDEM-35", ReportDir: dir})
	if err != nil || len(r.Reports) != 4 {
		t.Fatalf("expected one report of four files, got %v (%v)", r.Reports, err)
	}
	text, err := os.ReadFile(r.Reports[0])
	if err != nil {
		t.Fatal(err)
	}
	rest := string(text)
	for _, want := range []string{
		"# kfake: Produce v12 answers NONE, base offset 1, expected INVALID_PRODUCER_EPOCH\n",
		"kfake gives `NONE, base offset 1`; Apache Kafka 4.4.0 gives `INVALID_PRODUCER_EPOCH`. A producer with an epoch that is not the current one writes all the same",
		"| broker | kfake", "transaction.version 2 |\n", "| found by | features/retries.feature:", "/trace.itf.json --broker kfake`; exit code 1",
		"4. producer A: `Produce v12 t-0 producer P0, epoch 5, sequence 0, transactional id \"id\"` → `t-0 NONE, base offset 1` **← here**\n",
		"Allowed was `INVALID_PRODUCER_EPOCH`, by ADD-23", "**ADD-23**", "Its source: KIP-890; AddPartitionsToTxnManager", "```mermaid\nsequenceDiagram\n",
	} {
		_, after, ok := strings.Cut(rest, want)
		if !ok {
			t.Fatalf("expected %q next, got\n%s", want, rest)
		}
		rest = after
	}
}
