package world

import (
	"context"
	"testing"

	"github.com/onceproof/onceproof/checker"
)

// BenchmarkExplore is the rate on the Kafka model, properties and traces on, one worker: the first half million states of
// faults-tv2.
func BenchmarkExplore(b *testing.B) {
	m, err := New(Models()[0])
	if err != nil {
		b.Fatal(err)
	}
	for b.Loop() {
		r, err := checker.Check(context.Background(), m, m.Properties(), checker.Options{Workers: 1, MaxStates: 500_000})
		if err != nil {
			b.Fatal(err)
		}
		b.ReportMetric(float64(r.Distinct)/r.Seconds, "distinct/s")
		b.ReportMetric(float64(r.Generated)/r.Seconds, "generated/s")
	}
}

// BenchmarkEncodedState is the size of a state in the frontier.
func BenchmarkEncodedState(b *testing.B) {
	m, err := New(Models()[0])
	if err != nil {
		b.Fatal(err)
	}
	var bytes, states float64
	p := checker.Properties[State, Action]{MayStop: func(*State) bool { return true }}
	var buf []byte
	p.Invariants = []checker.Invariant[State]{{Name: "size", Check: func(s *State) checker.Outcome {
		buf = m.Encode(buf[:0], s)
		bytes += float64(len(buf))
		states++
		return checker.Holds
	}}}
	for b.Loop() {
		if _, err := checker.Check(context.Background(), m, p, checker.Options{Workers: 1, MaxStates: 200_000}); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(bytes/states, "bytes/state")
}
