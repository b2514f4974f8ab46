// Command onceproof checks Kafka's exactly-once protocol as a model, and real brokers against it. It is a thin shell over
// the packages: checker and spec/world find and print counterexamples, harness/conform runs the features.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"runtime/debug"
	"strings"
	"syscall"
)

// The exit codes of every command.
const (
	exitHolds    = 0 // conforms, or holds
	exitViolated = 1 // a violation
	exitUnjudged = 2 // could not be judged, or bad usage
)

// command is one of the things that onceproof does.
type command struct {
	name     string
	args     string // what follows the name in a line of usage
	about    string
	details  string
	examples []string
	// setUp declares the flags and returns what runs once they are read.
	setUp func(fs *flag.FlagSet) runner
}

// runner runs a command. The error is one of usage, or says why nothing could be judged; it makes the exit code 2.
type runner func(ctx context.Context, e *env, args []string) (int, error)

// env is where a command writes to.
type env struct {
	stdout, stderr io.Writer
	terminal       bool // stderr is one: progress is a line that is rewritten
	json           bool
}

func commands() []command {
	return []command{checkCommand(), conformCommand(), replayCommand(), traceCommand(), listCommand(), ruleCommand(), versionCommand()}
}

func main() {
	// A second Ctrl-C, when the first did not help, ends the process.
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	context.AfterFunc(ctx, stop)
	e := &env{stdout: os.Stdout, stderr: os.Stderr, terminal: isTerminal(os.Stderr)}
	code := run(ctx, e, os.Args[1:])
	stop()
	os.Exit(code)
}

func isTerminal(f *os.File) bool {
	info, err := f.Stat()
	return err == nil && info.Mode()&os.ModeCharDevice != 0
}

// run runs the command that the arguments name and returns the exit code.
func run(ctx context.Context, e *env, args []string) int {
	if len(args) == 0 {
		writeHelp(e.stderr)
		return exitUnjudged
	}
	name, rest := args[0], args[1:]
	if name == "help" || name == "-h" || name == "--help" {
		return help(e, rest)
	}
	if name == "--version" {
		name = "version"
	}
	for _, c := range commands() {
		if c.name == name {
			return c.execute(ctx, e, rest)
		}
	}
	fmt.Fprintf(e.stderr, "onceproof: no command %q; known: %s\n", name, strings.Join(commandNames(), ", "))
	return exitUnjudged
}

// execute reads the flags and runs the command.
func (c *command) execute(ctx context.Context, e *env, args []string) int {
	fs := flag.NewFlagSet(c.name, flag.ContinueOnError)
	fs.SetOutput(io.Discard)
	fs.BoolVar(&e.json, "json", false, "print one JSON object (field names: docs/json.md)")
	runs := c.setUp(fs)
	rest, err := parseInterleaved(fs, args)
	if errors.Is(err, flag.ErrHelp) {
		c.writeUsage(e.stdout, fs)
		return exitHolds
	}
	code := exitUnjudged
	if err == nil {
		code, err = runs(ctx, e, rest)
	} else {
		err = fmt.Errorf("%w\nonceproof %s --help says what there is", err, c.name)
	}
	if err == nil {
		return code
	}
	if e.json {
		err = errors.Join(err, writeJSON(e.stdout, struct {
			Error string `json:"error"`
		}{err.Error()}))
	}
	fmt.Fprintf(e.stderr, "onceproof %s: %v\n", c.name, err)
	return exitUnjudged
}

func help(e *env, args []string) int {
	if len(args) == 0 {
		writeHelp(e.stdout)
		return exitHolds
	}
	for _, c := range commands() {
		if c.name == args[0] {
			return c.execute(context.Background(), e, []string{"--help"})
		}
	}
	fmt.Fprintf(e.stderr, "onceproof help: no command %q; known: %s\n", args[0], strings.Join(commandNames(), ", "))
	return exitUnjudged
}

func commandNames() []string {
	var names []string
	for _, c := range commands() {
		names = append(names, c.name)
	}
	return append(names, "help")
}

func writeHelp(w io.Writer) {
	fmt.Fprint(w, "onceproof checks Kafka's exactly-once protocol as a model, and real brokers against it.\n\n")
	t := newTable()
	for _, c := range commands() {
		t.row("  onceproof "+c.name+" "+c.args, c.about)
	}
	t.row("  onceproof help COMMAND", "flags and examples")
	t.writeTo(w)
	fmt.Fprint(w, "\nExit codes: 0 conforms or holds, 1 a violation, 2 could not be judged or bad usage.\n")
}

func versionCommand() command {
	return command{
		name: "version", about: "what this program is built from", examples: []string{"onceproof version"},
		setUp: func(*flag.FlagSet) runner {
			return func(_ context.Context, e *env, args []string) (int, error) {
				if len(args) > 0 {
					return exitUnjudged, fmt.Errorf("expected no argument, got %q", args[0])
				}
				v := buildVersion()
				if e.json {
					return exitHolds, writeJSON(e.stdout, v)
				}
				_, err := fmt.Fprintf(e.stdout, "onceproof %s, %s\n", v.Version, v.Go)
				return exitHolds, err
			}
		},
	}
}

// versionInfo is what version --json prints.
type versionInfo struct {
	Version string `json:"version"`
	Go      string `json:"go"`
}

func buildVersion() versionInfo {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return versionInfo{Version: "unknown", Go: "unknown"}
	}
	return versionInfo{Version: info.Main.Version, Go: info.GoVersion}
}
