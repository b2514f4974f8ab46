package reference

import (
	"slices"

	"github.com/onceproof/onceproof/spec"
)

// Decisions are those of all steps that the broker took so far, in order: a
// scenario shows a rule if the rule decided one of them.
func (b *Broker) Decisions() []spec.Decision {
	b.mu.Lock()
	defer b.mu.Unlock()
	return slices.Clone(b.decisions)
}
