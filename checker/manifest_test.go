package checker

import (
	"bytes"
	"testing"
)

// A manifest that is taken is whole: written again it is the same file.
func FuzzDecodeManifest(f *testing.F) {
	m := &manifest{
		Model: Identity{Name: "m", Version: "1", Bounds: []Bound{{"n", "3"}}}, Properties: []string{"invariant P"}, Options: []string{},
		Depth: 2, Distinct: 3, Tally: talliedSoFar{Generated: 9, Applied: []uint64{4}, First: []uint64{none}},
		States:   []fileSum{{"states-000001", 1, 10, 77}, {"states-000002", 2, 32, 78}},
		Frontier: fileSum{"frontier-000002", 2, 9, 79},
	}
	f.Add(m.encode())
	m.Frontier.Name = "../frontier"
	f.Add(m.encode())
	f.Add([]byte(manifestTitle + "\n"))
	f.Fuzz(func(t *testing.T, b []byte) {
		m, err := decodeManifest(b)
		if err != nil {
			return
		}
		again, err := decodeManifest(m.encode())
		if err != nil || !bytes.Equal(again.encode(), m.encode()) {
			t.Errorf("expected the same manifest again, got %v, %v", again, err)
		}
	})
}

func TestDecodeManifestRefuses(t *testing.T) {
	whole := func() *manifest {
		return &manifest{Distinct: 1, States: []fileSum{{"states-000001", 1, 10, 77}}, Frontier: fileSum{"frontier-000001", 1, 9, 79}}
	}
	if _, err := decodeManifest(whole().encode()); err != nil {
		t.Fatal(err)
	}
	for name, change := range map[string]func(m *manifest){
		"a path":              func(m *manifest) { m.Frontier.Name = "../frontier" },
		"no name":             func(m *manifest) { m.States[0].Name = "" },
		"too few bytes":       func(m *manifest) { m.States[0].Bytes = 9 },
		"too many states":     func(m *manifest) { m.Distinct = 2 },
		"too large a level":   func(m *manifest) { m.Frontier.Count = 2 },
		"a depth below 0":     func(m *manifest) { m.Depth = -1 },
		"states out of range": func(m *manifest) { m.States[0].Count = 1 << 63 },
	} {
		m := whole()
		change(m)
		if _, err := decodeManifest(m.encode()); err == nil {
			t.Errorf("%s: expected an error", name)
		}
	}
}
