package checker

import "slices"

// longestWalk is the number of steps after which a walk is given up.
const longestWalk = 64

// walk is a way to a goal that takes the first step of each Next. It says only that there is a way, never that there is none.
type walk[S any] struct {
	on   bool
	path []uint64
	buf  []byte
	// A step is copied to the state that is not being expanded.
	states [2]S
	at     int
	// going says that the last step led to a state of which nothing is known yet.
	going bool
}

// walks reports whether a walk from a state, whose fingerprint is given, leads to a goal or to a state known to be good.
func (g *goalSearch[S, A]) walks(from *S, fp uint64) bool {
	w := &g.walk
	w.on, g.found = true, false
	w.path = append(w.path[:0], fp)
	for w.going = true; w.going && len(w.path) <= longestWalk && !g.interrupted(); {
		w.going = false
		g.emitter.next(from)
		from = &w.states[w.at]
	}
	w.on = false
	if g.found {
		for _, fp := range w.path {
			g.good.insert(fp)
		}
	}
	return g.found
}

// stepTaken looks at the state that a step of the walk leads to.
func (g *goalSearch[S, A]) stepTaken(n *S) {
	w := &g.walk
	w.buf = g.model.Encode(w.buf[:0], n)
	fp := g.good.fingerprint(w.buf)
	switch {
	case g.good.has(fp):
		g.found = true
	case g.property.Goal(n):
		w.path = append(w.path, fp)
		g.found = true
	case !slices.Contains(w.path, fp):
		w.path = append(w.path, fp)
		w.at = 1 - w.at
		g.model.Copy(&w.states[w.at], n)
		w.going = true
	}
}
