package oracle

import "slices"

// Shortest returns the numbers of the exchanges that already show the
// violation, in order; the last one is where it shows. An exchange is left out
// only where the rest, with the answers that came, still ends in a violation of
// what was allowed before, so that what is left out has nothing to do with it.
// It is nil when there is no violation.
func (o *Oracle) Shortest() []int {
	v := o.verdict.Violation
	if v == nil {
		return nil
	}
	kept := o.exchanges()
	for size := max(1, len(kept)/2); size >= 1; size /= 2 {
		for end := len(kept) - 1; end > 0; end -= size { // late ones first: early ones set the stage
			without := slices.Delete(slices.Clone(kept), max(0, end-size), end)
			if o.stillFails(without, v) {
				kept = without
				end = min(end, len(kept)-1+size)
			}
		}
	}
	return kept
}

// exchanges are the numbers of all exchanges.
func (o *Oracle) exchanges() []int {
	var out []int
	for _, e := range o.events {
		if e.kind == sent {
			out = append(out, e.call.exchange)
		}
	}
	return out
}

// stillFails replays the given exchanges, and all that is no exchange, by the
// same rules, and reports whether they end in the same violation.
func (o *Oracle) stillFails(exchanges []int, v *Violation) bool {
	b := newBelief(o, o.belief.sp.Fixes)
	for i, e := range o.events {
		if e.call != nil && !slices.Contains(exchanges, e.call.exchange) {
			continue
		}
		err := b.apply(e)
		if err == nil {
			continue
		}
		have := asViolation(err)
		return i == len(o.events)-1 && have != nil && sameAllowed(have, v)
	}
	return false
}

func sameAllowed(x, y *Violation) bool {
	return slices.EqualFunc(x.Allowed, y.Allowed, func(a, b Allowed) bool { return a.Answer == b.Answer }) && x.Came == y.Came
}
