package checker

import (
	"fmt"
	"time"
)

const (
	// leastLeft is how much memory has to be left: more than a search takes between two looks.
	leastLeft = 64 << 20
	lookEvery = time.Second / 4
)

// lookAtMemory ends the search with an error before the kernel ends the process.
func (s *search[S, A]) lookAtMemory() {
	if time.Since(s.looked) < lookEvery {
		return
	}
	s.looked = time.Now()
	look := memoryLeft
	if s.options.left != nil {
		look = s.options.left
	}
	left, known := look()
	if !known || left >= leastLeft {
		return
	}
	advice := "give it more, or have it keep to an amount with Memory and WorkDir"
	switch {
	case s.options.Exact:
		advice = "give it more, or search without Exact"
	case s.options.WorkDir != "":
		advice = "resume from the last checkpoint in " + s.options.WorkDir + " with a bound on Memory, or with more"
	}
	s.fail(fmt.Errorf("checker: memory runs out, %d MiB are left: the search ends at depth %d, %d distinct states, %d generated, %s so far: %s",
		left>>20, s.depth, s.links.count, s.total.generated, s.saySoFar(), advice))
}

func (s *search[S, A]) saySoFar() string {
	if s.fell() {
		return "a violation"
	}
	return "nothing fell"
}
