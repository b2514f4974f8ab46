package checker

import "github.com/zeebo/xxh3"

const (
	shardBits = 6
	shards    = 1 << shardBits
	// firstSlots is the number of slots a shard begins with.
	firstSlots = 64
)

// table is a set of 64-bit fingerprints by open addressing. It is cut into shards which grow one at a time, so that growth
// holds a 64th of the set twice instead of all of it. It costs 8 bytes for each slot, 11 to 21 bytes for each fingerprint.
type table struct {
	shards [shards]shard
}

// shard is filled to three quarters at most; an empty slot is 0.
type shard struct {
	slots []uint64
	used  int
}

func newTable() *table {
	t := &table{}
	for i := range t.shards {
		t.shards[i].slots = make([]uint64, firstSlots)
	}
	return t
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
		slots := t.shards[fp>>(64-shardBits)].slots
		sum += slots[fp&uint64(len(slots)-1)]
	}
	t.sink(sum)
}

// sink keeps the compiler from leaving out the loads.
//
//go:noinline
func (t *table) sink(uint64) {}

func (t *table) has(fp uint64) bool {
	slots := t.shards[fp>>(64-shardBits)].slots
	mask := uint64(len(slots) - 1)
	for i := fp & mask; ; i = (i + 1) & mask {
		switch slots[i] {
		case fp:
			return true
		case 0:
			return false
		}
	}
}

// insert reports whether fp was not there before.
func (t *table) insert(fp uint64) bool {
	s := &t.shards[fp>>(64-shardBits)]
	mask := uint64(len(s.slots) - 1)
	i := fp & mask
	for ; s.slots[i] != 0; i = (i + 1) & mask {
		if s.slots[i] == fp {
			return false
		}
	}
	s.slots[i] = fp
	s.used++
	if s.used*4 > len(s.slots)*3 {
		s.grow()
	}
	return true
}

func (s *shard) grow() {
	slots := make([]uint64, 2*len(s.slots))
	mask := uint64(len(slots) - 1)
	for _, fp := range s.slots {
		if fp == 0 {
			continue
		}
		i := fp & mask
		for slots[i] != 0 {
			i = (i + 1) & mask
		}
		slots[i] = fp
	}
	s.slots = slots
}
