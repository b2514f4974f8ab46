package checker_test

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/onceproof/onceproof/checker"
	"github.com/onceproof/onceproof/checker/twophase"
)

// files are those of a folder, by the part of their names before the number.
func files(t *testing.T, dir string) string {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, e := range entries {
		names = append(names, e.Name())
	}
	return strings.Join(names, " ")
}

func TestBoundedMemoryFindsTheSame(t *testing.T) {
	for _, m := range []twophase.Model{{RMs: 6}, {RMs: 6, Hasty: true}, {RMs: 7}} {
		if testing.Short() && m.RMs > 6 {
			continue
		}
		check := func(o checker.Options) string {
			t.Helper()
			o.KeepGoing = true
			r, err := checker.Check(context.Background(), m, twophase.Properties(), o)
			if err != nil {
				t.Fatal(err)
			}
			return findings(t, r)
		}
		want := check(checker.Options{})
		for _, workers := range []int{1, 2} {
			dir := filepath.Join(t.TempDir(), "work")
			spilled := false
			o := checker.Options{Workers: workers, WorkDir: dir, Memory: 1 << 20}
			o.OnWritten(func(string) { spilled = spilled || strings.Contains(files(t, dir), "visited-") })
			if got := check(o); got != want {
				t.Errorf("%+v, %d workers: expected\n%s\ngot\n%s", m, workers, want, got)
			}
			if !spilled {
				t.Errorf("%+v: expected the visited set in files", m)
			}
			if left := files(t, dir); strings.Contains(left, "visited-") || strings.Contains(left, "level-") || strings.Contains(left, "candidates-") {
				t.Errorf("expected no files but those of the checkpoint, got %s", left)
			}
			// From what a search with the bound left another goes on, with it or without.
			for _, memory := range []int64{0, 1 << 20}[workers-1:] {
				if got := check(checker.Options{WorkDir: dir, Memory: memory, Resume: true}); got != want {
					t.Errorf("%+v resumed: expected\n%s\ngot\n%s", m, want, got)
				}
			}
		}
	}
}

// Few fingerprints are held, so that each level has several files of candidates, and runs are merged.
func TestHeldFingerprints(t *testing.T) {
	want := undisturbed(t)
	for _, held := range []int{1, 7, 100, 1000} {
		for _, workers := range []int{1, 2} {
			o := checker.Options{Workers: workers, WorkDir: filepath.Join(t.TempDir(), "work")}
			o.Hold(held)
			r, err := twoPhase(4, o)
			if err != nil {
				t.Fatal(err)
			}
			if got := findings(t, r); got != want {
				t.Errorf("%d held, %d workers: expected\n%s\ngot\n%s", held, workers, want, got)
			}
		}
	}
}

// A disk that is full while candidates are written.
func TestFullDiskInBoundedMemory(t *testing.T) {
	if _, err := os.Stat("/dev/full"); err != nil {
		t.Skip("there is no /dev/full")
	}
	want := undisturbed(t)
	dir := filepath.Join(t.TempDir(), "work")
	o := checker.Options{WorkDir: dir}
	o.Hold(100)
	o.OnWritten(func(name string) {
		if name == "checkpoint-000007" {
			if err := os.Symlink("/dev/full", filepath.Join(dir, "candidates-000001")); err != nil {
				t.Error(err)
			}
		}
	})
	_, err := twoPhase(4, o)
	for _, part := range []string{"no space left", "make room in " + dir} {
		if err == nil || !strings.Contains(err.Error(), part) {
			t.Fatalf("expected an error with %q, got %v", part, err)
		}
	}
	o.OnWritten(nil)
	o.Resume = true
	r, err := twoPhase(4, o)
	if err != nil {
		t.Fatal(err)
	}
	if got := findings(t, r); got != want {
		t.Errorf("expected\n%s\ngot\n%s", want, got)
	}
}

// A search that is cut off in the middle goes on in files or in memory.
func TestBoundedMemoryResumes(t *testing.T) {
	whole, err := twoPhase(6, checker.Options{})
	if err != nil {
		t.Fatal(err)
	}
	want := findings(t, whole)
	for _, before := range []int64{0, 1 << 20} {
		for _, after := range []int64{0, 1 << 20} {
			dir := filepath.Join(t.TempDir(), "work")
			if _, err := twoPhase(6, checker.Options{WorkDir: dir, Memory: before, MaxDepth: 14}); err != nil {
				t.Fatal(err)
			}
			r, err := twoPhase(6, checker.Options{WorkDir: dir, Memory: after, Resume: true})
			if err != nil {
				t.Fatal(err)
			}
			if got := findings(t, r); got != want {
				t.Errorf("expected\n%s\ngot\n%s", want, got)
			}
		}
	}
}

func TestBoundedMemoryIsRefused(t *testing.T) {
	for want, o := range map[string]checker.Options{
		"expected WorkDir":          {Memory: 1 << 30},
		"Memory of at least":        {Memory: 1000, WorkDir: t.TempDir()},
		"Memory without MaxStates:": {Memory: 1 << 30, WorkDir: t.TempDir(), MaxStates: 5},
	} {
		if _, err := twoPhase(3, o); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("expected an error with %q, got %v", want, err)
		}
	}
}
