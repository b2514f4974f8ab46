package spec

import (
	"reflect"
	"testing"
)

// eachName calls visit with every connection and every mark of a caller in v, filling slices with an element each.
func eachName(v reflect.Value, path string, visit func(path string, v reflect.Value)) {
	switch v.Kind() {
	case reflect.Slice:
		if v.Len() == 0 {
			v.Set(reflect.MakeSlice(v.Type(), 1, 1))
		}
		fallthrough
	case reflect.Array:
		for i := range v.Len() {
			eachName(v.Index(i), path, visit)
		}
	case reflect.Struct:
		for i := range v.NumField() {
			f := v.Type().Field(i)
			at := path + "." + f.Name
			if f.Name == "Ref" || f.Type == reflect.TypeFor[Conn]() {
				visit(at, v.Field(i))
				continue
			}
			eachName(v.Field(i), at, visit)
		}
	}
}

// TestRenameReachesEveryName: a connection or a mark that is added to the state later must not be left out.
func TestRenameReachesEveryName(t *testing.T) {
	var s State
	names := 0
	eachName(reflect.ValueOf(&s).Elem(), "State", func(_ string, v reflect.Value) {
		v.SetUint(1)
		names++
	})
	if names < 8 {
		t.Errorf("expected at least 8 names in a state, found %d", names)
	}
	s.Rename(func(r uint8) uint8 { return r + 1 }, func(c Conn) Conn { return c + 2 })
	eachName(reflect.ValueOf(&s).Elem(), "State", func(path string, v reflect.Value) {
		want := uint64(2)
		if v.Type() == reflect.TypeFor[Conn]() {
			want = 3
		}
		if v.Uint() != want {
			t.Errorf("%s is not renamed", path)
		}
	})
}

// TestRenameKeepsTheBagsSorted: the order of messages and answers is part of the encoded state.
func TestRenameKeepsTheBagsSorted(t *testing.T) {
	message := func(ref uint8) Message { return Message{Kind: Ask, Ref: ref} }
	swap := func(r uint8) uint8 { return 3 - r }
	s := State{Net: []Message{message(1), message(2)}, Answers: []Answer{{Conn: 1, Code: InvalidTxnState}, {Conn: 2}}}
	s.Rename(swap, func(c Conn) Conn { return 3 - c })
	if s.Net[0].Ref != 1 || s.Net[1].Ref != 2 {
		t.Errorf("messages of 1 and 2 expected in that order, got %d and %d", s.Net[0].Ref, s.Net[1].Ref)
	}
	if s.Answers[0].Conn != 1 || s.Answers[1].Code != InvalidTxnState {
		t.Errorf("expected the refusal on connection 2 behind the answer on 1, got %+v", s.Answers)
	}
}
