package world

import (
	"context"
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/onceproof/onceproof/checker"
)

// TestBeyondTheStandardBounds finds again what docs/model.md says of wider bounds, every fix on.
func TestBeyondTheStandardBounds(t *testing.T) {
	page, err := os.ReadFile("../../docs/model.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range []struct {
		model    string
		tv       int8 // -1: that of the model
		bounds   string
		property string
		length   int
	}{
		{"idempotent", -1, "prior=1", "InOrder", 5},
		{"fix-15591", -1, "prior=1", "InOrder", 11},
		{"fix-20357", 0, "", "OwnerNotRefused", 21},
		{"fix-6119", -1, "timeouts=0,client-faults=1,give-up-add=1", "OwnerNotRefused", 15},
	} {
		command := "onceproof check " + f.model
		c, err := Lookup(f.model)
		if err != nil {
			t.Fatal(err)
		}
		if f.tv >= 0 {
			c.Rules.TransactionVersion = f.tv
			command += fmt.Sprintf(" --tv %d", f.tv)
		}
		if f.bounds != "" {
			command += " --bound " + f.bounds
		}
		for bound := range strings.SplitSeq(f.bounds, ",") {
			var value int
			name, digits, ok := strings.Cut(bound, "=")
			if !ok {
				continue
			}
			if _, err := fmt.Sscan(digits, &value); err != nil {
				t.Fatal(err)
			}
			if err := c.SetBound(name, value); err != nil {
				t.Fatal(err)
			}
		}
		m, err := New(c)
		if err != nil {
			t.Fatal(err)
		}
		r, err := checker.Check(context.Background(), m, m.Properties(), checker.Options{})
		if err != nil {
			t.Fatal(err)
		}
		if len(r.Violations) == 0 || r.Violations[0].Property != f.property || r.Violations[0].Length != f.length {
			t.Errorf("%s: %s, expected %s to fall after %d steps, got %+v", command, r.Verdict, f.property, f.length, r.Properties)
		}
		if row := fmt.Sprintf("| `%s` | %s | %d |", command, f.property, f.length); !strings.Contains(string(page), row) {
			t.Errorf("docs/model.md has no row %s", row)
		}
	}
}
