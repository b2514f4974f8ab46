package conform

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
)

// Writable makes a folder if it is not there, and says whether files can be written into it: better before a long run
// than after.
func Writable(dir string) error {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	f, err := os.CreateTemp(dir, ".onceproof-*")
	if err != nil {
		return err
	}
	return errors.Join(f.Close(), os.Remove(f.Name()))
}

// whole says whether the runner's own file is: it does not look at errors of writing.
func whole(dir string) error {
	name := filepath.Join(dir, "cucumber.json")
	text, err := os.ReadFile(name)
	if err != nil {
		return err
	}
	if !json.Valid(text) {
		return fmt.Errorf("%s is cut off after %d bytes: is the disk full?", name, len(text))
	}
	return nil
}
