package oracle_test

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/onceproof/onceproof/spec"
)

// The oracle's share of an exchange on random walks, and how many states the
// belief has at most. It works on one core.
func BenchmarkWalks(b *testing.B) {
	for _, tv := range []int8{2, 1, 0} {
		b.Run(fmt.Sprintf("tv%d", tv), func(b *testing.B) {
			var spent []time.Duration
			largest := 0
			for seed := range uint64(b.N) {
				w, err := newWalk(spec.AllReleases()[0], tv, seed)
				if err != nil {
					b.Fatal(err)
				}
				if err := w.run(); err != nil {
					b.Fatalf("seed %d: %v", seed, err)
				}
				_, most := w.o.Belief()
				largest = max(largest, most)
				spent = append(spent, w.o.Spent()...)
			}
			slices.Sort(spent)
			at := func(percent int) float64 {
				return float64(spent[len(spent)*percent/100].Nanoseconds()) / 1000
			}
			b.ReportMetric(at(50), "p50-µs")
			b.ReportMetric(at(99), "p99-µs")
			b.ReportMetric(float64(spent[len(spent)-1].Nanoseconds())/1000, "max-µs")
			b.ReportMetric(float64(largest), "largest-belief")
		})
	}
}
