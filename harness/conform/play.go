package conform

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strconv"
	"time"

	"github.com/cucumber/godog"

	"github.com/onceproof/onceproof/harness/broker"
	"github.com/onceproof/onceproof/harness/script"
	"github.com/onceproof/onceproof/harness/steps"
	"github.com/onceproof/onceproof/spec"
)

// NewOracle makes the oracle of one scenario.
type NewOracle func(release spec.Release, transactionVersion int8, strict bool) steps.Oracle

// decides is a broker that tells which rules decided its steps; the specification does.
type decides interface{ Decisions() []spec.Decision }

// newSuffix makes the names of a run its own, so that a suite runs twice on one broker.
func newSuffix() string { return strconv.FormatUint(uint64(rand.Uint32()), 36) }

// play is one scenario while it runs.
type play struct {
	run      *run
	scenario Scenario
	world    *steps.World
	broker   broker.Broker
	start    time.Time
	err      error // of the first step that had one
	step     string
	line     int    // of that step, counted from 1
	known    string // why the violation is a known one, where the scenario itself knows
	leave    func() // lets others go on, where this one was alone
}

// initialize is called by godog for each scenario.
func (r *run) initialize(sc *godog.ScenarioContext) {
	p := &play{run: r, world: steps.NewWorld()}
	p.world.Register(sc)
	p.registerExplore(sc)
	sc.Before(p.begin)
	sc.StepContext().Before(p.beforeStep)
	sc.StepContext().After(p.afterStep)
	sc.After(p.end)
}

// begin gives the scenario its broker and its oracle.
func (p *play) begin(ctx context.Context, sc *godog.Scenario) (context.Context, error) {
	r := p.run
	at := slices.IndexFunc(r.suite, func(s Scenario) bool { return s.Name == sc.Name })
	if at < 0 {
		return ctx, fmt.Errorf("scenario %q is not in the suite", sc.Name)
	}
	p.scenario = r.suite[at]
	p.leave = r.enter(&p.scenario)
	p.start = time.Now()
	r.printer.begin(p.scenario.Name)
	if err := ctx.Err(); err != nil {
		return ctx, p.refuse("the run was stopped", err)
	}
	if err := r.whyGone(); err != nil {
		return ctx, p.refuse("the broker went away", err)
	}
	p.broker = r.shared
	if p.broker == nil {
		b, err := r.openBroker(ctx)
		if err != nil {
			return ctx, p.refuse("no broker", err)
		}
		p.broker = b
	}
	within, cancel := context.WithTimeout(ctx, r.Patience)
	defer cancel()
	v, err := p.broker.Versions(within)
	if err != nil {
		return ctx, p.refuse("the broker does not answer", err)
	}
	oracle, err := r.prepared(within, p.broker, r.Oracle(r.release, int8(v.TransactionVersion), r.Strict))
	if err != nil {
		return ctx, p.refuse("the broker does not answer", err)
	}
	r.mu.Lock()
	r.count++
	suffix := fmt.Sprintf("%s%02d", r.suffix, r.count)
	r.mu.Unlock()
	p.world.Start(steps.Config{
		Broker: p.broker, Versions: v, Oracle: oracle, Suffix: suffix,
		Release: r.release, Strict: r.Strict, Patience: r.Patience, Correct: r.correct, Lines: lines(sc),
	})
	return ctx, nil
}

func lines(sc *godog.Scenario) []string {
	var out []string
	for _, st := range sc.Steps {
		out = append(out, st.Text)
	}
	return out
}

// aloneTag is that of a scenario whose requests change what other producers are answered: Produce up to v10 (ADD-23), and the new
// protocol at level 0 (ADD-28), whose refusal is the answer to all questions that the leader sends in one.
const aloneTag = "@alone"

// enter waits until a scenario may be played, beside others or alone: one that restarts a broker that they share, or holds
// what is inside it, would be theirs too, as would one that is tagged so, and walks keep the machine busy by themselves.
func (r *run) enter(s *Scenario) (leave func()) {
	restarts := slices.ContainsFunc(s.Steps, func(st script.Step) bool { return steps.RestartsBroker(st.Text) })
	alone := slices.Contains(s.Tags, exploreTag) || r.shared != nil && (restarts || slices.Contains(s.Tags, insideTag) || slices.Contains(s.Tags, aloneTag))
	if alone {
		r.alone.Lock()
		return r.alone.Unlock
	}
	r.alone.RLock()
	return r.alone.RUnlock
}

// whyGone says why the shared broker does not answer any more, nil while it does.
func (r *run) whyGone() error {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.gone
}

// refuse ends a scenario before its first step.
func (p *play) refuse(reason string, err error) error {
	p.err = &steps.Unjudged{Reason: reason, Err: err}
	return p.err
}

// beforeStep counts the lines, so that the history says which one did what.
func (p *play) beforeStep(ctx context.Context, _ *godog.Step) (context.Context, error) {
	p.world.BeginLine()
	return ctx, nil
}

// afterStep keeps the first error, which decides the verdict.
func (p *play) afterStep(ctx context.Context, st *godog.Step, _ godog.StepResultStatus, err error) (context.Context, error) {
	if err != nil && p.err == nil {
		p.err, p.step, p.line = err, st.Text, p.world.Line()
		p.endTrace(err)
	}
	return ctx, nil
}

// end gives the verdict and cleans up.
func (p *play) end(ctx context.Context, _ *godog.Scenario, err error) (context.Context, error) {
	if p.leave != nil {
		defer p.leave()
	}
	if p.err == nil {
		p.err = err
	}
	res := ScenarioResult{Scenario: p.scenario, Step: p.step, History: p.world.History(), Duration: time.Since(p.start)}
	p.judge(&res)
	res.played = p.played()
	res.Shown = p.shown()
	r := p.run
	if res.Verdict == NotJudged && r.whyGone() == nil {
		gone := p.whetherGone(ctx)
		r.mu.Lock()
		r.gone = gone
		r.mu.Unlock()
	}
	p.cleanUp(context.WithoutCancel(ctx))
	r.mu.Lock()
	r.result.Scenarios = append(r.result.Scenarios, res)
	r.mu.Unlock()
	r.printer.end(&res)
	return ctx, nil
}

// whetherGone asks a broker that all scenarios share whether it still answers, so that the rest of a run does not wait
// for one that went away.
func (p *play) whetherGone(ctx context.Context) error {
	if p.run.shared == nil || ctx.Err() != nil {
		return nil
	}
	within, cancel := context.WithTimeout(ctx, p.run.Patience)
	defer cancel()
	_, err := p.run.shared.Versions(within)
	return err
}

func (p *play) judge(res *ScenarioResult) {
	var over *steps.Over
	if p.err == nil || errors.As(p.err, &over) {
		res.Verdict = Conforms
		if p.scenario.fromTrace() {
			res.Trace = reproduced
		}
		return
	}
	violation, unjudged := steps.Classify(p.err)
	if unjudged != nil {
		res.Verdict, res.Reason = NotJudged, unjudged.Error()
		return
	}
	if late := p.world.Late(); late != "" && !violation.ByOracle {
		res.Verdict, res.Reason = NotJudged, late
		return
	}
	if violation.Harmless {
		res.Verdict, res.Trace = Conforms, notReproduced+violation.Error()
		return
	}
	if len(violation.Rules) == 0 {
		violation.Rules = p.scenario.Rules
	}
	res.Verdict, res.Violation, res.Reason, res.Broken = Violates, violation, violation.Error(), ids(violation.Rules)
	if p.known != "" {
		res.Verdict, res.Reason = Known, p.known
	} else if d := p.run.profile.find(p.scenario.Name, violation); d != nil {
		res.Verdict, res.Reason = Known, d.Reason
	}
}

// shown are the rules that decided.
func (p *play) shown() []spec.Rule {
	out := p.world.Read()
	b, ok := p.broker.(decides)
	if !ok {
		return out
	}
	for _, d := range b.Decisions() {
		for _, rule := range d.Rules() {
			if !slices.Contains(out, rule) {
				out = append(out, rule)
			}
		}
	}
	slices.Sort(out)
	return out
}

// cleanUp closes the connections, and removes the topics from a broker that outlives the run.
func (p *play) cleanUp(ctx context.Context) {
	p.world.Close()
	if p.broker == nil {
		return
	}
	ctx, cancel := context.WithTimeout(ctx, 10*time.Second)
	defer cancel()
	var err error
	if p.run.shared == nil {
		err = p.broker.Close(ctx)
	} else if p.run.target.Kind == broker.Address {
		for _, topic := range p.world.Topics() {
			err = errors.Join(err, p.broker.DeleteTopic(ctx, topic))
		}
	}
	if err != nil {
		p.run.note("cleaning up after %q: %v", p.scenario.Name, err)
	}
}
