package checker_test

import (
	"context"
	"path/filepath"
	"testing"

	"github.com/onceproof/onceproof/checker"
	"github.com/onceproof/onceproof/spec"
	"github.com/onceproof/onceproof/spec/world"
)

// A model whose states are long and of many sizes, whose properties are of every kind, as it is and with a violation.
func TestBoundedMemoryOnTheProtocol(t *testing.T) {
	fix, err := spec.ParseFix("KAFKA-19446")
	if err != nil {
		t.Fatal(err)
	}
	c, err := world.Lookup("fix-19446")
	if err != nil {
		t.Fatal(err)
	}
	for _, off := range []bool{false, true} {
		if off {
			c.Rules.Fixes &^= fix
		}
		m, err := world.New(c)
		if err != nil {
			t.Fatal(err)
		}
		check := func(o checker.Options) string {
			t.Helper()
			r, err := checker.Check(context.Background(), m, m.Properties(), o)
			if err != nil {
				t.Fatal(err)
			}
			if off != (r.Verdict == checker.VerdictViolated) || r.Distinct < 200 {
				t.Fatalf("expected at least 200 states and a violation only with the fix off, got %d and %s", r.Distinct, r.Verdict)
			}
			return findings(t, r)
		}
		o := checker.Options{WorkDir: filepath.Join(t.TempDir(), "work")}
		o.Hold(50)
		if got, want := check(o), check(checker.Options{}); got != want {
			t.Errorf("fix off %v: expected\n%s\ngot\n%s", off, want, got)
		}
	}
}
