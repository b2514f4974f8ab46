package explore_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"testing"

	"github.com/onceproof/onceproof/harness/explore"
	"github.com/onceproof/onceproof/spec"
)

// What a run on the specification sees is among what is recorded as reachable.
func TestReachable(t *testing.T) {
	if *update {
		recordTriples(t)
	}
	t.Parallel()
	for level := range int8(3) {
		reachable, err := explore.Reachable(int16(level))
		if err != nil {
			t.Fatal(err)
		}
		o := onSpec(level, spec.AllReleases()[0].Fixes, nil)
		o.Crashes = false // brokers that are shared do not crash
		r, err := explore.Run(t.Context(), o)
		if err != nil {
			t.Fatal(err)
		}
		if beyond := r.Beyond(reachable); len(beyond) > 0 {
			t.Errorf("transaction.version %d: seen and not recorded as reachable: %d, such as %v", level, len(beyond), beyond[0])
		}
		if n := len(r.Triples); n < 100 || n > len(reachable) {
			t.Errorf("transaction.version %d: expected 100 to %d triples, got %d", level, len(reachable), n)
		}
	}
}

// recordTriples explores the specification for long, from several seeds: the last ones add few.
func recordTriples(t *testing.T) {
	all := map[int16][][3]string{}
	for level := range int8(3) {
		seen := explore.Result{Triples: map[explore.Triple]int{}}
		for seed := range uint64(6) {
			o := onSpec(level, spec.AllReleases()[0].Fixes, nil)
			o.Seed, o.Exchanges, o.Parallel, o.Crashes = seed+1, 60_000, 2, false
			r, err := explore.Run(t.Context(), o)
			if err != nil {
				t.Fatal(err)
			}
			for _, f := range r.Failures {
				t.Errorf("%v\n%s", f.Violation, f.Script.Gherkin())
			}
			for tr, n := range r.Triples {
				seen.Triples[tr] += n
			}
			fmt.Printf("transaction.version %d, seed %d: %d in all\n", level, seed+1, len(seen.Triples))
		}
		for _, tr := range seen.Sorted() {
			all[int16(level)] = append(all[int16(level)], [3]string{tr.Request, tr.State, tr.Answer})
		}
	}
	var out bytes.Buffer
	e := json.NewEncoder(&out)
	if err := e.Encode(all); err != nil {
		t.Fatal(err)
	}
	text := bytes.ReplaceAll(out.Bytes(), []byte("],["), []byte("],\n["))
	if err := os.WriteFile("../../fixtures/triples.json", text, 0o644); err != nil {
		t.Fatal(err)
	}
}
