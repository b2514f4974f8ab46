package conform

import (
	"context"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/cucumber/godog"

	"github.com/onceproof/onceproof/harness/broker"
	"github.com/onceproof/onceproof/harness/bundle"
	"github.com/onceproof/onceproof/harness/explore"
	"github.com/onceproof/onceproof/harness/steps"
)

// exploreTag is that of the scenario that explores. It runs where the options ask for it.
const exploreTag = "@explore"

// Exploration is what random walks came to.
type Exploration struct {
	Seed      uint64 `json:"seed"`
	Exchanges int    `json:"exchanges"`
	Walks     int    `json:"walks"`
	// Triples is how many distinct (request, state, answer) were seen; Reachable how many a long run on the specification
	// sees at this level, and Beyond how many of Triples are not among those.
	Triples   int `json:"triples"`
	Reachable int `json:"triples_reachable,omitempty"`
	Beyond    int `json:"triples_beyond"`
	// PerSecond are exchanges; OracleShare of the walks' time is the oracle's; OracleP50 and OracleP99 of an exchange's.
	PerSecond     float64          `json:"exchanges_per_second"`
	OracleShare   float64          `json:"oracle_share"`
	OracleP50     int64            `json:"oracle_p50_ns"`
	OracleP99     int64            `json:"oracle_p99_ns"`
	LargestBelief int              `json:"largest_belief"`
	LeftOut       map[string]int   `json:"left_out,omitempty"`
	Ended         map[string]int   `json:"ended_without_verdict,omitempty"`
	Found         []FoundDeviation `json:"deviations"`

	result *explore.Result
}

// FoundDeviation is a deviation that a walk found.
type FoundDeviation struct {
	explore.Signature
	// Known says why it is a known one, "" if it is not.
	Known string `json:"known_because,omitempty"`
	// After is how many exchanges the run had made, Length how many the shortest script makes.
	After  int `json:"after_exchanges"`
	Length int `json:"shortest_exchanges"`
	// Failed of Of is how often that script failed; Again how many more walks found the same.
	Failed int    `json:"failed"`
	Of     int    `json:"of"`
	Again  int    `json:"found_again"`
	Text   string `json:"violation"`
	Reason string `json:"reason"` // what was expected and what came, ids and numbers aside
	// Lines are those of the shortest scenario.
	Lines []string `json:"lines"`
}

// registerExplore makes the lines of the exploring scenario known.
func (p *play) registerExplore(sc *godog.ScenarioContext) {
	sc.Step(`^random walks are gone$`, p.explore)
	sc.Step(`^nothing came that the rules do not allow$`, p.explored)
}

// explore goes random walks on the broker of the run.
func (p *play) explore(ctx context.Context) error {
	r := p.run
	o := r.Explore
	o.Open = func(ctx context.Context) (broker.Broker, func([]string), error) {
		b := r.shared
		if b == nil {
			var err error
			if b, err = r.openBroker(ctx); err != nil {
				return nil, nil, err
			}
		}
		return b, func(topics []string) { r.leave(ctx, b, topics) }, nil
	}
	o.Alone = r.shared == nil
	o.Crashes = r.target.Kind == broker.Spec
	o.Release, o.Strict, o.Suffix, o.Patience, o.Correct = r.release, r.Strict, r.suffix+"w", r.Patience, r.correct
	o.Known = func(s explore.Signature) bool { return r.profile.explored(s) != nil }
	if o.Parallel == 0 && r.shared != nil {
		o.Parallel = parallelWalks
	}
	res, err := explore.Run(ctx, o)
	if res != nil {
		r.result.Exploration = r.exploration(res)
	}
	if err != nil {
		return &steps.Unjudged{Reason: "the walks were stopped", Err: err}
	}
	if res.Stopped != "" {
		return &steps.Unjudged{Reason: "the walks were stopped: " + res.Stopped}
	}
	return nil
}

// parallelWalks is how many walks go on at a time on a broker that takes its time.
const parallelWalks = 4

// leave closes a broker that was opened for a walk, or takes away what the walk left on a shared one that goes on living.
func (r *run) leave(ctx context.Context, b broker.Broker, topics []string) {
	ctx = context.WithoutCancel(ctx)
	if r.shared == nil {
		if err := b.Close(ctx); err != nil {
			r.note("cleaning up after a walk: %v", err)
		}
		return
	}
	if r.target.Kind != broker.Address {
		return
	}
	for _, topic := range topics {
		if err := b.DeleteTopic(ctx, topic); err != nil {
			r.note("cleaning up after a walk: %v", err)
		}
	}
}

// explored says what the walks found: the first deviation that is not known, or else the first known one.
func (p *play) explored() error {
	x := p.run.result.Exploration
	if x == nil {
		return &steps.Unjudged{Reason: "no walk was gone"}
	}
	for _, f := range x.result.Failures {
		if !f.Known {
			return f.Violation
		}
	}
	for _, f := range x.result.Failures {
		p.known = "every deviation that the walks found is listed in the profile"
		return f.Violation
	}
	if len(x.Ended) > 0 && len(x.result.Triples) == 0 {
		return &steps.Unjudged{Reason: fmt.Sprintf("every walk ended early: %v", x.Ended)}
	}
	return nil
}

func (r *run) exploration(res *explore.Result) *Exploration {
	x := &Exploration{Seed: res.Seed, Exchanges: res.Exchanges, Walks: res.Walks, Triples: len(res.Triples),
		PerSecond: float64(res.Exchanges) / max(res.Duration.Seconds(), 1e-9), OracleP50: int64(res.Percentile(0.5)), OracleP99: int64(res.Percentile(0.99)),
		LargestBelief: res.LargestBelief, LeftOut: res.LeftOut, Ended: res.Ended, Found: []FoundDeviation{}, result: res}
	if reachable, err := explore.Reachable(r.level); err == nil {
		x.Reachable, x.Beyond = len(reachable), len(res.Beyond(reachable))
	}
	if res.Waited > 0 {
		x.OracleShare = float64(res.OracleTime()) / float64(res.Waited)
	}
	for _, f := range res.Failures {
		told := bundle.Finding{Script: f.Script, Violation: f.Violation, History: f.History, Suffix: f.Suffix}
		d := FoundDeviation{Signature: f.Signature, After: f.Exchange, Length: f.Length, Failed: f.Failed, Of: f.Of, Again: f.Again,
			Text: told.Read(f.Violation.Error()), Reason: f.Reason(), Lines: f.Script.Lines()}
		if known := r.profile.explored(f.Signature); known != nil {
			d.Known = known.Reason
		}
		x.Found = append(x.Found, d)
	}
	return x
}

// summary is what the walks came to, in a few lines.
func (x *Exploration) summary() string {
	var b strings.Builder
	fmt.Fprintf(&b, "  explored %d exchanges in %d walks from seed %d: %.0f exchanges/s, the oracle's share %.1f %% (median %v, p99 %v an exchange; largest belief %d)\n",
		x.Exchanges, x.Walks, x.Seed, x.PerSecond, 100*x.OracleShare, rounded(x.OracleP50), rounded(x.OracleP99), x.LargestBelief)
	fmt.Fprintf(&b, "  explored %d distinct triples of request, coordinator's state and answer", x.Triples)
	if x.Reachable > 0 {
		fmt.Fprintf(&b, "; a long run on the specification sees %d, and %d of these are not among them", x.Reachable, x.Beyond)
	}
	b.WriteString("\n")
	for _, reason := range slices.Sorted(maps.Keys(x.LeftOut)) {
		fmt.Fprintf(&b, "  explored without %s, %d times\n", reason, x.LeftOut[reason])
	}
	for _, reason := range slices.Sorted(maps.Keys(x.Ended)) {
		fmt.Fprintf(&b, "  %d walks ended without a verdict: %s\n", x.Ended[reason], reason)
	}
	known := 0
	for _, f := range x.Found {
		if f.Known != "" {
			known++
			continue
		}
		fmt.Fprintf(&b, "  explored, violates %s: %s\n    after %d exchanges; the shortest scenario makes %d %s; %d more walks found it\n",
			f.Rule, f.Text, f.After, f.Length, f.again(), f.Again)
	}
	if len(x.Found) > 0 {
		fmt.Fprintf(&b, "  explored deviations: %d distinct, %d of them known\n", len(x.Found), known)
	}
	return b.String()
}

// again says what came of playing the shortest scenario again.
func (f *FoundDeviation) again() string {
	if f.Of == 0 {
		return "and was not played again: the run ended before"
	}
	return fmt.Sprintf("and failed %d of %d times", f.Failed, f.Of)
}

func rounded(ns int64) time.Duration { return time.Duration(ns).Round(time.Microsecond) }

// writeExplored writes a bundle for each deviation that walks found and that is not known.
func (r *run) writeExplored(dir string) ([]string, error) {
	x := r.result.Exploration
	if x == nil {
		return nil, nil
	}
	var files []string
	for _, f := range x.result.Failures {
		if f.Known {
			continue
		}
		s := f.Script.Clone()
		s.Name, s.Tags = fmt.Sprintf("walk %d of seed %d", f.Walk, x.Seed), nil
		some, err := bundle.Write(filepath.Join(dir, fmt.Sprintf("explored-%s-walk-%d", slug(f.Signature.Rule), f.Walk)), &bundle.Finding{
			Script: s, Violation: f.Violation, History: f.History,
			Broker: r.result.Broker, TransactionVersion: r.result.TransactionVersion, Versions: f.Versions, Release: r.result.Release, Strict: r.result.Strict,
			Profile: r.Profile, Names: map[string]int64{}, Suffix: f.Suffix, From: "exploration", Failed: f.Failed, Of: f.Of,
		})
		files = append(files, some...)
		if err != nil {
			return files, err
		}
	}
	return files, nil
}

// ExploredDeviation is a deviation of a broker that walks find, as a profile lists it.
type ExploredDeviation struct {
	explore.Signature
	Reason string `json:"reason"`
	// Sometimes says that it does not show every time that the scenario is played.
	Sometimes bool `json:"sometimes,omitempty"`
	// Lines are those of the shortest scenario known to show it.
	Lines []string `json:"lines"`
}

// explored gives the known deviation that a signature is.
func (p *Profile) explored(s explore.Signature) *ExploredDeviation {
	if p == nil {
		return nil
	}
	i := slices.IndexFunc(p.Explored, func(d ExploredDeviation) bool { return d.Signature == s })
	if i < 0 {
		return nil
	}
	return &p.Explored[i]
}
