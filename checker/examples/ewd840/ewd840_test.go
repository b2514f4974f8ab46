package ewd840_test

import (
	"context"
	"testing"

	"github.com/onceproof/onceproof/checker"
	"github.com/onceproof/onceproof/checker/examples/ewd840"
)

func TestTerminationIsDetected(t *testing.T) {
	for n := 2; n <= 5; n++ {
		r, err := checker.Check(context.Background(), ewd840.Model{N: n}, ewd840.Properties(), checker.Options{})
		if err != nil {
			t.Fatal(err)
		}
		if r.Verdict != checker.VerdictHolds {
			t.Errorf("%d nodes: expected to hold, got %s: %+v", n, r.Verdict, r.Violations)
		}
	}
}

// A node that wakes another behind the token and says nothing of it lets the token claim what is not true.
func TestForgetfulNodeIsFoundOut(t *testing.T) {
	m := ewd840.Model{N: 4, Forgetful: true}
	r, err := checker.Check(context.Background(), m, ewd840.Properties(), checker.Options{KeepGoing: true})
	if err != nil {
		t.Fatal(err)
	}
	fell := map[string]int{}
	for _, v := range r.Violations {
		fell[v.Property] = v.Length
	}
	// Node 0 sends the token, 3 at rest hands it to 2, and 1 wakes 3: the invariant is broken. Then 1 comes to rest, and the
	// token goes by 2 and 1 to node 0, which claims what is false.
	if fell["Invariant"] != 3 || fell["TerminationDetection"] != 6 {
		t.Errorf("expected Invariant to fall after 3 steps and TerminationDetection after 6, got %v", fell)
	}
}
