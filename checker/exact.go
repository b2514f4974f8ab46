package checker

import (
	"bytes"
	"encoding/binary"
	"errors"
)

// With Options.Exact a shard keeps the encoded states themselves. A slot has the lowest bits of the fingerprint as a tag, and below
// it where the state is; where the tag is that of the state looked for, bytes are compared. The highest bits say where to look, as
// ever, and are not there to be read: a shard that grows is filled from its states.
const (
	placeBits  = 40
	mostPlace  = 1<<placeBits - 1
	offsetBits = 14
)

var errExactInFiles = errors.New("checker: expected Exact without WorkDir, Resume and Memory: what is in files is fingerprints, not the states themselves; search in memory, or without Exact")

// states are those of a shard, each behind its length, in blocks that never move. A state that is too long for a block has one of
// its own. A place is the number of a block, from 1 on, and an offset in it.
type states struct {
	blocks [][]byte
	// collisions counts the pairs of states with the same fingerprint.
	collisions uint64
}

// collisions counts the pairs of states with the same fingerprint.
func (t *table) collisions() (n uint64) {
	for i := range t.shards {
		if held := t.shards[i].states; held != nil {
			n += held.collisions
		}
	}
	return n
}

// number enters a state, if it is not there, and gives a number that no other has and that is as good as a fingerprint.
func (t *table) number(fp uint64, state []byte) uint64 {
	shard := shardOf(fp)
	place, _ := t.shards[shard].insertState(fp, state)
	return (place<<shardBits | uint64(shard)) * 0x9E3779B97F4A7C15 // one to one, since it is odd
}

// insertState gives the place of a state, which no other of the shard has, and reports whether it was not there before.
func (s *shard) insertState(fp uint64, state []byte) (place uint64, fresh bool) {
	i := home(fp, s.slots)
	same := uint64(0)
	for s.slots[i] != 0 {
		if place := s.slots[i] ^ fp<<placeBits; place <= mostPlace {
			other, _ := s.states.at(place)
			if bytes.Equal(other, state) {
				return place, false
			}
			if fingerprint(other) == fp {
				same++
			}
		}
		if i++; i == uint64(len(s.slots)) {
			i = 0
		}
	}
	place = s.states.add(state)
	s.slots[i] = fp<<placeBits | place
	s.states.collisions += same
	s.used++
	if s.used > s.full {
		s.grow()
	}
	return place, true
}

// refill fills the slots, all of which are empty.
func (s *shard) refill() {
	for b, block := range s.states.blocks {
		for offset := uint64(0); offset < uint64(len(block)); {
			place := uint64(b+1)<<offsetBits | offset
			state, size := s.states.at(place)
			offset += size
			fp := fingerprint(state)
			s.slots[s.empty(fp)] = fp<<placeBits | place
		}
	}
}

func (s *states) add(state []byte) (place uint64) {
	room := len(state) + binary.MaxVarintLen64
	last := len(s.blocks) - 1
	if last < 0 || cap(s.blocks[last])-len(s.blocks[last]) < room {
		s.blocks = append(s.blocks, make([]byte, 0, max(room, 1<<offsetBits)))
		last++
	}
	block := s.blocks[last]
	s.blocks[last] = append(binary.AppendUvarint(block, uint64(len(state))), state...)
	return uint64(last+1)<<offsetBits | uint64(len(block))
}

// at gives the state at a place, and how many bytes it takes with its length.
func (s *states) at(place uint64) (state []byte, size uint64) {
	b := s.blocks[place>>offsetBits-1][place&(1<<offsetBits-1):]
	n, w := binary.Uvarint(b)
	size = uint64(w) + n
	return b[w:size], size
}
