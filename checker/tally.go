package checker

import "slices"

// none stands for "no state or step": the property has not fallen, the witness is not reached.
const none = ^uint64(0)

// tally is what a search counts. Tallies of workers are added up; the sum does not depend on who counted what.
type tally struct {
	generated uint64
	actions   []uint64
	decisions []uint64
	budgets   []uint64
	// applied counts, by property, the states or steps of which it said something.
	applied []uint64
	// first is, by property, the number of the first state, or the link of the first step, at which it fell or, for a
	// witness, was reached.
	first []uint64
}

func newTally(actions, decisions, budgets, properties int) tally {
	t := tally{
		actions:   make([]uint64, actions),
		decisions: make([]uint64, decisions),
		budgets:   make([]uint64, budgets),
		applied:   make([]uint64, properties),
		first:     make([]uint64, properties),
	}
	t.reset()
	return t
}

func (t *tally) reset() {
	t.generated = 0
	clear(t.actions)
	clear(t.decisions)
	clear(t.budgets)
	clear(t.applied)
	for i := range t.first {
		t.first[i] = none
	}
}

func (t *tally) clone() tally {
	return tally{t.generated, slices.Clone(t.actions), slices.Clone(t.decisions), slices.Clone(t.budgets), slices.Clone(t.applied), slices.Clone(t.first)}
}

func (t *tally) add(u *tally) {
	t.generated += u.generated
	for _, pair := range [...][2][]uint64{
		{t.actions, u.actions}, {t.decisions, u.decisions}, {t.budgets, u.budgets}, {t.applied, u.applied},
	} {
		for i, n := range pair[1] {
			pair[0][i] += n
		}
	}
	for i, n := range u.first {
		t.first[i] = min(t.first[i], n)
	}
}

// count adds the outcome of a property at a state or step.
func (t *tally) count(property int, o Outcome, where uint64) {
	if o == NotApplicable {
		return
	}
	t.applied[property]++
	if o == Falls && where < t.first[property] {
		t.first[property] = where
	}
}
