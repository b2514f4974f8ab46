package oracle

import (
	"math"

	"github.com/onceproof/onceproof/spec"
)

// placeholder is the first of the producer ids that no answer has shown yet. It
// is beyond what a broker gives out, also one that draws them at random.
const placeholder = math.MaxInt64 - 1<<20

// bindable reports whether a placeholder can stand for a producer id: nobody
// else has it.
func (b *belief) bindable(n *node, id int64) bool {
	if id < 0 || id >= placeholder || b.granted[id] {
		return false
	}
	for i := range n.s.Coordinator.Txns {
		if t := &n.s.Coordinator.Txns[i]; t.Known && t.Memory.ProducerID == id {
			return false
		}
	}
	return true
}

// bind puts a producer id in the place of a placeholder. Only the coordinator
// and answers can hold one: a client that does not know its id can't use it.
func (n *node) bind(from, to int64) {
	n.ownAll()
	rename(&n.s, from, to)
	n.parts.updateAll(&n.s)
	for i := range n.taken {
		seen := make([]sight, len(n.taken[i].seen))
		for j := range seen {
			var s spec.State
			s.Copy(n.taken[i].seen[j].s)
			rename(&s, from, to)
			seen[j] = newSight(&s)
		}
		n.taken[i].seen = seen
	}
}

func rename(s *spec.State, from, to int64) {
	set := func(id *int64) {
		if *id == from {
			*id = to
		}
	}
	for i := range s.Coordinator.Txns {
		t := &s.Coordinator.Txns[i]
		set(&t.Memory.ProducerID)
		set(&t.Memory.PrevProducerID)
		set(&t.Pending.Next.ProducerID)
		set(&t.Pending.Next.PrevProducerID)
		for j := range t.Log {
			set(&t.Log[j].ProducerID)
			set(&t.Log[j].PrevProducerID)
		}
	}
	for i := range s.Answers {
		set(&s.Answers[i].ProducerID)
	}
}
