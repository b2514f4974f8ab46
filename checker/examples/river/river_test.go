package river_test

import (
	"context"
	"testing"

	"github.com/onceproof/onceproof/checker"
	"github.com/onceproof/onceproof/checker/examples/river"
)

func TestCrossings(t *testing.T) {
	for _, c := range []struct {
		each, boat, crossings int // -1: there is no way
	}{
		{1, 2, 1},
		{2, 2, 5},
		{3, 2, 11},
		{4, 2, -1},
		{4, 3, 9},
		{5, 3, 11},
		{6, 3, -1},
	} {
		m := river.Model{Each: c.each, Boat: c.boat}
		r, err := checker.Check(context.Background(), m, river.Properties(), checker.Options{})
		if err != nil {
			t.Fatal(err)
		}
		if got := r.Properties[0]; got.Length != c.crossings || (got.Verdict == checker.PropertyHolds) != (c.crossings >= 0) {
			t.Errorf("%d of each, a boat for %d: expected %d crossings, got %d (%s)", c.each, c.boat, c.crossings, got.Length, got.Verdict)
		}
	}
}
