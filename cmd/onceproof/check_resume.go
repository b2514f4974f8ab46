package main

import (
	"errors"
	"flag"
	"fmt"
	"strings"
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
