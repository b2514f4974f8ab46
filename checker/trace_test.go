package checker_test

import (
	"bytes"
	"reflect"
	"strings"
	"testing"

	"github.com/onceproof/onceproof/checker"
)

// forked has two steps with the same action from 0, of which only the second leads on.
func forked() graph {
	return graph{name: "forked", initial: []uint32{9, 0}, arrows: func(n uint32) []arrow {
		switch n {
		case 0:
			return []arrow{{label: 5, to: 8}, {label: 5, to: 1}}
		case 1:
			return []arrow{{label: 1, to: 2}}
		}
		return nil
	}}
}

func forkedTrace(t testing.TB) *checker.Trace[edge] {
	r := check(t, forked(), properties{Invariants: []checker.Invariant[node]{never("not 2", 2)}, MayStop: anywhere}, checker.Options{})
	return r.Violations[0].Trace
}

func TestTraceAsText(t *testing.T) {
	want := `not 2 falls after 2 steps
model forked (version 1) with initial=2

   0. initial state
        walker  at 0
   1. walker: follows 5
      [parity] odd
        walker  at 0 → 1
   2. walker: follows 1
      [parity] odd
        walker  at 1 → 2
`
	if got := forkedTrace(t).String(); got != want {
		t.Errorf("expected\n%s\ngot\n%s", want, got)
	}
}

func TestTraceThereAndBack(t *testing.T) {
	trace := forkedTrace(t)
	var b bytes.Buffer
	if err := trace.WriteJSON(&b); err != nil {
		t.Fatal(err)
	}
	read, err := checker.ReadTrace(&b, forked())
	if err != nil {
		t.Fatal(err)
	}
	if !reflect.DeepEqual(read, trace) {
		t.Errorf("expected to read %+v, got %+v", trace, read)
	}
	again, err := checker.Replay(forked(), read, nil)
	if err != nil {
		t.Fatal(err)
	}
	if !reflect.DeepEqual(again, trace) {
		t.Errorf("expected the replay to give %+v, got %+v", trace, again)
	}
}

func TestBadTraceFiles(t *testing.T) {
	var b bytes.Buffer
	forkedTrace(t).WriteJSON(&b)
	whole := b.String()
	other := forked()
	other.name = "other"
	wider := forked()
	wider.initial = append(wider.initial, 7)
	tests := []struct {
		name, file string
		model      graph
		want       string
	}{
		{"empty", "", forked(), "the file is empty"},
		{"cut off", whole[:len(whole)/2], forked(), "the file is cut off after"},
		{"no trace", "counterexample", forked(), "invalid character"},
		{"another format", strings.Replace(whole, `"format": 1`, `"format": 7`, 1), forked(), "expected format 1, got 7"},
		{"another model", whole, other, "expected one of model other (version 1) with initial=2, got one of forked (version 1) with initial=2"},
		{"another version", strings.Replace(whole, `"version": "1"`, `"version": "0"`, 1), forked(), "got one of forked (version 0)"},
		{"other bounds", whole, wider, "with initial=3, got one of forked (version 1) with initial=2"},
		{"a step missing", strings.Replace(whole, `"length": 2`, `"length": 3`, 1), forked(), "expected 3 steps, got 2"},
		{"steps mixed up", strings.Replace(whole, `"number": 2`, `"number": 3`, 1), forked(), "expected step 2, got 3"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			_, err := checker.ReadTrace(strings.NewReader(test.file), test.model)
			if err == nil || !strings.Contains(err.Error(), test.want) {
				t.Errorf("expected an error with %q, got %v", test.want, err)
			}
		})
	}
}

func TestReplayNamesTheFirstStepThatIsNotEnabled(t *testing.T) {
	trace := forkedTrace(t)
	trace.Steps[1].Action.Label = 3
	_, err := checker.Replay(forked(), trace, nil)
	want := `step 2 is not enabled: expected "walker: follows 3", the state has "walker: follows 1"`
	if err == nil || !strings.Contains(err.Error(), want) {
		t.Errorf("expected an error with %q, got %v", want, err)
	}
	trace.Initial = 5
	if _, err := checker.Replay(forked(), trace, nil); err == nil || !strings.Contains(err.Error(), "no initial state 5, only 2") {
		t.Errorf("expected an error about the initial state, got %v", err)
	}
}
