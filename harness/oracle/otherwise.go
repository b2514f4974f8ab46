package oracle

import (
	"slices"

	"github.com/onceproof/onceproof/spec"
)

// otherwise looks for switches, off in the release, with which the broker can
// be explained: a broker may be better than the release that it is judged by.
// It tries single ones, then pairs, and so on, and returns the violation if
// there are none. A set is tried with one more switch only where it makes a
// difference to what was followed so far: a switch that no step has asked for
// has none, whatever comes before it.
func (o *Oracle) otherwise(v *Violation) error {
	o.failed[o.belief.sp.Fixes] = o.belief.trace
	extended := map[uint64]bool{o.failed[o.cfg.Release.Fixes]: true}
	level := []spec.Fixes{o.cfg.Release.Fixes}
	for len(level) > 0 {
		var next []spec.Fixes
		for _, fixes := range o.oneMore(level) {
			if _, failed := o.failed[fixes]; !failed {
				b := newBelief(o, fixes)
				err := b.replay(o.events)
				if err == nil {
					o.belief = b
					return nil
				}
				if asViolation(err) == nil {
					return err
				}
				o.failed[fixes] = b.trace
			}
			if trace := o.failed[fixes]; !extended[trace] {
				extended[trace] = true
				next = append(next, fixes)
			}
		}
		level = next
	}
	return v
}

// oneMore are the sets with one more switch each.
func (o *Oracle) oneMore(level []spec.Fixes) []spec.Fixes {
	var out []spec.Fixes
	for _, info := range spec.AllFixInfo() {
		for _, fixes := range level {
			if more := fixes | info.Fix; more != fixes && !slices.Contains(out, more) {
				out = append(out, more)
			}
		}
	}
	slices.Sort(out)
	return out
}

// replay takes in all events.
func (b *belief) replay(events []*event) error {
	for _, e := range events {
		if err := b.apply(e); err != nil {
			return err
		}
	}
	return nil
}
