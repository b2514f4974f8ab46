package spec

import (
	"bytes"
	"reflect"
	"strings"
	"testing"
)

// full returns a state in which every slice has an element and every field its own value.
func full() *State {
	s := &State{}
	n := int64(2)
	fill(reflect.ValueOf(s).Elem(), &n)
	for i := range s.Leaders {
		for j := range s.Leaders[i].Producers {
			s.Leaders[i].Producers[j].Cached = CachedBatches
		}
	}
	return s
}

func fill(v reflect.Value, n *int64) {
	switch v.Kind() {
	case reflect.Struct:
		for i := range v.NumField() {
			fill(v.Field(i), n)
		}
	case reflect.Slice:
		v.Set(reflect.MakeSlice(v.Type(), 2, 2))
		fallthrough
	case reflect.Array:
		for i := range v.Len() {
			fill(v.Index(i), n)
		}
	default:
		*n++
		setScalar(v, *n)
	}
}

func setScalar(v reflect.Value, n int64) {
	switch {
	case v.Kind() == reflect.Bool:
		v.SetBool(true)
	case v.CanInt():
		v.SetInt(n%100 + 1)
	default:
		v.SetUint(uint64(n%100 + 1))
	}
}

// scalars calls f with every scalar below v.
func scalars(path string, v reflect.Value, f func(string, reflect.Value)) {
	switch v.Kind() {
	case reflect.Struct:
		for i := range v.NumField() {
			scalars(path+"."+v.Type().Field(i).Name, v.Field(i), f)
		}
	case reflect.Slice, reflect.Array:
		for i := range v.Len() {
			scalars(path+"[]", v.Index(i), f)
		}
	case reflect.Bool, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64:
		f(path, v)
	default:
		panic("a state may not hold a " + v.Kind().String() + " (" + path + ")")
	}
}

func TestEveryFieldIsEncoded(t *testing.T) {
	s := full()
	before := s.Append(nil)
	scalars("State", reflect.ValueOf(s).Elem(), func(path string, v reflect.Value) {
		if v.Type() == reflect.TypeFor[int8]() && path == "State.Leaders[].Producers[].Cached" {
			return // how many of the batches are written; covered by their own values
		}
		old := reflect.New(v.Type()).Elem()
		old.Set(v)
		switch {
		case v.Kind() == reflect.Bool:
			v.SetBool(!v.Bool())
		case v.CanInt():
			v.SetInt(v.Int() - 1)
		default:
			v.SetUint(v.Uint() - 1)
		}
		if bytes.Equal(s.Append(nil), before) {
			t.Errorf("changing %s leaves the bytes the same", path)
		}
		v.Set(old)
	})
}

func TestDecodeAndCopy(t *testing.T) {
	s := full()
	b := s.Append(nil)
	var read, copied State
	for range 2 { // the second time into used memory
		rest, err := read.Read(b)
		if err != nil || len(rest) != 0 {
			t.Fatalf("Read: %v, %d bytes left", err, len(rest))
		}
		if !reflect.DeepEqual(&read, s) {
			t.Fatal("Read gives another state than was written")
		}
		copied.Copy(s)
		if !reflect.DeepEqual(&copied, s) {
			t.Fatal("Copy gives another state")
		}
	}
	scalars("State", reflect.ValueOf(&copied).Elem(), func(_ string, v reflect.Value) { v.SetZero() })
	if !bytes.Equal(s.Append(nil), b) {
		t.Fatal("a copy shares memory with its source")
	}
	for n := range b {
		if _, err := read.Read(b[:n]); err == nil {
			t.Fatalf("Read takes the first %d of %d bytes for a state", n, len(b))
		}
	}
}

// small returns a state as it is in a model: every field fits into the word of its part.
func small() *State {
	s := full()
	scalars("State", reflect.ValueOf(s).Elem(), func(_ string, v reflect.Value) {
		switch {
		case v.Kind() == reflect.Bool:
		case v.CanInt():
			v.SetInt(v.Int()%3 + 1)
		default:
			v.SetUint(v.Uint()%3 + 1)
		}
	})
	return s
}

func TestASmallStateIsReadAsWritten(t *testing.T) {
	s := small()
	s.Coordinator.Txns[0].Log[1] = s.Coordinator.Txns[0].Memory
	s.Coordinator.Txns[1].Log[1] = s.Coordinator.Txns[1].Pending.Next
	s.Leaders[0].Verifications[0].Lowest = NoLowest
	s.Leaders[0].Producers[0].Open = NoOffset
	written := s.Append(nil)
	scalars("State", reflect.ValueOf(s).Elem(), func(path string, v reflect.Value) {
		old := reflect.New(v.Type()).Elem()
		old.Set(v)
		if path == "State.Leaders[].Producers[].Cached" {
			return
		}
		switch {
		case v.Kind() == reflect.Bool:
			v.SetBool(!v.Bool())
		case v.CanInt():
			v.SetInt(v.Int() - 1)
		default:
			v.SetUint(0)
		}
		b := s.Append(nil)
		if bytes.Equal(b, written) && !old.Equal(v) && !strings.Contains(path, "Batches") { // not all of those are in use
			t.Errorf("changing %s leaves the bytes the same", path)
		}
		var read State
		if rest, err := read.Read(b); err != nil || len(rest) != 0 || !bytes.Equal(read.Append(nil), b) {
			t.Errorf("with %s changed: %v, %d bytes left", path, err, len(rest))
		}
		v.Set(old)
	})
	var read State
	if _, err := read.Read(written); err != nil {
		t.Fatal(err)
	}
	for i := range s.Leaders { // batches that are not in use are not written
		for j := range s.Leaders[i].Producers {
			p := &s.Leaders[i].Producers[j]
			clear(p.Batches[p.Cached:])
		}
	}
	if !reflect.DeepEqual(&read, s) {
		t.Fatal("Read gives another state than was written")
	}
	for n := range written {
		if _, err := read.Read(written[:n]); err == nil {
			t.Fatalf("Read takes the first %d of %d bytes for a state", n, len(written))
		}
	}
}
