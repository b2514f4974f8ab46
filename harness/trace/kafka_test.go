package trace_test

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/onceproof/onceproof/harness/broker"
	"github.com/onceproof/onceproof/harness/broker/brokertest"
	"github.com/onceproof/onceproof/harness/judge"
	"github.com/onceproof/onceproof/harness/script"
	"github.com/onceproof/onceproof/harness/steps"
	"github.com/onceproof/onceproof/harness/trace"
	"github.com/onceproof/onceproof/spec"
)

func TestMain(m *testing.M) { os.Exit(brokertest.SideBySide(m)) }

// recording is where it is written what was seen on Apache Kafka.
const recording = "../../fixtures/traces.json"

// seen is what came of a counterexample on Apache Kafka 4.4.0.
type seen struct {
	ID      string `json:"trace"`
	Level   int8   `json:"transaction_version"`
	Hand    string `json:"hand"`
	Outcome string `json:"outcome"`
	Why     string `json:"why,omitempty"` // where it ended, and what came
}

// The hands that a tester has on a broker: that of who sends requests, lets a transaction time out and kills the broker, and
// that on what a broker in a container asks itself, as --broker names it.
const (
	outside = "outside"
	inside  = "inside=1"
)

// handOf is the hand that a counterexample takes.
func handOf(f *trace.Found) string {
	if f.Script != nil && !f.Placeable {
		return inside
	}
	return outside
}

// TestOnKafka plays every counterexample on Apache Kafka 4.4.0 at its level with the hand that it takes, and compares what came
// with what is recorded. With -update it records it.
func TestOnKafka(t *testing.T) {
	t.Parallel()
	brokertest.NeedKafka(t)
	found := all(t)
	came := make([]seen, len(found))
	t.Run("levels", func(t *testing.T) {
		for level := range int8(3) {
			for _, hand := range []string{outside, inside} {
				t.Run(fmt.Sprintf("tv%d, %s", level, hand), func(t *testing.T) {
					t.Parallel()
					b, v := kafka(t, level, hand)
					for i := range found {
						if found[i].Level == level && handOf(&found[i]) == hand {
							came[i] = playOn(t, b, v, trace.Played(found, &found[i]), &found[i])
						}
					}
				})
			}
		}
	})
	if t.Failed() {
		return
	}
	text, err := json.MarshalIndent(came, "", "  ")
	if err != nil {
		t.Fatal(err)
	}
	fresh(t, recording, string(text)+"\n")
}

// kafka starts a broker at a level of transaction.version, for a hand.
func kafka(t *testing.T, level int8, hand string) (broker.Broker, broker.Versions) {
	t.Helper()
	target, err := broker.Parse(fmt.Sprintf("docker:%s,tv=%d", brokertest.Image, level))
	if err != nil {
		t.Fatal(err)
	}
	b, err := broker.Open(t.Context(), target, broker.Options{Between: hand == inside})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = b.Close(context.Background()) })
	v, err := b.Versions(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return b, v
}

// playOn plays a scenario. The oracle, which judges by that very release, must find nothing, flaw or not.
func playOn(t *testing.T, b broker.Broker, v broker.Versions, s *script.Script, f *trace.Found) seen {
	t.Helper()
	release := spec.AllReleases()[0]
	suffix := strings.ReplaceAll(strings.ToLower(f.ID), " ", "-")
	o := script.Play(t.Context(), steps.Config{Broker: b, Versions: v, Oracle: judge.New(release, f.Level, true), Suffix: suffix, Release: release, Patience: 20 * time.Second}, s)
	if o.Violation != nil {
		t.Errorf("%s at %d: the oracle: %v", f.ID, f.Level, o.Violation)
	}
	return seen{ID: f.ID, Level: f.Level, Hand: handOf(f), Outcome: o.Kind.String(), Why: o.Reason}
}
