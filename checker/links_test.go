package checker

import (
	"testing"

	"pgregory.net/rapid"
)

func TestLinksAreWhatWasAppended(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var l links
		var want []link
		parent := uint64(noParent)
		for range rapid.IntRange(1, 5000).Draw(t, "links") {
			ordinal := rapid.SampledFrom([]int{0, 1, 127, 128, maxOrdinal}).Draw(t, "ordinal")
			want = append(want, newLink(parent, ordinal))
			l.append(want[len(want)-1])
			parent = (parent + rapid.SampledFrom([]uint64{0, 0, 1, 200, 1 << 30}).Draw(t, "further")) & noParent
		}
		for i, k := range want {
			if got := l.of(uint64(i)); got != k {
				t.Fatalf("link %d: expected %d of %d, got %d of %d", i, k.ordinal(), k.parent(), got.ordinal(), got.parent())
			}
		}
	})
}
