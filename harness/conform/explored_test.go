package conform_test

import (
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/onceproof/onceproof/fixtures"
	"github.com/onceproof/onceproof/harness/broker"
	"github.com/onceproof/onceproof/harness/broker/brokertest"
	"github.com/onceproof/onceproof/harness/conform"
	"github.com/onceproof/onceproof/harness/explore"
	"github.com/onceproof/onceproof/harness/judge"
	"github.com/onceproof/onceproof/harness/script"
	"github.com/onceproof/onceproof/harness/steps"
	"github.com/onceproof/onceproof/spec"
)

var update = flag.Bool("update", false, "explore brokers under test from several seeds, and write what is found into their profiles")

// A broker whose deviations are known, explored: nothing is found that its profile does not list, and each deviation that
// it lists shows when its scenario is played.
func TestExploredDeviationsAreThoseOfTheProfile(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ name, module, profile string }{
		{"kfake", "", kfakeProfile},
		{"kfake of 2026-08-04", "../../fixtures/kfake-20260804", "../../fixtures/brokers/kfake-20260804.json"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			target := "kfake"
			if c.module != "" {
				target = brokertest.Program(t, c.module)
			}
			if *update {
				recordExplored(t, target, c.profile)
			}
			o := conform.Options{Broker: target, Profile: c.profile, Tags: "@explore", Explore: explore.Options{Exchanges: 2000, Seed: 1}, Patience: 2 * time.Second}
			r := run(t, o)
			if r.Exploration == nil || r.Exploration.Exchanges < 2000 {
				t.Fatalf("expected 2000 exchanges, got:\n%s", r.Summary())
			}
			for _, f := range r.Exploration.Found {
				switch {
				case f.Known != "":
				case f.Failed < f.Of || overlaps(f.Lines): // it hangs on what comes first, and another time another one will
					t.Logf("not in the profile, and not every time: %+v", f)
				default:
					t.Errorf("not in the profile: %+v", f)
				}
			}
			p, err := conform.ReadProfile(c.profile)
			if err != nil {
				t.Fatal(err)
			}
			t.Logf("%d distinct deviations are listed, %d of them found in %d exchanges", len(p.Explored), len(r.Exploration.Found), r.Exploration.Exchanges)
			showEach(t, target, p)
		})
	}
}

// showEach plays the scenario of each deviation.
func showEach(t *testing.T, target string, p *conform.Profile) {
	t.Helper()
	tg, err := broker.Parse(target)
	if err != nil {
		t.Fatal(err)
	}
	release := spec.AllReleases()[0]
	for i, d := range p.Explored {
		b, err := broker.Open(t.Context(), tg, broker.Options{})
		if err != nil {
			t.Fatal(err)
		}
		v, err := b.Versions(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		s := script.OfLines("explored", d.Lines)
		s.Breaks = d.Rule
		out := script.Play(t.Context(), steps.Config{Broker: b, Versions: v, Oracle: judge.New(release, int8(v.TransactionVersion), false), Release: release,
			Suffix: fmt.Sprintf("d%d-%d", os.Getpid(), i), Patience: 2 * time.Second, Correct: p.Correct()}, s)
		if shown := out.Kind == script.Reproduced && out.Violation.Rules[0].String() == d.Rule; d.Sometimes && !shown {
			t.Logf("%+v: not this time", d.Signature)
		} else if out.Kind != script.Reproduced {
			t.Errorf("%+v: %v: %s", d.Signature, out.Kind, out.Reason)
		} else if got := out.Violation.Rules[0].String(); got != d.Rule {
			t.Errorf("%+v: shows %s: %v", d.Signature, got, out.Violation)
		}
		if err := b.Close(context.Background()); err != nil {
			t.Error(err)
		}
	}
}

// overlaps reports whether a scenario has a request under way while others are answered: what comes first is the broker's to say.
func overlaps(lines []string) bool {
	return slices.ContainsFunc(lines, func(l string) bool { return strings.Contains(l, " is under way as ") })
}

// recordExplored explores from a few seeds and writes what is found into the profile; a deviation that is listed keeps its
// reason.
func recordExplored(t *testing.T, target, profile string) {
	t.Helper()
	p, err := conform.ReadProfile(profile)
	if err != nil {
		t.Fatal(err)
	}
	for seed := range uint64(4) {
		r := run(t, conform.Options{Broker: target, Profile: profile, Tags: "@explore", Explore: explore.Options{Exchanges: 5000, Seed: seed + 1}, Patience: 2 * time.Second})
		for _, f := range r.Exploration.Found {
			known := slices.ContainsFunc(p.Explored, func(d conform.ExploredDeviation) bool { return d.Signature == f.Signature })
			if known {
				continue
			}
			p.Explored = append(p.Explored, conform.ExploredDeviation{Signature: f.Signature, Reason: f.Reason, Sometimes: f.Failed < f.Of || overlaps(f.Lines), Lines: f.Lines})
		}
		text, err := json.MarshalIndent(p, "", "  ")
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(profile, append(text, '\n'), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

// Apache Kafka 4.4.0, explored: nothing that the protocol forbids, and enough of what there is to see.
func TestApacheKafkaExplored(t *testing.T) {
	brokertest.NeedKafka(t)
	exchanges, least := 2000, 100
	if *update {
		exchanges, least = 20_000, 150
	}
	var recorded []fixtures.ExploredKafka
	for level := int16(2); level >= 0; level-- {
		r := run(t, conform.Options{Broker: fmt.Sprintf("docker:%s,tv=%d", brokertest.Image, level), Strict: true, Tags: "@explore",
			Explore: explore.Options{Exchanges: exchanges, Seed: 1}})
		x := r.Exploration
		if x == nil || r.Count(conform.Conforms) != 1 || x.Exchanges < exchanges || x.Triples < least {
			t.Errorf("expected %d exchanges, %d triples and no violation, got:\n%s", exchanges, least, r.Summary())
			continue
		}
		t.Log(r.Summary())
		recorded = append(recorded, fixtures.ExploredKafka{Level: level, Seed: x.Seed, Exchanges: x.Exchanges, Triples: x.Triples, Beyond: x.Beyond,
			PerSecond: x.PerSecond, OracleShare: x.OracleShare, OracleP99: x.OracleP99, LargestBelief: x.LargestBelief})
	}
	if !*update {
		return
	}
	text, err := json.MarshalIndent(recorded, "", "  ")
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile("../../fixtures/explore-kafka.json", append(text, '\n'), 0o644); err != nil {
		t.Fatal(err)
	}
}
