package checker

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/zeebo/xxh3"
)

// store is the folder of a search: files that are written once, each under another name until it is complete.
type store struct {
	dir string
	// unsynced are files whose contents the system may still hold back.
	unsynced []string
	// written, if not nil, is called while a file is written and once it is there, for tests that stop there.
	written func(name string)
	// lock is held as long as the search is at work.
	lock *os.File
}

// fileSum names a file of a store and says what is in it.
type fileSum struct {
	Name  string `json:"name"`
	Count uint64 `json:"count"` // of states
	Bytes int64  `json:"bytes"`
	Sum   uint64 `json:"xxh3"`
}

// unfinished ends the name of a file that is being written.
const unfinished = ".unfinished"

func openStore(dir string, written func(string)) (*store, error) {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return nil, fmt.Errorf("checker: the folder of the search: %w: name one that can be written to", err)
	}
	lock, err := lockFile(filepath.Join(dir, "lock"))
	if errors.Is(err, errLocked) {
		return nil, fmt.Errorf("checker: another search is at work in %s: wait for its end, or name another folder", dir)
	} else if err != nil {
		return nil, fmt.Errorf("checker: the folder of the search: %w: name one that can be written to", err)
	}
	return &store{dir: dir, written: written, lock: lock}, nil
}

var errLocked = errors.New("checker: locked")

func (s *store) close() { s.lock.Close() }

func (s *store) path(name string) string { return filepath.Join(s.dir, name) }

func (s *store) reached(name string) {
	if s.written != nil {
		s.written(name)
	}
}

// summing counts and sums what is written through it.
type summing struct {
	w     io.Writer
	sum   xxh3.Hasher
	bytes int64
}

func (s *summing) Write(b []byte) (int, error) {
	n, err := s.w.Write(b)
	s.sum.Write(b[:n])
	s.bytes += int64(n)
	return n, err
}

// syncBytes is how much is written to a file before the system is asked for it, so that it is never asked for much at a time.
const syncBytes = 64 << 20

// syncing is a file that is synced as it grows.
type syncing struct {
	*os.File
	unsynced int
}

func (s *syncing) Write(b []byte) (int, error) {
	n, err := s.File.Write(b)
	if s.unsynced += n; err == nil && s.unsynced >= syncBytes {
		s.unsynced, err = 0, s.Sync()
	}
	return n, err
}

// write makes a file: it is there whole or not at all.
func (s *store) write(name string, count uint64, contents func(w *bufio.Writer) error) (fileSum, error) {
	f := fileSum{Name: name, Count: count}
	file, err := os.Create(s.path(name + unfinished))
	if err != nil {
		return f, s.unwritten(err)
	}
	out := &summing{w: &syncing{File: file}}
	buffered := bufio.NewWriterSize(out, 1<<16)
	err = contents(buffered)
	s.reached(name + unfinished)
	err = errors.Join(err, buffered.Flush(), file.Close())
	if err == nil {
		err = os.Rename(s.path(name+unfinished), s.path(name))
	}
	if err != nil {
		os.Remove(s.path(name + unfinished)) // what cannot be removed only takes room
		return f, s.unwritten(err)
	}
	s.unsynced = append(s.unsynced, name)
	s.reached(name)
	f.Bytes, f.Sum = out.bytes, out.sum.Sum64()
	return f, nil
}

func (s *store) unwritten(err error) error {
	return fmt.Errorf("checker: a checkpoint could not be written: %w: make room in %s, or make it writable, and resume; the checkpoint before it is still good",
		err, s.dir)
}

// sync makes what was written outlast a loss of power.
func (s *store) sync() error {
	for _, name := range append(s.unsynced, ".") {
		file, err := os.Open(s.path(name))
		if err == nil {
			err = errors.Join(file.Sync(), file.Close())
		}
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return s.unwritten(err)
		}
	}
	s.unsynced = s.unsynced[:0]
	return nil
}

// verify reports how a file differs from what is said of it.
func (s *store) verify(f fileSum) error {
	file, err := os.Open(s.path(f.Name))
	if err != nil {
		return err
	}
	defer file.Close()
	sum := &summing{w: io.Discard}
	if _, err := io.Copy(sum, file); err != nil {
		return err
	}
	switch {
	case sum.bytes != f.Bytes:
		return fmt.Errorf("%s has %d bytes, expected %d", f.Name, sum.bytes, f.Bytes)
	case sum.sum.Sum64() != f.Sum:
		return fmt.Errorf("%s is damaged: its checksum is %x, expected %x", f.Name, sum.sum.Sum64(), f.Sum)
	}
	return nil
}

// read calls read with the contents of a file.
func (s *store) read(f fileSum, read func(r *bufio.Reader) error) error {
	file, err := os.Open(s.path(f.Name))
	if err != nil {
		return err
	}
	defer file.Close()
	if err := read(bufio.NewReaderSize(file, 1<<16)); err != nil {
		return fmt.Errorf("%s: %w", f.Name, err)
	}
	return nil
}

// names are the files that begin with a prefix and are complete, in order.
func (s *store) names(prefix string) ([]string, error) {
	entries, err := os.ReadDir(s.dir)
	if err != nil {
		return nil, err
	}
	var names []string
	for _, e := range entries {
		if strings.HasPrefix(e.Name(), prefix) && !strings.HasSuffix(e.Name(), unfinished) {
			names = append(names, e.Name())
		}
	}
	return names, nil
}

// keepOnly removes the files that begin with a prefix, but for some.
func (s *store) keepOnly(prefix string, kept func(name string) bool) {
	names, _ := s.names(prefix) // what cannot be removed only takes room
	for _, name := range names {
		if !kept(name) {
			os.Remove(s.path(name))
		}
	}
}
