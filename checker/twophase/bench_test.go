package twophase_test

import (
	"context"
	"fmt"
	"runtime"
	"testing"
	"time"

	"github.com/onceproof/onceproof/checker"
	"github.com/onceproof/onceproof/checker/twophase"
)

const benchRMs, benchDistinct, benchGenerated = 8, 1745408, 18507778

// BenchmarkByHand is what the checker is measured against: the same search written for this one model, with a state in one
// machine word, no names, no links for traces, no coverage.
func BenchmarkByHand(b *testing.B) {
	for range b.N {
		distinct, generated := searchByHand(benchRMs)
		if distinct != benchDistinct || generated != benchGenerated {
			b.Fatalf("expected %d distinct states and %d generated, got %d and %d", benchDistinct, benchGenerated, distinct, generated)
		}
	}
	b.ReportMetric(benchDistinct*float64(b.N)/b.Elapsed().Seconds(), "states/s")
}

// BenchmarkCheck is the checker, with all properties.
func BenchmarkCheck(b *testing.B) {
	for _, workers := range []int{1, 2} {
		b.Run(fmt.Sprintf("workers=%d", workers), func(b *testing.B) {
			b.ReportAllocs()
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			for range b.N {
				r, err := checker.Check(context.Background(), twophase.Model{RMs: benchRMs}, twophase.Properties(), checker.Options{Workers: workers})
				if err != nil || r.Distinct != benchDistinct {
					b.Fatal(err, r)
				}
			}
			runtime.ReadMemStats(&after)
			b.ReportMetric(benchDistinct*float64(b.N)/b.Elapsed().Seconds(), "states/s")
			b.ReportMetric(float64(after.TotalAlloc-before.TotalAlloc)/float64(b.N)/benchDistinct, "B-allocated/state")
		})
	}
}

// BenchmarkShareOfByHand gives the rate of the checker, with one worker, as a share of that of the search by hand, both measured
// in turns, and what a second worker brings.
func BenchmarkShareOfByHand(b *testing.B) {
	var hand, one, two time.Duration
	for range b.N {
		start := time.Now()
		searchByHand(benchRMs)
		hand += time.Since(start)
		one += timeOfCheck(b, 1)
		two += timeOfCheck(b, 2)
	}
	b.ReportMetric(hand.Seconds()/one.Seconds(), "of-by-hand")
	b.ReportMetric(one.Seconds()/two.Seconds(), "speedup-by-2-workers")
}

func timeOfCheck(b *testing.B, workers int) time.Duration {
	start := time.Now()
	if _, err := checker.Check(context.Background(), twophase.Model{RMs: benchRMs}, twophase.Properties(), checker.Options{Workers: workers}); err != nil {
		b.Fatal(err)
	}
	return time.Since(start)
}

// A state by hand: two bits a resource manager from bit 0, what the transaction manager knows from bit 20, what was sent
// prepared from bit 32, the transaction manager at bit 44, commit sent at 46, abort sent at 47.
const (
	handKnown  = 20
	handSent   = 32
	handTM     = 44
	handCommit = 1 << 46
	handAbort  = 1 << 47
)

type handSet struct {
	slots []uint64
	used  int
}

// insert keeps states plus one, since the initial state is 0.
func (h *handSet) insert(s uint64) bool {
	mask := uint64(len(h.slots) - 1)
	i := (s * 0x9E3779B97F4A7C15 >> 20) & mask
	for ; h.slots[i] != 0; i = (i + 1) & mask {
		if h.slots[i] == s+1 {
			return false
		}
	}
	h.slots[i] = s + 1
	h.used++
	if h.used*4 > len(h.slots)*3 {
		old := h.slots
		h.slots, h.used = make([]uint64, 2*len(old)), 0
		for _, s := range old {
			if s != 0 {
				h.insert(s - 1)
			}
		}
	}
	return true
}

func searchByHand(rms int) (distinct, generated int) {
	visited := handSet{slots: make([]uint64, 1<<10)}
	visited.insert(0)
	level, next := []uint64{0}, []uint64(nil)
	distinct, generated = 1, 1
	step := func(n uint64) {
		generated++
		if visited.insert(n) {
			distinct++
			next = append(next, n)
		}
	}
	all := uint64(1)<<rms - 1
	for len(level) > 0 {
		next = next[:0]
		for _, s := range level {
			deciding := s>>handTM&3 == 0
			if deciding && s>>handKnown&all == all {
				step(s | 1<<handTM | handCommit)
			}
			if deciding {
				step(s | 2<<handTM | handAbort)
			}
			committed, aborted := false, false
			for rm := range rms {
				state := s >> (2 * rm) & 3
				committed = committed || state == 2
				aborted = aborted || state == 3
				if deciding && s>>(handSent+rm)&1 != 0 {
					step(s | 1<<(handKnown+rm))
				}
				if state == 0 {
					step(s | 1<<(2*rm) | 1<<(handSent+rm))
					step(s | 3<<(2*rm))
				}
				if s&handCommit != 0 {
					step(s&^(3<<(2*rm)) | 2<<(2*rm))
				}
				if s&handAbort != 0 {
					step(s | 3<<(2*rm))
				}
			}
			if committed && aborted {
				panic("not consistent")
			}
		}
		level, next = next, level
	}
	return distinct, generated
}
