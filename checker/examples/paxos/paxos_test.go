package paxos_test

import (
	"context"
	"testing"

	"github.com/onceproof/onceproof/checker"
	"github.com/onceproof/onceproof/checker/examples/paxos"
)

// A leader that does not listen to the promises lets two values be chosen: in two ballots a begin, two promises, a proposal and
// two votes each.
func TestDeafLeaderIsFoundOut(t *testing.T) {
	m := paxos.Model{Acceptors: 3, Values: 2, Ballots: 2, Deaf: true}
	r, err := checker.Check(context.Background(), m, m.Properties(), checker.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if r.Verdict != checker.VerdictViolated || r.Violations[0].Property != "OneValue" || r.Violations[0].Length != 12 {
		t.Errorf("expected OneValue to fall after 12 steps, got %s: %+v", r.Verdict, r.Violations)
	}
}
