package main

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// A search that is interrupted says the command that goes on with it, and that command finds what there is to find.
func TestInterruptedSaysHowToGoOn(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "my work")
	ctx, cancel := context.WithCancel(t.Context())
	go func() {
		defer cancel()
		for t.Context().Err() == nil {
			if _, err := os.Stat(filepath.Join(dir, "checkpoint-000008")); err == nil {
				return
			}
			time.Sleep(time.Millisecond)
		}
	}()
	var out, errs bytes.Buffer
	code := run(ctx, &env{stdout: &out, stderr: &errs}, []string{"check", "twophase", "--keep-going", "--bound", "n=7", "--memory", "128MiB", "--workdir", dir})
	if code != exitUnjudged || !strings.Contains(out.String(), "interrupted") {
		t.Fatalf("expected an interrupted search, got exit code %d and\n%s", code, out.String())
	}
	want := "go on with: onceproof check twophase --bound n=7 --keep-going=true --memory 128MiB --resume '" + dir + "'\n"
	if !strings.Contains(errs.String(), want) {
		t.Fatalf("expected %q on stderr, got\n%s", want, errs.String())
	}
	code, stdout, stderr := runCommand(t, "check", "twophase", "--bound", "n=7", "--keep-going=true", "--memory", "128MiB", "--resume", dir)
	if code != exitHolds || !strings.Contains(stdout, "296448 distinct states") {
		t.Errorf("expected everything to hold in 296448 states, got exit code %d and\n%s%s", code, stdout, stderr)
	}
	code, _, stderr = runCommand(t, "check", "twophase", "--bound", "n=6", "--resume", dir)
	if code != exitUnjudged || !strings.Contains(stderr, "is of another search") {
		t.Errorf("expected a refusal, got exit code %d and\n%s", code, stderr)
	}
}

func TestWord(t *testing.T) {
	for s, want := range map[string]string{"a/b,c=1": "a/b,c=1", "": "''", "my work": "'my work'", "it's": `'it'\''s'`, "$HOME": "'$HOME'"} {
		if got := word(s); got != want {
			t.Errorf("expected %s, got %s", want, got)
		}
	}
}

func TestByteSize(t *testing.T) {
	for text, want := range map[string]int64{"512MiB": 512 << 20, "20GiB": 20 << 30, "134217729": 134217729, "1TiB": 1 << 40, "200000KiB": 200000 << 10} {
		var b byteSize
		if err := b.Set(text); err != nil || int64(b) != want || b.String() != text {
			t.Errorf("%s: expected %d bytes, got %d, %s, %v", text, want, b, b.String(), err)
		}
	}
	for _, text := range []string{"", "MiB", "-1GiB", "9999999999TiB", "1.5GiB", "512 MiB", "127MiB"} {
		var b byteSize
		if err := b.Set(text); err == nil {
			t.Errorf("%q: expected an error, got %d", text, b)
		}
	}
}
