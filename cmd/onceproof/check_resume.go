package main

import (
	"errors"
	"flag"
	"fmt"
	"strconv"
	"strings"

	"github.com/onceproof/onceproof/checker"
)

// folder is where the checkpoints of the search are, "" if there are to be none.
func (f *checkFlags) folder() string {
	if f.resume != "" {
		return f.resume
	}
	return f.workDir
}

// checkpointFlags says what is wrong with the flags of checkpoints.
func (f *checkFlags) checkpointFlags() error {
	switch {
	case f.workDir != "" && f.resume != "":
		return errors.New("expected --workdir for a search that begins or --resume for one that goes on, got both")
	case f.checkpointEvery < 0:
		return fmt.Errorf("expected --checkpoint-every of at least 0, got %v", f.checkpointEvery)
	case f.checkpointEvery > 0 && f.folder() == "":
		return errors.New("expected --workdir DIR or --resume DIR with --checkpoint-every")
	case f.exact && (f.memory > 0 || f.folder() != ""):
		return errors.New("expected --exact without --workdir, --resume and --memory: what is in files is fingerprints, not the states themselves; search in memory, or without --exact")
	case f.memory > 0 && f.folder() == "":
		return errors.New("expected --workdir DIR or --resume DIR with --memory, for what does not fit")
	case f.memory > 0 && f.maxStates > 0:
		return errors.New("expected --memory without --max-states: states are counted a level at a time; --max-depth bounds it")
	case f.folder() != "" && !f.configured():
		return errors.New("expected a MODEL with --workdir and --resume")
	}
	return nil
}

// goOn is the command that goes on with the search.
func (f *checkFlags) goOn() string {
	words := append([]string{"onceproof", "check"}, f.models...)
	f.given.Visit(func(g *flag.Flag) {
		switch value, isBool := g.Value.(interface{ IsBoolFlag() bool }); {
		case g.Name == "workdir" || g.Name == "resume":
		case isBool && value.IsBoolFlag():
			words = append(words, "--"+g.Name+"="+g.Value.String())
		default:
			words = append(words, "--"+g.Name, word(g.Value.String()))
		}
	})
	return strings.Join(append(words, "--resume", word(f.folder())), " ")
}

// word quotes what a shell would not take as one word.
func word(s string) string {
	if s == "" || strings.ContainsAny(s, " \t\n\"'\\$&;|<>()*?`#~!") {
		return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'"
	}
	return s
}

// byteSize is a flag that takes a number of bytes with a unit.
type byteSize int64

// units are powers of 1024.
var units = [...]string{"KiB", "MiB", "GiB", "TiB"}

func (b *byteSize) String() string {
	size, unit := int64(*b), ""
	for _, u := range units {
		if size == 0 || size%1024 != 0 {
			break
		}
		size, unit = size/1024, u
	}
	return strconv.FormatInt(size, 10) + unit
}

// Set reads 512MiB; without a unit it is bytes.
func (b *byteSize) Set(text string) error {
	number, times := text, int64(1)
	for i, u := range units {
		if n, ok := strings.CutSuffix(text, u); ok {
			number, times = n, 1<<(10*(i+1))
		}
	}
	n, err := strconv.ParseInt(number, 10, 64)
	if err != nil || n <= 0 || n > (1<<62)/times {
		return errors.New("expected a size as 512MiB, with KiB, MiB, GiB or TiB")
	}
	if *b = byteSize(n * times); *b < checker.LeastMemory {
		return fmt.Errorf("expected at least %dMiB", checker.LeastMemory>>20)
	}
	return nil
}
