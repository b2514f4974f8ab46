package checker_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/onceproof/onceproof/checker"
	"github.com/onceproof/onceproof/checker/twophase"
)

func twoPhase(rms int, o checker.Options) (*checker.Result[twophase.Action], error) {
	return checker.Check(context.Background(), twophase.Model{RMs: rms}, twophase.Properties(), o)
}

// cutOff leaves the checkpoints of a search that ended before its time.
func cutOff(t *testing.T, every time.Duration) (dir string) {
	t.Helper()
	dir = filepath.Join(t.TempDir(), "work")
	if r, err := twoPhase(4, checker.Options{WorkDir: dir, MaxDepth: 8, CheckpointEvery: every}); err != nil || r.Verdict != checker.VerdictNotExhausted {
		t.Fatal(r, err)
	}
	return dir
}

func undisturbed(t *testing.T) string {
	t.Helper()
	r, err := twoPhase(4, checker.Options{})
	if err != nil || r.Distinct != 1568 {
		t.Fatal(r, err)
	}
	return findings(t, r)
}

func TestResume(t *testing.T) {
	want := undisturbed(t)
	for _, every := range []time.Duration{0, time.Hour} {
		dir := cutOff(t, every)
		for _, workers := range []int{1, 2, 1} { // a search that has ended can be resumed too
			r, err := twoPhase(4, checker.Options{WorkDir: dir, Resume: true, Workers: workers})
			if err != nil {
				t.Fatal(err)
			}
			if got := findings(t, r); got != want {
				t.Errorf("expected\n%s\ngot\n%s", want, got)
			}
		}
	}
}

// newest is the last file with a prefix.
func newest(t *testing.T, dir, prefix string) string {
	t.Helper()
	names, err := filepath.Glob(filepath.Join(dir, prefix+"*"))
	if err != nil || len(names) == 0 {
		t.Fatal(names, err)
	}
	return names[len(names)-1]
}

func TestDamagedCheckpointFallsBack(t *testing.T) {
	want := undisturbed(t)
	flip := func(b []byte) []byte { b[len(b)/2] ^= 4; return b }
	for _, test := range []struct {
		name, prefix string
		damage       func(b []byte) []byte
		notice       string
	}{
		{"truncated checkpoint", "checkpoint-", func(b []byte) []byte { return b[:len(b)-100] }, "damaged or cut off"},
		{"empty checkpoint", "checkpoint-", func([]byte) []byte { return nil }, "expected a first line"},
		{"flipped checkpoint", "checkpoint-", flip, "damaged or cut off"},
		{"truncated frontier", "frontier-", func(b []byte) []byte { return b[:len(b)-1] }, "bytes, expected"},
		{"flipped frontier", "frontier-", flip, "is damaged"},
		{"flipped states", "states-", flip, "is damaged"},
		{"frontier gone", "frontier-", nil, "no such file"},
	} {
		t.Run(test.name, func(t *testing.T) {
			dir := cutOff(t, 0)
			file := newest(t, dir, test.prefix)
			b, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			if test.damage == nil {
				err = os.Remove(file)
			} else {
				err = os.WriteFile(file, test.damage(b), 0o644)
			}
			if err != nil {
				t.Fatal(err)
			}
			var notice string
			r, err := twoPhase(4, checker.Options{WorkDir: dir, Resume: true, Notice: func(text string) { notice = text }})
			if err != nil {
				t.Fatal(err)
			}
			if got := findings(t, r); got != want {
				t.Errorf("expected\n%s\ngot\n%s", want, got)
			}
			for _, part := range []string{test.notice, "the checkpoint before it, of level 6"} {
				if !strings.Contains(notice, part) {
					t.Errorf("expected a notice with %q, got %q", part, notice)
				}
			}
		})
	}
}

func TestCheckpointIsRefused(t *testing.T) {
	mistakes := map[string]struct {
		check func(dir string) error
		want  []string
	}{
		"other model": {func(dir string) error { _, err := hasty(checker.Options{WorkDir: dir, Resume: true}); return err },
			[]string{`of model "twophase", this is "twophase-hasty"`, "name another folder"}},
		"other bounds": {func(dir string) error { _, err := twoPhase(5, checker.Options{WorkDir: dir, Resume: true}); return err },
			[]string{"bounds rms=4, these are rms=5"}},
		"other properties": {func(dir string) error {
			p := twophase.Properties()
			p.Invariants = nil
			_, err := checker.Check(context.Background(), twophase.Model{RMs: 4}, p, checker.Options{WorkDir: dir, Resume: true})
			return err
		}, []string{"its properties are"}},
		"bounded before it": {func(dir string) error {
			_, err := twoPhase(4, checker.Options{WorkDir: dir, Resume: true, MaxDepth: 5})
			return err
		}, []string{"past MaxDepth", "resume with more"}},
		"not resumed": {func(dir string) error { _, err := twoPhase(4, checker.Options{WorkDir: dir}); return err },
			[]string{"checkpoint of an earlier search", "resume it"}},
		"every checkpoint damaged": {func(dir string) error {
			first := filepath.Join(dir, "states-000003")
			if err := os.Truncate(first, 7); err != nil {
				return err
			}
			_, err := twoPhase(4, checker.Options{WorkDir: dir, Resume: true})
			return err
		}, []string{"states-000003 has 7 bytes", "remove the folder and begin anew"}},
	}
	for name, test := range mistakes {
		t.Run(name, func(t *testing.T) {
			err := test.check(cutOff(t, 0))
			for _, part := range test.want {
				if err == nil || !strings.Contains(err.Error(), part) {
					t.Errorf("expected an error with %q, got %v", part, err)
				}
			}
		})
	}
	if _, err := twoPhase(3, checker.Options{Resume: true, WorkDir: t.TempDir()}); !errors.Is(err, checker.ErrNoCheckpoint) {
		t.Errorf("expected ErrNoCheckpoint, got %v", err)
	}
	if _, err := twoPhase(3, checker.Options{Resume: true}); err == nil || !strings.Contains(err.Error(), "as WorkDir") {
		t.Errorf("expected an error that asks for WorkDir, got %v", err)
	}
}

// /dev/full is a full disk.
func TestFullDisk(t *testing.T) {
	if _, err := os.Stat("/dev/full"); err != nil {
		t.Skip("there is no /dev/full")
	}
	want := undisturbed(t)
	for _, name := range []string{"states-000010", "frontier-000010", "checkpoint-000010"} {
		dir := cutOff(t, 0)
		full := filepath.Join(dir, name+".unfinished")
		if err := os.Symlink("/dev/full", full); err != nil {
			t.Fatal(err)
		}
		_, err := twoPhase(4, checker.Options{WorkDir: dir, Resume: true})
		for _, part := range []string{"no space left", "make room in " + dir, "the checkpoint before it is still good"} {
			if err == nil || !strings.Contains(err.Error(), part) {
				t.Fatalf("%s: expected an error with %q, got %v", name, part, err)
			}
		}
		if _, err := os.Lstat(full); err == nil {
			t.Errorf("%s: expected nothing of the file that could not be written", name)
		}
		r, err := twoPhase(4, checker.Options{WorkDir: dir, Resume: true})
		if err != nil {
			t.Fatal(err)
		}
		if got := findings(t, r); got != want {
			t.Errorf("%s: expected\n%s\ngot\n%s", name, want, got)
		}
	}
}

func TestFolderThatCannotBeWritten(t *testing.T) {
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, nil, 0o644); err != nil {
		t.Fatal(err)
	}
	_, err := twoPhase(3, checker.Options{WorkDir: filepath.Join(file, "work")})
	if err == nil || !strings.Contains(err.Error(), "name one that can be written to") {
		t.Errorf("expected an error that says what to do, got %v", err)
	}
	if os.Getuid() == 0 {
		return // root writes into a folder that is read-only
	}
	dir := t.TempDir()
	if err := os.Chmod(dir, 0o555); err != nil {
		t.Fatal(err)
	}
	_, err = twoPhase(3, checker.Options{WorkDir: dir})
	if err == nil || !strings.Contains(err.Error(), "make it writable") {
		t.Errorf("expected an error that says what to do, got %v", err)
	}
}

func TestFolderIsOneSearchs(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("folders are not locked there")
	}
	dir := t.TempDir()
	o := checker.Options{WorkDir: dir}
	tried := false
	o.OnWritten(func(string) {
		if tried {
			return
		}
		tried = true
		for _, resume := range []bool{false, true} {
			_, err := twoPhase(3, checker.Options{WorkDir: dir, Resume: resume})
			if err == nil || !strings.Contains(err.Error(), "another search is at work in "+dir) {
				t.Errorf("expected to be told of the other search, got %v", err)
			}
		}
	})
	if _, err := twoPhase(4, o); err != nil || !tried {
		t.Fatalf("expected the first search undisturbed, got %v (tried %v)", err, tried)
	}
	if _, err := twoPhase(4, checker.Options{WorkDir: dir, Resume: true}); err != nil {
		t.Errorf("expected the folder free again, got %v", err)
	}
}

// Ctrl-C while a checkpoint is read, which takes long where there are many states.
func TestInterruptedWhileResuming(t *testing.T) {
	dir := cutOff(t, 0)
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	_, err := checker.Check(ctx, twophase.Model{RMs: 4}, twophase.Properties(), checker.Options{WorkDir: dir, Resume: true})
	if err == nil || !strings.Contains(err.Error(), "interrupted while the checkpoint in "+dir+" was read") {
		t.Errorf("expected to be told what was interrupted, got %v", err)
	}
	r, err := twoPhase(4, checker.Options{WorkDir: dir, Resume: true})
	if err != nil {
		t.Fatal(err)
	}
	if got, want := findings(t, r), undisturbed(t); got != want {
		t.Errorf("expected\n%s\ngot\n%s", want, got)
	}
}

func TestResumingFromNowhereLeavesNothing(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "mistyped")
	if _, err := twoPhase(4, checker.Options{WorkDir: dir, Resume: true}); !errors.Is(err, checker.ErrNoCheckpoint) {
		t.Errorf("expected that there is no checkpoint, got %v", err)
	}
	if _, err := os.Stat(dir); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("expected no folder made, got %v", err)
	}
}

// A process that is killed leaves files that it was writing. The search that goes on may have no use for them, since its checkpoints
// are of other levels, and leaves none.
func TestUnfinishedFilesAreRemoved(t *testing.T) {
	dir := cutOff(t, 0)
	for _, left := range []string{"states-000008", "frontier-000008", "checkpoint-000008"} {
		if err := os.WriteFile(filepath.Join(dir, left+".unfinished"), []byte("begun"), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := twoPhase(4, checker.Options{WorkDir: dir, Resume: true, CheckpointEvery: time.Hour}); err != nil {
		t.Fatal(err)
	}
	if left := files(t, dir); strings.Contains(left, "unfinished") {
		t.Errorf("expected no files that are not complete, got %s", left)
	}
}
