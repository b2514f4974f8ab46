package paxos_test

import (
	"context"
	"fmt"
	"testing"

	"github.com/onceproof/onceproof/checker"
	"github.com/onceproof/onceproof/checker/examples/paxos"
)

func check(t *testing.T, m paxos.Model, p checker.Properties[paxos.State, paxos.Action], o checker.Options) *checker.Result[paxos.Action] {
	t.Helper()
	r, err := checker.Check(context.Background(), m, p, o)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// A leader that does not listen to the promises lets two values be chosen: in two ballots a begin, two promises, a proposal and
// two votes each. With symmetry the way is as short, and plays without it.
func TestDeafLeaderIsFoundOut(t *testing.T) {
	m := paxos.Model{Acceptors: 3, Values: 2, Ballots: 2, Deaf: true}
	for _, symmetry := range []bool{false, true} {
		r := check(t, m, m.Properties(), checker.Options{Symmetry: symmetry})
		if r.Verdict != checker.VerdictViolated || r.Violations[0].Property != "OneValue" || r.Violations[0].Length != 12 {
			t.Fatalf("symmetry %v: expected OneValue to fall after 12 steps, got %s: %+v", symmetry, r.Verdict, r.Violations)
		}
		steps := 0
		if _, err := checker.Replay(m, r.Violations[0].Trace, func(step int, _ *paxos.State) { steps = step }); err != nil || steps != 12 {
			t.Errorf("symmetry %v: expected a trace that plays to step 12, got %d: %v", symmetry, steps, err)
		}
	}
}

// orbitsByForce counts the orbits of all reachable states without Canonical: the least encoding among those of all renamings
// stands for a state.
func orbitsByForce(t *testing.T, m paxos.Model) int {
	orbits := make(map[string]bool)
	p := checker.Properties[paxos.State, paxos.Action]{Invariants: []checker.Invariant[paxos.State]{{
		Name: "seen",
		Check: func(s *paxos.State) checker.Outcome {
			least := ""
			orders(m.Acceptors, func(acceptors []int) {
				orders(m.Values, func(values []int) {
					if code := string(m.Encode(nil, renamed(m, s, acceptors, values))); least == "" || code < least {
						least = code
					}
				})
			})
			orbits[least] = true
			return checker.Holds
		},
	}}}
	check(t, m, p, checker.Options{Workers: 1})
	return len(orbits)
}

// renamed gives a copy of s in which acceptor i is the one that was acceptors[i], and value v is values[v].
func renamed(m paxos.Model, s *paxos.State, acceptors, values []int) *paxos.State {
	rename := func(v int8) int8 {
		if v < 0 {
			return v
		}
		return int8(values[v])
	}
	var old, n paxos.State
	m.Copy(&old, s)
	m.Copy(&n, s)
	for i, a := range acceptors {
		n.Acceptors[i] = old.Acceptors[a]
	}
	for bal := range n.Proposal {
		n.Proposal[bal] = rename(n.Proposal[bal])
	}
	for i := range n.Acceptors {
		a := &n.Acceptors[i]
		a.Vote = rename(a.Vote)
		for bal := range a.Promises {
			if a.Promises[bal].Sent {
				a.Promises[bal].Value = rename(a.Promises[bal].Value)
			}
		}
	}
	return &n
}

// orders calls visit with each order of the numbers below n.
func orders(n int, visit func([]int)) {
	var extend func(order []int, taken int)
	extend = func(order []int, taken int) {
		if len(order) == n {
			visit(order)
			return
		}
		for i := range n {
			if taken&(1<<i) == 0 {
				extend(append(order, i), taken|1<<i)
			}
		}
	}
	extend(nil, 0)
}

func TestOrbitsAreExact(t *testing.T) {
	for _, m := range []paxos.Model{
		{Acceptors: 2, Values: 2, Ballots: 2},
		{Acceptors: 3, Values: 2, Ballots: 2},
		{Acceptors: 3, Values: 3, Ballots: 2},
		{Acceptors: 4, Values: 2, Ballots: 1},
	} {
		want := orbitsByForce(t, m)
		for _, workers := range []int{1, 2} {
			r := check(t, m, m.Properties(), checker.Options{Symmetry: true, Workers: workers})
			if r.Verdict != checker.VerdictHolds || r.Distinct != uint64(want) {
				t.Errorf("%+v: expected to hold in %d orbits, got %s in %d", m, want, r.Verdict, r.Distinct)
			}
		}
	}
}

func ExampleModel_Canonical() {
	m := paxos.Model{Acceptors: 3, Values: 2, Ballots: 2}
	for _, symmetry := range []bool{false, true} {
		r, err := checker.Check(context.Background(), m, m.Properties(), checker.Options{Symmetry: symmetry})
		if err != nil {
			fmt.Println(err)
			return
		}
		fmt.Println(r.Verdict, r.Distinct)
	}
	// Output:
	// holds 3921
	// holds 443
}
