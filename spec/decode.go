package spec

import (
	"encoding/binary"
	"fmt"
)

// maxParts bounds the number of parts a damaged encoding can claim.
const maxParts = 1 << 16

// grow returns s with length n, reusing its memory and keeping the elements' own slices.
func grow[T any](s []T, n int64) []T {
	if int64(cap(s)) >= n {
		return s[:n]
	}
	next := make([]T, n)
	copy(next, s[:cap(s)])
	return next
}

// Read reads what Append wrote into s, reusing its memory, and returns the rest of b.
func (s *State) Read(b []byte) (rest []byte, err error) {
	var h [9]int64
	if b, err = ReadFields(b, h[:]); err != nil {
		return nil, err
	}
	for _, n := range h[4:] {
		if n < 0 || n > maxParts {
			return nil, fmt.Errorf("%w: %d parts", errShort, n)
		}
	}
	s.Allocator = Allocator{Next: h[0], Ready: h[1] != 0}
	c := &s.Coordinator
	c.Epoch, c.Up = int32(h[2]), h[3] != 0
	c.Txns, s.Leaders, s.Inbox, s.Net, s.Answers = grow(c.Txns, h[4]), grow(s.Leaders, h[5]), grow(s.Inbox, h[6]), grow(s.Net, h[7]), grow(s.Answers, h[8])
	for i := range c.Txns {
		if b, err = c.Txns[i].read(b); err != nil {
			return nil, err
		}
	}
	for i := range s.Leaders {
		if b, err = s.Leaders[i].read(b); err != nil {
			return nil, err
		}
	}
	for i := range s.Inbox {
		conn, n := binary.Uvarint(b)
		if n <= 0 {
			return nil, errShort
		}
		s.Inbox[i].Conn = Conn(conn)
		if b, err = s.Inbox[i].Request.Read(b[n:]); err != nil {
			return nil, err
		}
	}
	for i := range s.Net {
		var f [14]int64
		if b, err = ReadFields(b, f[:]); err != nil {
			return nil, err
		}
		s.Net[i].set(&f)
	}
	for i := range s.Answers {
		var f [9]int64
		if b, err = ReadFields(b, f[:]); err != nil {
			return nil, err
		}
		s.Answers[i].set(&f)
	}
	return b, nil
}

func (t *Txn) read(b []byte) (rest []byte, err error) {
	if len(b) == 0 {
		return nil, errShort
	}
	flags := b[0]
	b = b[1:]
	t.Known = flags&1 != 0
	t.Memory, t.Pending = Metadata{}, Pending{}
	if flags&2 != 0 {
		if b, err = t.Memory.read(b); err != nil {
			return nil, err
		}
	}
	if flags&4 != 0 {
		var f [9]int64
		if b, err = ReadFields(b, f[:]); err != nil {
			return nil, err
		}
		t.Pending.set(&f)
	}
	if flags&8 != 0 {
		if b, err = t.Pending.Next.read(b); err != nil {
			return nil, err
		}
	}
	n, used := binary.Uvarint(b)
	if used <= 0 || n > maxParts {
		return nil, errShort
	}
	b = b[used:]
	t.Log = grow(t.Log, int64(n))
	for i := range t.Log {
		if b, err = t.Log[i].read(b); err != nil {
			return nil, err
		}
	}
	return b, nil
}

func (m *Metadata) read(b []byte) ([]byte, error) {
	var f [10]int64
	b, err := ReadFields(b, f[:])
	m.set(&f)
	return b, err
}

func (l *Leader) read(b []byte) (rest []byte, err error) {
	var h [5]int64
	if b, err = ReadFields(b, h[:]); err != nil {
		return nil, err
	}
	for _, n := range h {
		if n < 0 || n > maxParts {
			return nil, errShort
		}
	}
	l.Log, l.Producers, l.Verifications, l.Waiting, l.Aborted = grow(l.Log, h[0]), grow(l.Producers, h[1]), grow(l.Verifications, h[2]), grow(l.Waiting, h[3]), grow(l.Aborted, h[4])
	for i := range l.Log {
		var f [9]int64
		if b, err = ReadFields(b, f[:]); err != nil {
			return nil, err
		}
		l.Log[i].set(&f)
	}
	for i := range l.Producers {
		if b, err = l.Producers[i].read(b); err != nil {
			return nil, err
		}
	}
	for i := range l.Verifications {
		var f [4]int64
		if b, err = ReadFields(b, f[:]); err != nil {
			return nil, err
		}
		l.Verifications[i].set(&f)
	}
	for i := range l.Waiting {
		w := &l.Waiting[i]
		if len(b) == 0 {
			return nil, errShort
		}
		w.Slot, w.Guard = b[0]>>1, b[0]&1 != 0
		conn, n := binary.Uvarint(b[1:])
		if n <= 0 {
			return nil, errShort
		}
		w.Conn = Conn(conn)
		if b, err = w.Request.Read(b[1+n:]); err != nil {
			return nil, err
		}
	}
	for i := range l.Aborted {
		var f [4]int64
		if b, err = ReadFields(b, f[:]); err != nil {
			return nil, err
		}
		l.Aborted[i] = Aborted{ProducerID: f[0], First: f[1], Last: f[2], LastStable: f[3]}
	}
	return b, nil
}

func (p *Producer) read(b []byte) (rest []byte, err error) {
	var f [6]int64
	if b, err = ReadFields(b, f[:]); err != nil {
		return nil, err
	}
	if f[5] < 0 || f[5] > CachedBatches {
		return nil, errShort
	}
	*p = Producer{ID: f[0], Epoch: int16(f[1]), CoordinatorEpoch: int32(f[2]), Open: f[3], Number: uint16(f[4]), Cached: int8(f[5])}
	for i := range p.Batches[:p.Cached] {
		var c [3]int64
		if b, err = ReadFields(b, c[:]); err != nil {
			return nil, err
		}
		p.Batches[i] = CachedBatch{First: int32(c[0]), Last: int32(c[1]), Offset: c[2]}
	}
	return b, nil
}

// Copy makes s a deep copy of src, in its own memory.
func (s *State) Copy(src *State) {
	s.Allocator = src.Allocator
	s.Coordinator.Epoch, s.Coordinator.Up = src.Coordinator.Epoch, src.Coordinator.Up
	s.Coordinator.Txns = grow(s.Coordinator.Txns, int64(len(src.Coordinator.Txns)))
	for i := range src.Coordinator.Txns {
		t, from := &s.Coordinator.Txns[i], &src.Coordinator.Txns[i]
		log := append(t.Log[:0], from.Log...)
		*t = *from
		t.Log = log
	}
	s.Leaders = grow(s.Leaders, int64(len(src.Leaders)))
	for i := range src.Leaders {
		l, from := &s.Leaders[i], &src.Leaders[i]
		l.Log = append(l.Log[:0], from.Log...)
		l.Producers = append(l.Producers[:0], from.Producers...)
		l.Verifications = append(l.Verifications[:0], from.Verifications...)
		l.Waiting = append(l.Waiting[:0], from.Waiting...)
		l.Aborted = append(l.Aborted[:0], from.Aborted...)
	}
	s.Inbox = append(s.Inbox[:0], src.Inbox...)
	s.Net = append(s.Net[:0], src.Net...)
	s.Answers = append(s.Answers[:0], src.Answers...)
}
