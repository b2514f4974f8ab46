package conform_test

import (
	"bytes"
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/twmb/franz-go/pkg/kfake"
	"github.com/twmb/franz-go/pkg/kmsg"

	"github.com/onceproof/onceproof/checker"
	"github.com/onceproof/onceproof/harness/broker"
	"github.com/onceproof/onceproof/harness/bundle"
	"github.com/onceproof/onceproof/harness/conform"
	"github.com/onceproof/onceproof/harness/reference"
	"github.com/onceproof/onceproof/spec"
	"github.com/onceproof/onceproof/spec/world"
)

// counterexample writes the checker's trace of a configuration into a file, in the Informal Trace Format or the own one.
func counterexample(t *testing.T, c world.Config, property string, itf bool) string {
	t.Helper()
	m, err := world.New(c)
	if err != nil {
		t.Fatal(err)
	}
	properties, err := m.Properties().Only(property)
	if err != nil {
		t.Fatal(err)
	}
	result, err := checker.Check(t.Context(), m, properties, checker.Options{})
	if err != nil || len(result.Violations) == 0 {
		t.Fatalf("expected %s to fall in %s (%v)", property, c.Name, err)
	}
	name := filepath.Join(t.TempDir(), c.Name+".json")
	f, err := os.Create(name)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	write := result.Violations[0].Trace.WriteJSON
	if itf {
		write = result.Violations[0].Trace.WriteITF
	}
	if err := write(f); err != nil {
		t.Fatal(err)
	}
	return name
}

// ofFix is the counterexample that there is without a fix.
func ofFix(t *testing.T, fix spec.Fixes, quick, itf bool) string {
	t.Helper()
	rows := world.FixRows()
	row := rows[slices.IndexFunc(rows, func(r world.FixRow) bool { return r.Fix == fix })]
	c := row.Off()
	if quick {
		c.Quick = 1
	}
	return counterexample(t, c, row.Property, itf)
}

// replay plays a trace and gives what was printed.
func replay(t *testing.T, o conform.ReplayOptions) (conform.Replayed, string) {
	t.Helper()
	var out bytes.Buffer
	o.Out = &out
	r, err := conform.Replay(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	return r, out.String()
}

// A counterexample of a fix is reproduced on a broker without it and not on one with it, whatever the format; one with a
// race inside the broker could not be judged.
func TestACounterexampleIsReplayed(t *testing.T) {
	t.Parallel()
	late := ofFix(t, spec.Fix20785, true, false)
	race := ofFix(t, spec.Fix14884, false, false)
	for _, c := range []struct {
		trace, broker string
		code          int
		want          []string
	}{
		{late, "spec,fix-off=KAFKA-20785", 1, []string{"FencedHearsFenced falls in fix-20785", "the model's broker answered", "→ INVALID_TXN_STATE", "\nreproduced: all ", "FencedHearsFenced falls here too"}},
		{late, "spec,release=trunk", 0, []string{"expected INVALID_TXN_STATE\n    came     PRODUCER_FENCED", "\nnot reproduced: every step took place up to line "}},
		{ofFix(t, spec.Fix20785, true, true), "spec,fix-off=KAFKA-20785", 1, []string{"FencedHearsFenced falls here too"}},
		{ofFix(t, spec.Fix19446, true, true), "spec,fix-off=KAFKA-19446", 1, []string{"the oracle: Apache Kafka 4.4.0 does not do this (MARK-", "\nreproduced: ", "on the way, at line "}},
		{race, "spec,tv=1", 2, []string{"under way", "inside the broker, the ", "\ncould not be judged: line ", "--bound quick=1"}},
	} {
		r, text := replay(t, conform.ReplayOptions{Options: conform.Options{Broker: c.broker}, Trace: c.trace})
		if r.ExitCode() != c.code {
			t.Errorf("%s on %s: expected exit code %d, got %d", c.trace, c.broker, c.code, r.ExitCode())
		}
		for _, want := range c.want {
			if !strings.Contains(text, want) {
				t.Errorf("%s on %s: expected %q, got\n%s", c.trace, c.broker, want, text)
			}
		}
	}
}

// An answer that comes late is told where it comes, and the numbers are those of the exchange.
func TestTheExchangeIsToldAsItGoes(t *testing.T) {
	t.Parallel()
	r, text := replay(t, conform.ReplayOptions{Options: conform.Options{Broker: "spec"}, Trace: feature(t, `
Feature: f
  Scenario: one
    Given topic "t" with 1 partition
    And producer A (v5 style) without transactional id
    When A sends InitProducerId until it is granted
    And A's Produce("a" to t-0) is under way as "x"
    And A's Produce("b" to t-0 with sequence 1) is held as "late"
    And "x" is answered
    Then the answer is NONE at offset 0
    When "late" arrives
    Then the answer is NONE at offset 7
`)})
	want := regexp.MustCompile(`(?s)   2\. producer A: InitProducerId v5 .* → NONE, producer P0, epoch 0
   3\. producer A: Produce v12 t-0 producer P0, epoch 0, sequence 0, under way \(.*\)
   4\. A's Produce\("b" to t-0 with sequence 1\) is held as "late"
   5\. "x" is answered: t-0 NONE, base offset 0 \(the answer to 3\)
   6\. producer A: Produce v12 t-0 producer P0, epoch 0, sequence 1 → t-0 NONE, base offset 1 \("late" arrives\)

  line 9 of 9: the answer is NONE at offset 7
    expected NONE at offset 7
    came     NONE at offset 1

reproduced: at line 9, .* came NONE at offset 1
$`)
	if !want.MatchString(text) {
		t.Errorf("expected %s, got\n%s", want, text)
	}
	if r.ExitCode() != 1 || r.Line != 9 || r.Came != "NONE at offset 1" || len(r.Exchange) != 6 {
		t.Errorf("expected it to end at line 9 with exit code 1, got %+v", r)
	}
}

// feature writes a feature into a file.
func feature(t *testing.T, text string) string {
	t.Helper()
	name := filepath.Join(t.TempDir(), "one.feature")
	if err := os.WriteFile(name, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	return name
}

// deaf is a broker to which nothing may be sent.
type deaf struct {
	broker.Broker
	t *testing.T
}

func (d deaf) Dial(context.Context) (broker.Conn, error) {
	d.t.Error("expected nothing to be sent, got a connection")
	return nil, broker.ErrUnsupported
}

// TV2-style requests at transaction.version 0 would break the transactional id (ADD-28): nothing is sent. What is from
// another level otherwise is sent, and that is said.
func TestTheLevelOfATraceIsHeeded(t *testing.T) {
	t.Parallel()
	tv2 := ofFix(t, spec.Fix18202, true, false)
	flaw := world.Flaws()[0]
	flaw.Config.Quick = 1
	tv1 := counterexample(t, flaw.Config, flaw.Property, false)
	at0 := conform.Options{Broker: "spec", Spec: func(context.Context, broker.Target) (broker.Broker, error) {
		return deaf{reference.New(spec.Rules{TransactionVersion: 0, Fixes: spec.AllReleases()[0].Fixes}, 1), t}, nil
	}}
	meant := "  Scenario: one\n    Given producer A (v5 style) with transactional id \"x\"\n    When A sends EndTxn(commit)\n"
	for _, trace := range []string{tv2, feature(t, "Feature: f\n  @tv2\n"+meant), "../../features/traces/kafka-19446.feature"} {
		if _, err := conform.Replay(t.Context(), conform.ReplayOptions{Options: at0, Trace: trace}); err == nil || !strings.Contains(err.Error(), "ADD-28") {
			t.Errorf("%s: expected a refusal that names ADD-28, got %v", trace, err)
		}
		on := conform.Options{Broker: "docker:no/such/image,tv=0"}
		if _, err := conform.Replay(t.Context(), conform.ReplayOptions{Options: on, Trace: trace}); err == nil || !strings.Contains(err.Error(), "ADD-28") {
			t.Errorf("%s: expected a refusal before the container is started, got %v", trace, err)
		}
	}
	for level, said := range map[string]bool{"0": true, "1": false, "2": true} {
		r, text := replay(t, conform.ReplayOptions{Options: conform.Options{Broker: "spec,tv=" + level}, Trace: tv1})
		if got := strings.Contains(text, "it is from transaction.version 1, the broker's is "+level); r.ExitCode() != 1 || got != said {
			t.Errorf("at %s: expected it reproduced, and its level said %v, got exit code %d and\n%s", level, said, r.ExitCode(), text)
		}
	}
	if r, text := replay(t, conform.ReplayOptions{Options: conform.Options{Broker: "spec,tv=0"}, Trace: feature(t, "Feature: f\n  @tv0\n"+meant)}); r.ExitCode() != 0 {
		t.Errorf("expected a scenario that is meant for level 0 to be played there, got\n%s", text)
	}
}

// reported are the folders of a run's violations on kfake.
func reported(t *testing.T, o conform.Options) (dir string) {
	t.Helper()
	o.Broker, o.ReportDir = "kfake", t.TempDir()
	r, err := conform.Run(t.Context(), o)
	if err != nil || len(r.Reports) == 0 {
		t.Fatalf("expected reports, got %v (%v)", r.Reports, err)
	}
	return filepath.Dir(r.Reports[0])
}

// A violation that was reported shows again on the same broker and not on one that keeps the rule: from its folder, its
// trace, standard input and its scenario.
func TestAReportedViolationIsReplayed(t *testing.T) {
	t.Parallel()
	dir := reported(t, conform.Options{Tags: "@IDEM-18", Strict: true})
	text, err := os.ReadFile(filepath.Join(dir, bundle.TraceFile))
	if err != nil {
		t.Fatal(err)
	}
	for _, trace := range []string{dir, filepath.Dir(dir), filepath.Join(dir, bundle.TraceFile), "-", filepath.Join(dir, bundle.ScenarioFile)} {
		o := conform.ReplayOptions{Options: conform.Options{Broker: "kfake"}, Trace: trace, Stdin: bytes.NewReader(text)}
		r, printed := replay(t, o)
		if r.ExitCode() != 1 || r.Violation == nil || !slices.Contains(r.Violation.Rules, "IDEM-23") || strings.Contains(printed, "the oracle: ") {
			t.Errorf("%s on kfake: expected the violation once, got exit code %d and\n%s", trace, r.ExitCode(), printed)
		}
		if judged := r.Strict == (r.Kind == conform.Found); !judged {
			t.Errorf("%s: expected a violation to be judged as when it was found, got %+v", trace, r)
		}
		o.Broker, o.Stdin = "spec", bytes.NewReader(text)
		if r, printed := replay(t, o); r.ExitCode() != 0 {
			t.Errorf("%s on spec: expected exit code 0, got %d and\n%s", trace, r.ExitCode(), printed)
		}
	}
	if r, _ := replay(t, conform.ReplayOptions{Options: conform.Options{Broker: "kfake", Release: "trunk"}, Trace: dir}); r.Release != "trunk" || r.Strict {
		t.Errorf("expected the release that is named, and no more, got %+v", r)
	}
}

// What a profile tolerated when a violation was found is tolerated again, as the report's command has it; without it what
// comes before may be wrong already, which is no verdict on this violation.
func TestAViolationBehindAToleratedFieldIsReplayedWithItsProfile(t *testing.T) {
	t.Parallel()
	const profile = "../../fixtures/brokers/kfake.json"
	dir := filepath.Join(filepath.Dir(reported(t, conform.Options{Profile: profile, Tags: "@IDEM-23 && @ADM-01"})),
		"violation-a-gap-is-refused-until-it-is-filled-and-leaves-no-trace")
	report, err := os.ReadFile(filepath.Join(dir, bundle.ReportFile))
	if err != nil || !strings.Contains(string(report), "/trace.itf.json --broker kfake --profile "+profile+"`") {
		t.Errorf("expected the command with its profile (%v), got\n%s", err, report)
	}
	r, text := replay(t, conform.ReplayOptions{Options: conform.Options{Broker: "kfake", Profile: profile}, Trace: dir})
	if r.ExitCode() != 1 || r.Known == "" || len(r.Tolerated) == 0 || !strings.Contains(text, "judged as if it were right") {
		t.Errorf("expected it reproduced, known, and what was tolerated, got exit code %d and\n%s", r.ExitCode(), text)
	}
	r, text = replay(t, conform.ReplayOptions{Options: conform.Options{Broker: "kfake"}, Trace: dir})
	if r.ExitCode() != 2 || !strings.Contains(text, "is wrong already; a --profile may tolerate it") || !strings.Contains(text, "it was found with --profile ") {
		t.Errorf("expected no verdict, and the profile to be named, got exit code %d and\n%s", r.ExitCode(), text)
	}
}

// What is replayed is written down, whether or not a rule was broken, and a violation can be replayed again.
func TestAReplayIsReported(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		broker string
		trace  string
		again  int // exit code of the folder that was written
	}{
		{"spec,fix-off=KAFKA-19446", ofFix(t, spec.Fix19446, true, false), 1},
		{"kfake", reported(t, conform.Options{Tags: "@IDEM-18"}), 1},
		{"spec", ofFix(t, spec.Fix15591, true, false), -1},
	} {
		dir := t.TempDir()
		r, text := replay(t, conform.ReplayOptions{Options: conform.Options{Broker: c.broker, ReportDir: dir}, Trace: c.trace})
		var object conform.Replayed
		whole, err := os.ReadFile(filepath.Join(dir, "replay.json"))
		if err == nil {
			err = json.Unmarshal(whole, &object)
		}
		if err != nil || object.Verdict != r.Verdict || len(object.Exchange) == 0 || len(r.Reports) < 3 || !strings.Contains(text, "written: ") {
			t.Errorf("%s: expected replay.json and the files of the exchange (%v), got %v", c.broker, err, r.Reports)
			continue
		}
		if c.again < 0 {
			if scenario, _ := replay(t, conform.ReplayOptions{Options: conform.Options{Broker: c.broker}, Trace: filepath.Join(filepath.Dir(r.Reports[0]), bundle.ScenarioFile)}); scenario.Verdict != r.Verdict {
				t.Errorf("%s: expected the scenario to give %s, got %s", c.broker, r.Verdict, scenario.Verdict)
			}
			continue
		}
		if again, text := replay(t, conform.ReplayOptions{Options: conform.Options{Broker: c.broker}, Trace: filepath.Dir(r.Reports[0])}); again.ExitCode() != c.again {
			t.Errorf("%s: expected the violation's folder to give exit code %d, got %d and\n%s", c.broker, c.again, again.ExitCode(), text)
		}
	}
}

// A scenario of several is chosen by its name, and shows a broker that does not do what it says.
func TestAScenarioIsReplayed(t *testing.T) {
	t.Parallel()
	const file, name = "../../features/end_txn.feature", "EndTxn v4 ends an open transaction at its own epoch only"
	for b, code := range map[string]int{"spec": 0, "spec,fix-off=KAFKA-18464": 0, "kfake": 1} {
		if r, text := replay(t, conform.ReplayOptions{Options: conform.Options{Broker: b}, Trace: file, Scenario: name}); r.ExitCode() != code || r.Name != name {
			t.Errorf("%s: expected exit code %d, got %d and\n%s", b, code, r.ExitCode(), text)
		}
	}
	r, text := replay(t, conform.ReplayOptions{Options: conform.Options{Broker: "spec,fix-off=KAFKA-18464"}, Trace: file, Scenario: "While a decision waits for its markers EndTxn v5 has to wait, whoever asks"})
	if r.ExitCode() != 1 || r.Kind != conform.Written || r.Violation == nil {
		t.Errorf("expected the violation, got exit code %d and\n%s", r.ExitCode(), text)
	}
}

// On a broker that lives on, the topics are taken away.
func TestAReplayLeavesNoTopics(t *testing.T) {
	t.Parallel()
	cluster, err := kfake.NewCluster(kfake.NumBrokers(1))
	if err != nil {
		t.Fatal(err)
	}
	defer cluster.Close()
	address := cluster.ListenAddrs()[0]
	if r, text := replay(t, conform.ReplayOptions{Options: conform.Options{Broker: address}, Trace: reported(t, conform.Options{Tags: "@IDEM-18"})}); r.ExitCode() != 1 || len(r.Notes) > 0 {
		t.Errorf("expected exit code 1, got %d and\n%s", r.ExitCode(), text)
	}
	target, err := broker.Parse(address)
	if err != nil {
		t.Fatal(err)
	}
	b, err := broker.Open(t.Context(), target, broker.Options{})
	if err != nil {
		t.Fatal(err)
	}
	c, err := b.Dial(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	req := kmsg.NewPtrMetadataRequest()
	req.Version = 9
	x, err := c.Do(t.Context(), req)
	if err != nil {
		t.Fatal(err)
	}
	for _, topic := range x.Response.(*kmsg.MetadataResponse).Topics {
		if !topic.IsInternal {
			t.Errorf("expected no topic to be left, got %s", *topic.Topic)
		}
	}
}

// A replay that is stopped could not be judged.
func TestAStoppedReplayIsNotJudged(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	o := conform.Options{Broker: "spec", Patience: 10 * time.Second, Spec: func(context.Context, broker.Target) (broker.Broker, error) {
		return stopping{reference.New(spec.Rules{TransactionVersion: 2, Fixes: spec.AllReleases()[0].Fixes}, 1), cancel}, nil
	}}
	r, err := conform.Replay(ctx, conform.ReplayOptions{Options: o, Trace: ofFix(t, spec.Fix20785, true, false)})
	if err != nil || r.ExitCode() != 2 || r.Verdict != "could not be judged" {
		t.Errorf("expected no verdict, got %+v (%v)", r, err)
	}
}

// stopping is a broker whose first connection stops the run.
type stopping struct {
	*reference.Broker
	stop func()
}

func (s stopping) Dial(ctx context.Context) (broker.Conn, error) {
	s.stop()
	return s.Broker.Dial(ctx)
}
