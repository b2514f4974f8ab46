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
	// goOn, if not nil, gives an error when a file that is read is wanted no more.
	goOn func() error
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

func (s *store) close() { s.lock.Close() } // which unlocks it

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

// syncing is a file that is synced as it grows, beside what else is done.
type syncing struct {
	*os.File
	unsynced int
	synced   chan error // of the sync under way, nil if there is none
}

func (s *syncing) Write(b []byte) (int, error) {
	n, err := s.File.Write(b)
	if s.unsynced += n; err == nil && s.unsynced >= syncBytes {
		err = s.wait()
		done := make(chan error, 1)
		s.unsynced, s.synced = 0, done
		go func() { done <- s.Sync() }()
	}
	return n, err
}

// wait waits for the sync under way.
func (s *syncing) wait() (err error) {
	if s.synced != nil {
		err, s.synced = <-s.synced, nil
	}
	return err
}

// newFile is a file being written: it is there whole or not at all.
type newFile struct {
	*bufio.Writer
	store *store
	name  string
	file  *syncing
	sum   *summing
}

func (s *store) create(name string) (*newFile, error) {
	file, err := os.Create(s.path(name + unfinished))
	if err != nil {
		return nil, s.unwritten(err)
	}
	f := &newFile{store: s, name: name, file: &syncing{File: file}}
	f.sum = &summing{w: f.file}
	f.Writer = bufio.NewWriterSize(f.sum, 1<<16)
	return f, nil
}

// finish gives the file its name, unless something is wrong with what was written, and says what is in it.
func (f *newFile) finish(count uint64, wrong error) (fileSum, error) {
	s := f.store
	s.reached(f.name + unfinished)
	err := errors.Join(wrong, f.Flush(), f.file.wait(), f.file.Close())
	if err == nil {
		err = os.Rename(s.path(f.name+unfinished), s.path(f.name))
	}
	if err != nil {
		os.Remove(s.path(f.name + unfinished)) // what cannot be removed only takes room
		return fileSum{}, s.unwritten(err)
	}
	s.unsynced = append(s.unsynced, f.name)
	s.reached(f.name)
	return fileSum{f.name, count, f.sum.bytes, f.sum.sum.Sum64()}, nil
}

// abandon ends the writing of a file that is not wanted.
func (f *newFile) abandon() {
	f.file.wait()
	f.file.Close()
	os.Remove(f.store.path(f.name + unfinished)) // what cannot be removed only takes room
}

// write makes a file of some contents.
func (s *store) write(name string, count uint64, contents func(w *bufio.Writer) error) (fileSum, error) {
	f, err := s.create(name)
	if err != nil {
		return fileSum{}, err
	}
	return f.finish(count, contents(f.Writer))
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
	if _, err := io.Copy(sum, wanted{file, s}); err != nil {
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
	if err := read(bufio.NewReaderSize(wanted{file, s}, 1<<16)); err != nil {
		return fmt.Errorf("%s: %w", f.Name, err)
	}
	return nil
}

// wanted is a file that is read as long as it is wanted.
type wanted struct {
	file  *os.File
	store *store
}

func (w wanted) Read(b []byte) (int, error) {
	if w.store.goOn != nil {
		if err := w.store.goOn(); err != nil {
			return 0, err
		}
	}
	return w.file.Read(b)
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

// removeUnfinished removes the files that begin with a prefix and are not complete. It is for moments when none is being written.
func (s *store) removeUnfinished(prefix string) {
	entries, _ := os.ReadDir(s.dir) // what cannot be removed only takes room
	for _, e := range entries {
		if strings.HasPrefix(e.Name(), prefix) && strings.HasSuffix(e.Name(), unfinished) {
			os.Remove(s.path(e.Name()))
		}
	}
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
