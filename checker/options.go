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
	// Exact has the set of visited states, and those of CanReach, hold the encoded states where they otherwise hold fingerprints,
	// so that no state is taken for another and missed. All else that is found is the same. It takes more time, and the bytes of
	// each state and of its length more memory. It goes with no WorkDir and no Memory, whose files hold fingerprints.
	Exact bool
	// Progress, if not nil, is called from the searching goroutine at the end of each level and about every ProgressEvery.
	Progress func(Progress)
	// ProgressEvery is a second if 0.
	ProgressEvery time.Duration
	// WorkDir, if not "", is a folder for checkpoints: what is needed to go on after the process is gone. It must not hold
	// those of another search. They stay when the search has ended, and are removed with the folder.
	WorkDir string
	// Resume goes on from the newest checkpoint in WorkDir that is whole, with the same model, properties and options. What
	// is found is what the search would have found undisturbed. Without any checkpoint the error is ErrNoCheckpoint.
	Resume bool
	// CheckpointEvery is the least time between two checkpoints; one is written at the end of a level. 0 is after each level.
	CheckpointEvery time.Duration
	// Notice, if not nil, is told what the caller should know and is no error: that a damaged checkpoint was left out.
	Notice func(text string)
	// Memory, if not 0, is about how many bytes the search may take, at least LeastMemory; the rest is in WorkDir. What is found is
	// the same. States of 64 KiB or more, or properties whose search for a goal goes far, take more. It goes with no MaxStates.
	Memory int64

	// written is told of each file of WorkDir, for tests.
	written func(name string)
	// held, if not 0, is how many fingerprints are held with Memory, in place of what fits, for tests.
	held int
	// proved is the number of states up to which levels are put to the proof; 0 is provedStates.
	proved uint64
	// left, if not nil, says how much memory is left, for tests.
	left func() (bytes uint64, known bool)
}

func (o Options) withDefaults() Options {
	if o.Workers <= 0 {
		o.Workers = runtime.GOMAXPROCS(0)
	}
	if o.ProgressEvery <= 0 {
		o.ProgressEvery = time.Second
	}
	if o.proved == 0 {
		o.proved = provedStates
	}
	return o
}
