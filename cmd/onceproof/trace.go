package main

import (
	"bytes"
	"context"
	"flag"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/onceproof/onceproof/checker"
	"github.com/onceproof/onceproof/checker/itf"
	"github.com/onceproof/onceproof/harness/bundle"
	"github.com/onceproof/onceproof/spec/world"
)

func traceCommand() command {
	return command{
		name: "trace", args: "FILE", about: "replay a trace file on the model that it names, and print it",
		details: `FILE is one that "onceproof check" wrote with --out, --trace json or --trace itf; - is standard input. A file that is cut
off, or is of another version or model, is an error, as is a trace that the model of this program does not follow.`,
		examples: []string{
			"onceproof check --fix-off KAFKA-19446 --trace json > trace.json; onceproof trace trace.json",
			"onceproof check late-end-txn --trace itf > late.itf.json; onceproof trace late.itf.json --format mermaid",
		},
		setUp: func(fs *flag.FlagSet) runner {
			format := fs.String("format", "text", "print it as `FORMAT`, "+strings.Join(traceFormats(), "|")+"; --json is --format json")
			return func(_ context.Context, e *env, args []string) (int, error) {
				if err := traceFormat("--format", *format); err != nil {
					return exitUnjudged, err
				}
				if e.json {
					*format = "json"
				}
				if len(args) != 1 {
					return exitUnjudged, fmt.Errorf("expected one FILE, got %d arguments", len(args))
				}
				return exitHolds, printTrace(e, args[0], *format)
			}
		},
	}
}

func printTrace(e *env, file, format string) error {
	read := os.ReadFile
	if file == "-" {
		read = func(string) ([]byte, error) { return io.ReadAll(os.Stdin) }
	}
	data, err := read(file)
	if err != nil {
		return err
	}
	id, err := traceModel(file, data)
	if err != nil {
		return err
	}
	if m := exampleNamed(id.Name); m != nil {
		return printExample(m, id, e, file, data, format)
	}
	if err := modelOfATrace(id.Name); err != nil {
		return fmt.Errorf("%s: %w", file, err)
	}
	m, err := world.Rebuild(id)
	if err != nil {
		return fmt.Errorf("%s: %w", file, err)
	}
	return printTraceOf(e, file, data, m, format)
}

// traceModel is the model that a trace file names, in either of the formats that can be read.
func traceModel(file string, data []byte) (checker.Identity, error) {
	if itf.Is(data) {
		if t, err := itf.Read(bytes.NewReader(data)); err == nil && bundle.IsTrace(t) {
			return checker.Identity{}, fmt.Errorf("%s: expected a trace of a model, got one of a broker: onceproof replay plays it", file)
		}
	}
	id, err := checker.TraceIdentity(data)
	if err != nil {
		return id, fmt.Errorf("%s: %w", file, err)
	}
	return id, nil
}

// modelOfATrace says whether a model of this name may have written a trace.
func modelOfATrace(name string) error {
	if err := world.Named(name); err != nil {
		return fmt.Errorf("%w, %s", err, exampleNames())
	}
	return nil
}

// printTraceOf prints the trace as the model gives it now, which has to be as it was written.
func printTraceOf[S any, A comparable](e *env, file string, data []byte, m checker.Model[S, A], format string) error {
	t, err := checker.ReadAndReplay(data, m)
	if err != nil {
		return fmt.Errorf("%s: %w", file, err)
	}
	return writeTraceAs(e.stdout, t, format)
}
