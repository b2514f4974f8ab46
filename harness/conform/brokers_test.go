package conform_test

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"slices"
	"testing"

	"github.com/onceproof/onceproof/harness/broker"
	"github.com/onceproof/onceproof/harness/broker/brokertest"
	"github.com/onceproof/onceproof/harness/conform"
	"github.com/onceproof/onceproof/harness/reference"
	"github.com/onceproof/onceproof/spec"
)

const kfakeProfile = "../../fixtures/brokers/kfake.json"

func TestMain(m *testing.M) { os.Exit(brokertest.SideBySide(m)) }

// run runs the suite and prints the Gherkin output where it ends in failure.
func run(t *testing.T, o conform.Options) conform.Result {
	t.Helper()
	var out bytes.Buffer
	o.Out = &out
	r, err := conform.Run(t.Context(), o)
	if err != nil {
		t.Fatalf("%s: %v\n%s", o.Broker, err, out.String())
	}
	return r
}

// wantAll demands that every scenario that ran conforms, and that each that did not says why.
func wantAll(t *testing.T, r *conform.Result) {
	t.Helper()
	if n := r.Count(conform.Conforms); n != len(r.Scenarios) || n == 0 {
		t.Errorf("expected every scenario to conform, got:\n%s", r.Summary())
	}
	for _, s := range r.Skipped {
		if s.Reason == "" {
			t.Errorf("%q was not run, without a reason", s.Name)
		}
	}
}

// onSpec is the reference broker, whose hidden steps are taken in an order that the seed gives.
func onSpec(level int8, fixes spec.Fixes, seed uint64) conform.Options {
	return conform.Options{Broker: fmt.Sprintf("spec,tv=%d", level), Strict: true,
		Spec: func(context.Context, broker.Target) (broker.Broker, error) {
			return reference.New(spec.Rules{TransactionVersion: level, Fixes: fixes}, seed), nil
		}}
}

// A feature that contradicts the specification fails here, without any broker; and a scenario shows the rules that it is
// tagged with: each decided a step of it, or what it read, whatever the order of hidden steps.
func TestTheSpecificationConforms(t *testing.T) {
	t.Parallel()
	fixes := spec.AllReleases()[0].Fixes
	for seed := range uint64(3) {
		t.Run(fmt.Sprintf("seed %d", seed), func(t *testing.T) {
			t.Parallel()
			shown := map[string][]spec.Rule{}
			ran := map[string]bool{}
			for level := range int8(3) {
				r := run(t, onSpec(level, fixes, seed))
				wantAll(t, &r)
				for _, s := range r.Scenarios {
					shown[s.Name], ran[s.Name] = append(shown[s.Name], s.Shown...), true
				}
			}
			checkTags(t, seed, ran, shown)
		})
	}
}

func checkTags(t *testing.T, seed uint64, ran map[string]bool, shown map[string][]spec.Rule) {
	t.Helper()
	all, err := conform.Suite()
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range all {
		if runs := !slices.Contains(s.Tags, "@inside") && !slices.Contains(s.Tags, "@explore"); ran[s.Name] != runs {
			t.Errorf("%q: expected that it runs at a level: %v, got %v", s.Name, runs, ran[s.Name])
		}
		for _, rule := range s.Rules {
			if !slices.Contains(shown[s.Name], rule) {
				t.Errorf("seed %d: %q is tagged with %v, which decided nothing in it", seed, s.Name, rule)
			}
		}
	}
}

// kfake differs from Kafka in many ways. Each is listed with its reason, and what is listed is still so.
func TestKfakeDeviatesAsItsProfileSays(t *testing.T) {
	t.Parallel()
	r := run(t, conform.Options{Broker: "kfake", Profile: kfakeProfile})
	if r.Count(conform.Violates) > 0 || r.Count(conform.Known) == 0 || len(r.Stale)+len(r.StaleFields) > 0 {
		t.Errorf("expected only the deviations of the profile, got:\n%s", r.Summary())
	}
}

func TestWithoutItsProfileAKnownDeviationIsAViolation(t *testing.T) {
	r := run(t, conform.Options{Broker: "kfake", Tags: "@IDEM-18"})
	if r.ExitCode() != 1 || r.Count(conform.Violates) != 1 {
		t.Errorf("expected a violation and exit code 1, got exit code %d and\n%s", r.ExitCode(), r.Summary())
	}
}

// Apache Kafka 4.4.0 at each level of transaction.version, in containers side by side.
func TestApacheKafkaConforms(t *testing.T) {
	t.Parallel()
	brokertest.NeedKafka(t)
	for level := range 3 {
		t.Run(fmt.Sprintf("tv%d", level), func(t *testing.T) {
			t.Parallel()
			r := run(t, conform.Options{Broker: fmt.Sprintf("docker:%s,tv=%d", brokertest.Image, level), Strict: true})
			t.Logf("%d scenarios in %.1f s", len(r.Scenarios), r.Duration.Seconds())
			wantAll(t, &r)
		})
	}
}
