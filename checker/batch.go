package checker

import "slices"

// batch is what the expansion of one chunk gave: the tally, and the successors that may be new.
type batch struct {
	tally tally
	fps   []uint64
	links []link
	ends  []uint32
	bytes []byte
	// shares says, if several workers enter what they found, which successors belong to the shards of each; fresh, once they
	// are entered, which were new.
	shares [][]uint32
	fresh  []bool
}

func (b *batch) reset() {
	b.tally.reset()
	b.fps, b.links, b.ends, b.bytes = b.fps[:0], b.links[:0], b.ends[:0], b.bytes[:0]
	for i := range b.shares {
		b.shares[i] = b.shares[i][:0]
	}
}

// state is the encoded state of a successor.
func (b *batch) state(at uint32) []byte {
	start := uint32(0)
	if at > 0 {
		start = b.ends[at-1]
	}
	return b.bytes[start:b.ends[at]]
}

func (b *batch) add(fp uint64, k link, state []byte) {
	if n := len(b.shares); n > 0 {
		share := &b.shares[shardOf(fp)%n]
		*share = append(*share, uint32(len(b.fps)))
	}
	b.fps = append(b.fps, fp)
	b.links = append(b.links, k)
	b.bytes = append(b.bytes, state...)
	b.ends = append(b.ends, uint32(len(b.bytes)))
}

// takes is about how many bytes of memory it takes.
func (b *batch) takes() int {
	const each = 8 + 8 + 4 + 4 + 1 // what there is for each successor beside its bytes
	return each*len(b.fps) + len(b.bytes)
}

// filter drops most of the successors that a chunk gives twice. It is a cache: what it forgets is caught when the batch is
// entered.
type filter [1 << filterBits]uint64

const filterBits = 11

// saw reports whether it has a fingerprint, and keeps it.
func (f *filter) saw(fp uint64) bool {
	cached := &f[fp%(1<<filterBits)]
	if *cached == fp {
		return true
	}
	*cached = fp
	return false
}

// room makes place for what enter notes.
func (b *batch) room() {
	b.fresh = slices.Grow(b.fresh[:0], len(b.fps))[:len(b.fps)]
}

// enter inserts the successors that belong to one share of the set's shards, and notes which were new. Several workers do so at
// once, each with its own share: a fingerprint is new or not by the order of the batches alone.
func (b *batch) enter(visited *table, share int) {
	var fps [touched]uint64
	var state []byte // only an exact set looks at it
	exact := visited.shards[0].states != nil
	for own := b.shares[share]; len(own) > 0; {
		some := own[:min(touched, len(own))]
		own = own[len(some):]
		for i, at := range some {
			fps[i] = b.fps[at]
		}
		visited.touch(fps[:len(some)])
		for i, at := range some {
			if exact {
				state = b.state(at)
			}
			b.fresh[at] = visited.insert(fps[i], state)
		}
	}
}
