package itf_test

import (
	"bytes"
	"strings"
	"testing"

	"github.com/onceproof/onceproof/checker/itf"
)

// farmer is a trace as Apalache writes such, with every kind of value.
const farmer = `{
  "#meta": {"format": "ITF", "source": "River.tla", "varTypes": {"bank": "Str"}},
  "params": ["N"],
  "vars": ["bank", "cargo"],
  "states": [
    {"#meta": {"index": 0}, "N": 3, "bank": "E", "cargo": {"#map": [["E", {"#set": ["wolf", "goat"]}], ["W", {"#set": []}]]}},
    {"#meta": {"index": 1}, "bank": "W", "cargo": {"n": {"#bigint": "-12345678901234567890"}, "t": {"#tup": [1, true]}, "l": []}},
    {"bank": "E", "cargo": {"#unserializable": "Nat"}}
  ],
  "loop": 1
}`

func TestATraceOfAnotherToolIsReadAndWritten(t *testing.T) {
	first, err := itf.Read(strings.NewReader(farmer))
	if err != nil {
		t.Fatal(err)
	}
	var b strings.Builder
	if err := first.Write(&b); err != nil {
		t.Fatal(err)
	}
	again, err := itf.Read(strings.NewReader(b.String()))
	if err != nil {
		t.Fatal(err)
	}
	if len(again.States) != 3 || *again.Loop != 1 || again.Params[0] != "N" || itf.Text(again.Meta, "source") != "River.tla" {
		t.Errorf("expected the trace again, got %+v", again)
	}
	for i, s := range first.States {
		for name, v := range s.Values {
			if !v.Equal(again.States[i].Values[name]) {
				t.Errorf("state %d: expected %s %s, got %s", i, name, v, again.States[i].Values[name])
			}
		}
	}
}

func TestWhatIsNoTrace(t *testing.T) {
	for _, test := range []struct{ file, want string }{
		{``, "the file is empty"},
		{`{"vars": ["x"], "states": [{"x"`, "the file is cut off after"},
		{`[]`, "cannot unmarshal array"},
		{`{"states": []}`, `expected an object with "vars" and "states"`},
		{`{"vars": ["x"], "states": [{"y": 1}]}`, `state 0: expected a value for "x", got nothing`},
		{`{"params": ["n"], "vars": [], "states": [{}]}`, `state 0: expected a value for "n", got nothing`},
		{`{"vars": [], "states": [{"#x": 1}]}`, `expected the name of a variable, got "#x"`},
		{`{"vars": [], "states": [], "loop": 0}`, "expected a loop to one of 0 states, got 0"},
		{`{"vars": ["x"], "states": [{"x": null}]}`, "state 0: x: expected a value, got null"},
		{`{"vars": ["x"], "states": [{"x": 1.5}]}`, "expected an integer, got 1.5"},
		{`{"vars": ["x"], "states": [{"x": {"#bigint": "1x"}}]}`, "expected an integer in #bigint, got 1x"},
		{`{"vars": ["x"], "states": [{"x": {"#set": 1}}]}`, "expected a list in #set, got 1"},
		{`{"vars": ["x"], "states": [{"x": {"#map": [[1]]}}]}`, "expected pairs in #map, got [1]"},
		{`{"vars": ["x"], "states": [{"x": {"#bag": []}}]}`, "expected a value, got #bag"},
		{`{"vars": ["x"], "states": [{"x": {"#set": [], "y": 1}}]}`, "expected #set alone, got 2 fields"},
	} {
		if _, err := itf.Read(strings.NewReader(test.file)); err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%s: expected an error with %q, got %v", test.file, test.want, err)
		}
	}
}

func TestAStateWithoutAValueIsNotWritten(t *testing.T) {
	trace := &itf.Trace{Vars: []string{"x"}, States: []itf.State{{}}}
	if err := trace.Write(&strings.Builder{}); err == nil || err.Error() != "itf: state 0 has no value for x" {
		t.Errorf("expected an error, got %v", err)
	}
}

func TestValues(t *testing.T) {
	record := itf.Record(itf.Field{Name: "epoch", Value: itf.Int("5")}, itf.Field{Name: "who", Value: itf.List(itf.String(`"A" <&>`))})
	if want := `{"epoch":{"#bigint":"5"},"who":["\"A\" <&>"]}`; string(record) != want {
		t.Errorf("expected %s, got %s", want, record)
	}
	for _, test := range []struct {
		a, b string
		same bool
	}{
		{`{"a": 1, "b": {"#bigint": "2"}}`, `{"b": 2, "a": {"#bigint": "1"}}`, true},
		{`"1"`, `1`, false}, {`[1]`, `[1, 1]`, false}, {`{`, `{`, false},
	} {
		if got := itf.Value(test.a).Equal(itf.Value(test.b)); got != test.same {
			t.Errorf("%s and %s: expected %t, got %t", test.a, test.b, test.same, got)
		}
	}
	for text, want := range map[string]bool{"0": true, "-7": true, "12": true, "": false, "-": false, "07": false, "-0": false, "+1": false, "1 ": false} {
		if got := itf.Integer(text); got != want {
			t.Errorf("%q: expected %t, got %t", text, want, got)
		}
	}
	if s, ok := itf.String("x").Text(); s != "x" || !ok {
		t.Errorf("expected x, got %q", s)
	}
	if _, ok := itf.Int("1").Text(); ok {
		t.Error("expected an integer to be no text")
	}
	var names itf.Names
	for _, test := range [][2]string{{"partition t-0", "partition_t_0"}, {"partition t_0", "partition_t_0_2"}, {"", "_"}, {"1st", "_1st"}, {"#meta", "_meta"}} {
		if got := names.New(test[0]); got != test[1] {
			t.Errorf("%q: expected %q, got %q", test[0], test[1], got)
		}
	}
}

// Whatever the file, it is a trace that can be written again, or an error.
func FuzzRead(f *testing.F) {
	f.Add([]byte(farmer))
	f.Add([]byte(`{"vars": ["x", "x"], "states": [{"x": [[[[]]]]}]}`))
	f.Add([]byte(`{"#meta": null, "vars": [""], "states": [{"": "\ud800"}], "loop": null}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		first, err := itf.Read(bytes.NewReader(data))
		if err != nil {
			return
		}
		var b bytes.Buffer
		if err := first.Write(&b); err != nil {
			t.Fatalf("expected to write what was read, got %v", err)
		}
		if _, err := itf.Read(&b); err != nil {
			t.Fatalf("expected to read what was written, got %v", err)
		}
	})
}
