package trace

import (
	"bytes"
	"slices"

	"github.com/onceproof/onceproof/checker"
	"github.com/onceproof/onceproof/spec"
	"github.com/onceproof/onceproof/spec/world"
)

// beforeAppends gives a counterexample in which, where that makes no difference, nothing is delivered while the coordinator
// waits for an append: a broker alone acknowledges its appends at once, and no hand holds them, so that whoever has to place a
// delivery there needs luck. The leader's question that arrives after EndTxn, and before its append is acknowledged, might as
// well have arrived before EndTxn. What is left is as many steps, to the same state; the last one, with which the property
// falls, stays the last.
func beforeAppends(m *world.Model, t *checker.Trace[world.Action]) (*checker.Trace[world.Action], error) {
	if m.Quick == 1 {
		return t, nil // nothing is delivered there, it was all done before
	}
	ms, err := moments(m, t)
	if err != nil {
		return nil, err
	}
	for k := 1; k < len(t.Steps)-1; k++ {
		appends := ms[k-1].decision != nil && ms[k-1].decision.Logged != spec.NoStatus
		if a := ms[k].action; !appends || a.Kind != world.Internal || a.Step.Kind != spec.Deliver {
			continue
		}
		swapped := *t
		swapped.Steps = slices.Clone(t.Steps)
		swapped.Steps[k-1], swapped.Steps[k] = t.Steps[k], t.Steps[k-1]
		if !sameEnd(m, t, &swapped) {
			continue
		}
		t, k = &swapped, 0
		if ms, err = moments(m, t); err != nil {
			return nil, err
		}
	}
	return t, nil
}

// sameEnd reports whether a counterexample in another order can be taken, and leads to the same state.
func sameEnd(m *world.Model, t, other *checker.Trace[world.Action]) bool {
	var ends [2][]byte
	for i, x := range []*checker.Trace[world.Action]{t, other} {
		if _, err := checker.Replay(m, x, func(_ int, s *world.State) { ends[i] = m.Encode(ends[i][:0], s) }); err != nil {
			return false
		}
	}
	return bytes.Equal(ends[0], ends[1])
}
