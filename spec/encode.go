package spec

import (
	"bytes"
	"encoding/binary"
	"errors"
	"math/bits"
)

// Every part of the state is written as a word if its fields are small enough (see Packed), else in one general way: a bit mask
// of the fields that are not zero, then those fields as variable-length integers. So equal values have equal bytes, whatever
// the history of the memory that holds them.

// AppendFields writes the fields, at most 32, to b: the mask, a bit for each that is not zero in as few whole bytes as hold
// them all, then the fields. Most are small: one byte each, without a call.
func AppendFields(b []byte, fields []int64) []byte {
	at := len(b)
	width := (len(fields) + 7) / 8
	b = append(b, zeros[:width]...)
	var mask uint32
	for i, f := range fields {
		switch {
		case f == 0:
		case -64 <= f && f < 64:
			mask |= 1 << i
			b = append(b, byte(f<<1^f>>63))
		default:
			mask |= 1 << i
			b = binary.AppendVarint(b, f)
		}
	}
	for i := range width {
		b[at+i] = byte(mask >> (8 * i))
	}
	return b
}

var zeros [4]byte

var errShort = errors.New("spec: encoded state is cut short or damaged")

// ReadFields reads what AppendFields wrote and returns the rest of b.
func ReadFields(b []byte, fields []int64) ([]byte, error) {
	width := (len(fields) + 7) / 8
	if len(b) < width {
		return nil, errShort
	}
	var mask uint32
	for i := range width {
		mask |= uint32(b[i]) << (8 * i)
	}
	if mask>>len(fields) != 0 {
		return nil, errShort
	}
	b = b[width:]
	clear(fields)
	for ; mask != 0; mask &= mask - 1 {
		i := bits.TrailingZeros32(mask)
		if len(b) > 0 && b[0] < 128 {
			u := int64(b[0])
			fields[i], b = u>>1^-(u&1), b[1:]
			continue
		}
		f, n := binary.Varint(b)
		if n <= 0 {
			return nil, errShort
		}
		fields[i], b = f, b[n:]
	}
	return b, nil
}

func compareFields(a, b []int64) int {
	for i := range a {
		switch {
		case a[i] < b[i]:
			return -1
		case a[i] > b[i]:
			return 1
		}
	}
	return 0
}

func bit(b bool) int64 {
	if b {
		return 1
	}
	return 0
}

func (m *Metadata) fields() [10]int64 {
	return [...]int64{m.ProducerID, m.PrevProducerID, int64(m.Epoch), int64(m.LastEpoch), int64(m.Status), int64(m.TimeoutMs),
		int64(m.Partitions), int64(m.ClientVersion), bit(m.ByInit), int64(m.Number)}
}

func (m *Metadata) set(f *[10]int64) {
	*m = Metadata{ProducerID: f[0], PrevProducerID: f[1], Epoch: int16(f[2]), LastEpoch: int16(f[3]), Status: Status(f[4]),
		TimeoutMs: int32(f[5]), Partitions: Partitions(f[6]), ClientVersion: int8(f[7]), ByInit: f[8] != 0, Number: uint16(f[9])}
}

func (p *Pending) fields() [9]int64 {
	return [...]int64{int64(p.Phase), int64(p.From.API), int64(p.From.Version), int64(p.From.Ref), bit(p.From.Fence), int64(p.Conn),
		bit(p.Asked), int64(p.Partition), int64(p.Slot)}
}

func (p *Pending) set(f *[9]int64) {
	next := p.Next
	*p = Pending{Phase: Phase(f[0]), Next: next, From: Origin{API: API(f[1]), Version: int16(f[2]), Ref: uint8(f[3]), Fence: f[4] != 0},
		Conn: Conn(f[5]), Asked: f[6] != 0, Partition: int8(f[7]), Slot: uint8(f[8])}
}

func (x *Batch) fields() [9]int64 {
	return [...]int64{int64(x.Kind), x.ProducerID, int64(x.Epoch), int64(x.Sequence), int64(x.Count), bit(x.Transactional),
		int64(x.CoordinatorEpoch), int64(x.Data), int64(x.Number)}
}

func (x *Batch) set(f *[9]int64) {
	*x = Batch{Kind: BatchKind(f[0]), ProducerID: f[1], Epoch: int16(f[2]), Sequence: int32(f[3]), Count: int32(f[4]),
		Transactional: f[5] != 0, CoordinatorEpoch: int32(f[6]), Data: int32(f[7]), Number: uint16(f[8])}
}

func (p *Producer) fields() [6]int64 {
	return [...]int64{p.ID, int64(p.Epoch), int64(p.CoordinatorEpoch), p.Open, int64(p.Number), int64(p.Cached)}
}

func (v *Verification) fields() [4]int64 {
	lowest := int64(v.Lowest)
	if v.Lowest == NoLowest {
		lowest = -1 // one byte instead of five
	}
	return [...]int64{v.ID, int64(v.Epoch), lowest, bit(v.Add)}
}

func (v *Verification) set(f *[4]int64) {
	*v = Verification{ID: f[0], Epoch: int16(f[1]), Lowest: int32(f[2]), Add: f[3] != 0}
	if f[2] == -1 {
		v.Lowest = NoLowest
	}
}

func (r *Request) fields() [18]int64 {
	return [...]int64{int64(r.API), int64(r.Version), int64(r.Ref), int64(r.Txn), r.ProducerID, int64(r.Epoch), int64(r.TimeoutMs),
		int64(r.Partitions), bit(r.VerifyOnly), int64(r.Partition), int64(r.Sequence), int64(r.Count), bit(r.Transactional),
		int64(r.Acks), int64(r.Data), bit(r.Commit), int64(r.CoordinatorEpoch), int64(r.TransactionVersion)}
}

// Append writes the request's canonical bytes to b.
func (r *Request) Append(b []byte) []byte {
	if p := r.pack(); p.Fits() {
		return p.Append(b, requestBytes)
	}
	f := r.fields()
	return AppendFields(append(b, 0), f[:])
}

// Read reads what Append wrote and returns the rest of b.
func (r *Request) Read(b []byte) ([]byte, error) {
	if w, ok := Word(b, requestBytes); ok {
		r.unpack(w)
		return b[requestBytes:], nil
	}
	return r.readSlowly(b)
}

func (r *Request) readSlowly(b []byte) ([]byte, error) {
	var f [18]int64
	w, packed, b, err := Unpack(b, requestBytes, f[:])
	if packed {
		r.unpack(w)
		return b, err
	}
	*r = Request{API: API(f[0]), Version: int16(f[1]), Ref: uint8(f[2]), Txn: TxnID(f[3]), ProducerID: f[4], Epoch: int16(f[5]),
		TimeoutMs: int32(f[6]), Partitions: Partitions(f[7]), VerifyOnly: f[8] != 0, Partition: int8(f[9]), Sequence: int32(f[10]),
		Count: int32(f[11]), Transactional: f[12] != 0, Acks: int8(f[13]), Data: int32(f[14]), Commit: f[15] != 0,
		CoordinatorEpoch: int32(f[16]), TransactionVersion: int8(f[17])}
	return b, err
}

// Compare orders requests: that of the bags they lie in.
func (r *Request) Compare(o *Request) int {
	if *r == *o {
		return 0
	}
	f, g := r.fields(), o.fields()
	var a, b [64]byte
	return bytes.Compare(AppendFields(a[:0], f[:]), AppendFields(b[:0], g[:]))
}

func (m *Message) fields() [14]int64 {
	return [...]int64{int64(m.Kind), int64(m.Txn), int64(m.Partition), int64(m.Slot), bit(m.Waited), m.ProducerID, int64(m.Epoch),
		int64(m.Version), int64(m.Ref), bit(m.Commit), int64(m.CoordinatorEpoch), int64(m.TransactionVersion), int64(m.Code), int64(m.Number)}
}

func (m *Message) set(f *[14]int64) {
	*m = Message{Kind: MessageKind(f[0]), Txn: TxnID(f[1]), Partition: int8(f[2]), Slot: uint8(f[3]), Waited: f[4] != 0, ProducerID: f[5],
		Epoch: int16(f[6]), Version: int16(f[7]), Ref: uint8(f[8]), Commit: f[9] != 0, CoordinatorEpoch: int32(f[10]),
		TransactionVersion: int8(f[11]), Code: Code(f[12]), Number: uint16(f[13])}
}

func (a *Answer) fields() [9]int64 {
	return [...]int64{int64(a.Conn), int64(a.API), int64(a.Code), a.ProducerID, int64(a.Epoch), a.Offset, int64(a.Failed), int64(a.Rest), bit(a.Coordinator)}
}

func (a *Answer) set(f *[9]int64) {
	*a = Answer{Conn: Conn(f[0]), API: API(f[1]), Code: Code(f[2]), ProducerID: f[3], Epoch: int16(f[4]), Offset: f[5],
		Failed: Partitions(f[6]), Rest: Code(f[7]), Coordinator: f[8] != 0}
}

// Append writes the canonical bytes of s to b.
func (s *State) Append(b []byte) []byte {
	b = s.appendHeader(b)
	for i := range s.Coordinator.Txns {
		b = s.Coordinator.Txns[i].append(b)
	}
	for i := range s.Leaders {
		b = s.Leaders[i].append(b)
	}
	for i := range s.Inbox {
		b = binary.AppendUvarint(b, uint64(s.Inbox[i].Conn))
		b = s.Inbox[i].Request.Append(b)
	}
	for i := range s.Net {
		if p := s.Net[i].pack(); p.Fits() {
			b = p.Append(b, messageBytes)
			continue
		}
		f := s.Net[i].fields()
		b = AppendFields(append(b, 0), f[:])
	}
	for i := range s.Answers {
		if p := s.Answers[i].pack(); p.Fits() {
			b = p.Append(b, answerBytes)
			continue
		}
		f := s.Answers[i].fields()
		b = AppendFields(append(b, 0), f[:])
	}
	return b
}

func (s *State) appendHeader(b []byte) []byte {
	c := &s.Coordinator
	f := [...]int64{s.Allocator.Next, bit(s.Allocator.Ready), int64(c.Epoch), bit(c.Up), int64(len(c.Txns)),
		int64(len(s.Leaders)), int64(len(s.Inbox)), int64(len(s.Net)), int64(len(s.Answers))}
	p := Packed{}.Put(f[0], 1, 6).Put(f[1], 7, 1).Put(f[2], 8, 4).Put(f[3], 12, 1).Put(f[4], 13, 3).
		Put(f[5], 16, 3).Put(f[6], 19, 3).Put(f[7], 22, 5).Put(f[8], 27, 5)
	if p.Fits() {
		return p.Append(b, headerBytes)
	}
	return AppendFields(append(b, 0), f[:])
}

// What is written of a Txn.
const (
	txnKnown   = 1 << iota
	txnMemory  // Memory is not zero
	txnPending // Pending is not zero
	txnNext    // nor is Pending.Next
	txnSame    // the last record is Memory, and not written
	txnNew     // the last record is Pending.Next, and not written
)

func (t *Txn) append(b []byte) []byte {
	flags := byte(bit(t.Known))
	if t.Memory != (Metadata{}) {
		flags |= txnMemory
	}
	if t.Pending != (Pending{}) {
		flags |= txnPending
		if t.Pending.Next != (Metadata{}) {
			flags |= txnNext
		}
	}
	log := t.Log
	if n := len(log); n > 0 {
		switch {
		case log[n-1] == t.Memory:
			flags |= txnSame
			log = log[:n-1]
		case log[n-1] == t.Pending.Next:
			flags |= txnNew
			log = log[:n-1]
		}
	}
	b = append(b, flags)
	if flags&txnMemory != 0 {
		b = t.Memory.append(b)
	}
	if flags&txnPending != 0 {
		b = t.Pending.append(b)
	}
	if flags&txnNext != 0 {
		b = t.Pending.Next.append(b)
	}
	b = binary.AppendUvarint(b, uint64(len(log)))
	for i := range log {
		b = log[i].append(b)
	}
	return b
}

func (m *Metadata) append(b []byte) []byte {
	if p := m.pack(); p.Fits() {
		return p.Append(b, metadataBytes)
	}
	f := m.fields()
	return AppendFields(append(b, 0), f[:])
}

func (p *Pending) append(b []byte) []byte {
	f := p.fields()
	w := Packed{}.Put(f[0], 1, 3).Put(f[1], 4, 3).Put(f[2], 7, 4).Put(f[3], 11, 3).Put(f[4], 14, 1).
		Put(f[5], 15, 5).Put(f[6], 20, 1).Put(f[7], 21, 3).Put(f[8], 24, 3)
	if w.Fits() {
		return w.Append(b, pendingBytes)
	}
	return AppendFields(append(b, 0), f[:])
}

func (l *Leader) append(b []byte) []byte {
	f := [...]int64{int64(len(l.Log)), int64(len(l.Producers)), int64(len(l.Verifications)), int64(len(l.Waiting)), int64(len(l.Aborted))}
	p := Packed{}.Put(f[0], 1, 6).Put(f[1], 7, 4).Put(f[2], 11, 4).Put(f[3], 15, 4).Put(f[4], 19, 5)
	if p.Fits() {
		b = p.Append(b, leaderBytes)
	} else {
		b = AppendFields(append(b, 0), f[:])
	}
	for i := range l.Log {
		if p := l.Log[i].pack(); p.Fits() {
			b = p.Append(b, batchBytes)
			continue
		}
		f := l.Log[i].fields()
		b = AppendFields(append(b, 0), f[:])
	}
	for i := range l.Producers {
		b = l.Producers[i].append(b)
	}
	for i := range l.Verifications {
		b = l.Verifications[i].append(b)
	}
	for i := range l.Waiting {
		w := &l.Waiting[i]
		b = append(b, w.Slot<<1|byte(bit(w.Guard)))
		b = binary.AppendUvarint(b, uint64(w.Conn))
		b = w.Request.Append(b)
	}
	for i := range l.Aborted {
		a := &l.Aborted[i]
		if p := a.pack(); p.Fits() {
			b = p.Append(b, abortedBytes)
			continue
		}
		b = AppendFields(append(b, 0), []int64{a.ProducerID, a.First, a.Last, a.LastStable})
	}
	return b
}

func (p *Producer) append(b []byte) []byte {
	if w := p.pack(); w.Fits() {
		b = w.Append(b, producerBytes)
	} else {
		f := p.fields()
		b = AppendFields(append(b, 0), f[:])
	}
	for i := range p.Batches[:p.Cached] {
		c := &p.Batches[i]
		if w := c.pack(); w.Fits() {
			b = w.Append(b, cachedBytes)
			continue
		}
		b = AppendFields(append(b, 0), []int64{int64(c.First), int64(c.Last), c.Offset})
	}
	return b
}

func (v *Verification) append(b []byte) []byte {
	f := v.fields()
	if p := (Packed{}).Put(f[0]+1, 1, 6).Put(f[1]+1, 7, 6).Put(f[2]+1, 13, 6).Put(f[3], 19, 1); p.Fits() {
		return p.Append(b, verificationBytes)
	}
	return AppendFields(append(b, 0), f[:])
}
