package checker

import (
	"runtime"
	"time"
)

// Options bounds a search and says how it is run. The zero value searches everything, on all processors, up to the first
// violation.
type Options struct {
	// Workers is the number of goroutines that expand states; 0 means one for each processor. Everything found is the same
	// with any number.
	Workers int
	// MaxStates, if not 0, ends the search soon after so many distinct states: with the chunk of 128 states that reaches it.
	// The states met by then are all checked.
	MaxStates uint64
	// MaxDepth, if not 0, is the number of levels to search; the initial states are level 1. States of the last are checked
	// but not expanded.
	MaxDepth int
	// KeepGoing searches on after a violation, and so finds the first violation of each property.
	KeepGoing bool
	// Symmetry searches one state of each orbit of a model that is Canonical. Distinct then counts orbits, and Generated the
	// steps from their representatives; both are still the same in each run and with any number of workers. Verdicts and
	// lengths are those without it. Traces are concrete and replay without it.
	Symmetry bool
	// Progress, if not nil, is called from the searching goroutine at the end of each level and about every ProgressEvery.
	Progress func(Progress)
	// ProgressEvery is a second if 0.
	ProgressEvery time.Duration
}

func (o Options) withDefaults() Options {
	if o.Workers <= 0 {
		o.Workers = runtime.GOMAXPROCS(0)
	}
	if o.ProgressEvery <= 0 {
		o.ProgressEvery = time.Second
	}
	return o
}
