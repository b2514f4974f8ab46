package checker

import (
	"bytes"
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
		table := newTable()
		want := make(map[uint64]bool)
		for _, x := range rapid.SliceOfN(rapid.Uint64Range(1, 3000), 0, 2000).Draw(t, "fingerprints") {
			fp := x << rapid.SampledFrom([]int{0, 50}).Draw(t, "shift") // few slots or few shards
			if fp == 0 {
				continue
			}
			if table.has(fp) != want[fp] || table.insert(fp) == want[fp] {
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
