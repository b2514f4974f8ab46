package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"reflect"
	"strconv"
	"strings"

	"github.com/onceproof/onceproof/checker"
	"github.com/onceproof/onceproof/checker/twophase"
	"github.com/onceproof/onceproof/spec/world"
)

func traceCommand() command {
	return command{
		name: "trace", args: "FILE", about: "replay a trace file on the model that it names, and print it",
		details:  "FILE is one that \"onceproof check\" wrote with --out or --trace json; - is standard input. A file that is cut off, or is of\nanother version or model, is an error, as is a trace that the model of this program does not follow.",
		examples: []string{"onceproof check --fix-off KAFKA-19446 --trace json > trace.json; onceproof trace trace.json"},
		setUp: func(*flag.FlagSet) runner {
			return func(_ context.Context, e *env, args []string) (int, error) {
				if len(args) != 1 {
					return exitUnjudged, fmt.Errorf("expected one FILE, got %d arguments", len(args))
				}
				return exitHolds, printTrace(e, args[0])
			}
		},
	}
}

func printTrace(e *env, file string) error {
	read := os.ReadFile
	if file == "-" {
		read = func(string) ([]byte, error) { return io.ReadAll(os.Stdin) }
	}
	data, err := read(file)
	if err != nil {
		return err
	}
	var head struct {
		Model checker.Identity `json:"model"`
	}
	var other *json.UnmarshalTypeError
	err = json.Unmarshal(data, &head)
	switch {
	case errors.As(err, &other), err == nil && head.Model.Name == "":
		return fmt.Errorf("%s: expected a trace as onceproof check writes it (docs/json.md), got other JSON: it names no model", file)
	case err != nil: // ReadTrace says below what is cut off, or no JSON
		head.Model = twophase.Model{}.Identity()
	}
	if strings.HasPrefix(head.Model.Name, "twophase") {
		m, err := rebuildTwoPhase(head.Model)
		if err != nil {
			return fmt.Errorf("%s: %w", file, err)
		}
		return replay(e, file, data, m)
	}
	if err := modelOfATrace(head.Model.Name); err != nil {
		return fmt.Errorf("%s: %w", file, err)
	}
	m, err := world.Rebuild(head.Model)
	if err != nil {
		return fmt.Errorf("%s: %w", file, err)
	}
	return replay(e, file, data, m)
}

// modelOfATrace says whether a model of this name may have written a trace.
func modelOfATrace(name string) error {
	for _, w := range world.Weakenings() {
		if w.Config.Name == name {
			return nil
		}
	}
	_, err := lookup(name)
	return err
}

func rebuildTwoPhase(id checker.Identity) (twophase.Model, error) {
	m := twophase.Model{Hasty: id.Name == "twophase-hasty"}
	for _, b := range id.Bounds {
		n, err := strconv.Atoi(b.Value)
		if err != nil || n > 0 && twoPhaseBound(n) != nil {
			return m, fmt.Errorf("model %s: expected a number of resource managers, got %q", id.Name, b.Value)
		}
		m.RMs = n
	}
	return m, nil
}

// replay prints the trace as the model gives it now, which has to be as it was written.
func replay[S any, A comparable](e *env, file string, data []byte, m checker.Model[S, A]) error {
	t, err := checker.ReadTrace(bytes.NewReader(data), m)
	if err != nil {
		return fmt.Errorf("%s: %w", file, err)
	}
	again, err := checker.Replay(m, t, nil)
	if err != nil {
		return fmt.Errorf("%s: %w", file, err)
	}
	for i := range again.Steps {
		if !reflect.DeepEqual(again.Steps[i], t.Steps[i]) {
			return fmt.Errorf("%s: step %d has another outcome here than when the trace was written: the rules have changed since", file, i+1)
		}
	}
	if e.json {
		return again.WriteJSON(e.stdout)
	}
	return again.WriteText(e.stdout)
}
