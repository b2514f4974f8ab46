package checker

import "slices"

// batch is what the expansion of one chunk gave: the tally, and the successors that may be new.
type batch struct {
	tally tally
	fps   []uint64
	links []link
	ends  []int
	bytes []byte
	// fresh says, once shares of the batch are entered, which of the successors were new.
	fresh []bool
}

func (b *batch) reset() {
	b.tally.reset()
	b.fps, b.links, b.ends, b.bytes = b.fps[:0], b.links[:0], b.ends[:0], b.bytes[:0]
}

func (b *batch) add(fp uint64, k link, state []byte) {
	b.fps = append(b.fps, fp)
	b.links = append(b.links, k)
	b.bytes = append(b.bytes, state...)
	b.ends = append(b.ends, len(b.bytes))
}

// expansion is the batch that a worker fills, one chunk after another, in memory that its cache holds. Most of the successors
// are known states.
type expansion struct {
	batch
	// seen drops most of the successors that the chunk gives twice. It is a cache: what it forgets is caught when the batch
	// is entered.
	seen [1 << seenBits]uint64
}

const seenBits = 11

func (x *expansion) reset() {
	x.batch.reset()
	clear(x.seen[:])
}

func (x *expansion) add(fp uint64, k link, state []byte) {
	cached := &x.seen[fp%(1<<seenBits)]
	if *cached == fp {
		return
	}
	*cached = fp
	x.batch.add(fp, k, state)
}

// filter makes a batch of the successors that a set does not hold.
func (x *expansion) filter(visited *table, to *batch) {
	to.reset()
	to.tally, x.tally = x.tally, to.tally
	start := 0
	for i, fp := range x.fps {
		if i%touched == 0 {
			visited.touch(x.fps[i:min(i+touched, len(x.fps))])
		}
		if !visited.has(fp) {
			to.add(fp, x.links[i], x.bytes[start:x.ends[i]])
		}
		start = x.ends[i]
	}
	to.fresh = slices.Grow(to.fresh[:0], len(to.fps))[:len(to.fps)]
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
