package twophase_test

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/onceproof/onceproof/checker"
	"github.com/onceproof/onceproof/checker/twophase"
)

// padded is the same model with states of 100 bytes, as larger models have.
type padded struct{ twophase.Model }

const paddedBytes = 100

func (m padded) Encode(b []byte, s *twophase.State) []byte {
	start := len(b)
	b = m.Model.Encode(b, s)
	var zeros [paddedBytes]byte
	return append(b, zeros[:paddedBytes-(len(b)-start)]...)
}

func (m padded) Decode(s *twophase.State, b []byte) error {
	return m.Model.Decode(s, b[:m.RMs+1])
}

// measurement is one search in a process of its own.
type measurement struct {
	Distinct  uint64
	Generated uint64
	// Seconds is the time on the clock, CPU that of all threads, in user and system mode.
	Seconds float64
	CPU     float64
	// Peak is the most resident memory that the process had, in bytes.
	Peak uint64
}

// contenders are the searches compared, in the order in which they take their turns.
var contenders = [...]string{"by hand", "one worker", "two workers", "padded", "exact", "in 128 MiB"}

func search(contender string, rms int) (m measurement, err error) {
	start := time.Now()
	o := checker.Options{Workers: 1}
	var r *checker.Result[twophase.Action]
	switch contender {
	case "by hand":
		distinct, generated := searchByHand(rms)
		m.Distinct, m.Generated = uint64(distinct), uint64(generated)
		m.Seconds = time.Since(start).Seconds()
		return m, nil
	case "padded":
		r, err = checker.Check(context.Background(), padded{twophase.Model{RMs: rms}}, twophase.Properties(), o)
	case "exact":
		o.Exact = true
		r, err = checker.Check(context.Background(), twophase.Model{RMs: rms}, twophase.Properties(), o)
	case "in 128 MiB":
		o.Memory = checker.LeastMemory
		if o.WorkDir, err = os.MkdirTemp("", "twophase"); err != nil {
			return m, err
		}
		defer os.RemoveAll(o.WorkDir)
		o.CheckpointEvery = time.Hour
		fallthrough
	case "two workers":
		o.Workers = 2
		fallthrough
	default:
		r, err = checker.Check(context.Background(), twophase.Model{RMs: rms}, twophase.Properties(), o)
	}
	if err != nil {
		return m, err
	}
	return measurement{Distinct: r.Distinct, Generated: r.Generated, Seconds: r.Seconds, Peak: r.PeakRSSBytes}, nil
}

// contender and its size, if set in the environment, make TestContender search and print what it measured.
const contenderSet = "TWOPHASE_CONTENDER"

func TestContender(t *testing.T) {
	what, rms, set := strings.Cut(os.Getenv(contenderSet), "/")
	if !set {
		t.Skip("part of BenchmarkAgainstByHand, which sets " + contenderSet)
	}
	var n int
	if _, err := fmt.Sscan(rms, &n); err != nil {
		t.Fatal(err)
	}
	m, err := search(what, n)
	if err != nil {
		t.Fatal(err)
	}
	if err := json.NewEncoder(os.Stdout).Encode(m); err != nil {
		t.Fatal(err)
	}
}

// inProcessOfItsOwn measures a contender; the peak of memory of a process counts all that it ever did.
func inProcessOfItsOwn(contender string, rms int) (m measurement, err error) {
	c := exec.Command(os.Args[0], "-test.run=^TestContender$")
	c.Env = append(os.Environ(), fmt.Sprintf("%s=%s/%d", contenderSet, contender, rms))
	out, err := c.Output()
	if err != nil {
		return m, fmt.Errorf("%w: %s", err, out)
	}
	line, _, _ := strings.Cut(string(out), "\n")
	err = json.Unmarshal([]byte(line), &m)
	m.CPU = (c.ProcessState.UserTime() + c.ProcessState.SystemTime()).Seconds()
	return m, err
}

// turns are those of all runs of the benchmark: the testing package begins with one turn, which counts too.
var turns = make(map[string][]measurement)

// BenchmarkAgainstByHand measures the checker, with all properties and with links for traces, beside the same search written by
// hand for this one model: a state in one machine word, no names, no traces, no coverage. All take turns, so that a load on the
// machine falls on all of them. Shares are medians of the shares of each turn. They are of time on processors for one worker, and
// of time on the clock between one worker and two, and between two workers with files and without. In short mode it takes 8
// resource managers, not 9, for which the 128 MiB suffice.
func BenchmarkAgainstByHand(b *testing.B) {
	rms := 9
	if testing.Short() {
		rms = 8
	}
	counts := countsOf(b, rms)
	for range b.N {
		for _, c := range contenders {
			m, err := inProcessOfItsOwn(c, rms)
			if err != nil {
				b.Fatal(err)
			}
			if m.Distinct != counts.Distinct || m.Generated != counts.Generated {
				b.Fatalf("%s: expected %d distinct states and %d generated, got %d and %d", c, counts.Distinct, counts.Generated, m.Distinct, m.Generated)
			}
			turns[c] = append(turns[c], m)
		}
	}
	var table strings.Builder
	fmt.Fprintf(&table, "Two-Phase Commit, %d resource managers, medians of %d turns\n", rms, len(turns[contenders[0]]))
	fmt.Fprintf(&table, "%-12s %14s %14s %14s %10s\n", "", "distinct/s", "distinct/CPU s", "generated/s", "B/state")
	for _, c := range contenders {
		of := func(f func(measurement) float64) float64 { return median(turns[c], f) }
		fmt.Fprintf(&table, "%-12s %14.0f %14.0f %14.0f %10s\n", c,
			of(func(m measurement) float64 { return float64(m.Distinct) / m.Seconds }),
			of(func(m measurement) float64 { return float64(m.Distinct) / m.CPU }),
			of(func(m measurement) float64 { return float64(m.Generated) / m.Seconds }),
			bytesPerState(of(func(m measurement) float64 { return float64(m.Peak) / float64(m.Distinct) })))
	}
	if b.N > 1 { // of more than ten lines the testing package prints none
		b.Log("\n" + table.String())
	}
	cpu := func(m measurement) float64 { return m.CPU }
	clock := func(m measurement) float64 { return m.Seconds }
	b.ReportMetric(0, "ns/op")
	b.ReportMetric(share(turns, "one worker", "by hand", cpu), "of-by-hand")
	b.ReportMetric(share(turns, "padded", "one worker", cpu), "padded-of-unpadded")
	b.ReportMetric(share(turns, "two workers", "one worker", clock), "speedup-by-2-workers")
	b.ReportMetric(share(turns, "exact", "one worker", cpu), "exact-of-plain")
	b.ReportMetric(share(turns, "in 128 MiB", "two workers", clock), "bounded-of-unbounded")
	b.ReportMetric(median(turns["one worker"], func(m measurement) float64 { return float64(m.Peak) / float64(m.Distinct) }), "peak-B/state")
}

func bytesPerState(x float64) string {
	if x == 0 {
		return "-"
	}
	return fmt.Sprintf("%.1f", x)
}

func median(turns []measurement, of func(measurement) float64) float64 {
	var xs []float64
	for _, m := range turns {
		xs = append(xs, of(m))
	}
	return middle(xs)
}

// share is how fast one is in units of another.
func share(turns map[string][]measurement, one, other string, takes func(measurement) float64) float64 {
	var xs []float64
	for i := range turns[one] {
		xs = append(xs, takes(turns[other][i])/takes(turns[one][i]))
	}
	return middle(xs)
}

func middle(xs []float64) float64 {
	slices.Sort(xs)
	return (xs[(len(xs)-1)/2] + xs[len(xs)/2]) / 2
}

// countsOf gives the published counts for a number of resource managers.
func countsOf(b *testing.B, rms int) (c struct{ Distinct, Generated uint64 }) {
	for _, p := range readPublished(b).Counts {
		if p.RMs == rms {
			c.Distinct, c.Generated = p.Distinct, p.Generated
		}
	}
	return c
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
