package checker

import (
	"bufio"
	"cmp"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
)

// candidate is a successor that may be new: its place in the order in which candidates were met, and what it is.
type candidate struct {
	fp, order uint64
	link      link
	state     []byte
}

func byFingerprint(a, b *candidate) int {
	if c := cmp.Compare(a.fp, b.fp); c != 0 {
		return c
	}
	return cmp.Compare(a.order, b.order)
}

func byOrder(a, b *candidate) int { return cmp.Compare(a.order, b.order) }

// candidateBytes is what a candidate takes in memory beside its state.
const candidateBytes = 48

// sorter sorts more candidates than fit into its room: what is full is sorted and written to a file, and the files are merged.
type sorter struct {
	store   *store
	prefix  string
	room    int
	compare func(a, b *candidate) int

	held  []candidate
	arena []byte
	// taken is how much of the room is.
	taken int
	files []string
}

func (s *sorter) add(c candidate) error {
	if s.taken+len(c.state)+candidateBytes > s.room && len(s.held) > 0 {
		if err := s.flush(); err != nil {
			return err
		}
	}
	if cap(s.arena)-len(s.arena) < len(c.state) {
		s.arena = make([]byte, 0, max(2*cap(s.arena), len(c.state), 1<<12)) // what is held keeps the old one
	}
	start := len(s.arena)
	s.arena = append(s.arena, c.state...)
	c.state = s.arena[start:]
	s.held = append(s.held, c)
	s.taken += len(c.state) + candidateBytes
	return nil
}

func (s *sorter) sort() {
	slices.SortFunc(s.held, func(a, b candidate) int { return s.compare(&a, &b) })
}

func (s *sorter) flush() error {
	s.sort()
	name := fmt.Sprintf("%s%06d", s.prefix, len(s.files))
	_, err := s.store.writeTemporary(name, func(w *bufio.Writer) error {
		for i := range s.held {
			if err := s.held[i].write(w); err != nil {
				return err
			}
		}
		return nil
	})
	s.files = append(s.files, name)
	s.held, s.arena, s.taken = s.held[:0], s.arena[:0], 0
	return err
}

func (c *candidate) write(w *bufio.Writer) error {
	var b [24 + binary.MaxVarintLen64]byte
	binary.LittleEndian.PutUint64(b[:], c.fp)
	binary.LittleEndian.PutUint64(b[8:], c.order)
	binary.LittleEndian.PutUint64(b[16:], uint64(c.link))
	w.Write(b[:24+binary.PutUvarint(b[24:], uint64(len(c.state)))]) // a Writer keeps its error
	_, err := w.Write(c.state)
	return err
}

// read gives io.EOF at the end.
func (c *candidate) read(r *bufio.Reader) error {
	var b [24]byte
	if _, err := io.ReadFull(r, b[:]); err != nil {
		return err
	}
	c.fp, c.order = binary.LittleEndian.Uint64(b[:]), binary.LittleEndian.Uint64(b[8:])
	c.link = link(binary.LittleEndian.Uint64(b[16:]))
	n, err := binary.ReadUvarint(r)
	if err != nil {
		return err
	}
	c.state = slices.Grow(c.state[:0], int(n))[:n]
	_, err = io.ReadFull(r, c.state)
	return err
}

// sortedFile is a file being merged, and its first candidate that is not yet used.
type sortedFile struct {
	file *os.File
	r    *bufio.Reader
	head candidate
}

// each visits all in order and leaves the sorter empty. A candidate is valid during the call only.
func (s *sorter) each(visit func(c *candidate) error) error {
	if len(s.files) == 0 {
		s.sort()
		for i := range s.held {
			if err := visit(&s.held[i]); err != nil {
				return err
			}
		}
		s.held, s.arena, s.taken = s.held[:0], s.arena[:0], 0
		return nil
	}
	err := s.flush()
	s.held, s.arena = nil, nil // their room is for the buffers now
	var heap []*sortedFile
	defer func() {
		for _, f := range heap {
			f.file.Close()
		}
		for _, name := range s.files {
			os.Remove(s.store.path(name))
		}
		s.files = s.files[:0]
	}()
	if err != nil {
		return err
	}
	size := max(1<<12, min(1<<18, s.room/len(s.files)))
	for _, name := range s.files {
		file, err := os.Open(s.store.path(name))
		if err != nil {
			return err
		}
		f := &sortedFile{file: file, r: bufio.NewReaderSize(file, size)}
		heap = append(heap, f)
		if err := f.head.read(f.r); err != nil {
			return err
		}
	}
	for i := len(heap)/2 - 1; i >= 0; i-- {
		s.sink(heap, i)
	}
	for len(heap) > 0 {
		first := heap[0]
		if err := visit(&first.head); err != nil {
			return err
		}
		err := first.head.read(first.r)
		if errors.Is(err, io.EOF) {
			first.file.Close()
			heap[0] = heap[len(heap)-1]
			heap = heap[:len(heap)-1]
		} else if err != nil {
			return err
		}
		s.sink(heap, 0)
	}
	return nil
}

// sink puts an element of a heap in its place below.
func (s *sorter) sink(heap []*sortedFile, i int) {
	for {
		least := i
		for c := 2*i + 1; c <= 2*i+2 && c < len(heap); c++ {
			if s.compare(&heap[c].head, &heap[least].head) < 0 {
				least = c
			}
		}
		if least == i {
			return
		}
		heap[i], heap[least] = heap[least], heap[i]
		i = least
	}
}
