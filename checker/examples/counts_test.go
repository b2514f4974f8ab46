package examples_test

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"testing"

	"github.com/onceproof/onceproof/checker"
	"github.com/onceproof/onceproof/checker/examples/diehard"
	"github.com/onceproof/onceproof/checker/examples/ewd840"
	"github.com/onceproof/onceproof/checker/examples/paxos"
	"github.com/onceproof/onceproof/checker/examples/philosophers"
	"github.com/onceproof/onceproof/checker/examples/river"
)

// row is what is expected of one example with its bounds.
type row struct {
	Example   string         `json:"example"`
	Bounds    map[string]int `json:"bounds"`
	Distinct  uint64         `json:"distinct"`
	Generated uint64         `json:"generated"`
	Depth     int            `json:"depth"`
	// Orbits is what is expected with symmetry, nil where the example has none.
	Orbits *row `json:"orbits"`
}

// counts is what a search counts.
type counts struct {
	distinct, generated uint64
	depth               int
}

func (c counts) String() string {
	return fmt.Sprintf("%d distinct states, %d generated, depth %d", c.distinct, c.generated, c.depth)
}

func readRows(t *testing.T) []row {
	t.Helper()
	b, err := os.ReadFile("../../fixtures/checker-examples.json")
	if err != nil {
		t.Fatal(err)
	}
	var file struct{ Rows []row }
	if err := json.Unmarshal(b, &file); err != nil {
		t.Fatal(err)
	}
	return file.Rows
}

// search counts all states of the example of a row, also where something falls.
func search(r row, o checker.Options) (counts, error) {
	b := r.Bounds
	switch r.Example {
	case "diehard":
		return count(diehard.Model{}, diehard.Properties(), o)
	case "river":
		return count(river.Model{Each: b["each"], Boat: b["boat"]}, river.Properties(), o)
	case "philosophers", "philosophers-in-order":
		m := philosophers.Model{Seats: b["seats"], InOrder: r.Example == "philosophers-in-order"}
		return count(m, philosophers.Properties(), o)
	case "ewd840":
		return count(ewd840.Model{N: b["nodes"]}, ewd840.Properties(), o)
	case "paxos":
		m := paxos.Model{Acceptors: b["acceptors"], Values: b["values"], Ballots: b["ballots"]}
		return count(m, m.Properties(), o)
	}
	return counts{}, fmt.Errorf("there is no example %q", r.Example)
}

func count[S any, A comparable](m checker.Model[S, A], p checker.Properties[S, A], o checker.Options) (counts, error) {
	o.KeepGoing = true
	r, err := checker.Check(context.Background(), m, p, o)
	if err != nil {
		return counts{}, err
	}
	return counts{r.Distinct, r.Generated, r.Depth}, nil
}

func TestCounts(t *testing.T) {
	for _, r := range readRows(t) {
		for _, workers := range []int{1, 2} {
			expect(t, r, r, checker.Options{Workers: workers})
			if r.Orbits != nil {
				expect(t, r, *r.Orbits, checker.Options{Workers: workers, Symmetry: true})
			}
		}
	}
}

func expect(t *testing.T, r, want row, o checker.Options) {
	t.Helper()
	got, err := search(r, o)
	if err != nil {
		t.Fatal(err)
	}
	if want := (counts{want.Distinct, want.Generated, want.Depth}); got != want {
		t.Errorf("%s %v, %d workers, symmetry %v: expected %s; got %s", r.Example, r.Bounds, o.Workers, o.Symmetry, want, got)
	}
}
