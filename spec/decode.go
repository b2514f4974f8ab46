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
	w, packed, b, err := Unpack(b, headerBytes, h[:])
	if err != nil {
		return nil, err
	}
	if packed {
		h = [...]int64{Bits(w, 1, 6), Bits(w, 7, 1), Bits(w, 8, 4), Bits(w, 12, 1), Bits(w, 13, 3), Bits(w, 16, 3), Bits(w, 19, 3),
			Bits(w, 22, 5), Bits(w, 27, 5)}
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
		if b, err = s.Net[i].read(b); err != nil {
			return nil, err
		}
	}
	for i := range s.Answers {
		if b, err = s.Answers[i].read(b); err != nil {
			return nil, err
		}
	}
	return b, nil
}

func (m *Message) read(b []byte) ([]byte, error) {
	if w, ok := Word(b, messageBytes); ok {
		m.unpack(w)
		return b[messageBytes:], nil
	}
	return m.readSlowly(b)
}

func (m *Message) readSlowly(b []byte) ([]byte, error) {
	var f [14]int64
	w, packed, b, err := Unpack(b, messageBytes, f[:])
	if packed {
		m.unpack(w)
	} else {
		m.set(&f)
	}
	return b, err
}

func (a *Answer) read(b []byte) ([]byte, error) {
	if w, ok := Word(b, answerBytes); ok {
		a.unpack(w)
		return b[answerBytes:], nil
	}
	return a.readSlowly(b)
}

func (a *Answer) readSlowly(b []byte) ([]byte, error) {
	var f [9]int64
	w, packed, b, err := Unpack(b, answerBytes, f[:])
	if packed {
		a.unpack(w)
	} else {
		a.set(&f)
	}
	return b, err
}

func (t *Txn) read(b []byte) (rest []byte, err error) {
	if len(b) == 0 {
		return nil, errShort
	}
	flags := b[0]
	b = b[1:]
	t.Known = flags&txnKnown != 0
	t.Memory, t.Pending = Metadata{}, Pending{}
	if flags&txnMemory != 0 {
		if b, err = t.Memory.read(b); err != nil {
			return nil, err
		}
	}
	if flags&txnPending != 0 {
		if b, err = t.Pending.read(b); err != nil {
			return nil, err
		}
	}
	if flags&txnNext != 0 {
		if b, err = t.Pending.Next.read(b); err != nil {
			return nil, err
		}
	}
	n, used := binary.Uvarint(b)
	if used <= 0 || n > maxParts {
		return nil, errShort
	}
	b = b[used:]
	written := int(n)
	if flags&(txnSame|txnNew) != 0 {
		n++
	}
	t.Log = grow(t.Log, int64(n))
	for i := range t.Log[:written] {
		if b, err = t.Log[i].read(b); err != nil {
			return nil, err
		}
	}
	switch {
	case flags&txnSame != 0:
		t.Log[written] = t.Memory
	case flags&txnNew != 0:
		t.Log[written] = t.Pending.Next
	}
	return b, nil
}

func (m *Metadata) read(b []byte) ([]byte, error) {
	if w, ok := Word(b, metadataBytes); ok {
		m.unpack(w)
		return b[metadataBytes:], nil
	}
	return m.readSlowly(b)
}

func (m *Metadata) readSlowly(b []byte) ([]byte, error) {
	var f [10]int64
	w, packed, b, err := Unpack(b, metadataBytes, f[:])
	if packed {
		m.unpack(w)
	} else {
		m.set(&f)
	}
	return b, err
}

func (p *Pending) read(b []byte) ([]byte, error) {
	var f [9]int64
	w, packed, b, err := Unpack(b, pendingBytes, f[:])
	if packed {
		f = [...]int64{Bits(w, 1, 3), Bits(w, 4, 3), Bits(w, 7, 4), Bits(w, 11, 3), Bits(w, 14, 1), Bits(w, 15, 5), Bits(w, 20, 1),
			Bits(w, 21, 3), Bits(w, 24, 3)}
	}
	p.set(&f)
	return b, err
}

func (l *Leader) read(b []byte) (rest []byte, err error) {
	var h [5]int64
	word, packed, b, err := Unpack(b, leaderBytes, h[:])
	if err != nil {
		return nil, err
	}
	if packed {
		h = [...]int64{Bits(word, 1, 6), Bits(word, 7, 4), Bits(word, 11, 4), Bits(word, 15, 4), Bits(word, 19, 5)}
	}
	for _, n := range h {
		if n < 0 || n > maxParts {
			return nil, errShort
		}
	}
	l.Log, l.Producers, l.Verifications, l.Waiting, l.Aborted = grow(l.Log, h[0]), grow(l.Producers, h[1]), grow(l.Verifications, h[2]), grow(l.Waiting, h[3]), grow(l.Aborted, h[4])
	for i := range l.Log {
		if b, err = l.Log[i].read(b); err != nil {
			return nil, err
		}
	}
	for i := range l.Producers {
		if b, err = l.Producers[i].read(b); err != nil {
			return nil, err
		}
	}
	for i := range l.Verifications {
		if b, err = l.Verifications[i].read(b); err != nil {
			return nil, err
		}
	}
	for i := range l.Waiting {
		if b, err = l.Waiting[i].read(b); err != nil {
			return nil, err
		}
	}
	for i := range l.Aborted {
		if b, err = l.Aborted[i].read(b); err != nil {
			return nil, err
		}
	}
	return b, nil
}

func (x *Batch) read(b []byte) ([]byte, error) {
	if w, ok := Word(b, batchBytes); ok {
		x.unpack(w)
		return b[batchBytes:], nil
	}
	return x.readSlowly(b)
}

func (x *Batch) readSlowly(b []byte) ([]byte, error) {
	var f [9]int64
	w, packed, b, err := Unpack(b, batchBytes, f[:])
	if packed {
		x.unpack(w)
	} else {
		x.set(&f)
	}
	return b, err
}

func (w *Wait) read(b []byte) ([]byte, error) {
	if len(b) == 0 {
		return nil, errShort
	}
	w.Slot, w.Guard = b[0]>>1, b[0]&1 != 0
	conn, n := binary.Uvarint(b[1:])
	if n <= 0 {
		return nil, errShort
	}
	w.Conn = Conn(conn)
	return w.Request.Read(b[1+n:])
}

func (v *Verification) read(b []byte) ([]byte, error) {
	var f [4]int64
	w, packed, b, err := Unpack(b, verificationBytes, f[:])
	if packed {
		f = [...]int64{Bits(w, 1, 6) - 1, Bits(w, 7, 6) - 1, Bits(w, 13, 6) - 1, Bits(w, 19, 1)}
	}
	v.set(&f)
	return b, err
}

func (a *Aborted) read(b []byte) ([]byte, error) {
	if w, ok := Word(b, abortedBytes); ok {
		a.unpack(w)
		return b[abortedBytes:], nil
	}
	return a.readSlowly(b)
}

func (a *Aborted) readSlowly(b []byte) ([]byte, error) {
	var f [4]int64
	w, packed, b, err := Unpack(b, abortedBytes, f[:])
	if packed {
		a.unpack(w)
	} else {
		*a = Aborted{ProducerID: f[0], First: f[1], Last: f[2], LastStable: f[3]}
	}
	return b, err
}

func (p *Producer) read(b []byte) (rest []byte, err error) {
	var f [6]int64
	w, packed, b, err := Unpack(b, producerBytes, f[:])
	if err != nil {
		return nil, err
	}
	if packed {
		p.unpack(w)
	} else {
		*p = Producer{ID: f[0], Epoch: int16(f[1]), CoordinatorEpoch: int32(f[2]), Open: f[3], Number: uint16(f[4]), Cached: int8(f[5])}
	}
	if p.Cached < 0 || p.Cached > CachedBatches {
		return nil, errShort
	}
	for i := range p.Batches[:p.Cached] {
		var f [3]int64
		w, packed, rest, err := Unpack(b, cachedBytes, f[:])
		if err != nil {
			return nil, err
		}
		if packed {
			p.Batches[i].unpack(w)
		} else {
			p.Batches[i] = CachedBatch{First: int32(f[0]), Last: int32(f[1]), Offset: f[2]}
		}
		b = rest
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
