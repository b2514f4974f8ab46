package checker

import (
	"bufio"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"os"
	"runtime/debug"
	"slices"
)

// The files of a search in bounded memory. They are of no use once the process is gone.
const (
	visitedPrefix   = "visited-"
	candidatePrefix = "candidates-"
	freshPrefix     = "fresh-"
	levelPrefix     = "level-"
)

// leastMemory is the least that a search can be bounded to.
const leastMemory = 1 << 20

// leastLimit is the least that the runtime is told to keep to: below that it would do nothing but collect.
const leastLimit = 64 << 20

// mostRuns is how many runs there are before they are merged to one.
const mostRuns = 16

// bounded is the visited set of a search whose memory is bounded: delayed detection of duplicates, a level at a time.
//
// As long as all fingerprints fit, the table is the visited set as ever. After that the set is in files, as sorted runs, and
// the table is a cache of fingerprints that were met: what it holds is known, what it does not hold is a candidate. At the end
// of a level the candidates, sorted by fingerprint, are merged with the runs in one pass over both. Those that are new are
// sorted by the order in which they were met, of several of one fingerprint the first, so that states get the numbers and links
// that they have without the bound. A pass over the runs reads 8 bytes a state and level, in order, which a disk does well;
// looking up each candidate would not be.
type bounded struct {
	store *store
	// active says that the set is in files.
	active bool
	// restoring says that a checkpoint is being read, whose fingerprints are in no run.
	restoring bool
	// cached is how many fingerprints the table holds, most how many it may.
	cached, most int
	runs         []string
	named        int
	candidates   sorter
	fresh        sorter
	met          uint64
	limit        int64
	interrupted  func() bool
}

// errInterrupted ends the work at the end of a level.
var errInterrupted = errors.New("checker: interrupted")

// newBounded shares out memory: half for the table, a sixteenth for the candidates and for those of them that are new, of which
// slices take twice as much while they grow.
func newBounded(st *store, memory int64) *bounded {
	b := &bounded{store: st, most: int(memory / 2 / 16)}
	room := int(memory / 16)
	b.candidates = sorter{store: st, prefix: candidatePrefix, room: room, compare: byFingerprint}
	b.fresh = sorter{store: st, prefix: freshPrefix, room: room, compare: byOrder}
	b.clean()
	// The table is not memory of the runtime's.
	b.limit = debug.SetMemoryLimit(max(memory/2, leastLimit))
	return b
}

// close removes the files and puts back what the process had as its limit.
func (b *bounded) close(levels ...*frontier) {
	for _, f := range levels {
		if f.file != nil {
			f.file.Close()
		}
	}
	debug.SetMemoryLimit(b.limit)
	b.clean()
}

func (b *bounded) clean() {
	for _, prefix := range []string{visitedPrefix, candidatePrefix, freshPrefix, levelPrefix} {
		b.store.keepOnly(prefix, func(string) bool { return false })
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
	if err := b.candidates.add(candidate{fp, b.met, k, state}); err != nil {
		s.fail(err)
	}
	b.met++
	return false
}

// relieve empties the table when it is full, into a run if its fingerprints are in none. It is for moments when all that was put
// into the table has been met.
func (s *search[S, A]) relieve() {
	b := s.bounded
	if b == nil || b.cached < b.most {
		return
	}
	if !b.active || b.restoring {
		if err := b.spill(s.visited); err != nil {
			s.fail(err)
		}
	}
	s.visited.free()
	s.visited, b.cached = newTable(), 0
}

// spill writes the table as a run.
func (b *bounded) spill(t *table) error {
	b.active = true
	return b.addRun(func(w *bufio.Writer) error {
		var fps []uint64
		for i := range t.shards { // shards are in the order of the highest bits
			fps = fps[:0]
			for _, fp := range t.shards[i].slots {
				if fp != 0 {
					fps = append(fps, fp)
				}
			}
			slices.Sort(fps)
			for _, fp := range fps {
				if err := writeFingerprint(w, fp); err != nil {
					return err
				}
			}
		}
		return nil
	})
}

func writeFingerprint(w *bufio.Writer, fp uint64) error {
	var b [8]byte
	binary.LittleEndian.PutUint64(b[:], fp)
	_, err := w.Write(b[:])
	return err
}

func (b *bounded) addRun(contents func(w *bufio.Writer) error) error {
	name := fmt.Sprintf("%s%06d", visitedPrefix, b.named)
	b.named++
	_, err := b.store.writeTemporary(name, contents)
	b.runs = append(b.runs, name)
	return err
}

// runReader walks a run.
type runReader struct {
	file *os.File
	r    *bufio.Reader
	fp   uint64
	end  bool
}

func (r *runReader) next() error {
	var b [8]byte
	_, err := io.ReadFull(r.r, b[:])
	if errors.Is(err, io.EOF) {
		r.end = true
		return nil
	}
	r.fp = binary.LittleEndian.Uint64(b[:])
	return err
}

// visitedRuns walks all runs at once.
type visitedRuns []*runReader

func (b *bounded) open() (visitedRuns, error) {
	var runs visitedRuns
	for _, name := range b.runs {
		file, err := os.Open(b.store.path(name))
		if err != nil {
			return runs, err
		}
		r := &runReader{file: file, r: bufio.NewReaderSize(file, 1<<16)}
		runs = append(runs, r)
		if err := r.next(); err != nil {
			return runs, err
		}
	}
	return runs, nil
}

func (v visitedRuns) close() {
	for _, r := range v {
		r.file.Close()
	}
}

// has looks for fingerprints that are asked for in order.
func (v visitedRuns) has(fp uint64) (bool, error) {
	found := false
	for _, r := range v {
		for !r.end && r.fp < fp {
			if err := r.next(); err != nil {
				return false, err
			}
		}
		found = found || !r.end && r.fp == fp
	}
	return found, nil
}

// resolve enters the candidates of a level that are new.
func (s *search[S, A]) resolve() {
	b := s.bounded
	if b == nil || s.failure.err != nil || s.interrupted.Load() {
		return
	}
	err := b.settle(func(c *candidate) {
		s.links.append(c.link)
		s.next.append(c.state)
	})
	if err == nil {
		err = s.next.err
	}
	if err != nil && !errors.Is(err, errInterrupted) {
		s.fail(fmt.Errorf("checker: files in %s: %w", b.store.dir, err))
	}
}

func (b *bounded) settle(enter func(c *candidate)) error {
	if !b.active {
		return nil
	}
	visited, err := b.open()
	defer visited.close()
	if err != nil {
		return err
	}
	err = b.addRun(func(w *bufio.Writer) error {
		last := uint64(0) // which is no fingerprint
		return b.candidates.each(func(c *candidate) error {
			if b.interrupted() {
				return errInterrupted
			}
			if c.fp == last {
				return nil
			}
			last = c.fp
			if known, err := visited.has(c.fp); known || err != nil {
				return err
			}
			return errors.Join(writeFingerprint(w, c.fp), b.fresh.add(*c))
		})
	})
	if err != nil {
		return err
	}
	err = b.fresh.each(func(c *candidate) error {
		if b.interrupted() {
			return errInterrupted
		}
		enter(c)
		return nil
	})
	if err != nil || len(b.runs) < mostRuns {
		return err
	}
	return b.mergeRuns()
}

// mergeRuns makes one run of all. No fingerprint is in two.
func (b *bounded) mergeRuns() error {
	visited, err := b.open()
	defer visited.close()
	if err != nil {
		return err
	}
	merged := b.runs
	b.runs = nil
	err = b.addRun(func(w *bufio.Writer) error {
		for {
			var least *runReader
			for _, r := range visited {
				if !r.end && (least == nil || r.fp < least.fp) {
					least = r
				}
			}
			if least == nil {
				return nil
			}
			if err := errors.Join(writeFingerprint(w, least.fp), least.next()); err != nil {
				return err
			}
		}
	})
	for _, name := range merged {
		err = errors.Join(err, os.Remove(b.store.path(name)))
	}
	return err
}

// bound has the search keep to an amount of memory.
func (s *search[S, A]) bound(st *store) error {
	o := &s.options
	switch {
	case o.Memory < leastMemory:
		return fmt.Errorf("checker: expected Memory of at least %d bytes, got %d", leastMemory, o.Memory)
	case o.MaxStates != 0:
		return errors.New("checker: expected Memory without MaxStates: states are counted a level at a time; MaxDepth bounds it")
	}
	s.bounded = newBounded(st, o.Memory)
	s.bounded.interrupted = s.interrupted.Load
	if b := s.bounded; o.held > 0 {
		b.most, b.candidates.room, b.fresh.room = o.held, o.held*candidateBytes, o.held*candidateBytes
	}
	for i, f := range []*frontier{s.level, s.next} {
		file, err := os.Create(st.path(fmt.Sprintf("%s%d", levelPrefix, i)))
		if err != nil {
			return st.unwritten(err)
		}
		f.file = file
	}
	return nil
}
