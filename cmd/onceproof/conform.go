package main

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"flag"
	"fmt"
	"os"
	"slices"
	"strings"

	"github.com/onceproof/onceproof/harness/conform"
	"github.com/onceproof/onceproof/harness/wire"
)

// conformFlags are the flags of conform.
type conformFlags struct {
	conform.Options
	tls          bool
	ca, saslUser string
	set          *flag.FlagSet
}

// passwordVariable holds the password for SASL/PLAIN, which has no place on a command line.
const passwordVariable = "ONCEPROOF_SASL_PASSWORD"

func conformCommand() command {
	return command{
		name: "conform", args: "--broker BROKER [flags]", about: "run the features against a broker",
		details: `BROKER is one of
  spec[,tv=N][,release=R][,fix-off=ID]...   the specification itself, as 4.4.0 where no release is given
  kfake                                     the embedded Go fake
  docker:IMAGE[,tv=N][,inside=1]            Apache Kafka in a container ("make kafka-image" builds one); inside=1 puts a proxy
                                            between the broker and itself, and also runs what takes place there, @inside
  HOST:PORT                                 a broker that runs already, the only one of its cluster; topics and ids of the run
                                            carry a suffix of its own. It is not restarted: leave out @restart, or get exit code 2`,
		examples: []string{
			"onceproof conform --broker spec --strict",
			"onceproof conform --broker kfake --profile fixtures/brokers/kfake.json --report report",
			"onceproof conform --broker docker:onceproof/kafka:4.4.0,tv=2 --tags @END-20",
			"onceproof conform --broker docker:onceproof/kafka:4.4.0,tv=2,inside=1 --tags @inside",
			"onceproof conform --broker 127.0.0.1:9092 --tags '~@restart'",
			"onceproof conform --broker kfake --tags @explore --explore 2000 --seed 7 --report report",
			"onceproof conform --list",
		},
		setUp: func(fs *flag.FlagSet) runner {
			f := &conformFlags{}
			f.declare(fs)
			return f.run
		},
	}
}

// declareBroker declares the flags that say what is judged, how it is reached, and by what it is judged.
func (f *conformFlags) declareBroker(fs *flag.FlagSet) {
	fs.StringVar(&f.Broker, "broker", "", "the `BROKER` to judge")
	fs.BoolVar(&f.tls, "tls", false, "encrypt connections to HOST:PORT")
	fs.StringVar(&f.ca, "tls-ca", "", "trust the certificates in `FILE` (PEM) and no others; implies --tls")
	fs.StringVar(&f.saslUser, "sasl-user", "", "authenticate as `USER` by SASL/PLAIN, with the password in $"+passwordVariable)
	fs.StringVar(&f.Profile, "profile", "", "a `FILE` that lists the known deviations of the broker, each with its reason")
}

func (f *conformFlags) declare(fs *flag.FlagSet) {
	f.set = fs
	f.declareBroker(fs)
	fs.StringVar(&f.Release, "release", "", "judge by this `RELEASE` of Apache Kafka; the default is the first of \"onceproof list releases\"")
	fs.BoolVar(&f.Strict, "strict", false, "demand that release exactly; without it a broker may have fixes that it lacks")
	fs.StringVar(&f.Tags, "tags", "", "choose scenarios: `EXPR` is of terms such as @END-20 or ~@tv0, joined by && (and) or , (or)")
	fs.StringVar(&f.ReportDir, "report", "", "write JUnit, Cucumber JSON, and a report of each violation into `DIR`")
	fs.IntVar(&f.Explore.Exchanges, "explore", 0, "also go random walks, of about `N` exchanges in all; --tags @explore does nothing else")
	fs.Uint64Var(&f.Explore.Seed, "seed", 1, "where the random walks begin; the same `SEED` gives the same walks where the broker answers the same")
	fs.IntVar(&f.Explore.Actors, "actors", 2, "producers of each walk, `N` from 1 to 3")
	fs.IntVar(&f.Explore.Partitions, "partitions", 2, "partitions of each walk, `N` from 1 to 4")
	fs.IntVar(&f.Parallel, "parallel", 0, "play `N` scenarios at a time; 0 is 8 for kfake, 4 for a broker that all share, 1 for the specification")
	fs.BoolVar(&f.List, "list", false, "print the scenarios and run nothing")
}

func (f *conformFlags) run(ctx context.Context, e *env, args []string) (int, error) {
	if len(args) > 0 {
		return exitUnjudged, fmt.Errorf("expected flags only, got %q; a broker is given with --broker", args[0])
	}
	if f.Broker == "" && !f.List {
		return exitUnjudged, fmt.Errorf("expected --broker BROKER; onceproof conform --help says what there is")
	}
	if err := f.connect(); err != nil {
		return exitUnjudged, err
	}
	if err := f.checkExplore(); err != nil {
		return exitUnjudged, err
	}
	f.Out, f.JSON = e.stdout, e.json
	if e.terminal {
		f.Progress = e.stderr
	}
	result, err := conform.Run(ctx, f.Options)
	if err != nil && ctx.Err() != nil {
		return exitUnjudged, fmt.Errorf("interrupted before anything was judged: %w", err)
	}
	if err != nil {
		return exitUnjudged, err
	}
	if f.List {
		return exitHolds, nil
	}
	return result.ExitCode(), nil
}

// checkExplore says what is wrong with the flags of random walks, or that they say how walks go and none is asked for.
func (f *conformFlags) checkExplore() error {
	if f.Explore.Exchanges != 0 {
		for _, c := range []struct {
			name  string
			value int
		}{{"actors", f.Explore.Actors}, {"partitions", f.Explore.Partitions}} {
			if c.value == 0 { // which would be the default
				return fmt.Errorf("--%s: expected 1 or more, got 0", c.name)
			}
		}
		return f.Explore.Check()
	}
	alone := f.Tags == exploreTag
	f.set.Visit(func(given *flag.Flag) {
		alone = alone || slices.Contains([]string{"seed", "actors", "partitions"}, given.Name)
	})
	if alone && !f.List {
		return fmt.Errorf("expected --explore N with --tags %s, --seed, --actors or --partitions: it says how many exchanges the random walks make", exploreTag)
	}
	return nil
}

// exploreTag is that of the scenario that goes random walks.
const exploreTag = "@explore"

// connect says how connections are made.
func (f *conformFlags) connect() error {
	if f.tls || f.ca != "" {
		f.Wire.TLS = &tls.Config{MinVersion: tls.VersionTLS12}
	}
	if f.ca != "" {
		pem, err := os.ReadFile(f.ca)
		if err != nil {
			return fmt.Errorf("--tls-ca: %w", err)
		}
		f.Wire.TLS.RootCAs = x509.NewCertPool()
		if !f.Wire.TLS.RootCAs.AppendCertsFromPEM(pem) {
			return fmt.Errorf("--tls-ca: expected certificates in PEM, got none in %s", f.ca)
		}
	}
	if f.saslUser != "" {
		password, ok := os.LookupEnv(passwordVariable)
		if !ok {
			return fmt.Errorf("--sasl-user: expected the password in $%s, which is not set", passwordVariable)
		}
		f.Wire.SASL = &wire.Plain{User: f.saslUser, Password: strings.TrimSpace(password)}
	}
	return nil
}
