package world

import (
	"context"
	"testing"

	"github.com/onceproof/onceproof/checker"
)

// What a quick broker does any broker may do: its counterexamples are counterexamples of the model without the bound. And
// nothing comes from outside while something goes on inside, but for what a tester can place all the same.
func TestAQuickBrokerDoesWhatAnyMayDo(t *testing.T) {
	t.Parallel()
	var configs []Config
	var properties []string
	add := func(c Config, property string) {
		if property != "" {
			configs, properties = append(configs, c), append(properties, property)
		}
	}
	for _, f := range FixRows() {
		add(f.Off(), f.Property)
	}
	for _, f := range Flaws() {
		add(f.Config, f.Property)
	}
	found := 0
	for i, c := range configs {
		c.Quick = 1
		m, err := New(c)
		if err != nil {
			t.Fatal(err)
		}
		p, err := m.Properties().Only(properties[i])
		if err != nil {
			t.Fatal(err)
		}
		r, err := checker.Check(context.Background(), m, p, checker.Options{})
		if err != nil {
			t.Fatal(err)
		}
		if len(r.Violations) == 0 {
			continue
		}
		found++
		trace := r.Violations[0].Trace
		c.Quick = 0
		ordinary, err := New(c)
		if err != nil {
			t.Fatal(err)
		}
		step := 0
		_, err = checker.Replay(ordinary, trace, func(_ int, s *State) {
			if step < trace.Length {
				if over := ordinary.Overtaken(s, trace.Steps[step].Action); len(over) > 0 {
					t.Errorf("%s: step %d overtakes %v", c.Name, step+1, over)
				}
			}
			step++
		})
		if err != nil {
			t.Errorf("%s: %v", c.Name, err)
		}
	}
	if found < 14 {
		t.Errorf("expected at least 14 counterexamples that a tester can place, got %d", found)
	}
}

// A transaction that is held stays in Prepare: nothing but a reload gets on with it, and no batch goes to its partition.
func TestAHeldTransactionStaysInPrepare(t *testing.T) {
	t.Parallel()
	c := base("held", "", TV2Style, transactions(2), clientFaults(1))
	c.Quick, c.Holds = 1, 1
	m, err := New(c)
	if err != nil {
		t.Fatal(err)
	}
	held := 0
	p := checker.Properties[State, Action]{
		Invariants: []checker.Invariant[State]{{Name: "held", Check: func(s *State) checker.Outcome {
			if !s.holds(0) {
				return checker.NotApplicable
			}
			held++
			status := s.Broker.Coordinator.Txns[0].Memory.Status
			return checker.Require(status.Prepared() || status.String() == "Ongoing")
		}}},
		MayStop: func(*State) bool { return true },
	}
	r, err := checker.Check(context.Background(), m, p, checker.Options{Workers: 1})
	if err != nil {
		t.Fatal(err)
	}
	if r.Verdict != checker.VerdictHolds || held == 0 {
		t.Errorf("expected held transactions, all open or decided, got %s and %d states", r.Verdict, held)
	}
}
