package checker_test

import (
	"context"
	"encoding/json"
	"os"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/onceproof/onceproof/checker"
)

type properties = checker.Properties[node, edge]

func check(t testing.TB, g graph, p properties, o checker.Options) *checker.Result[edge] {
	t.Helper()
	r, err := checker.Check(context.Background(), g, p, o)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// walk is the nodes on the way of the first violation.
func walk(r *checker.Result[edge], g graph) []uint32 {
	if len(r.Violations) == 0 || r.Violations[0].Trace == nil {
		return nil
	}
	var nodes []uint32
	checker.Replay(g, r.Violations[0].Trace, func(_ int, s *node) { nodes = append(nodes, s.N) })
	return nodes
}

func verdictOf(r *checker.Result[edge], name string) checker.PropertyVerdict {
	for _, p := range r.Properties {
		if p.Name == name {
			return p.Verdict
		}
	}
	return "missing"
}

func TestViolations(t *testing.T) {
	// 0 → 1 → 2 → 3 → 1 and 0 → 4 → 3, 3 → 5.
	g := edges([2]uint32{0, 1}, [2]uint32{0, 4}, [2]uint32{1, 2}, [2]uint32{2, 3}, [2]uint32{4, 3}, [2]uint32{3, 1}, [2]uint32{3, 5})
	tests := []struct {
		name     string
		p        properties
		property string
		kind     checker.Kind
		walk     []uint32
	}{
		{"an invariant falls on the shortest way", properties{Invariants: []checker.Invariant[node]{never("not 3", 3)}, MayStop: anywhere},
			"not 3", checker.KindInvariant, []uint32{0, 4, 3}},
		{"of two invariants the one with the shorter trace comes first",
			properties{Invariants: []checker.Invariant[node]{never("not 5", 5), never("not 2", 2)}, MayStop: anywhere},
			"not 2", checker.KindInvariant, []uint32{0, 1, 2}},
		{"a step falls though its target was known",
			properties{Steps: []checker.StepProperty[node, edge]{{Name: "up", Check: func(old *node, _ edge, new *node) checker.Outcome {
				return checker.Implies(old.N == 3, new.N > old.N)
			}}}, MayStop: anywhere},
			"up", checker.KindStep, []uint32{0, 4, 3, 1}},
		{"a state without steps is a deadlock", properties{}, "no deadlock", checker.KindDeadlock, []uint32{0, 4, 3, 5}},
		{"a state that may stop is none", properties{MayStop: func(s *node) bool { return s.N == 5 }}, "", "", nil},
		{"from 5 there is no way back",
			properties{CanReach: []checker.CanReach[node, edge]{{Name: "back", Goal: func(s *node) bool { return s.N == 2 }}}, MayStop: anywhere},
			"back", checker.KindCanReach, []uint32{0, 4, 3, 5}},
		{"from everywhere there is a way to 5",
			properties{CanReach: []checker.CanReach[node, edge]{{Name: "end", Goal: func(s *node) bool { return s.N == 5 }}}, MayStop: anywhere},
			"", "", nil},
		{"from everywhere but 0 none without help",
			properties{CanReach: []checker.CanReach[node, edge]{{Name: "end", Goal: func(s *node) bool { return s.N == 0 }, By: func(edge) bool { return false }}}, MayStop: anywhere},
			"end", checker.KindCanReach, []uint32{0, 1}},
		{"the helping model has a way that the model has not",
			properties{CanReach: []checker.CanReach[node, edge]{{Name: "home", Goal: func(s *node) bool { return s.N == 7 },
				Model: edges([2]uint32{0, 6}, [2]uint32{1, 6}, [2]uint32{2, 6}, [2]uint32{3, 6}, [2]uint32{4, 6}, [2]uint32{5, 6}, [2]uint32{6, 7})}}, MayStop: anywhere},
			"", "", nil},
		{"the helping model lacks a way that the model has",
			properties{CanReach: []checker.CanReach[node, edge]{{Name: "home", Goal: func(s *node) bool { return s.N == 5 },
				Model: edges([2]uint32{0, 1}, [2]uint32{1, 2}, [2]uint32{2, 3}, [2]uint32{3, 5}, [2]uint32{4, 8}, [2]uint32{8, 4})}}, MayStop: anywhere},
			"home", checker.KindCanReach, []uint32{0, 4}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			r := check(t, g, test.p, checker.Options{})
			if test.property == "" {
				if r.Verdict != checker.VerdictHolds || r.Distinct != 6 || r.Depth != 4 {
					t.Fatalf("expected to hold with 6 states in 4 levels, got %s", text(r))
				}
				return
			}
			if r.Verdict != checker.VerdictViolated {
				t.Fatalf("expected %s to fall, got %s", test.property, text(r))
			}
			v := r.Violations[0]
			if v.Property != test.property || v.Kind != test.kind || v.Length != len(test.walk)-1 || !reflect.DeepEqual(walk(r, g), test.walk) {
				t.Errorf("expected %s %q over %v, got %s %q over %v", test.kind, test.property, test.walk, v.Kind, v.Property, walk(r, g))
			}
		})
	}
}

func text(r *checker.Result[edge]) string {
	var b strings.Builder
	r.WriteText(&b)
	return b.String()
}

func TestUnreachableGoalSaysHowFarWasSearched(t *testing.T) {
	g := edges([2]uint32{0, 1}, [2]uint32{1, 0}, [2]uint32{1, 2}, [2]uint32{2, 3}, [2]uint32{3, 4}, [2]uint32{4, 2})
	r := check(t, g, properties{CanReach: []checker.CanReach[node, edge]{{Name: "home", Goal: func(s *node) bool { return s.N == 0 }}}}, checker.Options{})
	want := "No goal can be reached from the last state: all 3 states within reach of it were searched."
	if got := r.Violations[0].Trace.Note; got != want {
		t.Errorf("expected the note %q, got %q", want, got)
	}
}

func TestWitnessNotReached(t *testing.T) {
	g := edges([2]uint32{0, 1}, [2]uint32{1, 0})
	p := properties{Witnesses: []checker.Witness[node]{
		{Name: "one", Reached: func(s *node) bool { return s.N == 1 }},
		{Name: "two", Reached: func(s *node) bool { return s.N == 2 }},
	}}
	r := check(t, g, p, checker.Options{})
	if r.Verdict != checker.VerdictViolated || verdictOf(r, "one") != checker.PropertyHolds || verdictOf(r, "two") != checker.PropertyFalls {
		t.Errorf("expected only two to fall, got %s", text(r))
	}
	if r := check(t, g, p, checker.Options{MaxDepth: 1}); r.Verdict != checker.VerdictNotExhausted || verdictOf(r, "two") != checker.PropertyUndecided {
		t.Errorf("expected two to be undecided in a search cut short, got %s", text(r))
	}
}

func TestVacuousProperty(t *testing.T) {
	g := edges([2]uint32{0, 1}, [2]uint32{1, 0})
	r := check(t, g, properties{
		Invariants: []checker.Invariant[node]{
			{Name: "empty", Check: func(s *node) checker.Outcome { return checker.Implies(s.N == 7, false) }},
			{Name: "once", Check: func(s *node) checker.Outcome { return checker.Implies(s.N == 1, true) }},
		},
		Steps: []checker.StepProperty[node, edge]{{Name: "no step", Check: func(_ *node, a edge, _ *node) checker.Outcome {
			return checker.Implies(a.Label == 7, false)
		}}},
	}, checker.Options{})
	if r.Verdict != checker.VerdictHolds || verdictOf(r, "empty") != checker.PropertyVacuous ||
		verdictOf(r, "no step") != checker.PropertyVacuous || verdictOf(r, "once") != checker.PropertyHolds {
		t.Errorf("expected two vacuous properties, got %s", text(r))
	}
}

func TestKeepGoingFindsEachProperty(t *testing.T) {
	g := edges([2]uint32{0, 1}, [2]uint32{1, 2}, [2]uint32{2, 3})
	p := properties{Invariants: []checker.Invariant[node]{never("not 2", 2), never("not 9", 9), never("not 1", 1)}}
	r := check(t, g, p, checker.Options{KeepGoing: true})
	var fallen []string
	for _, v := range r.Violations {
		fallen = append(fallen, v.Property)
	}
	if want := []string{"not 1", "not 2", "no deadlock"}; !reflect.DeepEqual(fallen, want) {
		t.Errorf("expected %v to fall, got %v", want, fallen)
	}
	if verdictOf(r, "not 9") != checker.PropertyHolds {
		t.Errorf("not 9: expected to hold, since all was searched, got %s", verdictOf(r, "not 9"))
	}
	if r := check(t, g, p, checker.Options{}); len(r.Violations) != 1 || verdictOf(r, "not 9") != checker.PropertyUndecided {
		t.Errorf("expected to stop at not 1 with not 9 undecided, got %s", text(r))
	}
}

// A result must not depend on the number of workers, down to its bytes.
func TestSameResultWithAnyNumberOfWorkers(t *testing.T) {
	g := scrambled(60000)
	late := func(s *node) bool { return s.N == 59000 }
	p := properties{
		Invariants: []checker.Invariant[node]{never("a", 31234), never("b", 777), {Name: "few", Check: func(s *node) checker.Outcome {
			return checker.Implies(s.N%1000 == 0, true)
		}}},
		Steps: []checker.StepProperty[node, edge]{{Name: "step", Check: func(old *node, _ edge, new *node) checker.Outcome {
			return checker.Implies(old.N > 50000, new.N%5000 != 4321)
		}}},
		Witnesses: []checker.Witness[node]{{Name: "late", Reached: late}},
		CanReach: []checker.CanReach[node, edge]{
			{Name: "late", Goal: late},
			{Name: "by 0 and 1", Goal: func(s *node) bool { return s.N%100 == 0 }, By: func(a edge) bool { return a.Label < 2 }},
		},
	}
	for name, o := range map[string]checker.Options{
		"first violation": {}, "all": {KeepGoing: true}, "states": {KeepGoing: true, MaxStates: 20000}, "depth": {KeepGoing: true, MaxDepth: 9},
	} {
		t.Run(name, func(t *testing.T) {
			var want string
			for _, workers := range []int{1, 2, 3, 8} {
				o.Workers = workers
				got := findings(t, check(t, g, p, o))
				if want == "" {
					want = got
				}
				if got != want {
					t.Errorf("%d workers: expected\n%s\ngot\n%s", workers, want, got)
				}
			}
		})
	}
}

func TestBoundsOnTheSearch(t *testing.T) {
	g := scrambled(100000)
	p := properties{Invariants: []checker.Invariant[node]{{Name: "all", Check: func(*node) checker.Outcome { return checker.Holds }}}}
	r := check(t, g, p, checker.Options{MaxStates: 5000})
	if r.Verdict != checker.VerdictNotExhausted || r.Distinct < 5000 || r.Distinct > 6000 || r.Properties[0].Applied != r.Distinct {
		t.Errorf("expected somewhat more than 5000 states, all checked, got %s", text(r))
	}
	if r := check(t, g, p, checker.Options{MaxDepth: 4}); r.Verdict != checker.VerdictNotExhausted || r.Depth != 4 {
		t.Errorf("expected 4 levels, got %s", text(r))
	}
	whole := check(t, g, p, checker.Options{})
	if r := check(t, g, p, checker.Options{MaxStates: whole.Distinct + 1, MaxDepth: whole.Depth + 1}); r.Verdict != checker.VerdictHolds {
		t.Errorf("expected bounds that are not reached to change nothing, got %s", text(r))
	}
}

func TestCoverageAndBudgets(t *testing.T) {
	g := graph{name: "budgeted", initial: []uint32{0}, arrows: func(n uint32) []arrow {
		if n == 2 {
			return nil
		}
		return []arrow{{label: 0, to: n + 1}, {label: 1, to: 7, blocked: true}, {label: 7, to: n}}
	}}
	r := check(t, g, properties{MayStop: anywhere}, checker.Options{})
	if want := []checker.ActionCoverage{{Kind: "0", Steps: 2}, {Kind: "1"}, {Kind: "2"}, {Kind: "other", Steps: 2}}; !reflect.DeepEqual(r.Actions, want) {
		t.Errorf("actions: expected %v, got %v", want, r.Actions)
	}
	if want := []checker.BudgetCoverage{{Name: "even"}, {Name: "odd", Hits: 2}}; !reflect.DeepEqual(r.Budgets, want) {
		t.Errorf("budgets: expected %v, got %v", want, r.Budgets)
	}
	if r.Decisions[0].Steps != 2 || r.Decisions[1].Steps != 2 || r.Generated != 5 {
		t.Errorf("expected two decisions of each kind and 5 generated, got %v and %d", r.Decisions, r.Generated)
	}
	if !strings.Contains(text(r), "never") {
		t.Errorf("expected the table to say what was never taken, got %s", text(r))
	}
}

func TestInterruption(t *testing.T) {
	endless := graph{name: "endless", initial: []uint32{1}, arrows: func(n uint32) []arrow { return []arrow{{to: 2 * n}, {to: 2*n + 1}} }}
	tests := map[string]struct {
		g graph
		p properties
	}{
		"between states": {endless, properties{}},
		"on the way to a goal": {edges([2]uint32{0, 1}), properties{CanReach: []checker.CanReach[node, edge]{
			{Name: "none", Goal: func(*node) bool { return false }, Model: endless},
		}}},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			ctx, cancel := context.WithTimeout(context.Background(), 20*time.Millisecond)
			defer cancel()
			r, err := checker.Check(ctx, test.g, test.p, checker.Options{MaxStates: 100_000_000})
			if err != nil {
				t.Fatal(err)
			}
			if r.Verdict != checker.VerdictInterrupted || verdictOf(r, "no deadlock") != checker.PropertyUndecided {
				t.Errorf("expected an interrupted search, got %s", text(r))
			}
		})
	}
}

func TestFaultyModels(t *testing.T) {
	ring := edges([2]uint32{0, 1}, [2]uint32{1, 2}, [2]uint32{2, 0})
	tests := []struct {
		name  string
		model checker.Model[node, edge]
		want  string
	}{
		{"nowhere to start", graph{}, "no initial state"},
		{"Decode loses the state", forgetful{ring}, "decoding the encoded state"},
		{"Next changes its state", careless{ring}, "Next changed the state"},
		{"Next differs from call to call", &moody{graph: ring}, "Next does not give the same steps each time"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			_, err := checker.Check(context.Background(), test.model, properties{Invariants: []checker.Invariant[node]{never("not 2", 2)}}, checker.Options{Workers: 1})
			if err == nil || !strings.Contains(err.Error(), test.want) {
				t.Errorf("expected an error with %q, got %v", test.want, err)
			}
		})
	}
}

type forgetful struct{ graph }

func (forgetful) Decode(s *node, _ []byte) error { s.N = 0; return nil }

type careless struct{ graph }

func (c careless) Next(s *node, e *checker.Emitter[node, edge]) { c.graph.Next(s, e); s.N++ }

// moody has steps only the first few times.
type moody struct {
	graph
	calls int
}

func (m *moody) Next(s *node, e *checker.Emitter[node, edge]) {
	if m.calls++; m.calls < 4 {
		m.graph.Next(s, e)
	}
}

// The names of the fields are what others read a result by.
func TestResultAsJSON(t *testing.T) {
	r := check(t, edges([2]uint32{0, 1}), properties{Invariants: []checker.Invariant[node]{never("not 1", 1)}}, checker.Options{Workers: 1})
	r.Seconds, r.PeakRSSBytes = 0.5, 1<<20
	got, err := json.MarshalIndent(r, "", " ")
	if err != nil {
		t.Fatal(err)
	}
	want, err := os.ReadFile("testdata/result.json")
	if err != nil {
		t.Fatal(err)
	}
	if string(got) != strings.TrimSpace(string(want)) {
		t.Errorf("expected testdata/result.json, got\n%s", got)
	}
}

func TestProgress(t *testing.T) {
	var depths []int
	check(t, edges([2]uint32{0, 1}, [2]uint32{1, 2}), properties{MayStop: anywhere}, checker.Options{
		Progress: func(p checker.Progress) { depths = append(depths, p.Depth) },
	})
	if want := []int{1, 2, 3}; !reflect.DeepEqual(depths, want) {
		t.Errorf("expected a report for each of the levels %v, got %v", want, depths)
	}
	var b strings.Builder
	p := checker.NewProgressPrinter(&b, true, 0)
	p.Print(checker.Progress{Depth: 3, Distinct: 12, Elapsed: time.Second})
	p.Clear()
	if got := b.String(); strings.Contains(got, "\n") || !strings.Contains(got, "depth 3, 12 distinct") {
		t.Errorf("expected one rewritten line, got %q", got)
	}
}

func TestProgressInPlainLines(t *testing.T) {
	var b strings.Builder
	p := checker.NewProgressPrinter(&b, false, 5*time.Second)
	for second := range 12 {
		p.Print(checker.Progress{Depth: second, Elapsed: time.Duration(second) * time.Second})
	}
	p.Clear()
	if got := b.String(); strings.Count(got, "\n") != 2 || !strings.HasPrefix(got, "depth 5,") || strings.Contains(got, "\r") {
		t.Errorf("expected plain lines at 5 and 10 seconds, got %q", got)
	}
}

// fickle has a step from its only state, but not when it is asked first.
type fickle struct{ asked *int }

func (fickle) Init(e *checker.Emitter[node, edge]) { *e.From(edge{}) = node{} }

func (f fickle) Next(_ *node, e *checker.Emitter[node, edge]) {
	if *f.asked++; *f.asked > 1 {
		e.From(edge{})
	}
}

func (fickle) Copy(dst, src *node) { *dst = *src }

func (fickle) Encode(b []byte, _ *node) []byte { return append(b, 0) }

func (fickle) Decode(s *node, _ []byte) error { *s = node{}; return nil }

func TestDeadlockIsConfirmed(t *testing.T) {
	_, err := checker.Check(context.Background(), fickle{new(int)}, properties{}, checker.Options{Workers: 1})
	if err == nil || !strings.Contains(err.Error(), "not deterministic") {
		t.Errorf("expected to be told that the model is not deterministic, got %v", err)
	}
}
