package wire

import (
	"encoding/binary"
	"fmt"
	"hash/crc32"
	"slices"
)

// RecordBatch is a batch as a broker's log holds it.
type RecordBatch struct {
	BaseOffset      int64
	LeaderEpoch     int32
	Attributes      int16
	LastOffsetDelta int32
	BaseTimestamp   int64
	MaxTimestamp    int64
	ProducerID      int64
	ProducerEpoch   int16
	BaseSequence    int32
	Count           int32
	// Records is nil if the batch is compressed; its header is still right.
	Records []Record
	// Marker is the first record of a control batch, if it is a transaction
	// marker, and nil otherwise.
	Marker *Marker
}

// Record is a record in a batch. A null key or value is nil, an empty one is not.
type Record struct {
	Offset     int64
	Timestamp  int64
	Key, Value []byte
	Headers    []Header
}

// Header is a header of a record.
type Header struct {
	Key   string
	Value []byte
}

// MarkerType is the kind of control record that ends a transaction (KIP-98).
type MarkerType int16

// The markers a partition can hold.
const (
	Abort  MarkerType = 0
	Commit MarkerType = 1
)

func (t MarkerType) String() string {
	switch t {
	case Abort:
		return "ABORT"
	case Commit:
		return "COMMIT"
	}
	return fmt.Sprintf("control type %d", int16(t))
}

// Marker is the end of a transaction in a partition's log.
type Marker struct {
	Type             MarkerType
	KeyVersion       int16
	ValueVersion     int16
	CoordinatorEpoch int32
	// KeyLength and ValueLength are 4 and 6 on Apache Kafka.
	KeyLength, ValueLength int
}

// Transactional reports whether the batch belongs to a transaction.
func (b *RecordBatch) Transactional() bool { return b.Attributes&attrTransactional != 0 }

// Control reports whether the batch holds control records, which no
// application sees.
func (b *RecordBatch) Control() bool { return b.Attributes&attrControl != 0 }

// Compressed reports whether the records are compressed.
func (b *RecordBatch) Compressed() bool { return b.Attributes&attrCompression != 0 }

// LastOffset is the offset of the last record the batch was written with.
// Compaction may have removed that record; the offset stays.
func (b *RecordBatch) LastOffset() int64 { return b.BaseOffset + int64(b.LastOffsetDelta) }

// DecodeRecords reads the record set of a Fetch answer. A broker may cut the
// last batch where its limit of bytes was reached; such a rest is not an error,
// and rest is its length. On an error the batches before the bad one are
// returned with it.
func DecodeRecords(set []byte) (batches []RecordBatch, rest int, err error) {
	at := 0
	for len(set)-at >= batchPrefix {
		size := int64(int32(binary.BigEndian.Uint32(set[at+8:])))
		if size < batchHeader-batchPrefix {
			return batches, 0, fmt.Errorf("record set at byte %d: expected a batch of at least %d bytes, got a length of %d", at, batchHeader-batchPrefix, size)
		}
		if size > int64(len(set)-at-batchPrefix) {
			break
		}
		end := at + batchPrefix + int(size)
		b, err := decodeBatch(set[at:end])
		if err != nil {
			return batches, 0, fmt.Errorf("record set at byte %d: %w", at, err)
		}
		batches = append(batches, b)
		at = end
	}
	return batches, len(set) - at, nil
}

func decodeBatch(b []byte) (RecordBatch, error) {
	be := binary.BigEndian
	r := RecordBatch{
		BaseOffset:      int64(be.Uint64(b)),
		LeaderEpoch:     int32(be.Uint32(b[12:])),
		Attributes:      int16(be.Uint16(b[21:])),
		LastOffsetDelta: int32(be.Uint32(b[23:])),
		BaseTimestamp:   int64(be.Uint64(b[27:])),
		MaxTimestamp:    int64(be.Uint64(b[35:])),
		ProducerID:      int64(be.Uint64(b[43:])),
		ProducerEpoch:   int16(be.Uint16(b[51:])),
		BaseSequence:    int32(be.Uint32(b[53:])),
		Count:           int32(be.Uint32(b[57:])),
	}
	if magic := int8(b[16]); magic != 2 {
		return r, fmt.Errorf("batch at offset %d: expected magic 2, got %d; message sets older than Kafka 0.11 can't hold transactions", r.BaseOffset, magic)
	}
	want, got := be.Uint32(b[17:]), crc32.Checksum(b[crcStart:], crc32.MakeTable(crc32.Castagnoli))
	if want != got {
		return r, fmt.Errorf("batch at offset %d: expected checksum %08x, got %08x over its bytes", r.BaseOffset, want, got)
	}
	if r.Compressed() {
		return r, nil
	}
	return r, r.decodeRecords(b[batchHeader:])
}

func (b *RecordBatch) decodeRecords(src []byte) error {
	in := &reader{b: src}
	for i := int32(0); i < b.Count && in.err == nil; i++ {
		size := in.varint()
		body := reader{b: in.take(size), err: in.err}
		rec := b.decodeRecord(&body)
		if body.err == nil && len(body.b) > 0 {
			body.err = fmt.Errorf("%d bytes are left over behind its headers", len(body.b))
		}
		if body.err != nil {
			return fmt.Errorf("batch at offset %d: record %d of %d: %w", b.BaseOffset, i+1, b.Count, body.err)
		}
		b.Records = append(b.Records, rec)
	}
	if len(in.b) > 0 {
		return fmt.Errorf("batch at offset %d: expected %d records, got %d bytes more behind them", b.BaseOffset, b.Count, len(in.b))
	}
	if b.Control() && len(b.Records) > 0 {
		b.Marker = decodeMarker(b.Records[0])
	}
	return nil
}

func (b *RecordBatch) decodeRecord(in *reader) Record {
	in.take(1) // attributes, unused
	rec := Record{Timestamp: b.BaseTimestamp + in.varint(), Offset: b.BaseOffset + in.varint(), Key: in.bytes(), Value: in.bytes()}
	for n := in.varint(); n > 0 && in.err == nil; n-- {
		rec.Headers = append(rec.Headers, Header{Key: string(in.bytes()), Value: in.bytes()})
	}
	return rec
}

// decodeMarker reads a control record: key = version and type, value = version
// and coordinator epoch. A type other than commit and abort is no marker.
func decodeMarker(r Record) *Marker {
	if len(r.Key) < 4 || len(r.Value) < 6 {
		return nil
	}
	be := binary.BigEndian
	m := &Marker{
		KeyVersion: int16(be.Uint16(r.Key)), Type: MarkerType(be.Uint16(r.Key[2:])), KeyLength: len(r.Key),
		ValueVersion: int16(be.Uint16(r.Value)), CoordinatorEpoch: int32(be.Uint32(r.Value[2:])), ValueLength: len(r.Value),
	}
	if m.Type != Abort && m.Type != Commit {
		return nil
	}
	return m
}

// reader reads the fields of a record; after the first error it gives zeros.
type reader struct {
	b   []byte
	err error
}

func (r *reader) take(n int64) []byte {
	if r.err != nil {
		return nil
	}
	if n < 0 || n > int64(len(r.b)) {
		r.err = fmt.Errorf("expected %d bytes, got %d", n, len(r.b))
		return nil
	}
	out := r.b[:n:n]
	r.b = r.b[n:]
	return out
}

func (r *reader) varint() int64 {
	if r.err != nil {
		return 0
	}
	v, n := binary.Varint(r.b)
	if n <= 0 {
		r.err = errShort
		return 0
	}
	r.b = r.b[n:]
	return v
}

// bytes reads a length and so many bytes, nil for a length of −1.
func (r *reader) bytes() []byte {
	n := r.varint()
	if n == -1 {
		return nil
	}
	out := r.take(n)
	if r.err != nil {
		return nil
	}
	return slices.Clone(out) // not a view, so that a kept record does not keep the whole answer
}
