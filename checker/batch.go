package checker

import "slices"

// batch is what the expansion of one chunk gave: the tally, and the successors, most of which are known states.
type batch struct {
	tally tally
	fps   []uint64
	links []link
	ends  []int
	bytes []byte
	// fresh says, once shares of the batch are entered, which of the successors were new.
	fresh []bool
	// seen drops most of the successors that the chunk gives twice. It is a cache: what it forgets is caught when the batch
	// is entered.
	seen [1 << seenBits]uint64
}

const seenBits = 11

func (b *batch) reset() {
	b.tally.reset()
	b.fps, b.links, b.ends, b.bytes = b.fps[:0], b.links[:0], b.ends[:0], b.bytes[:0]
	clear(b.seen[:])
}

func (b *batch) add(fp uint64, k link, state []byte) {
	cached := &b.seen[fp%(1<<seenBits)]
	if *cached == fp {
		return
	}
	*cached = fp
	b.fps = append(b.fps, fp)
	b.links = append(b.links, k)
	b.bytes = append(b.bytes, state...)
	b.ends = append(b.ends, len(b.bytes))
}

// filter leaves only the successors that a set does not hold.
func (b *batch) filter(visited *table) {
	kept, start, size := 0, 0, 0
	for i, fp := range b.fps {
		if i%touched == 0 {
			visited.touch(b.fps[i:min(i+touched, len(b.fps))])
		}
		end := b.ends[i]
		if !visited.has(fp) {
			b.fps[kept], b.links[kept] = fp, b.links[i]
			size += copy(b.bytes[size:], b.bytes[start:end])
			b.ends[kept] = size
			kept++
		}
		start = end
	}
	b.fps, b.links, b.ends, b.bytes = b.fps[:kept], b.links[:kept], b.ends[:kept], b.bytes[:size]
	b.fresh = slices.Grow(b.fresh[:0], kept)[:kept]
}

// enter inserts the successors that belong to one of several shares of the set's shards, and notes which were new. Several
// workers do so at once, each with its own share: a fingerprint is new or not by the order of the batches alone.
func (b *batch) enter(visited *table, share, shares int) {
	var at [touched]int
	var fps [touched]uint64
	n := 0
	insert := func() {
		visited.touch(fps[:n])
		for i, fp := range fps[:n] {
			b.fresh[at[i]] = visited.insert(fp)
		}
		n = 0
	}
	for i, fp := range b.fps {
		if shardOf(fp)%shares != share {
			continue
		}
		at[n], fps[n] = i, fp
		if n++; n == touched {
			insert()
		}
	}
	insert()
}
