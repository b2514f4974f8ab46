package checker

import (
	"encoding/binary"
	"os"
)

const (
	// chunkStates is the number of states that a worker takes at a time, and the grain at which a search stops.
	chunkStates = 128
	blockBytes  = 1 << 18
)

// frontier is one level of the search: encoded states in the order of their numbers, each behind its length. They lie in
// blocks that are returned to a pool as the level is used up, so that a level and the next take little more than the larger of
// the two.
type frontier struct {
	pool   *blockPool
	blocks [][]byte
	starts []position
	states uint64
	// file, if not nil, takes the blocks that are full, sizes their lengths; err is the first error of writing it.
	file  *os.File
	sizes []uint32
	err   error
}

// position is where a chunk of states starts.
type position struct {
	block, offset uint32
}

// blockPool keeps blocks of the usual size for reuse.
type blockPool struct {
	free [][]byte
}

func (p *blockPool) get(size int) []byte {
	if size > blockBytes {
		return make([]byte, 0, size)
	}
	if n := len(p.free); n > 0 {
		b := p.free[n-1]
		p.free = p.free[:n-1]
		return b[:0]
	}
	return make([]byte, 0, blockBytes)
}

func (p *blockPool) put(b []byte) {
	if cap(b) == blockBytes {
		p.free = append(p.free, b)
	}
}

func (f *frontier) append(b []byte) {
	room := len(b) + binary.MaxVarintLen64
	last := len(f.blocks) - 1
	if last < 0 || cap(f.blocks[last])-len(f.blocks[last]) < room {
		f.spill()
		f.blocks = append(f.blocks, f.pool.get(room))
		last++
	}
	block := f.blocks[last]
	if f.states%chunkStates == 0 {
		f.starts = append(f.starts, position{uint32(last), uint32(len(block))})
	}
	block = binary.AppendUvarint(block, uint64(len(b)))
	f.blocks[last] = append(block, b...)
	f.states++
}

func (f *frontier) chunks() int {
	return len(f.starts)
}

// chunkLen is the number of states in a chunk; only the last chunk may be short.
func (f *frontier) chunkLen(chunk int) int {
	return int(min(chunkStates, f.states-uint64(chunk)*chunkStates))
}

// reader walks the states of one chunk.
type reader struct {
	frontier *frontier
	block    []byte
	number   uint32
	chunk    int
}

func (f *frontier) reader(chunk int) reader {
	p := f.starts[chunk]
	return reader{f, f.part(p.block, p.offset, chunk), p.block, chunk}
}

func (r *reader) next() []byte {
	for len(r.block) == 0 {
		r.number++
		r.block = r.frontier.part(r.number, 0, r.chunk)
	}
	n, w := binary.Uvarint(r.block)
	b := r.block[w : w+int(n)]
	r.block = r.block[w+int(n):]
	return b
}

// walk gives all states in order, one each time it is called.
func (f *frontier) walk() func() []byte {
	var r reader
	next, left := 0, 0
	return func() []byte {
		if left == 0 {
			r, left = f.reader(next), f.chunkLen(next)
			next++
		}
		left--
		return r.next()
	}
}

// release gives back the blocks that lie wholly before a chunk.
func (f *frontier) release(chunk int) {
	end := len(f.blocks)
	if chunk < len(f.starts) {
		end = int(f.starts[chunk].block)
	}
	for i := end - 1; i >= 0 && f.blocks[i] != nil; i-- {
		f.pool.put(f.blocks[i])
		f.blocks[i] = nil
	}
}

// reset empties a level whose blocks were all released.
func (f *frontier) reset() {
	f.release(len(f.starts))
	f.blocks = f.blocks[:0]
	f.starts = f.starts[:0]
	f.states = 0
	f.emptyFile()
}
