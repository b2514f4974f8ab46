package oracle

import "slices"

// Coordinator epochs. The spec counts the loads of the one coordinator from 0;
// on a real broker an epoch is the leader epoch of a partition of
// __transaction_state, begins anywhere and grows by 1 or 2 at each load. Only
// their order counts in the rules. So a state of the belief holds a generation,
// shifted to leave room for the epochs that somebody writes into a marker by
// hand, and what a generation is on the wire is bound when it is first seen.

const (
	generationShift = 16
	firstGeneration = 1
	// farGeneration is that of epochs written by hand that no coordinator comes
	// near to: those more than far beyond the last one. They are what they are on
	// the wire.
	farGeneration = 1 << 14
	far           = 100
)

func nextGeneration(epoch int32) int32 { return (epoch>>generationShift + 1) << generationShift }

// epochs binds generations to epochs on the wire.
type epochs struct {
	bound   map[int32]int32
	assumed map[int32][]assumption // by generation: what was taken for granted before its epoch was seen
}

// assumption is an epoch written by hand that was placed by what a generation's
// epoch was taken for: counted from it, or only compared with it.
type assumption struct {
	wire    int32
	counted bool
}

// wrong reports whether it was placed wrongly, now that the epoch is known.
func (a assumption) wrong(taken, epoch int32) bool {
	return a.counted && taken != epoch || (a.wire < taken) != (a.wire < epoch)
}

func (e *epochs) reset() { e.bound, e.assumed = map[int32]int32{}, map[int32][]assumption{} }

// base is the epoch on the wire of a generation: seen, or what a broker of one
// node that was fresh has.
func (e *epochs) base(generation int32) (epoch int32, seen bool) {
	if epoch, ok := e.bound[generation]; ok {
		return epoch, true
	}
	if generation == farGeneration {
		return 0, true
	}
	if generation <= firstGeneration {
		return 0, false
	}
	before, _ := e.base(generation - 1)
	return before + 2, false // FO-10: +2 at each restart of a single node
}

// internal translates an epoch that the harness writes into a marker, when the
// latest generation that a state may be in is known: a generation that was not
// seen yet has the epoch of a single node, until another one is seen.
func (e *epochs) internal(wire, latest int32) int32 {
	if wire < 0 {
		return wire
	}
	if last, _ := e.base(latest); wire > last+far {
		return farGeneration<<generationShift + min(wire, 1<<generationShift-1)
	}
	generation := int32(firstGeneration)
	for g := int32(firstGeneration); g <= latest; g++ {
		if base, _ := e.base(g); base <= wire {
			generation = g
		}
	}
	for g := int32(firstGeneration); g <= latest; g++ {
		if _, seen := e.base(g); !seen {
			e.assumed[g] = append(e.assumed[g], assumption{wire, g == generation})
		}
	}
	base, _ := e.base(generation)
	return generation<<generationShift + min(wire-base, 1<<generationShift-1)
}

// attempt is a comparison of one state with what came, which may see a
// generation for the first time.
type attempt struct {
	e    *epochs
	seen map[int32]int32
}

// same compares a state's epoch with one on the wire.
func (a *attempt) same(internal, wire int32) bool {
	if internal < 0 || wire < 0 {
		return internal == wire
	}
	generation, offset := internal>>generationShift, internal&(1<<generationShift-1)
	if generation < firstGeneration {
		generation, offset = firstGeneration, internal-firstGeneration<<generationShift
	}
	base, bound := a.e.base(generation)
	if seen, ok := a.seen[generation]; ok {
		base, bound = seen, true
	}
	if bound || offset != 0 {
		return wire == base+offset
	}
	if before, ok := a.e.bound[generation-1]; ok && wire <= before {
		return false
	}
	a.seen[generation] = wire
	return true
}

// agree binds the generations that all remaining attempts saw alike. It
// reports whether what was taken for granted before turns out to be wrong.
func (e *epochs) agree(attempts []*attempt) (wrong bool) {
	for generation, epoch := range attempts[0].seen {
		same := true
		for _, a := range attempts {
			w, ok := a.seen[generation]
			same = same && ok && w == epoch
		}
		if !same {
			continue
		}
		base, _ := e.base(generation)
		wrong = wrong || slices.ContainsFunc(e.assumed[generation], func(a assumption) bool { return a.wrong(base, epoch) })
		e.bound[generation] = epoch
	}
	return wrong
}
