package world

import (
	"context"
	"reflect"
	"testing"

	"github.com/onceproof/onceproof/checker"
	"github.com/onceproof/onceproof/spec"
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

// TestAnEncodedStateIsSmall bounds what a state of the standard configuration takes in the frontier, on average, in bytes.
func TestAnEncodedStateIsSmall(t *testing.T) {
	m, err := New(Models()[0])
	if err != nil {
		t.Fatal(err)
	}
	const most = 110
	var bytes, states int
	var buf []byte
	p := checker.Properties[State, Action]{MayStop: func(*State) bool { return true }}
	p.Invariants = []checker.Invariant[State]{{Name: "size", Check: func(s *State) checker.Outcome {
		buf = m.Encode(buf[:0], s)
		bytes += len(buf)
		states++
		return checker.Holds
	}}}
	if _, err := checker.Check(context.Background(), m, p, checker.Options{Workers: 1, MaxStates: 100_000}); err != nil {
		t.Fatal(err)
	}
	if states == 0 || bytes > most*states {
		t.Errorf("%d states take %d bytes, expected at most %d each", states, bytes, most)
	}
}

// TestAClientAndHistoryAreReadAsWritten is about numbers that fit into the words, and about those that do not.
func TestAClientAndHistoryAreReadAsWritten(t *testing.T) {
	for _, big := range []int32{0, 3, 31, 32, 1000} {
		c := Client{Phase: Ending, ProducerID: 2, Epoch: int16(big), Commit: true, Txn: 5, Recover: true, Batches: [maxBatches]BatchState{1, 2, 3, 4, 0, 4}, Next: [4]int32{1, big, 0, 31}}
		for _, c.First[2] = range []int32{0, big} {
			written := c.append(nil)
			for _, tail := range [][]byte{nil, make([]byte, 9)} {
				var read Client
				rest, err := read.read(append(written[:len(written):len(written)], tail...))
				if err != nil || len(rest) != len(tail) || read != c {
					t.Errorf("%+v is read as %+v, %d bytes left of %d: %v", c, read, len(rest), len(tail), err)
				}
			}
			for n := range written {
				if _, err := new(Client).read(written[:n]); err == nil {
					t.Errorf("the first %d of %d bytes are read as a client", n, len(written))
				}
			}
		}
		g := Ghost{Newest: 2, Owner: -1, OwnerEpoch: int16(big), Lost: [maxClients]bool{true, false, true}, Decided: 1<<20 | 3, Logged: Cause{Completed, -1},
			Opened: 6, OpenedEpoch: spec.NoEpoch}
		g.Granted[0], g.Granted[30] = 2, 3
		written := g.append(nil)
		var read Ghost
		if rest, err := read.read(written); err != nil || len(rest) != 0 || !reflect.DeepEqual(read, g) {
			t.Errorf("%+v is read as %+v, %d bytes left: %v", g, read, len(rest), err)
		}
	}
}
