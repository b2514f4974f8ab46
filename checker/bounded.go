package checker

import (
	"bufio"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math/bits"
	"os"
	"runtime/debug"
	"slices"
	"sync/atomic"
)

// The files of a search in bounded memory. They are of no use once the process is gone.
const (
	visitedFile    = "visited"
	candidatesFile = "candidates"
	pendingFile    = "pending"
	levelFile      = "level"
	linksFile      = "links"
)

var boundedFiles = []string{visitedFile, candidatesFile, pendingFile, levelFile + "0", levelFile + "1", linksFile}

// LeastMemory is the least that Options.Memory can be, in bytes: with less, what does not depend on the number of states takes most.
const LeastMemory = 128 << 20

const (
	// slotBytes is what the table takes for a fingerprint.
	slotBytes = 13
	// candidateBytes is a fingerprint and the place in the order of candidates.
	candidateBytes = 16
	mostBlockBytes = 1 << 16
)

// bounded is the visited set of a search whose memory is bounded: delayed detection of duplicates, a level at a time.
//
// As long as all fingerprints fit, the table is the visited set as ever. After that the set is in a file, and the table is a
// cache of fingerprints that were met: what it holds is known, what it does not hold is a candidate. Candidates go to two files:
// their fingerprints by parts, as the visited set is, and their states in the order in which they were met. At the end of a level
// the candidates of each part are put into a small table, the visited set of the part is read past it, and what is left is new, of
// several of one fingerprint the first. The states are then read once more in their order, and those that are new get the numbers
// and links that they have without the bound.
//
// Nothing is sorted, nothing is written twice, parts are independent of each other and so are the workers'. What it costs is a
// pass over the visited set for each level, 8 bytes a state: it suits models whose levels are wide, and those that outgrow memory
// are.
type bounded struct {
	store *store
	// active says that the set is in a file.
	active bool
	// restoring says that a checkpoint is being read, whose fingerprints are not in the file.
	restoring bool
	// cached is how many fingerprints the table holds, most how many it may.
	cached, most int
	visited      parted
	candidates   parted
	pending      *os.File
	states       *bufio.Writer
	// met counts the candidates of the level.
	met   uint64
	limit int64
}

var errInterrupted = errors.New("checker: interrupted")

// bound has the search keep to an amount of memory: three quarters for the table and, as large, the sets of states within reach
// of goals, the rest for everything else.
func (s *search[S, A]) bound(st *store) error {
	o := &s.options
	switch {
	case o.Memory < LeastMemory:
		return fmt.Errorf("checker: expected Memory of at least %d MiB, got %d bytes", LeastMemory>>20, o.Memory)
	case o.MaxStates != 0:
		return errors.New("checker: expected Memory without MaxStates: states are counted a level at a time; MaxDepth bounds it")
	}
	b := &bounded{store: st, most: int(o.Memory) / 4 * 3 / slotBytes / (1 + len(s.good))}
	block := min(mostBlockBytes, 1<<bits.Len64(uint64(o.Memory>>15)))
	if o.held > 0 {
		b.most, block = o.held, 4*candidateBytes
	}
	for _, g := range s.good {
		g.most = b.most
	}
	// Tables are not memory of the runtime's.
	b.limit = debug.SetMemoryLimit(o.Memory / 4)
	s.bounded = b
	var err error
	create := func(name string) *os.File {
		file, e := os.Create(st.path(name))
		err = errors.Join(err, e)
		return file
	}
	b.visited = parted{file: create(visitedFile), block: block}
	b.candidates = parted{file: create(candidatesFile), block: block}
	b.pending = create(pendingFile)
	b.states = bufio.NewWriterSize(b.pending, mostBlockBytes)
	s.level.file, s.next.file = create(levelFile+"0"), create(levelFile+"1")
	s.links.file = create(linksFile)
	if err != nil {
		return st.unwritten(err)
	}
	return nil
}

// close removes the files and puts back what the process had as its limit.
func (b *bounded) close(files ...*os.File) {
	for _, f := range append(files, b.visited.file, b.candidates.file, b.pending) {
		f.Close() // a nil *os.File gives an error
	}
	debug.SetMemoryLimit(b.limit)
	b.store.removeBounded()
}

func (s *store) removeBounded() {
	for _, name := range boundedFiles {
		os.Remove(s.path(name)) // what cannot be removed only takes room
	}
}

// meet takes a successor that the table did not hold. It reports whether that is certain to be new.
func (s *search[S, A]) meet(fp uint64, k link, state []byte) bool {
	b := s.bounded
	if b == nil {
		return true
	}
	b.cached++
	if !b.active {
		return true
	}
	if err := b.add(fp, k, state); err != nil {
		s.fail(b.outOfRoom(err))
	}
	return false
}

func (b *bounded) add(fp uint64, k link, state []byte) error {
	var r [max(candidateBytes, 8+binary.MaxVarintLen64)]byte
	binary.LittleEndian.PutUint64(r[:], uint64(k))
	b.states.Write(r[:8+binary.PutUvarint(r[8:], uint64(len(state)))]) // a Writer keeps its error
	if _, err := b.states.Write(state); err != nil {
		return err
	}
	binary.LittleEndian.PutUint64(r[:], fp)
	binary.LittleEndian.PutUint64(r[8:], b.met)
	b.met++
	return b.candidates.add(partOf(fp), r[:candidateBytes])
}

func (b *bounded) outOfRoom(err error) error {
	return fmt.Errorf("checker: what does not fit into memory, in %s: %w: make room there and resume", b.store.dir, err)
}

// relieve empties the table when it is full, into the file if its fingerprints are not there. It is for moments when all that was
// put into the table has been met.
func (s *search[S, A]) relieve() {
	b := s.bounded
	if b == nil || b.cached < b.most {
		return
	}
	if !b.active || b.restoring {
		b.active = true
		s.spill()
	}
	s.visited.clear()
	b.cached = 0
}

// spill writes the table to the file.
func (s *search[S, A]) spill() {
	b := s.bounded
	s.parallel(shards, nil, func(_ *worker[S, A], shard int) { // whose fingerprints are those of parts that are no other's
		for _, fp := range s.visited.shards[shard].slots {
			if fp == 0 {
				continue
			}
			if err := b.know(fp); err != nil {
				s.fail(b.outOfRoom(err))
				return
			}
		}
	})
}

// know puts a fingerprint into the visited set that is in the file.
func (b *bounded) know(fp uint64) error {
	var r [8]byte
	binary.LittleEndian.PutUint64(r[:], fp)
	return b.visited.add(partOf(fp), r[:])
}

// resolve enters the candidates of a level that are new, unless the level is taken back.
func (s *search[S, A]) resolve() {
	b := s.bounded
	if b == nil || s.failure.err != nil || s.interrupted.Load() || s.fallen.Load() {
		return
	}
	if b.met > 0 {
		fresh := make([]uint64, (b.met+63)/64)
		s.parallel(parts, nil, func(w *worker[S, A], part int) {
			if err := s.settle(part, &w.candidates, fresh); err != nil {
				s.fail(b.outOfRoom(err))
			}
		})
		if s.failure.err == nil && !s.interrupted.Load() {
			if err := s.enterFresh(fresh); err != nil {
				s.fail(b.outOfRoom(err))
			}
		}
	}
	if err := errors.Join(s.next.err, s.links.err); err != nil {
		s.fail(b.outOfRoom(err))
	}
	// The next level is better met with room than with what is known of those before: what is met in it is met more than once.
	if b.active && b.cached+2*int(s.next.states) > b.most {
		s.visited.clear()
		b.cached = 0
	}
}

// settle marks the candidates of a part that are new by their place in the order of candidates.
func (s *search[S, A]) settle(part int, known *candidates, fresh []uint64) error {
	b := s.bounded
	count := b.candidates.bytes(part) / candidateBytes
	if count == 0 {
		return nil
	}
	known.reset(count)
	buffer := known.buffer(b.visited.block)
	err := b.candidates.each(part, buffer, func(records []byte) error {
		for ; len(records) > 0; records = records[candidateBytes:] {
			known.add(binary.LittleEndian.Uint64(records), binary.LittleEndian.Uint64(records[8:]))
		}
		return nil
	})
	if err != nil {
		return err
	}
	err = b.visited.each(part, buffer, func(records []byte) error {
		if s.interrupted.Load() {
			return errInterrupted
		}
		known.drop(records)
		return nil
	})
	if errors.Is(err, errInterrupted) {
		return nil // nothing is marked, and the search ends
	}
	if err != nil {
		return err
	}
	return known.each(func(fp, order uint64) error {
		atomic.OrUint64(&fresh[order/64], 1<<(order%64))
		return b.know(fp)
	})
}

// enterFresh reads the states of the candidates again, and enters those that are marked.
func (s *search[S, A]) enterFresh(fresh []uint64) error {
	b := s.bounded
	err := b.states.Flush()
	if err == nil {
		_, err = b.pending.Seek(0, io.SeekStart)
	}
	if err != nil {
		return err
	}
	r := bufio.NewReaderSize(b.pending, mostBlockBytes)
	var head [8]byte
	var state []byte
	for i := range b.met {
		if i%(1<<16) == 0 && s.interrupted.Load() {
			return nil
		}
		if _, err := io.ReadFull(r, head[:]); err != nil {
			return err
		}
		n, err := binary.ReadUvarint(r)
		if err != nil {
			return err
		}
		if fresh[i/64]&(1<<(i%64)) == 0 {
			if _, err := r.Discard(int(n)); err != nil {
				return err
			}
			continue
		}
		state = slices.Grow(state[:0], int(n))[:n]
		if _, err := io.ReadFull(r, state); err != nil {
			return err
		}
		s.number(fingerprint(state), link(binary.LittleEndian.Uint64(head[:])), state)
	}
	b.met = 0
	_, err = b.pending.Seek(0, io.SeekStart)
	b.states.Reset(b.pending)
	return errors.Join(err, b.pending.Truncate(0), b.candidates.empty())
}

// candidates are those of a part: for each fingerprint the first place in the order.
type candidates struct {
	slots []candidate // none where fp is 0
	bytes []byte
}

type candidate struct{ fp, order uint64 }

// reset makes room for a number of candidates.
func (c *candidates) reset(count int) {
	n := count + count/2 + 1
	c.slots = slices.Grow(c.slots[:0], n)[:n]
	clear(c.slots)
}

func (c *candidates) buffer(size int) []byte {
	c.bytes = slices.Grow(c.bytes[:0], size)[:size]
	return c.bytes
}

// find gives the slot of a fingerprint, or the free one where it belongs.
func (c *candidates) find(fp uint64) *candidate {
	at, _ := bits.Mul64(fp<<8, uint64(len(c.slots))) // the highest bits are those of the part
	for {
		slot := &c.slots[at]
		if slot.fp == fp || slot.fp == 0 {
			return slot
		}
		if at++; at == uint64(len(c.slots)) {
			at = 0
		}
	}
}

func (c *candidates) add(fp, order uint64) {
	if slot := c.find(fp); slot.fp == 0 {
		*slot = candidate{fp, order}
	}
}

// dropped is the order of a candidate that is known.
const dropped = ^uint64(0)

// drop takes out fingerprints that are known.
func (c *candidates) drop(records []byte) {
	for ; len(records) > 0; records = records[8:] {
		if slot := c.find(binary.LittleEndian.Uint64(records)); slot.fp != 0 {
			slot.order = dropped
		}
	}
}

// each visits those that are left.
func (c *candidates) each(visit func(fp, order uint64) error) error {
	for _, slot := range c.slots {
		if slot.fp == 0 || slot.order == dropped {
			continue
		}
		if err := visit(slot.fp, slot.order); err != nil {
			return err
		}
	}
	return nil
}
