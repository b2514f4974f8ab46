//go:build unix

package checker

import (
	"errors"
	"os"
	"syscall"
)

// lockFile locks a file until it is closed or the process ends, however it ends.
func lockFile(name string) (*os.File, error) {
	f, err := os.OpenFile(name, os.O_CREATE|os.O_RDWR, 0o644)
	if err != nil {
		return nil, err
	}
	if err := syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB); errors.Is(err, syscall.EWOULDBLOCK) {
		f.Close()
		return nil, errLocked
	}
	return f, nil // a file system without locks does without
}
