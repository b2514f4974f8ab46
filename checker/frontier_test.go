package checker

import (
	"bytes"
	"encoding/binary"
	"testing"

	"pgregory.net/rapid"
)

func TestFrontierGivesBackWhatItTook(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		f := &frontier{pool: &blockPool{}}
		for range 3 { // blocks are used again
			sizes := rapid.SliceOfN(rapid.OneOf(rapid.IntRange(0, 40), rapid.Just(blockBytes/3), rapid.Just(blockBytes+5)), 0, 400).Draw(t, "sizes")
			want := make([][]byte, len(sizes))
			for i, size := range sizes {
				want[i] = bytes.Repeat([]byte{byte(i)}, size%50+1)
				if size > 40 {
					want[i] = append(want[i], make([]byte, size)...)
				}
				f.append(want[i])
			}
			number := 0
			for c := range f.chunks() {
				r := f.reader(c)
				for range f.chunkLen(c) {
					if got := r.next(); !bytes.Equal(got, want[number]) {
						t.Fatalf("state %d: expected %d bytes, got %d", number, len(want[number]), len(got))
					}
					number++
				}
				f.release(c + 1)
			}
			if number != len(want) {
				t.Fatalf("expected %d states, got %d", len(want), number)
			}
			f.reset()
		}
	})
}

func TestTableIsASet(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		table := newTable(false)
		want := make(map[uint64]bool)
		for _, x := range rapid.SliceOfN(rapid.Uint64Range(1, 3000), 0, 2000).Draw(t, "fingerprints") {
			fp := x << rapid.SampledFrom([]int{0, 50}).Draw(t, "shift") // few slots or few shards
			if fp == 0 {
				continue
			}
			if table.has(fp) != want[fp] || table.insert(fp, nil) == want[fp] {
				t.Fatalf("%x: expected present %t", fp, want[fp])
			}
			want[fp] = true
		}
		table.touch([]uint64{1, 2, 3})
		for fp := range want {
			if !table.has(fp) {
				t.Fatalf("%x is lost", fp)
			}
		}
	})
}

func TestExactTableIsASetOfStates(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		table := newTable(true)
		groups := rapid.SampledFrom([]uint64{1, 100, 1 << 63}).Draw(t, "fingerprints")
		long := rapid.SampledFrom([]int{0, 127, 1 << offsetBits / 3, 1 << offsetBits}).Draw(t, "length")
		want := make(map[string]uint64)
		sharing := make(map[uint64]uint64)
		collisions := uint64(0)
		for _, n := range rapid.SliceOfN(rapid.Uint32Range(0, 1000), 0, 1000).Draw(t, "states") {
			state := Alike(nil, binary.AppendUvarint(nil, uint64(n)), groups)
			switch {
			case n == 0:
				state = nil
			case n%100 == 0:
				state = append(state, make([]byte, long)...)
			}
			fp := fingerprint(state)
			known, found := want[string(state)]
			number := table.number(fp, state)
			if found && number != known || table.insert(fp, state) {
				t.Fatalf("%x: expected number %d, got %d", state, known, number)
			}
			if !found {
				want[string(state)] = number
				collisions += sharing[fp]
				sharing[fp]++
			}
		}
		if got := table.collisions(); got != collisions {
			t.Fatalf("expected %d collisions, got %d", collisions, got)
		}
		numbers := make(map[uint64]bool)
		for state, number := range want {
			if numbers[number] = true; number == 0 || table.number(fingerprint([]byte(state)), []byte(state)) != number {
				t.Fatalf("%x is lost", state)
			}
		}
		if len(numbers) != len(want) {
			t.Fatalf("expected a number for each of %d states, got %d", len(want), len(numbers))
		}
		table.free()
	})
}

// States whose fingerprints agree in all bits that a slot has of them, and in nothing else, are no collision.
func TestExactTableOfTheSameTags(t *testing.T) {
	type part struct {
		shard int
		tag   uint64
	}
	first := make(map[part][]byte)
	table := newTable(true)
	entered := 0
	for n := range uint64(1 << 20) {
		state := binary.LittleEndian.AppendUint64(nil, n)
		fp := fingerprint(state)
		p := part{shardOf(fp), fp << placeBits}
		if first[p] == nil {
			first[p] = state
			continue
		}
		for _, state := range [][]byte{first[p], state} {
			if !table.insert(fingerprint(state), state) {
				t.Errorf("%x: expected that it is new", state)
			}
			entered++
		}
	}
	if entered < 500 || table.collisions() != 0 {
		t.Errorf("expected no collision of hundreds of states, got %d of %d", table.collisions(), entered)
	}
}
