package checker_test

import (
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/onceproof/onceproof/checker"
)

// A search says that memory runs out, and what to do; from its folder it goes on.
func TestMemoryRunsOut(t *testing.T) {
	want := undisturbed(t)
	dir := filepath.Join(t.TempDir(), "work")
	o := checker.Options{WorkDir: dir, Workers: 1}
	written := ""
	o.OnWritten(func(name string) { written = name })
	o.Leave(func() (uint64, bool) {
		if written >= "checkpoint-000000" && written < "checkpoint-999999" {
			return 1 << 20, true
		}
		return 1 << 30, true
	})
	_, err := twoPhase(4, o)
	for _, part := range []string{"memory runs out, 1 MiB are left", "distinct states", "nothing fell so far", "resume from the last checkpoint in " + dir} {
		if err == nil || !strings.Contains(err.Error(), part) {
			t.Fatalf("expected an error with %q, got %v", part, err)
		}
	}
	r, err := twoPhase(4, checker.Options{WorkDir: dir, Resume: true})
	if err != nil {
		t.Fatal(err)
	}
	if got := findings(t, r); got != want {
		t.Errorf("expected\n%s\ngot\n%s", want, got)
	}
	o = checker.Options{}
	o.Leave(func() (uint64, bool) { return 1 << 20, true })
	if _, err := twoPhase(4, o); err == nil || !strings.Contains(err.Error(), "keep to an amount with Memory and WorkDir") {
		t.Errorf("expected an error that says what to do, got %v", err)
	}
	o.Exact = true
	if _, err := twoPhase(4, o); err == nil || !strings.Contains(err.Error(), "search without Exact") {
		t.Errorf("expected an error that says what to do, got %v", err)
	}
}

func TestMemoryLeft(t *testing.T) {
	left, known := checker.MemoryLeft()
	if known != (runtime.GOOS == "linux") || known && (left < 1<<20 || left > 1<<50) {
		t.Errorf("expected how much memory is left, got %d, %v", left, known)
	}
}
