package conform

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"github.com/onceproof/onceproof/harness/broker"
	"github.com/onceproof/onceproof/harness/bundle"
	"github.com/onceproof/onceproof/harness/explore"
	"github.com/onceproof/onceproof/harness/script"
	"github.com/onceproof/onceproof/harness/steps"
	"github.com/onceproof/onceproof/spec"
)

// ReplayOptions say which trace is played, on what, and how it is judged.
type ReplayOptions struct {
	// Options say what the broker is and how it is reached and judged. Where no release is named, that by which a
	// violation was judged is meant, as strictly as then. Tags, FailFast, List and Explore mean nothing here.
	Options
	// Trace is a file, a violation's folder, or "-" for Stdin.
	Trace string
	Stdin io.Reader
	// Scenario chooses one of a feature's; "" where there is one only.
	Scenario string
}

// Replayed is what became of a trace.
type Replayed struct {
	Trace string    `json:"trace"` // the file
	Kind  TraceKind `json:"kind"`
	Name  string    `json:"name"`
	// Property falls in a counterexample, and Doc says what it demands; Rule is the one that a violation broke.
	Property string  `json:"property,omitempty"`
	Doc      string  `json:"doc,omitempty"`
	Rule     string  `json:"rule,omitempty"`
	Levels   []int16 `json:"levels"` // of transaction.version, from which the trace is

	Broker             string           `json:"broker"`
	TransactionVersion int16            `json:"transaction_version"`
	Release            string           `json:"release"`
	Strict             bool             `json:"strict"`
	Profile            string           `json:"profile,omitempty"`
	Tolerated          []FieldDeviation `json:"tolerated_fields,omitempty"`

	// Verdict is "reproduced", "not reproduced" or "could not be judged", and Reason a sentence that says why.
	Verdict string `json:"verdict"`
	Reason  string `json:"reason"`
	// Lines is the number of the script's lines; Line the one at which it ended, 0 if it took place to its end.
	Lines int    `json:"lines"`
	Line  int    `json:"line,omitempty"`
	Text  string `json:"text,omitempty"`
	// Expected is what that line, or the oracle, expected, and Came what came.
	Expected []string `json:"expected,omitempty"`
	Came     string   `json:"came,omitempty"`
	// Violation is what the oracle calls one, also where the lines alone decide.
	Violation *ReplayViolation `json:"violation,omitempty"`
	// Known says why it is a known deviation, if the profile lists it.
	Known    string        `json:"known_because,omitempty"`
	Exchange []bundle.Line `json:"exchange"`

	Notes    []string      `json:"notes,omitempty"`
	Reports  []string      `json:"reports,omitempty"`
	Duration time.Duration `json:"duration_ns"`
	// Unwritten says which report could not be written.
	Unwritten string `json:"error,omitempty"`

	kind script.Kind
}

// ReplayViolation is a violation of the specification that was seen in a replay.
type ReplayViolation struct {
	Line  int      `json:"line"`
	Text  string   `json:"text"`
	Rules []string `json:"rules"`
}

// ExitCode is 1 if the trace is reproduced, 0 if it is not, 2 where that could not be judged or written down.
func (r *Replayed) ExitCode() int {
	switch {
	case r.kind == script.CouldNotJudge, r.Unwritten != "" && r.kind == script.NotReproduced:
		return 2
	case r.kind == script.Reproduced:
		return 1
	}
	return 0
}

// replaying is a trace while it is played.
type replaying struct {
	*run
	given    *given
	scenario string // its suffix
	broker   broker.Broker
	versions broker.Versions
	told     *telling
	out      script.Outcome
	res      Replayed
}

// Replay plays a trace on a broker. The error is one of usage, or says that the trace can't be read or sent, or that no
// broker could be had.
func Replay(ctx context.Context, o ReplayOptions) (Replayed, error) {
	if o.Out == nil {
		o.Out = io.Discard
	}
	g, err := readGiven(o.Trace, o.Scenario, o.Stdin)
	if err != nil {
		return Replayed{}, err
	}
	judgedAsThen := o.Release == "" && g.finding != nil
	if judgedAsThen {
		o.Release, o.Strict = g.finding.Release, o.Strict || g.finding.Strict
	}
	r, err := prepare(ctx, o.Options)
	if err != nil && judgedAsThen && r == nil {
		err = fmt.Errorf("%w (%s was judged by release %s; --release names another)", err, g.file, o.Release)
	}
	if err != nil {
		return Replayed{}, err
	}
	p := &replaying{run: r, given: g, scenario: r.suffix + "r"}
	if v := r.target.TransactionVersion; v != nil {
		if why := g.unsendable(*v); why != "" {
			return Replayed{}, fmt.Errorf("%s: %s", g.file, why)
		}
	}
	if err := p.open(ctx); err != nil {
		return Replayed{}, err
	}
	defer p.close()
	return p.replay(ctx)
}

// open starts the broker, or finds it, and looks whether the trace can be played there.
func (p *replaying) open(ctx context.Context) error {
	opts := broker.Options{Wire: p.Wire, Spec: p.Spec, Between: p.target.Kind == broker.Docker && slices.Contains(p.given.script.Tags, insideTag)}
	b, err := broker.Open(ctx, p.target, opts)
	if err != nil {
		return err
	}
	p.broker = b
	if p.versions, err = b.Versions(ctx); err != nil {
		err = fmt.Errorf("%s: %w", b.Name(), err)
	} else if why := p.given.unsendable(p.versions.TransactionVersion); why != "" {
		err = fmt.Errorf("%s: %s", p.given.file, why)
	}
	if err != nil {
		p.close()
	}
	return err
}

// close ends the broker if it was started here, else takes away what was made on it.
func (p *replaying) close() {
	if p.broker == nil {
		return
	}
	ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
	defer cancel()
	var err error
	if p.target.Kind == broker.Address {
		for _, topic := range p.out.Topics {
			err = errors.Join(err, p.broker.DeleteTopic(ctx, topic))
		}
	}
	if err = errors.Join(err, p.broker.Close(ctx)); err != nil {
		p.res.Notes = append(p.res.Notes, fmt.Sprintf("cleaning up: %v", err))
	}
	p.broker = nil
}

// replay plays the trace and writes down what came of it.
func (p *replaying) replay(ctx context.Context) (Replayed, error) {
	start := time.Now()
	p.begin()
	level := p.versions.TransactionVersion
	p.told = &telling{out: p.Out, finding: bundle.Finding{Script: p.given.script, Suffix: p.scenario}, release: p.release.Name}
	if p.JSON {
		p.told.out = io.Discard
	}
	p.told.heading(&p.res, p.given)
	oracle := p.Oracle(p.release, int8(level), p.Strict)
	if told, err := p.prepared(ctx, p.broker, oracle); err == nil { // if not, the first line says why
		oracle = told
	}
	p.out = script.PlayBefore(ctx, steps.Config{
		Broker: p.broker, Versions: p.versions, Oracle: oracle, Suffix: p.scenario,
		Release: p.release, Strict: p.Strict, Patience: p.Patience, Correct: p.correct,
	}, p.given.script, p.told.step)
	p.judgeReplay()
	p.res.Duration = time.Since(start)
	p.close()
	p.write()
	if p.JSON {
		e := json.NewEncoder(p.Out)
		e.SetEscapeHTML(false)
		e.SetIndent("", "  ")
		return p.res, e.Encode(&p.res)
	}
	p.told.end(&p.res)
	return p.res, p.told.err
}

// begin writes down what is known before anything is sent.
func (p *replaying) begin() {
	g, level := p.given, p.versions.TransactionVersion
	p.res = Replayed{Trace: g.file, Kind: g.kind, Name: g.script.Name, Property: g.property, Doc: g.doc, Levels: append([]int16{}, g.levels...), Broker: p.broker.Name(),
		TransactionVersion: level, Release: p.release.Name, Strict: p.Strict, Profile: p.Profile, Lines: len(g.script.Steps), Exchange: []bundle.Line{}}
	if note := g.elsewhere(level); note != "" {
		p.res.Notes = append(p.res.Notes, note)
	}
	if g.kind == Found {
		p.res.Rule = g.finding.Rule
		if g.finding.Profile != "" && p.Profile == "" {
			p.res.Notes = append(p.res.Notes, fmt.Sprintf("it was found with --profile %s, and none is given now: what that tolerates may end it before", g.finding.Profile))
		}
	}
}

// judgeReplay says what the outcome means.
func (p *replaying) judgeReplay() {
	o, res := &p.out, &p.res
	f := p.told.finding
	f.History, f.Names = o.History, o.Names
	res.Exchange = f.Exchange()
	for _, d := range p.result.Tolerated {
		if d.Answers > 0 {
			res.Tolerated = append(res.Tolerated, d)
		}
	}
	if o.Step < res.Lines {
		res.Line, res.Text = o.Step+1, p.given.script.Steps[o.Step].Text
	}
	if v := o.Differs; v != nil {
		res.Came, res.Expected = f.Said(v)
	}
	if v := o.Violation; v != nil {
		if len(v.Rules) == 0 {
			v.Rules = p.given.rules
		}
		res.Violation = &ReplayViolation{Line: o.ViolatedAt + 1, Text: f.Read(v.Error()), Rules: ids(v.Rules)}
		if d := p.profile.find(res.Name, v); d != nil {
			res.Known = d.Reason
		} else if d := p.profile.explored(explore.SignatureOf(v, p.scenario)); d != nil {
			res.Known = d.Reason
		}
	}
	res.kind, res.Reason = p.given.verdict(o, res)
	res.Verdict = res.kind.String()
}

// verdict is the outcome with a sentence that says why.
func (g *given) verdict(o *script.Outcome, res *Replayed) (script.Kind, string) {
	at := fmt.Sprintf("line %d, %q", res.Line, res.Text)
	differs := fmt.Sprintf("at %s, expected %s, came %s", at, strings.Join(res.Expected, " or "), res.Came)
	switch {
	case o.Kind == script.CouldNotJudge:
		return o.Kind, g.unplaced(o)
	case g.kind == Counterexample && o.Kind == script.Reproduced:
		return o.Kind, fmt.Sprintf("all %d lines took place, and every answer is the one of the model's broker%s", res.Lines, g.falls())
	case g.kind == Counterexample && o.Differs != nil:
		return o.Kind, fmt.Sprintf("every step took place up to %s, which the model's broker answers with %s and this one with %s", at, strings.Join(res.Expected, " or "), res.Came)
	case o.Kind == script.NotReproduced && o.Differs != nil:
		return o.Kind, differs
	case o.Kind == script.NotReproduced:
		return o.Kind, o.Reason
	case g.another(o) && o.Step < res.Lines-1:
		return script.CouldNotJudge, fmt.Sprintf("%s%s: what comes before the line that showed %s is wrong already; a --profile may tolerate it", differs, breaks(o.Violation), g.script.Breaks)
	case g.another(o):
		return o.Kind, fmt.Sprintf("%s%s; when it was found it was taken for %s", differs, breaks(o.Violation), g.script.Breaks)
	}
	return o.Kind, differs + breaks(o.Violation)
}

// falls says what that means, where it is known.
func (g *given) falls() string {
	if g.property == "" {
		return ""
	}
	return ": " + g.property + " falls here too"
}

// unplaced says why a trace could not be judged, and what may help.
func (g *given) unplaced(o *script.Outcome) string {
	reason := o.Reason
	if rest, ok := strings.CutPrefix(reason, "step "); ok {
		reason = "line " + rest
	}
	if g.anyOrder && strings.HasPrefix(g.script.Steps[o.Step].Text, "inside the broker, ") {
		reason += "; with --bound quick=1 onceproof check looks for a counterexample that a tester can place, which there need not be"
	}
	return reason
}

// another reports whether the oracle names other rules than the one that was broken when the violation was found.
func (g *given) another(o *script.Outcome) bool {
	return g.script.Breaks != "" && !slices.ContainsFunc(o.Violation.Rules, func(r spec.Rule) bool { return r.String() == g.script.Breaks })
}

// breaks says which rule a violation breaks, if one is known.
func breaks(v *steps.Violation) string {
	if len(v.Rules) == 0 {
		return ""
	}
	return ", which breaks " + v.Rules[0].String()
}
