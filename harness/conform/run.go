// Package conform runs the features against a broker and says, for each scenario, whether the broker conforms, violates
// a rule, or could not be judged. It is what stands behind "onceproof conform" and behind the tests of the harness.
package conform

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/cucumber/godog"

	"github.com/onceproof/onceproof/features"
	"github.com/onceproof/onceproof/harness/broker"
	"github.com/onceproof/onceproof/harness/explore"
	"github.com/onceproof/onceproof/harness/judge"
	"github.com/onceproof/onceproof/harness/reference"
	"github.com/onceproof/onceproof/harness/steps"
	"github.com/onceproof/onceproof/harness/wire"
	"github.com/onceproof/onceproof/spec"
)

// Options say what is run against what, and how it is judged.
type Options struct {
	// Broker selects the broker as --broker does: spec, kfake, docker:IMAGE, HOST:PORT.
	Broker string
	// Release is the release of Apache Kafka that is judged by; "" is the default one.
	Release string
	// Strict demands the release exactly. Otherwise a broker may also behave as with a fix that the release lacks.
	Strict bool
	// Profile is a file that lists known deviations; "" is none.
	Profile string
	// Tags choose scenarios: "@a && ~@b" and "@a,@b"; "" is all.
	Tags string
	// FailFast ends the run at the first violation.
	FailFast bool
	// ReportDir is where reports go; "" writes none.
	ReportDir string
	// List prints the scenarios and runs nothing.
	List bool
	// Out gets the Gherkin output and the summary; with JSON it gets one object instead.
	Out  io.Writer
	JSON bool
	// Wire is how to connect to a broker at an address.
	Wire wire.Options
	// Patience is how long a state of the broker is waited for; 0 is 20 s, and 2 s for a broker in this process.
	Patience time.Duration
	// Parallel is how many scenarios are played at a time; 0 is 8 for kfake, of which each has its own, 1 for the
	// specification, which never makes wait, and 4 for a broker that they share. With FailFast it is 1.
	Parallel int
	// Progress gets one line that is rewritten; nil for none.
	Progress io.Writer
	// Explore says how far random walks go, and from which seed; with 0 exchanges none is gone.
	Explore explore.Options
	// Oracle makes the oracle of a scenario; nil is the one of package oracle.
	Oracle NewOracle
	// Spec makes the reference broker; nil is the one of package reference.
	Spec func(ctx context.Context, t broker.Target) (broker.Broker, error)
}

// run is one run of the suite.
type run struct {
	Options
	target  broker.Target
	release spec.Release
	profile *Profile
	suffix  string
	shared  broker.Broker // nil where each scenario has a broker of its own
	level   int16
	suite   []Scenario

	printer *printer
	alone   sync.RWMutex // held for writing by a scenario that can't have others beside it

	mu     sync.Mutex
	gone   error // why the shared broker does not answer any more
	result Result
	count  int
}

// Run runs the suite. The error is one of usage, or says that no broker could be had; what scenarios say is in the
// result, also after ctx is done.
func Run(ctx context.Context, o Options) (Result, error) {
	if o.Out == nil {
		o.Out = io.Discard
	}
	suite, err := choose(o.Tags, o.Explore.Exchanges > 0 || o.List)
	if err != nil {
		return Result{}, err
	}
	if o.List {
		return Result{}, list(o, suite)
	}
	r, err := prepare(ctx, o)
	if err != nil {
		return Result{}, err
	}
	start := time.Now()
	r.suite = suite
	if err := r.open(ctx); err != nil {
		return Result{}, err
	}
	defer r.close()
	return r.judge(ctx, start)
}

// judge plays the suite and writes down what came of it.
func (r *run) judge(ctx context.Context, start time.Time) (Result, error) {
	if err := r.play(ctx); err != nil {
		return Result{}, err
	}
	r.result.Stale = r.profile.stale(r.result.Scenarios)
	r.result.Duration = time.Since(start)
	if err := ctx.Err(); errors.Is(err, context.Canceled) {
		r.result.Stopped = "interrupted"
	} else if err != nil {
		r.result.Stopped = err.Error()
	}
	r.result.StaleFields = r.staleFields()
	if r.ReportDir != "" {
		var err error
		r.result.Reports, err = writeReports(r.ReportDir, &r.result)
		explored, unwritten := r.writeExplored(r.ReportDir)
		r.result.Reports = append(r.result.Reports, explored...)
		if err = errors.Join(err, unwritten); err != nil {
			r.result.Unwritten = err.Error()
		}
	}
	r.close()
	return r.result, r.print()
}

// prepare reads what the options name, so that a wrong one fails before a broker is started.
func prepare(ctx context.Context, o Options) (*run, error) {
	r := &run{Options: o, suffix: newSuffix()}
	var err error
	if r.target, err = broker.Parse(o.Broker); err != nil {
		return nil, err
	}
	name := o.Release
	if name == "" {
		name = spec.AllReleases()[0].Name
	}
	if r.release, err = spec.ParseRelease(name); err != nil {
		return nil, err
	}
	if o.Profile != "" {
		if r.profile, err = ReadProfile(o.Profile); err != nil {
			return nil, err
		}
	}
	if o.ReportDir != "" {
		if err := Writable(o.ReportDir); err != nil {
			return nil, fmt.Errorf("report folder: %w", err)
		}
	}
	if r.Oracle == nil {
		r.Oracle = func(release spec.Release, level int8, strict bool) steps.Oracle {
			if r.shared != nil && r.parallel() > 1 {
				return judge.InCompany(release, level, strict)
			}
			return judge.New(release, level, strict)
		}
	}
	if r.Spec == nil {
		r.Spec = reference.Open
	}
	r.result = Result{Release: r.release.Name, Strict: o.Strict, Profile: o.Profile, Scenarios: []ScenarioResult{}, Skipped: []Skipped{}}
	if r.profile != nil {
		r.result.Tolerated = slices.Clone(r.profile.Fields)
	}
	if r.Patience == 0 {
		r.Patience = 20 * time.Second
		if r.inProcess() {
			r.Patience = 2 * time.Second
		}
	}
	return r, ctx.Err()
}

// inProcess reports whether each scenario can have a broker of its own at no cost.
func (r *run) inProcess() bool { return r.target.Kind == broker.Spec || r.target.Kind == broker.Kfake }

// openBroker starts the broker, or finds it.
func (r *run) openBroker(ctx context.Context) (broker.Broker, error) {
	return broker.Open(ctx, r.target, broker.Options{Wire: r.Wire, Spec: r.Spec})
}

// open finds out what there is to judge, and keeps the broker if all scenarios share it.
func (r *run) open(ctx context.Context) error {
	b, err := r.openBroker(ctx)
	if err != nil {
		return err
	}
	v, err := b.Versions(ctx)
	if err != nil {
		_ = b.Close(ctx) // the error that matters is the one before
		return fmt.Errorf("%s: %w", b.Name(), err)
	}
	r.level, r.result.TransactionVersion, r.result.Broker = v.TransactionVersion, v.TransactionVersion, b.Name()
	if r.inProcess() {
		return b.Close(ctx)
	}
	r.shared = b
	return nil
}

func (r *run) close() {
	if r.shared == nil {
		return
	}
	if err := r.shared.Close(context.Background()); err != nil {
		r.note("cleaning up: %v", err)
	}
	r.shared = nil
}

// note keeps what went wrong beside the verdicts.
func (r *run) note(format string, args ...any) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.result.Notes = append(r.result.Notes, fmt.Sprintf(format, args...))
}

// play lets godog run the scenarios of the broker's level.
func (r *run) play(ctx context.Context) error {
	var here []Scenario
	for _, s := range r.suite {
		if why := s.unplaceable(); why != "" && !r.target.Inside {
			r.result.Skipped = append(r.result.Skipped, Skipped{s.Name, why})
			continue
		}
		if slices.Contains(s.Levels, r.level) {
			here = append(here, s)
			continue
		}
		r.result.Skipped = append(r.result.Skipped, Skipped{s.Name, fmt.Sprintf("runs at transaction.version %v, the broker's is %d", s.Levels, r.level)})
	}
	if len(here) == 0 {
		return fmt.Errorf("no scenario has the tags %q and runs at transaction.version %d", r.Tags, r.level)
	}
	out := r.Out
	if r.JSON {
		out = io.Discard
	}
	r.printer = newPrinter(out, r.Progress, here)
	opts := &godog.Options{
		Format: "progress", Strict: true, Output: io.Discard, NoColors: true, StopOnFailure: r.FailFast, DefaultContext: ctx, FS: features.Files,
		Paths: []string{"."}, Tags: atLevel(r.Tags, r.level, r.Explore.Exchanges > 0, r.target.Inside), Concurrency: r.parallel(),
	}
	if r.ReportDir != "" {
		opts.Format += ",cucumber:" + filepath.Join(r.ReportDir, "cucumber.json")
	}
	godog.TestSuite{Name: "onceproof", ScenarioInitializer: r.initialize, Options: opts}.Run()
	r.printer.rest()
	place := map[string]int{}
	for i := range here {
		place[here[i].Name] = i
	}
	slices.SortFunc(r.result.Scenarios, func(x, y ScenarioResult) int { return place[x.Name] - place[y.Name] })
	if ran := len(r.result.Scenarios); ran != len(here) && !r.FailFast {
		return fmt.Errorf("expected %d scenarios to run, got %d: the runner lost some", len(here), ran)
	}
	return nil
}

// parallel is how many scenarios are played at a time.
func (r *run) parallel() int {
	switch {
	case r.FailFast:
		return 1
	case r.Parallel > 0:
		return r.Parallel
	case r.target.Kind == broker.Spec:
		return 1
	case r.target.Kind == broker.Kfake:
		return 8
	}
	return 4
}

// print writes the summary, or the one object.
func (r *run) print() error {
	if r.JSON {
		e := json.NewEncoder(r.Out)
		e.SetIndent("", "  ")
		return e.Encode(&r.result)
	}
	_, err := fmt.Fprint(r.Out, "\n", r.result.Summary())
	return err
}

// list prints the scenarios with their levels and rules.
func list(o Options, suite []Scenario) error {
	if o.JSON {
		e := json.NewEncoder(o.Out)
		e.SetIndent("", "  ")
		return e.Encode(struct {
			Scenarios []Scenario `json:"scenarios"`
		}{suite})
	}
	for _, s := range suite {
		if _, err := fmt.Fprintf(o.Out, "%s:%d  %s  %s\n", s.File, s.Line, s.Name, strings.Join(s.Tags, " ")); err != nil {
			return err
		}
	}
	return nil
}

var tagTerm = regexp.MustCompile(`^~?@[\w.-]+$`)

// choose gives the scenarios that a tag expression means. godog takes what it does not understand for a tag that no
// scenario has, so that the run is empty and passes; here it is an error.
func choose(tags string, exploring bool) ([]Scenario, error) {
	all, err := Suite()
	if !exploring {
		all = slices.DeleteFunc(all, func(s Scenario) bool { return slices.Contains(s.Tags, exploreTag) })
	}
	if err != nil || tags == "" {
		return all, err
	}
	var groups [][]string
	for _, group := range strings.Split(tags, ",") {
		terms := strings.Split(group, "&&")
		for i := range terms {
			if terms[i] = strings.TrimSpace(terms[i]); !tagTerm.MatchString(terms[i]) {
				return nil, fmt.Errorf("tags %q: expected terms such as @IDEM-15 or ~@tv0, joined by && (and) or , (or), got %q", tags, terms[i])
			}
		}
		groups = append(groups, terms)
	}
	var out []Scenario
	for _, s := range all {
		if slices.ContainsFunc(groups, s.hasAll) {
			out = append(out, s)
		}
	}
	if len(out) == 0 {
		return nil, fmt.Errorf("no scenario has the tags %q; conform --list prints them all", tags)
	}
	return out, nil
}

func (s *Scenario) hasAll(terms []string) bool {
	for _, t := range terms {
		name, without := strings.CutPrefix(t, "~")
		if slices.Contains(s.Tags, name) == without {
			return false
		}
	}
	return true
}

// atLevel adds the level to each alternative of a tag expression.
func atLevel(tags string, level int16, exploring, inside bool) string {
	here := fmt.Sprintf("@tv%d", level)
	if !inside {
		here += " && ~" + insideTag
	}
	if !exploring {
		here += " && ~" + exploreTag
	}
	if tags == "" {
		return here
	}
	groups := strings.Split(tags, ",")
	for i := range groups {
		groups[i] += " && " + here
	}
	return strings.Join(groups, ",")
}
