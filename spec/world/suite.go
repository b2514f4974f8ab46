package world

import (
	"bytes"
	"context"
	"fmt"
	"slices"

	"github.com/onceproof/onceproof/checker"
	"github.com/onceproof/onceproof/spec"
)

// Table is one of the tables of the whole check.
type Table string

// The tables, in the order in which they are run.
const (
	TableModels     Table = "models"     // nothing falls
	TableFixes      Table = "fixes"      // with one fix off, its property falls; with it on, nothing
	TableFlaws      Table = "flaws"      // falls with every fix on, by TV1-style requests
	TableRelease    Table = "release"    // falls on the release as it is
	TableWeakenings Table = "weakenings" // falls with one guard weakened, for properties that no fix fells
)

// Row is one line of the whole check, and what was found. Its JSON field names are stable; all fields but Seconds are the
// same in every run.
type Row struct {
	Table    Table                  `json:"table"`
	Name     string                 `json:"name"`            // model, fix, flaw or weakening
	Model    string                 `json:"model,omitempty"` // the configuration, where Name is not it
	About    string                 `json:"about,omitempty"`
	Version  int8                   `json:"transaction_version"`
	Bounds   string                 `json:"bounds,omitempty"`
	Distinct uint64                 `json:"distinct"`
	States   uint64                 `json:"generated"`
	Depth    int                    `json:"depth"`
	Seconds  float64                `json:"seconds,omitempty"`
	Verdict  checker.Verdict        `json:"verdict"`
	Falls    string                 `json:"falls,omitempty"`   // the property that falls
	Length   int                    `json:"length,omitempty"`  // steps of the shortest trace
	Decides  *Divergence            `json:"decides,omitempty"` // where the fix makes the difference
	Vacuous  []string               `json:"vacuous,omitempty"`
	Never    []string               `json:"never,omitempty"` // kinds of action that were never taken though a budget allows them
	Why      string                 `json:"why,omitempty"`
	Trace    *checker.Trace[Action] `json:"-"`
	Rules    []string               `json:"rules,omitempty"` // rules that decided a step
}

// Divergence is the first step of a trace that the model with the fix on does not take, or takes with another outcome.
type Divergence struct {
	Step   int      `json:"step"`
	Action string   `json:"action"`
	Off    []string `json:"rules_off"`          // what decided it with the fix off
	On     []string `json:"rules_on,omitempty"` // and with it on; none if the step is not enabled
}

// job is a row to be run.
type job struct {
	row      Row
	config   Config
	property string // the only one checked, "" for all
	weakened func(s *State, d *spec.Decision, req *spec.Request)
	fix      *FixRow
}

func jobs(release spec.Release) []job {
	var js []job
	add := func(t Table, name string, c Config, property string) *job {
		js = append(js, job{row: Row{Table: t, Name: name, Model: c.Name, About: c.About, Version: c.Rules.TransactionVersion, Bounds: c.Bounds()},
			config: c, property: property})
		return &js[len(js)-1]
	}
	for _, c := range Models() {
		add(TableModels, c.Name, c, "")
	}
	for _, f := range FixRows() {
		if f.Property == "" {
			add(TableFixes, f.Fix.Info().ID+" off", f.Off(), "").row.Why = f.Why
		} else {
			add(TableFixes, f.Fix.Info().ID+" off", f.Off(), f.Property).fix = &f
		}
		add(TableFixes, f.Fix.Info().ID+" on", f.Config, "")
	}
	for _, f := range Flaws() {
		add(TableFlaws, f.ID, f.Config, f.Property)
	}
	for _, r := range ReleaseRows(release) {
		add(TableRelease, r.Flaw, r.Config, r.Property)
	}
	for _, w := range Weakenings() {
		add(TableWeakenings, w.Name, w.Config, w.Property).weakened = w.after
	}
	return js
}

// Suite runs the whole check and hands each row to done as soon as it is there. prepare, if not nil, is called before each
// row and gives the options it runs with.
func Suite(ctx context.Context, release spec.Release, prepare func(Row) checker.Options, done func(Row)) error {
	for _, j := range jobs(release) {
		var o checker.Options
		if prepare != nil {
			o = prepare(j.row)
		}
		row, err := j.run(ctx, o)
		if err != nil {
			return fmt.Errorf("%s %s: %w", j.row.Table, j.row.Name, err)
		}
		done(row)
		if ctx.Err() != nil {
			return ctx.Err()
		}
	}
	return nil
}

func (j *job) run(ctx context.Context, o checker.Options) (Row, error) {
	m, err := New(j.config)
	if err != nil {
		return j.row, err
	}
	m.weakened = j.weakened
	properties := m.Properties()
	if j.property != "" {
		if properties, err = properties.Only(j.property); err != nil {
			return j.row, err
		}
	}
	r, err := checker.Check(ctx, m, properties, o)
	if err != nil {
		return j.row, err
	}
	row := j.row
	row.Distinct, row.States, row.Depth, row.Seconds, row.Verdict = r.Distinct, r.Generated, r.Depth, r.Seconds, r.Verdict
	for _, d := range r.Decisions {
		if d.Steps > 0 {
			row.Rules = append(row.Rules, d.Rule)
		}
	}
	if len(r.Violations) > 0 {
		v := &r.Violations[0]
		row.Falls, row.Length, row.Trace = v.Property, v.Length, v.Trace
	}
	if row.Verdict == checker.VerdictHolds {
		row.Vacuous, row.Never = vacuous(r), j.config.never(r)
	}
	if j.fix != nil && row.Trace != nil {
		row.Decides, err = j.fix.decides(row.Trace)
	}
	return row, err
}

func vacuous(r *checker.Result[Action]) []string {
	var names []string
	for _, p := range r.Properties {
		if p.Verdict == checker.PropertyVacuous {
			names = append(names, p.Name)
		}
	}
	return names
}

// never lists the kinds of action that were never taken though the configuration has a budget for them.
func (c *Config) never(r *checker.Result[Action]) []string {
	allowed := []string{"start", "begin", "arrive", "receive"}
	if c.Style != Idempotent {
		allowed = append(allowed, "end", "deliver", "apply")
	}
	if c.ClientFaults > 0 {
		allowed = append(allowed, "stop waiting")
		if c.Style != Idempotent {
			allowed = append(allowed, "give up")
		}
	}
	if c.MarkerFaults > 0 {
		allowed = append(allowed, "resend marker")
	}
	if c.Timeouts > 0 {
		allowed = append(allowed, "time out")
	}
	if c.Crashes > 0 {
		allowed = append(allowed, "crash", "crash losing", "reload", "send again")
	}
	var names []string
	for _, a := range r.Actions {
		if a.Steps == 0 && slices.Contains(allowed, a.Kind) {
			names = append(names, a.Kind)
		}
	}
	return names
}

// decides replays a trace found with the fix off on the model with the fix on, as far as both go the same way.
func (f *FixRow) decides(t *checker.Trace[Action]) (*Divergence, error) {
	off, err := New(f.Off())
	if err != nil {
		return nil, err
	}
	on, err := New(f.Config)
	if err != nil {
		return nil, err
	}
	var states [][]byte
	if _, err := checker.Replay(off, t, func(_ int, s *State) { states = append(states, off.Encode(nil, s)) }); err != nil {
		return nil, err
	}
	for k := 1; k <= t.Length; k++ {
		prefix := *t
		prefix.Model, prefix.Length, prefix.Steps, prefix.Property = on.Identity(), k, t.Steps[:k], ""
		var last []byte
		played, err := checker.Replay(on, &prefix, func(_ int, s *State) { last = on.Encode(last[:0], s) })
		d := &Divergence{Step: k, Action: off.ActionKinds()[off.ActionKind(t.Steps[k-1].Action)], Off: rules(t.Steps[k-1].Decisions)}
		switch {
		case err != nil:
			return d, nil
		case !bytes.Equal(last, states[k]):
			d.On = rules(played.Steps[k-1].Decisions)
			return d, nil
		}
	}
	return f.dooms(off, on, states[t.Length], t.Length)
}

// dooms finds the first step behind a trace that the fix decides: the trace of CanStillEnd ends where no way leads to the
// end any more, which is before the step that bars the way.
func (f *FixRow) dooms(off, on *Model, last []byte, length int) (*Divergence, error) {
	m := &from{helper: *off.helper(), start: last}
	var d *Divergence
	differs := checker.StepProperty[State, Action]{Name: "the same with the fix on", Check: func(old *State, a Action, s *State) checker.Outcome {
		if !s.Step.Decided {
			return checker.NotApplicable
		}
		var n State
		on.Copy(&n, old)
		if a.Kind == Arrive {
			on.sp.Submit(&n.Broker, a.Conn, a.Request)
		}
		dec := on.sp.Take(&n.Broker, s.Step.Decision.Step)
		if bytes.Equal(n.Broker.Append(nil), s.Broker.Append(nil)) {
			return checker.Holds
		}
		d = &Divergence{Action: off.ActionKinds()[off.ActionKind(a)], Off: ids(s.Step.Decision.Rules()), On: ids(dec.Rules())}
		return checker.Falls
	}}
	r, err := checker.Check(context.Background(), m, checker.Properties[State, Action]{
		Steps: []checker.StepProperty[State, Action]{differs}, MayStop: func(*State) bool { return true },
	}, checker.Options{Workers: 1})
	if err != nil {
		return nil, err
	}
	if len(r.Violations) == 0 {
		return nil, fmt.Errorf("the trace, and all behind it, is the same with the fix on")
	}
	d.Step = length + r.Violations[0].Length
	return d, nil
}

// from is the helping model, begun in one state.
type from struct {
	helper
	start []byte
}

// Init emits that state.
func (m *from) Init(e *emitter) {
	if err := m.Model.Decode(e.From(Action{}), m.start); err != nil {
		panic(err) // written by Encode a moment ago
	}
}

func ids(rs []spec.Rule) []string {
	var out []string
	for _, r := range rs {
		out = append(out, r.String())
	}
	return out
}

func rules(ds []checker.Decision) []string {
	var ids []string
	for _, d := range ds {
		ids = append(ids, d.Rule)
	}
	return ids
}
