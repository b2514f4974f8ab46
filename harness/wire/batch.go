package wire

import (
	"encoding/binary"
	"hash/crc32"
	"time"
)

// Attribute bits of a record batch (KIP-98).
const (
	attrCompression   = 0x07
	attrTransactional = 0x10
	attrControl       = 0x20
)

const (
	// batchHeader is the size of a batch before its records; batchPrefix of
	// that is offset and length, which the length does not count.
	batchHeader = 61
	batchPrefix = 12
	crcStart    = 21 // the checksum covers everything from the attributes on
)

// Batch is a record batch to be sent, made by hand and uncompressed, so that
// everything in it can be wrong on purpose.
type Batch struct {
	BaseOffset    int64 // brokers ignore it and assign their own
	ProducerID    int64 // -1 for a producer without identity; so are the next two
	ProducerEpoch int16
	BaseSequence  int32
	Transactional bool
	Control       bool

	// Records are the values of the records, nil for a null value.
	Records [][]byte
	// Keys are the records' keys; a record beyond its end has a null key.
	Keys [][]byte
	// Timestamp of every record in milliseconds since 1970; 0 means the time
	// of encoding, for a batch from 1970 falls to retention at once.
	Timestamp int64

	// CorruptCRC flips a bit of the checksum.
	CorruptCRC bool
	// Count, LastOffsetDelta and Magic override what the records imply.
	Count           *int32
	LastOffsetDelta *int32
	Magic           *int8
}

// Encode makes the bytes that go into a Produce request. Several batches in
// one request are their bytes one after the other.
func (b Batch) Encode() []byte {
	stamp := b.Timestamp
	if stamp == 0 {
		stamp = time.Now().UnixMilli()
	}
	out := make([]byte, batchPrefix, 256)
	be := binary.BigEndian
	be.PutUint64(out, uint64(b.BaseOffset))
	out = be.AppendUint32(out, 0xffffffff) // leader epoch, set by the broker
	out = append(out, byte(or(b.Magic, 2)), 0, 0, 0, 0)
	out = be.AppendUint16(out, b.attributes())
	out = be.AppendUint32(out, uint32(or(b.LastOffsetDelta, int32(len(b.Records))-1)))
	out = be.AppendUint64(out, uint64(stamp))
	out = be.AppendUint64(out, uint64(stamp))
	out = be.AppendUint64(out, uint64(b.ProducerID))
	out = be.AppendUint16(out, uint16(b.ProducerEpoch))
	out = be.AppendUint32(out, uint32(b.BaseSequence))
	out = be.AppendUint32(out, uint32(or(b.Count, int32(len(b.Records)))))
	for i := range b.Records {
		out = b.appendRecord(out, i)
	}
	be.PutUint32(out[8:], uint32(len(out)-batchPrefix))
	sum := crc32.Checksum(out[crcStart:], crc32.MakeTable(crc32.Castagnoli))
	if b.CorruptCRC {
		sum ^= 1
	}
	be.PutUint32(out[crcStart-4:], sum)
	return out
}

func (b Batch) attributes() uint16 {
	var a uint16
	if b.Transactional {
		a |= attrTransactional
	}
	if b.Control {
		a |= attrControl
	}
	return a
}

func (b Batch) appendRecord(out []byte, i int) []byte {
	r := []byte{0}                       // attributes
	r = binary.AppendVarint(r, 0)        // timestamp delta
	r = binary.AppendVarint(r, int64(i)) // offset delta
	var key []byte
	if i < len(b.Keys) {
		key = b.Keys[i]
	}
	r = appendVarintBytes(r, key)
	r = appendVarintBytes(r, b.Records[i])
	r = binary.AppendVarint(r, 0) // headers
	out = binary.AppendVarint(out, int64(len(r)))
	return append(out, r...)
}

// appendVarintBytes writes length and bytes, −1 for nil.
func appendVarintBytes(out, b []byte) []byte {
	if b == nil {
		return binary.AppendVarint(out, -1)
	}
	out = binary.AppendVarint(out, int64(len(b)))
	return append(out, b...)
}

func or[T any](override *T, otherwise T) T {
	if override != nil {
		return *override
	}
	return otherwise
}
