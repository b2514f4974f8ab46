package checker

import (
	"encoding/binary"

	"github.com/zeebo/xxh3"
)

// alikeBytes is what Alike takes, of which the state may be that many less the words that have a use of their own.
const (
	alikeBytes = 64
	alikeMost  = 23
)

// Alike appends an encoded state so that states share their fingerprint, of which there are as many as groups. XXH3 multiplies
// words of 64 bytes two and two, after it has combined each with a word of its own: where the two are the same word the product is
// 0, whatever the other factor is, and says nothing of the state that is there.
func Alike(b, state []byte, groups uint64) []byte {
	var hidden [alikeMost + 1]byte
	hidden[0] = byte(len(state))
	if copy(hidden[1:], state) < len(state) {
		panic("the state is too long to be hidden")
	}
	for i, word := range []uint64{0xbe4ba423396cfeb8, 0x78e5c0cc4ee679cb, 0x8e2443f7744608b8} {
		b = append(binary.LittleEndian.AppendUint64(b, word), hidden[8*i:8*i+8]...)
	}
	b = binary.LittleEndian.AppendUint64(b, xxh3.Hash(state)%groups)
	return append(b, make([]byte, 8)...)
}

// Unlike is the state that Alike appended.
func Unlike(b []byte) []byte {
	var hidden []byte
	for i := range 3 {
		hidden = append(hidden, b[16*i+8:16*i+16]...)
	}
	return hidden[1 : 1+hidden[0]]
}
