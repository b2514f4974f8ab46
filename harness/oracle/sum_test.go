package oracle

import (
	"fmt"
	"reflect"
	"testing"

	"github.com/onceproof/onceproof/spec"
)

// scalars calls f with each field of v that holds one value.
func scalars(path string, v reflect.Value, f func(path string, v reflect.Value)) {
	switch v.Kind() {
	case reflect.Struct:
		for i := range v.NumField() {
			scalars(path+"."+v.Type().Field(i).Name, v.Field(i), f)
		}
	case reflect.Slice, reflect.Array:
		for i := range v.Len() {
			scalars(fmt.Sprintf("%s[%d]", path, i), v.Index(i), f)
		}
	default:
		f(path, v)
	}
}

// Two states that differ in any field have different sums, but for what nobody
// can tell them apart by: slots, and what else a request has beside its mark.
func TestSumsTellStatesApart(t *testing.T) {
	m := spec.Metadata{ProducerID: 1}
	p := spec.Producer{ID: 1, Cached: spec.CachedBatches}
	s := &spec.State{
		Coordinator: spec.Coordinator{Txns: []spec.Txn{{Pending: spec.Pending{Phase: spec.Appending}, Log: []spec.Metadata{m, m}}, {Pending: spec.Pending{Phase: spec.Appending}}}},
		Leaders: []spec.Leader{{
			Log: make([]spec.Batch, 2), Producers: []spec.Producer{p, p}, Verifications: make([]spec.Verification, 2),
			Waiting: make([]spec.Wait, 1), Aborted: make([]spec.Aborted, 2),
		}, {}},
		Inbox: make([]spec.Arrival, 2), Net: make([]spec.Message, 1), Answers: make([]spec.Answer, 2),
	}
	sum := func() uint64 {
		n := &node{s: *s, parts: sums{txns: make([]txnSum, len(s.Coordinator.Txns)), leaders: make([]leaderSum, len(s.Leaders))}}
		n.parts.updateAll(&n.s)
		h, _ := n.total(nil, 0xFF, nil)
		return h
	}
	before := sum()
	seen := map[uint64]string{before: "nothing"}
	scalars("State", reflect.ValueOf(s).Elem(), func(path string, v reflect.Value) {
		was := reflect.New(v.Type()).Elem()
		was.Set(v)
		switch v.Kind() {
		case reflect.Bool:
			v.SetBool(!v.Bool())
		case reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
			v.SetInt(v.Int() - 1)
		default:
			v.SetUint(v.Uint() + 1)
		}
		have := sum()
		v.Set(was)
		if nobodyCanTell(path) {
			if have != before {
				t.Errorf("%s: expected the same sum, for nobody can tell", path)
			}
			return
		}
		if other, ok := seen[have]; ok {
			t.Errorf("%s: expected a sum of its own, got that of %s", path, other)
		}
		seen[have] = path
	})
	if sum() != before || len(seen) < 150 {
		t.Errorf("expected that every field was tried and put back, got %d", len(seen))
	}
}

func nobodyCanTell(path string) bool {
	for _, part := range []string{".Slot", ".Request."} {
		for i := range len(path) - len(part) + 1 {
			if path[i:i+len(part)] == part {
				return path[len(path)-4:] != ".Ref"
			}
		}
	}
	return false
}
