package checker_test

import (
	"bytes"
	"encoding/json"
	"reflect"
	"strings"
	"testing"

	"github.com/onceproof/onceproof/checker"
	"github.com/onceproof/onceproof/checker/itf"
	"github.com/onceproof/onceproof/checker/twophase"
)

func asITF[A any](t testing.TB, trace *checker.Trace[A]) string {
	t.Helper()
	var b strings.Builder
	if err := trace.WriteITF(&b); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

func TestITFThereAndBack(t *testing.T) {
	trace := forkedTrace(t)
	read, err := checker.ReadITF(strings.NewReader(asITF(t, trace)), forked())
	if err != nil {
		t.Fatal(err)
	}
	if !reflect.DeepEqual(read, trace) {
		t.Errorf("expected to read %+v, got %+v", trace, read)
	}
	id, err := checker.ITFIdentity(strings.NewReader(asITF(t, trace)))
	if err != nil || !reflect.DeepEqual(id, trace.Model) {
		t.Errorf("expected %v, got %v (%v)", trace.Model, id, err)
	}
	r := checkTwoPhase(t, 3)
	for _, v := range r.Violations {
		read, err := checker.ReadITF(strings.NewReader(asITF(t, v.Trace)), twophase.Model{RMs: 3, Hasty: true})
		if err != nil {
			t.Fatalf("%s: %v", v.Property, err)
		}
		if !reflect.DeepEqual(read, v.Trace) {
			t.Errorf("%s: expected to read %+v, got %+v", v.Property, v.Trace, read)
		}
	}
}

// Any reader of the format finds the fields of each actor, with integers as such, and the step that led to a state.
func TestITFHasTheStates(t *testing.T) {
	var file struct {
		Vars   []string
		States []struct {
			Meta      map[string]any `json:"#meta"`
			Action    string
			Actor     string
			Decisions []map[string]string
			Walker    map[string]map[string]string
		}
	}
	if err := json.Unmarshal([]byte(asITF(t, forkedTrace(t))), &file); err != nil {
		t.Fatal(err)
	}
	if want := []string{"action", "actor", "decisions", "walker"}; !reflect.DeepEqual(file.Vars, want) {
		t.Errorf("expected the variables %v, got %v", want, file.Vars)
	}
	for i, at := range []string{"0", "1", "2"} {
		s := file.States[i]
		if got := s.Walker["at"]["#bigint"]; got != at || s.Meta["index"] != float64(i) {
			t.Errorf("state %d: expected the walker at %s, got %+v", i, at, s)
		}
	}
	if s := file.States[1]; s.Action != "follows 5" || s.Actor != "walker" || s.Decisions[0]["rule"] != "parity" || s.Meta["choice"] != 1.0 {
		t.Errorf("expected the second step with action 5, got %+v", s)
	}
}

// Fields that come and go, several of one name, and names that are no identifiers.
func TestITFOfFieldsThatChange(t *testing.T) {
	f := func(name, value string) checker.Field { return checker.Field{Actor: "t-0", Name: name, Value: value} }
	c := func(name, from, to string) checker.Change {
		return checker.Change{Actor: "t-0", Name: name, From: from, To: to}
	}
	trace := &checker.Trace[int]{
		Model: checker.Identity{Name: "x"}, Length: 3, State: []checker.Field{f("LSO", "0"), f("action", "a"), f("waiting", "b")},
		Steps: []checker.Step[int]{
			{Number: 1, Action: 7, Changes: []checker.Change{c("LSO", "0", "12"), c("waiting", "", "d")}},
			{Number: 2, Action: 8, Changes: []checker.Change{c("waiting", "b", "d"), c("waiting", "d", ""), {Actor: "decisions", Name: "1", To: "x"}}},
			{Number: 3, Action: 9, Changes: []checker.Change{c("LSO", "12", "-3")}},
		},
	}
	file, err := itf.Read(strings.NewReader(asITF(t, trace)))
	if err != nil {
		t.Fatal(err)
	}
	want := []string{
		`{"LSO": 0, "action": "a", "waiting": "b", "waiting_2": ""}`,
		`{"LSO": 12, "action": "a", "waiting": "b", "waiting_2": "d"}`,
		`{"LSO": 12, "action": "a", "waiting": "d", "waiting_2": ""}`,
		`{"LSO": -3, "action": "a", "waiting": "d", "waiting_2": ""}`,
	}
	for i, w := range want {
		if got := file.States[i].Values["t_0"]; !itf.Value(w).Equal(got) {
			t.Errorf("state %d: expected %s, got %s", i, w, got)
		}
	}
	if got := file.States[2].Values["decisions_2"]; !itf.Value(`{"_1": "x"}`).Equal(got) {
		t.Errorf("expected an actor whose name is taken to have another, got %s in %v", got, file.Vars)
	}
}

func TestBadITFFiles(t *testing.T) {
	whole := asITF(t, forkedTrace(t))
	change := func(from, to string) string {
		if !strings.Contains(whole, from) {
			t.Fatalf("the trace has no %q:\n%s", from, whole)
		}
		return strings.Replace(whole, from, to, 1)
	}
	other := forked()
	other.name = "other"
	for _, test := range []struct {
		name, file string
		model      graph
		want       string
	}{
		{"empty", "", forked(), "the file is empty"},
		{"cut off", whole[:len(whole)/2], forked(), "the file is cut off after"},
		{"no trace", "counterexample", forked(), "invalid character"},
		{"other JSON", "{}", forked(), `expected an object with "vars" and "states"`},
		{"of another tool", `{"vars":["x"],"states":[{"x":1}]}`, forked(), `expected one that WriteITF wrote`},
		{"another format", change(`"format": 1`, `"format": 7`), forked(), "expected format 1, got 7"},
		{"another model", whole, other, "expected one of model other (version 1) with initial=2, got one of forked (version 1) with initial=2"},
		{"a state missing", change(`"length": 2`, `"length": 3`), forked(), "expected 4 states, got 3"},
		{"no length", change(`"length": 2`, `"length": -1`), forked(), "expected 0 states, got 3"},
		{"an action missing", change(`"action": {`, `"was": {`), forked(), `step 1: itf: expected "action" in #meta`},
		{"an action of another shape", change(`"label": 5`, `"label": "5"`), forked(), "step 1: itf: "},
		{"another action", change(`"label": 5`, `"label": 6`), forked(), "step 1 is not enabled"},
		{"another state", change(`"#bigint": "1"`, `"#bigint": "3"`), forked(), `state 1 has another walker here than when the trace was written`},
		{"a variable missing", strings.ReplaceAll(whole, `"walker": `, `"runner": `), forked(), `state 0: expected a value for "walker"`},
	} {
		t.Run(test.name, func(t *testing.T) {
			trace, err := checker.ReadITF(strings.NewReader(test.file), test.model)
			if err == nil || !strings.Contains(err.Error(), test.want) || trace != nil {
				t.Errorf("expected an error with %q, got %v and %v", test.want, err, trace)
			}
		})
	}
}

// Whatever the file, it is a trace of the model or an error; a trace can be written and read again.
func FuzzReadITF(f *testing.F) {
	r := forkedTrace(f)
	whole := asITF(f, r)
	f.Add([]byte(whole))
	f.Add([]byte(strings.Replace(whole, `"length": 2`, `"length": -1`, 1)))
	f.Add([]byte(strings.Replace(whole, `"choice": 1`, `"choice": -1`, 1)))
	f.Add([]byte(strings.Replace(whole, `"initial": 1`, `"initial": -1`, 1)))
	f.Add([]byte(`{"#meta":{"trace":{"format":1,"length":0}},"vars":[],"states":[{}]}`))
	f.Add([]byte(`{"vars":["x"],"states":[{"x":{"#map":[[1,{"#set":[]}],["a",null]]}}],"loop":9}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		trace, err := checker.ReadITF(bytes.NewReader(data), forked())
		if err != nil {
			return
		}
		again, err := checker.ReadITF(strings.NewReader(asITF(t, trace)), forked())
		if err != nil || !reflect.DeepEqual(again, trace) {
			t.Errorf("expected to read %+v again, got %+v (%v)", trace, again, err)
		}
	})
}
