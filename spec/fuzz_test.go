package spec

import "testing"

// FuzzRead holds Read to its promise: any bytes give a state or an error, never a panic, and what is read is written as
// the same state.
func FuzzRead(f *testing.F) {
	f.Add(full().Append(nil))
	f.Add(small().Append(nil))
	f.Fuzz(func(t *testing.T, b []byte) {
		var s, again State
		if rest, err := s.Read(b); err != nil || len(rest) > 0 {
			return
		}
		w := s.Append(nil)
		if rest, err := again.Read(w); err != nil || len(rest) != 0 {
			t.Fatalf("a state that was read can't be read back: %v", err)
		}
		if string(again.Append(nil)) != string(w) {
			t.Fatal("a state changes when it is written and read")
		}
	})
}
