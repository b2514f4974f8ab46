package checker_test

import (
	"context"
	"errors"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

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
	const held = 30_000
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
			o := checker.Options{Workers: workers, WorkDir: dir}
			o.Hold(held)
			o.OnWritten(func(string) {
				visited, err := os.Stat(filepath.Join(dir, "visited"))
				spilled = spilled || err == nil && visited.Size() > 0
			})
			if got := check(o); got != want {
				t.Errorf("%+v, %d workers: expected\n%s\ngot\n%s", m, workers, want, got)
			}
			if !spilled {
				t.Errorf("%+v: expected the visited set in files", m)
			}
			for _, left := range strings.Fields(files(t, dir)) {
				if kind, _, _ := strings.Cut(left, "-"); kind != "checkpoint" && kind != "frontier" && kind != "states" && kind != "lock" {
					t.Errorf("expected no files but those of the checkpoint, got %s", left)
				}
			}
			// From what a search with the bound left another goes on, with it or without.
			for _, held := range []int{0, held}[workers-1:] {
				o := checker.Options{WorkDir: dir, Resume: true}
				if held > 0 {
					o.Hold(held)
				}
				if got := check(o); got != want {
					t.Errorf("%+v resumed: expected\n%s\ngot\n%s", m, want, got)
				}
			}
		}
	}
}

// Few fingerprints are held, so that most of what is met is a candidate, and many times.
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
	whole, err := twoPhase(6, checker.Options{})
	if err != nil {
		t.Fatal(err)
	}
	want := findings(t, whole)
	for _, file := range []string{"visited", "candidates", "pending", "links"} {
		dir := t.TempDir()
		if err := os.Symlink("/dev/full", filepath.Join(dir, file)); err != nil {
			t.Fatal(err)
		}
		o := checker.Options{WorkDir: dir}
		o.Hold(100)
		_, err := twoPhase(6, o)
		for _, part := range []string{"no space left", "in " + dir, "make room there and resume"} {
			if err == nil || !strings.Contains(err.Error(), part) {
				t.Errorf("%s: expected an error with %q, got %v", file, part, err)
			}
		}
		o.Resume = true
		r, err := twoPhase(6, o)
		if err != nil {
			t.Fatal(err)
		}
		if got := findings(t, r); got != want {
			t.Errorf("%s: expected\n%s\ngot\n%s", file, want, got)
		}
	}
}

// A search that is cut off in the middle goes on in files or in memory.
func TestBoundedMemoryResumes(t *testing.T) {
	whole, err := twoPhase(6, checker.Options{})
	if err != nil {
		t.Fatal(err)
	}
	want := findings(t, whole)
	for _, before := range []int{0, 5000} {
		for _, after := range []int{0, 5000} {
			dir := filepath.Join(t.TempDir(), "work")
			hold := func(held int, o checker.Options) checker.Options {
				if held > 0 {
					o.Hold(held)
				}
				return o
			}
			if _, err := twoPhase(6, hold(before, checker.Options{WorkDir: dir, MaxDepth: 14})); err != nil {
				t.Fatal(err)
			}
			r, err := twoPhase(6, hold(after, checker.Options{WorkDir: dir, Resume: true}))
			if err != nil {
				t.Fatal(err)
			}
			if got := findings(t, r); got != want {
				t.Errorf("expected\n%s\ngot\n%s", want, got)
			}
		}
	}
}

// A search that is interrupted at any moment, also while a level is settled or a checkpoint written, goes on from the checkpoint
// before.
func TestInterruptedInBoundedMemory(t *testing.T) {
	whole, err := twoPhase(6, checker.Options{})
	if err != nil {
		t.Fatal(err)
	}
	want := findings(t, whole)
	random := rand.New(rand.NewPCG(3, 4))
	interrupted, writing := 0, 0
	for range 8 {
		o := checker.Options{WorkDir: filepath.Join(t.TempDir(), "work"), Workers: 2}
		o.Hold(3000)
		for longest := 30 * time.Millisecond; ; longest += longest / 8 { // a slow machine comes to an end too
			ctx, cancel := context.WithCancel(context.Background())
			if random.IntN(2) == 0 {
				time.AfterFunc(time.Duration(random.Int64N(int64(longest))), cancel)
				o.OnWritten(nil)
			} else {
				after := random.IntN(30)
				o.OnWritten(func(name string) {
					if after--; after == 0 {
						writing++
						cancel()
					}
				})
			}
			r, err := checker.Check(ctx, twophase.Model{RMs: 6}, twophase.Properties(), o)
			cancel()
			if errors.Is(err, checker.ErrNoCheckpoint) {
				o.Resume = false
				o.WorkDir = filepath.Join(t.TempDir(), "work")
				continue
			}
			if err != nil && strings.Contains(err.Error(), "interrupted while the checkpoint in "+o.WorkDir) {
				continue
			}
			if err != nil {
				t.Fatal(err)
			}
			if r.Verdict == checker.VerdictInterrupted {
				interrupted++
				o.Resume = true
				continue
			}
			if got := findings(t, r); got != want {
				t.Fatalf("expected\n%s\ngot\n%s", want, got)
			}
			break
		}
	}
	if interrupted < 20 || writing < 5 {
		t.Errorf("expected many interruptions, got %d, %d of them while files were written", interrupted, writing)
	}
}

func TestBoundedMemoryIsRefused(t *testing.T) {
	for want, o := range map[string]checker.Options{
		"expected WorkDir":           {Memory: 1 << 30},
		"Memory of at least 128 MiB": {Memory: 127 << 20, WorkDir: t.TempDir()},
		"Memory without MaxStates:":  {Memory: 1 << 30, WorkDir: t.TempDir(), MaxStates: 5},
	} {
		if _, err := twoPhase(3, o); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("expected an error with %q, got %v", want, err)
		}
	}
}

// A level in which something falls is taken back, and what was met in it is not entered from the files either.
func TestBoundedMemoryFindsTheFirstViolation(t *testing.T) {
	for _, rms := range []int{4, 5} {
		check := func(o checker.Options) string {
			t.Helper()
			o.Prove(1)
			r, err := checker.Check(context.Background(), twophase.Model{RMs: rms, Hasty: true}, twophase.Properties(), o)
			if err != nil {
				t.Fatal(err)
			}
			return findings(t, r)
		}
		want := check(checker.Options{})
		for _, held := range []int{1, 100, 1000} {
			for _, workers := range []int{1, 2, 5} {
				o := checker.Options{Workers: workers, WorkDir: filepath.Join(t.TempDir(), "work")}
				o.Hold(held)
				if got := check(o); got != want {
					t.Errorf("%d managers, %d held, %d workers: expected\n%s\ngot\n%s", rms, held, workers, want, got)
				}
			}
		}
	}
}
