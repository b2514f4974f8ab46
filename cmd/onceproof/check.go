package main

import (
	"context"
	"flag"
	"fmt"
	"strings"
	"time"

	"github.com/onceproof/onceproof/checker"
	"github.com/onceproof/onceproof/harness/conform"
)

// checkFlags are the flags of check.
type checkFlags struct {
	models                          []string
	release                         string
	tv                              int
	fixOff, fixOn, bounds, property list
	workers, maxDepth               int
	maxStates                       uint64
	keepGoing, symmetry, exact      bool
	trace, out                      string
	workDir, resume                 string
	memory                          byteSize
	checkpointEvery                 time.Duration
	given                           *flag.FlagSet
}

// unset is the value of --tv when it is not given.
const unset = -1

func checkCommand() command {
	return command{
		name: "check", args: "[MODEL ...] [flags]", about: "explore every state of the protocol's model",
		details: `Without MODEL and without a flag that changes a model, the whole check: every standard model, every fix off and on, what
falls on the default release as it is; the exit code is 0 when each row is as recorded. Otherwise those models are
checked, up to the first violation, and the exit code is 1 when anything falls. Without MODEL, --fix-off takes the model
that shows that fix, and the property that falls there (all with --keep-going); the other flags take every standard model
(of that level, with --tv), and --release the small models of its flaws before them.
"onceproof list models" lists them; twophase is Two-Phase Commit, to try the checker with (--bound n=8), paxos is Paxos.`,
		examples: []string{
			"onceproof check",
			"onceproof check --fix-off KAFKA-19446",
			"onceproof check sequence-tv2 --bound crashes=1 --property NoLostCommit,NoDuplicate",
			"onceproof check late-end-txn --trace json > trace.json; onceproof trace trace.json",
			"onceproof check late-marker --bound quick=1 --trace gherkin",
			"onceproof check twophase --bound n=8 --json",
			"onceproof check twophase --bound n=9 --workdir /tmp/twophase-9",
			"onceproof check twophase --bound n=9 --resume /tmp/twophase-9",
			"onceproof check twophase --bound n=10 --workdir /tmp/twophase-10 --memory 512MiB",
			"onceproof check paxos --bound acceptors=3,values=2,ballots=3 --symmetry",
		},
		setUp: func(fs *flag.FlagSet) runner {
			f := &checkFlags{}
			f.declare(fs)
			return func(ctx context.Context, e *env, args []string) (int, error) {
				f.models = args
				return f.run(ctx, e)
			}
		},
	}
}

func (f *checkFlags) declare(fs *flag.FlagSet) {
	fs.StringVar(&f.release, "release", "", "the switches of a `RELEASE` of Apache Kafka, in place of all fixes on")
	fs.IntVar(&f.tv, "tv", unset, "transaction.version of the broker, `0|1|2`; below 2 clients are TV1-style")
	fs.Var(&f.fixOff, "fix-off", "switch fixes off, `ID,...`")
	fs.Var(&f.fixOn, "fix-on", "switch fixes on, `ID,...`")
	fs.Var(&f.bounds, "bound", "change bounds, `NAME=N,...`")
	fs.Var(&f.property, "property", "check these properties only, `NAME,...`")
	fs.IntVar(&f.workers, "workers", 0, "search with `N` goroutines; 0 is one for each processor. Nothing found depends on it")
	fs.Uint64Var(&f.maxStates, "max-states", 0, "end the search after about `N` distinct states")
	fs.IntVar(&f.maxDepth, "max-depth", 0, "end the search after `N` levels; the initial states are level 1")
	fs.BoolVar(&f.keepGoing, "keep-going", false, "search on after a violation: the first one of each property")
	fs.BoolVar(&f.symmetry, "symmetry", false, "search one state of those that differ only by which of interchangeable things is which: incarnations of a producer, resource managers. The verdicts, the lengths and that traces replay stay")
	fs.BoolVar(&f.exact, "exact", false, "hold the states themselves, not fingerprints of 8 bytes, so that none can be missed; all else that is found is the same")
	fs.StringVar(&f.trace, "trace", "text", "print traces as `FORMAT`, "+strings.Join(traceFormats(), "|")+"; all but text print the first one, and all else on stderr")
	fs.StringVar(&f.out, "out", "", "write every trace into `DIR`, as text and as JSON")
	fs.StringVar(&f.workDir, "workdir", "", "write checkpoints into `DIR`, from which a search that was ended or killed goes on")
	fs.Var(&f.memory, "memory", "keep the states to `SIZE` of memory, as 512MiB; the rest goes into files in the folder of --workdir or --resume")
	fs.StringVar(&f.resume, "resume", "", "go on from the checkpoint in `DIR`; model and flags as they were")
	fs.DurationVar(&f.checkpointEvery, "checkpoint-every", 0, "leave at least `TIME`, such as 5m, between checkpoints; 0, the default, is one after each level")
	f.given = fs
}

// configured reports whether models are checked that the caller has chosen or changed.
func (f *checkFlags) configured() bool {
	return len(f.models) > 0 || f.release != "" || f.tv != unset || f.fixOff != nil || f.fixOn != nil || f.bounds != nil ||
		f.property != nil || f.maxStates > 0 || f.maxDepth > 0 || f.keepGoing || f.symmetry || f.exact
}

func (f *checkFlags) run(ctx context.Context, e *env) (int, error) {
	if err := traceFormat("--trace", f.trace); err != nil {
		return exitUnjudged, err
	}
	switch {
	case f.tv < unset || f.tv > 2:
		return exitUnjudged, fmt.Errorf("expected --tv 0, 1 or 2, got %d", f.tv)
	case f.workers < 0 || f.maxDepth < 0:
		return exitUnjudged, fmt.Errorf("expected --workers and --max-depth of at least 0, got %d and %d", f.workers, f.maxDepth)
	case f.out != "":
		if err := conform.Writable(f.out); err != nil {
			return exitUnjudged, fmt.Errorf("--out: %w", err)
		}
	}
	if err := f.checkpointFlags(); err != nil {
		return exitUnjudged, err
	}
	if !f.configured() {
		if f.trace != "text" {
			return exitUnjudged, fmt.Errorf("expected a MODEL with --trace %s; --out DIR writes every trace of the whole check", f.trace)
		}
		return f.checkAll(ctx, e)
	}
	searches, err := f.searches()
	if err != nil {
		return exitUnjudged, err
	}
	if f.folder() != "" && len(searches) != 1 {
		return exitUnjudged, fmt.Errorf("expected one MODEL with --workdir and --resume, got %d", len(searches))
	}
	return f.checkEach(ctx, e, searches)
}

// options are those of one search. The printer's line is to be cleared after it.
func (f *checkFlags) options(e *env) (checker.Options, *checker.ProgressPrinter) {
	every := 10 * time.Second
	if e.terminal {
		every = 200 * time.Millisecond
	}
	p := checker.NewProgressPrinter(e.stderr, e.terminal, every)
	return checker.Options{
		Workers: f.workers, MaxStates: f.maxStates, MaxDepth: f.maxDepth, KeepGoing: f.keepGoing, Symmetry: f.symmetry, Exact: f.exact,
		Progress: p.Print, ProgressEvery: every,
		WorkDir: f.folder(), Resume: f.resume != "", CheckpointEvery: f.checkpointEvery, Memory: int64(f.memory),
		Notice: func(text string) { p.Clear(); fmt.Fprintln(e.stderr, text) },
	}, p
}
