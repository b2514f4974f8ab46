package checker_test

import (
	"context"
	"slices"
	"strings"
	"testing"

	"github.com/onceproof/onceproof/checker"
	"pgregory.net/rapid"
)

// crowd is a model of several walkers on one graph of few places, who differ by nothing: each walks when the others leave it
// room.
type crowd struct {
	places  int
	walkers int
	// to lists, by place, where one may go; room is the most that may be at a place.
	to   [][]uint8
	room int
	// canonical replaces the sorting of walkers, to try what is wrong.
	canonical func(at []uint8)
}

type crowded struct{ At []uint8 }

type stroll struct{ Walker, To uint8 }

func (c crowd) Init(e *checker.Emitter[crowded, stroll]) {
	e.From(stroll{}).At = make([]uint8, c.walkers)
	// Not all initial states are representatives.
	for w := range c.walkers {
		n := e.From(stroll{})
		n.At = make([]uint8, c.walkers)
		n.At[w] = uint8(c.places - 1)
	}
}

func (c crowd) Next(s *crowded, e *checker.Emitter[crowded, stroll]) {
	for w, at := range s.At {
		for _, to := range c.to[at] {
			there := 0
			for _, other := range s.At {
				if other == to {
					there++
				}
			}
			if there < c.room {
				e.From(stroll{uint8(w), to}).At[w] = to
			}
		}
	}
}

func (c crowd) Copy(dst, src *crowded) { dst.At = append(dst.At[:0], src.At...) }

func (c crowd) Encode(b []byte, s *crowded) []byte { return append(b, s.At...) }

func (c crowd) Decode(s *crowded, b []byte) error {
	s.At = append(s.At[:0], b...)
	return nil
}

func (c crowd) Canonical(s *crowded) {
	if c.canonical != nil {
		c.canonical(s.At)
		return
	}
	slices.Sort(s.At)
}

func randomCrowd(t *rapid.T) crowd {
	c := crowd{
		places:  rapid.IntRange(2, 5).Draw(t, "places"),
		walkers: rapid.IntRange(1, 4).Draw(t, "walkers"),
		room:    rapid.IntRange(1, 4).Draw(t, "room"),
	}
	for range c.places {
		c.to = append(c.to, rapid.SliceOfN(rapid.Uint8Range(0, uint8(c.places-1)), 0, 3).Draw(t, "to"))
	}
	return c
}

// crowdProperties are properties of each kind about two places.
func crowdProperties(a, b uint8) checker.Properties[crowded, stroll] {
	full := func(s *crowded) bool { return slices.Contains(s.At, a) && slices.Contains(s.At, b) }
	return checker.Properties[crowded, stroll]{
		Invariants: []checker.Invariant[crowded]{{Name: "not both", Check: func(s *crowded) checker.Outcome { return checker.Require(!full(s)) }}},
		Steps: []checker.StepProperty[crowded, stroll]{{Name: "no step", Check: func(old *crowded, w stroll, new *crowded) checker.Outcome {
			return checker.Implies(old.At[w.Walker] == a, new.At[w.Walker] != b)
		}}},
		Witnesses: []checker.Witness[crowded]{{Name: "both", Reached: full}},
		CanReach: []checker.CanReach[crowded, stroll]{{
			Name: "all there", Goal: func(s *crowded) bool { return !slices.ContainsFunc(s.At, func(at uint8) bool { return at != b }) },
			By: func(w stroll) bool { return w.To != a },
		}},
	}
}

func TestSymmetryAgainstFullSearch(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		c := randomCrowd(t)
		p := crowdProperties(rapid.Uint8Range(0, 4).Draw(t, "a"), rapid.Uint8Range(0, 4).Draw(t, "b"))
		orbits := make(map[string]bool)
		count := checker.Invariant[crowded]{Name: "count", Check: func(s *crowded) checker.Outcome {
			at := slices.Sorted(slices.Values(s.At))
			orbits[string(at)] = true
			return checker.Holds
		}}
		counting := p
		counting.Invariants = append(slices.Clone(p.Invariants), count)
		full, err := checker.Check(context.Background(), c, counting, checker.Options{KeepGoing: true, Workers: 1})
		if err != nil {
			t.Fatal(err)
		}
		workers := rapid.IntRange(1, 3).Draw(t, "workers")
		folded, err := checker.Check(context.Background(), c, p, checker.Options{KeepGoing: true, Symmetry: true, Workers: workers})
		if err != nil {
			t.Fatal(err)
		}
		if folded.Distinct != uint64(len(orbits)) || folded.Depth != full.Depth || folded.Verdict != full.Verdict {
			t.Fatalf("expected %d orbits, depth %d, %s; got %d, %d, %s", len(orbits), full.Depth, full.Verdict, folded.Distinct, folded.Depth, folded.Verdict)
		}
		for _, q := range folded.Properties {
			i := slices.IndexFunc(full.Properties, func(p checker.PropertyResult) bool { return p.Name == q.Name })
			if p := full.Properties[i]; p.Verdict != q.Verdict || p.Length != q.Length {
				t.Errorf("%s: expected %s after %d steps, got %s, %d", q.Name, p.Verdict, p.Length, q.Verdict, q.Length)
			}
		}
		for _, v := range folded.Violations {
			if v.Trace != nil {
				replayed(t, c, p, v)
			}
		}
	})
}

// replayed replays a trace on the model as it is and looks whether its last step is what is said of it.
func replayed(t *rapid.T, c crowd, p checker.Properties[crowded, stroll], v checker.Violation[stroll]) {
	var states []crowded
	if _, err := checker.Replay(c, v.Trace, func(_ int, s *crowded) { states = append(states, crowded{slices.Clone(s.At)}) }); err != nil {
		t.Fatal(err)
	}
	if len(states) != v.Length+1 {
		t.Fatalf("%s: %d states in a trace of %d steps", v.Property, len(states), v.Length)
	}
	last := len(states) - 1
	switch v.Kind {
	case checker.KindInvariant:
		if p.Invariants[0].Check(&states[last]) != checker.Falls {
			t.Errorf("%s holds at the end of its trace", v.Property)
		}
	case checker.KindStep:
		if p.Steps[0].Check(&states[last-1], v.Trace.Steps[last-1].Action, &states[last]) != checker.Falls {
			t.Errorf("%s holds of the last step of its trace", v.Property)
		}
	}
}

func TestWrongSymmetryIsAnError(t *testing.T) {
	walks := crowd{places: 3, walkers: 3, room: 2, to: [][]uint8{{1}, {2}, {0}}}
	foldTo := func(f func(at []uint8)) crowd {
		c := walks
		c.canonical = f
		return c
	}
	first := checker.Properties[crowded, stroll]{
		Invariants: []checker.Invariant[crowded]{{Name: "first", Check: func(s *crowded) checker.Outcome { return checker.Require(s.At[0] != 2) }}},
	}
	for _, x := range []struct {
		name  string
		model crowd
		props checker.Properties[crowded, stroll]
		want  string
	}{
		{"forgets a walker's place", foldTo(func(at []uint8) { at[2] = at[1] }), checker.Properties[crowded, stroll]{}, "different steps"},
		{"swaps again", foldTo(func(at []uint8) { at[0], at[1] = at[1], at[0] }), checker.Properties[crowded, stroll]{}, "of a representative"},
		{"a property of one walker", walks, first, "first is not the same"},
	} {
		_, err := checker.Check(context.Background(), x.model, x.props, checker.Options{Symmetry: true, KeepGoing: true})
		if err == nil || !strings.Contains(err.Error(), x.want) {
			t.Errorf("%s: expected an error with %q, got %v", x.name, x.want, err)
		}
	}
}

func TestSymmetryOfAModelWithout(t *testing.T) {
	_, err := checker.Check(context.Background(), edges([2]uint32{0, 1}), properties{MayStop: anywhere}, checker.Options{Symmetry: true})
	if err == nil || !strings.Contains(err.Error(), "Canonical") {
		t.Errorf("expected an error that names Canonical, got %v", err)
	}
}

func TestSymmetryIsTheSameWithAnyNumberOfWorkers(t *testing.T) {
	c := crowd{places: 8, walkers: 5, room: 3}
	for p := range c.places {
		c.to = append(c.to, []uint8{uint8((p + 1) % c.places), uint8((p * 5) % c.places)})
	}
	p := crowdProperties(5, 7)
	var want string
	for _, workers := range []int{1, 2, 3, 1, 2, 3} {
		r, err := checker.Check(context.Background(), c, p, checker.Options{Symmetry: true, KeepGoing: true, Workers: workers})
		if err != nil {
			t.Fatal(err)
		}
		got := findings(t, r)
		if want == "" {
			want = got
			t.Logf("%d orbits", r.Distinct)
		}
		if got != want {
			t.Errorf("%d workers: expected %s, got %s", workers, want, got)
		}
	}
}

// ring passes a token on among three nodes. Its representatives have the token at node 0, and so have all states one step from
// them but those where it has just been passed on.
type ring struct{}

type token struct {
	At       uint8
	Critical bool
}

type pass struct{ Kind uint8 }

func (ring) Init(e *checker.Emitter[token, pass]) { *e.From(pass{}) = token{} }

func (ring) Next(s *token, e *checker.Emitter[token, pass]) {
	if s.Critical {
		e.From(pass{1}).Critical = false
		return
	}
	e.From(pass{2}).Critical = true
	n := e.From(pass{3})
	n.At = (n.At + 1) % 3
}

func (ring) Copy(dst, src *token) { *dst = *src }

func (ring) Encode(b []byte, s *token) []byte {
	if s.Critical {
		return append(b, s.At, 1)
	}
	return append(b, s.At, 0)
}

func (ring) Decode(s *token, b []byte) error {
	*s = token{b[0], b[1] == 1}
	return nil
}

func (ring) Canonical(s *token) { s.At = 0 }

// A property that knows a node by its number is found out by states that no representative leads to in a step.
func TestSymmetryTriesStatesAsTheyAre(t *testing.T) {
	second := func(s *token) bool { return s.At == 1 && s.Critical }
	for name, p := range map[string]checker.Properties[token, pass]{
		"invariant": {Invariants: []checker.Invariant[token]{{Name: "not the second", Check: func(s *token) checker.Outcome { return checker.Require(!second(s)) }}}},
		"witness":   {Witnesses: []checker.Witness[token]{{Name: "not the second", Reached: second}}},
		"goal":      {CanReach: []checker.CanReach[token, pass]{{Name: "not the second", Goal: second}}},
	} {
		for _, keepGoing := range []bool{false, true} {
			_, err := checker.Check(context.Background(), ring{}, p, checker.Options{Symmetry: true, KeepGoing: keepGoing})
			if err == nil || !strings.Contains(err.Error(), "not the second is not the same of the state") {
				t.Errorf("%s: expected an error that names it, got %v", name, err)
			}
		}
	}
}
