package main

import (
	"context"
	"flag"
	"fmt"
	"os"

	"github.com/onceproof/onceproof/harness/conform"
)

// replayFlags are the flags of replay.
type replayFlags struct {
	conformFlags
	scenario string
}

func replayCommand() command {
	return command{
		name: "replay", args: "TRACE --broker BROKER [flags]", about: "play a trace on a broker, and say whether it is reproduced",
		details: `TRACE is one of
  a counterexample of the checker     as "onceproof check" writes it with --trace json, --trace itf or --out
  a violation                         its folder, as "onceproof conform --report" writes it, or the trace.itf.json in it
  a scenario                          a feature with one; --scenario names it where there are several
  -                                   any of these, from standard input
BROKER is as for conform; docker:IMAGE is opened with inside=1 where a step takes place inside the broker. The exit code is 1 if
the trace is reproduced: each line of a counterexample is answered as by the model's broker, a violation shows again, what a
scenario demands is not so. It is 0 if every step took place and an answer differed, and 2 if that could not be judged: a step
takes place inside a broker that is no container, the broker has not that version or went away.
Where no release is named, a violation is judged as when it was found.`,
		examples: []string{
			"onceproof check late-end-txn --trace json --bound quick=1 > late.json; onceproof replay late.json --broker docker:onceproof/kafka:4.4.0,tv=1",
			"onceproof check --fix-off KAFKA-20785 --trace itf | onceproof replay - --broker 127.0.0.1:9092",
			"onceproof replay report/violation-a-gap-is-refused-until-it-is-filled-and-leaves-no-trace --broker kfake",
			"onceproof replay features/traces/idem-43.feature --broker docker:onceproof/kafka:4.4.0,tv=2",
			"onceproof replay features/traces/kafka-19446.feature --broker spec,fix-off=KAFKA-19446",
		},
		setUp: func(fs *flag.FlagSet) runner {
			f := &replayFlags{}
			f.declareBroker(fs)
			fs.StringVar(&f.Release, "release", "", "have the oracle judge by this `RELEASE` of Apache Kafka; the default is that of a violation, else the first of \"onceproof list releases\"")
			fs.BoolVar(&f.Strict, "strict", false, "demand that release exactly; without it a broker may have fixes that it lacks")
			fs.StringVar(&f.ReportDir, "report", "", "write what was exchanged, and a report if a rule was broken, into `DIR`")
			fs.StringVar(&f.scenario, "scenario", "", "play the scenario with this `NAME` of a feature that has several")
			return f.run
		},
	}
}

func (f *replayFlags) run(ctx context.Context, e *env, args []string) (int, error) {
	if len(args) != 1 {
		return exitUnjudged, fmt.Errorf("expected one TRACE, got %d arguments; onceproof replay --help says what there is", len(args))
	}
	if f.Broker == "" {
		return exitUnjudged, fmt.Errorf("expected --broker BROKER; onceproof replay --help says what there is")
	}
	if err := f.connect(); err != nil {
		return exitUnjudged, err
	}
	f.Out, f.JSON = e.stdout, e.json
	result, err := conform.Replay(ctx, conform.ReplayOptions{Options: f.Options, Trace: args[0], Stdin: os.Stdin, Scenario: f.scenario})
	if err != nil && ctx.Err() != nil {
		return exitUnjudged, fmt.Errorf("interrupted before anything was sent: %w", ctx.Err())
	}
	if err != nil {
		return exitUnjudged, err
	}
	return result.ExitCode(), nil
}
