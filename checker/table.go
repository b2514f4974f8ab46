package checker

import (
	"math/bits"

	"github.com/zeebo/xxh3"
)

const (
	shardBits = 6
	shards    = 1 << shardBits
	// firstSlots is the number of slots that the smallest shard begins with.
	firstSlots = 64
)

// table is a set of 64-bit fingerprints by open addressing; with Exact it is one of states. It is cut into shards which grow one at
// a time, by half, and begin with sizes between one growth and the next, so that at any time some are full and some just grown:
// growth makes no spike, and the set takes 10 to 15 bytes for a fingerprint in a shard, 12.5 on the whole. Slots are not memory of
// the runtime's, which would wait for a collection before it gave back what a shard has left.
type table struct {
	shards [shards]shard
}

// shard is filled to four fifths at most; an empty slot is 0. A fingerprint stands at the place that its bits below the shard's
// have in the order of all, or behind it: a shard of any size is then refilled from first to last.
type shard struct {
	slots []uint64
	used  int
	full  int
	// states is nil without Exact.
	states *states
}

func newTable(exact bool) *table {
	t := &table{}
	for i := range t.shards {
		t.shards[i].set(allocate(firstSlots + firstSlots/2*i/shards))
		if exact {
			t.shards[i].states = &states{}
		}
	}
	return t
}

// free gives back the memory of a table that is used no more.
func (t *table) free() {
	for i := range t.shards {
		deallocate(t.shards[i].slots)
		t.shards[i].slots = nil
	}
}

// clear takes everything out and leaves the room.
func (t *table) clear() {
	for i := range t.shards {
		t.shards[i].clear()
	}
}

func (s *shard) clear() {
	clear(s.slots)
	s.used = 0
}

func (s *shard) set(slots []uint64) {
	s.slots, s.full = slots, len(slots)/5*4
}

func shardOf(fp uint64) int { return int(fp >> (64 - shardBits)) }

// home is the slot where a fingerprint is looked for first.
func home(fp uint64, slots []uint64) uint64 {
	hi, _ := bits.Mul64(fp<<shardBits, uint64(len(slots)))
	return hi
}

// fingerprint is never 0, which marks an empty slot.
func fingerprint(b []byte) uint64 {
	fp := xxh3.Hash(b)
	if fp == 0 {
		return 1
	}
	return fp
}

// touched is how many fingerprints are worth touching at a time: as many loads as a processor has under way at once.
const touched = 16

// touch reads the slots where fingerprints will be looked for. Lookups one after another wait for memory each; these loads
// depend on nothing and so wait together, after which the lookups find their slots in the cache.
func (t *table) touch(fps []uint64) {
	var sum uint64
	for _, fp := range fps {
		slots := t.shards[shardOf(fp)].slots
		sum += slots[home(fp, slots)]
	}
	t.sink(sum)
}

// sink keeps the compiler from leaving out the loads.
//
//go:noinline
func (t *table) sink(uint64) {}

func (t *table) has(fp uint64) bool {
	slots := t.shards[shardOf(fp)].slots
	for i := home(fp, slots); ; {
		switch slots[i] {
		case fp:
			return true
		case 0:
			return false
		}
		if i++; i == uint64(len(slots)) {
			i = 0
		}
	}
}

// insert reports whether a fingerprint, with Exact the state, was not there before. Without, the state is not looked at.
func (t *table) insert(fp uint64, state []byte) bool {
	s := &t.shards[shardOf(fp)]
	if s.states != nil {
		_, fresh := s.insertState(fp, state)
		return fresh
	}
	slots := s.slots
	i := home(fp, slots)
	for slots[i] != 0 {
		if slots[i] == fp {
			return false
		}
		if i++; i == uint64(len(slots)) {
			i = 0
		}
	}
	slots[i] = fp
	s.used++
	if s.used > s.full {
		s.grow()
	}
	return true
}

// due are the shards that are nearly full, if there are as many as workers to let them grow side by side. A shard that is due
// alone is left to insert, which has the others wait.
func (t *table) due(workers int) []*shard {
	var due []*shard
	for i := range t.shards {
		if s := &t.shards[i]; s.used > s.full-len(s.slots)/32 {
			due = append(due, s)
		}
	}
	if len(due) < workers {
		return nil
	}
	return due
}

func (s *shard) grow() {
	old := s.slots
	s.set(allocate(len(old) + len(old)/2))
	if s.states != nil {
		deallocate(old)
		s.refill()
		return
	}
	for _, fp := range old {
		if fp == 0 {
			continue
		}
		s.slots[s.empty(fp)] = fp
	}
	deallocate(old)
}

// empty is the empty slot where a fingerprint that is not there belongs.
func (s *shard) empty(fp uint64) uint64 {
	i := home(fp, s.slots)
	for s.slots[i] != 0 {
		if i++; i == uint64(len(s.slots)) {
			i = 0
		}
	}
	return i
}
