package world

import (
	"bytes"
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"runtime/pprof"
	"strings"
	"testing"
	"time"

	"github.com/onceproof/onceproof/checker"
)

// BenchmarkOutsideTheModel is the share of the time that is not the model's own (Next, Copy, Encode, Decode, the properties): the
// checker's, and that of the runtime's collector. The states are those of BenchmarkExplore.
func BenchmarkOutsideTheModel(b *testing.B) {
	m, err := New(Models()[0])
	if err != nil {
		b.Fatal(err)
	}
	profile := filepath.Join(b.TempDir(), "cpu.pprof")
	f, err := os.Create(profile)
	if err != nil {
		b.Fatal(err)
	}
	defer f.Close()
	if err := pprof.StartCPUProfile(f); err != nil {
		b.Skip(err)
	}
	for range b.N {
		if _, err := checker.Check(context.Background(), m, m.Properties(), checker.Options{Workers: 1, MaxStates: 500_000}); err != nil {
			b.Fatal(err)
		}
	}
	pprof.StopCPUProfile()
	traces, err := exec.Command("go", "tool", "pprof", "-traces", os.Args[0], profile).Output()
	if err != nil {
		b.Fatal(err)
	}
	outside, all := outsideTheModel(traces)
	b.ReportMetric(0, "ns/op")
	b.ReportMetric(100*outside.Seconds()/all.Seconds(), "%-outside-the-model")
}

// outsideTheModel adds up samples, each a stack with the innermost function first. A sample belongs to whichever of the model
// and the checker is innermost: what both call, such as a copying of memory, is the caller's.
func outsideTheModel(traces []byte) (outside, all time.Duration) {
	const checkers, models = "onceproof/checker.", "onceproof/spec"
	for sample := range bytes.SplitSeq(traces, []byte("-----------+")) {
		_, stack, _ := strings.Cut(string(sample), "\n")
		value, _, _ := strings.Cut(strings.TrimSpace(stack), " ")
		took, err := time.ParseDuration(value)
		if err != nil {
			continue
		}
		all += took
		checks, is := strings.Index(stack, checkers), strings.Index(stack, models)
		if is < 0 || checks >= 0 && checks < is {
			outside += took
		}
	}
	return outside, all
}
