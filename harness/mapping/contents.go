package mapping

import (
	"encoding/binary"
	"fmt"
	"hash/crc32"

	"github.com/onceproof/onceproof/harness/wire"
	"github.com/onceproof/onceproof/spec"
)

// Places in a record batch of magic 2.
const (
	lengthAt      = 8
	magicAt       = 16
	crcAt         = 17
	attributesAt  = 21
	timestampsAt  = 27
	producerAt    = 43
	countAt       = 57
	recordsAt     = 61
	lengthStart   = 12   // the length counts from here
	compression   = 0x07 // of the attributes
	transactional = 0x10
)

// Batch reads the one batch of a record set, as a Produce has it, and gives
// its header and its contents. A record set that brokers refuse for its shape
// (IDEM-04, IDEM-10, IDEM-11) is outside.
func Batch(set []byte) (b wire.RecordBatch, contents string, err error) {
	batches, rest, err := wire.DecodeRecords(set)
	switch {
	case set == nil:
		return b, "", fmt.Errorf("expected a batch, got null: %w", ErrOutside)
	case err != nil:
		return b, "", fmt.Errorf("%w: %w", ErrOutside, err)
	case len(batches) != 1 || rest != 0:
		return b, "", fmt.Errorf("expected one batch, got %d and %d bytes: %w", len(batches), rest, ErrOutside)
	}
	b = batches[0]
	switch {
	case b.Control():
		return b, "", fmt.Errorf("a control batch from a client: %w", ErrOutside)
	case b.BaseOffset != 0:
		return b, "", fmt.Errorf("a batch with base offset %d: %w", b.BaseOffset, ErrOutside)
	case b.LastOffsetDelta != b.Count-1:
		return b, "", fmt.Errorf("a batch of %d records with last offset delta %d: %w", b.Count, b.LastOffsetDelta, ErrOutside)
	}
	return b, Contents(set), nil
}

// Split cuts a record set into the bytes of its batches. What a broker has cut
// short at the end is left out.
func Split(set []byte) [][]byte {
	var out [][]byte
	for len(set) >= recordsAt {
		end := lengthStart + int(int32(binary.BigEndian.Uint32(set[lengthAt:])))
		if end < recordsAt || end > len(set) {
			break
		}
		out = append(out, set[:end])
		set = set[end:]
	}
	return out
}

// Contents returns what of a batch's bytes a broker leaves as the producer sent
// them: kind of compression, timestamps and records.
func Contents(batch []byte) string {
	if len(batch) < recordsAt {
		return ""
	}
	attributes := binary.BigEndian.Uint16(batch[attributesAt:]) & compression
	return string(byte(attributes)) + string(batch[timestampsAt:producerAt]) + string(batch[recordsAt:])
}

// MaxTimestamp is the largest timestamp of a batch with such contents.
func MaxTimestamp(contents string) int64 {
	const at = 1 + 8 // behind the compression and the base timestamp
	if len(contents) < at+8 {
		return -1
	}
	return int64(binary.BigEndian.Uint64([]byte(contents[at : at+8])))
}

// Rebuild makes the bytes of a data batch as a log holds it, out of what the
// spec knows of it and of its contents.
func Rebuild(at *spec.At, contents string) []byte {
	const times = producerAt - timestampsAt
	if len(contents) < 1+times {
		return nil
	}
	attributes := uint16(contents[0])
	if at.Transactional {
		attributes |= transactional
	}
	be := binary.BigEndian
	b := make([]byte, recordsAt, recordsAt+len(contents))
	be.PutUint64(b, uint64(at.Offset))
	b[magicAt] = 2
	be.PutUint16(b[attributesAt:], attributes)
	be.PutUint32(b[attributesAt+2:], uint32(at.Count-1))
	copy(b[timestampsAt:], contents[1:1+times])
	be.PutUint64(b[producerAt:], uint64(at.ProducerID))
	be.PutUint16(b[producerAt+8:], uint16(at.Epoch))
	be.PutUint32(b[producerAt+10:], uint32(at.Sequence))
	be.PutUint32(b[countAt:], uint32(at.Count))
	b = append(b, contents[1+times:]...)
	be.PutUint32(b[lengthAt:], uint32(len(b)-lengthStart))
	be.PutUint32(b[crcAt:], crc32.Checksum(b[attributesAt:], crc32.MakeTable(crc32.Castagnoli)))
	return b
}
