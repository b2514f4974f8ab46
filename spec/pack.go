package spec

import "encoding/binary"

// In a model numbers are small, and a part of the state fits into a word. It is then written as that word: a bit that says so,
// then each field at its place, those that may be -1 plus one. A part with a larger field is written as a zero byte and its fields
// (AppendFields). The widths are those of the models; what does not fit costs time and nothing else.

// Packed is a word under construction.
type Packed struct{ word, over uint64 }

// Put sets the bits from at on to v.
func (p Packed) Put(v int64, at, width uint) Packed {
	return Packed{p.word | uint64(v)<<(at&63), p.over | uint64(v)>>(width&63)}
}

// Fits reports whether every field had room.
func (p Packed) Fits() bool { return p.over == 0 }

// Append writes the lowest n bytes of the word to b. Bit 0, which no field may have, is set.
func (p Packed) Append(b []byte, n int) []byte {
	return binary.LittleEndian.AppendUint64(b, p.word|1)[:len(b)+n]
}

// Unpack reads a word of n bytes, or the fields in its place: packed says which.
func Unpack(b []byte, n int, fields []int64) (word uint64, packed bool, rest []byte, err error) {
	if len(b) == 0 {
		return 0, false, nil, errShort
	}
	if b[0] == 0 {
		rest, err = ReadFields(b[1:], fields)
		return 0, false, rest, err
	}
	word, rest, err = readWord(b, n)
	return word, true, rest, err
}

// Word reads a word of n bytes with at least 8 bytes to read; ok is false where Unpack is needed.
func Word(b []byte, n int) (word uint64, ok bool) {
	if len(b) < 8 || b[0]&1 == 0 {
		return 0, false
	}
	return binary.LittleEndian.Uint64(b) & (1<<(8*n) - 1), true
}

func readWord(b []byte, n int) (word uint64, rest []byte, err error) {
	if len(b) < n || b[0]&1 == 0 {
		return 0, nil, errShort
	}
	if len(b) >= 8 {
		return binary.LittleEndian.Uint64(b) & (1<<(8*n) - 1), b[n:], nil
	}
	for i := range n {
		word |= uint64(b[i]) << (8 * i)
	}
	return word, b[n:], nil
}

// Bits returns the field of a word that begins at a bit.
func Bits(word uint64, at, width uint) int64 { return int64(word >> (at & 63) & (1<<(width&63) - 1)) }
