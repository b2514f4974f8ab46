package oracle

import (
	"math/bits"
	"slices"

	"github.com/onceproof/onceproof/spec"
)

// otherwise looks for switches, off in the release, with which the broker can
// be explained: a broker may be better than the release that it is judged by.
// It tries single ones, then pairs, and so on, and returns the violation if
// there are none.
func (o *Oracle) otherwise(v *Violation) error {
	o.failed = append(o.failed, o.belief.sp.Fixes)
	for _, extra := range subsets(spec.AllFixes &^ o.cfg.Release.Fixes) {
		fixes := o.cfg.Release.Fixes | extra
		if slices.Contains(o.failed, fixes) {
			continue
		}
		b := newBelief(o, fixes)
		if err := b.replay(o.events); asViolation(err) != nil {
			o.failed = append(o.failed, fixes)
			continue
		} else if err != nil {
			return err
		}
		o.belief = b
		return nil
	}
	return v
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

// subsets are the sets of switches out of all, small ones first.
func subsets(all spec.Fixes) []spec.Fixes {
	var out []spec.Fixes
	for set := all; set > 0; set = (set - 1) & all {
		out = append(out, set)
	}
	slices.SortFunc(out, func(x, y spec.Fixes) int {
		if n := bits.OnesCount32(uint32(x)) - bits.OnesCount32(uint32(y)); n != 0 {
			return n
		}
		return int(x) - int(y)
	})
	return out
}
