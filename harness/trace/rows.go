package trace

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/onceproof/onceproof/checker"
	"github.com/onceproof/onceproof/harness/script"
	"github.com/onceproof/onceproof/spec"
	"github.com/onceproof/onceproof/spec/world"
)

// Row is a fix, or a flaw that no fix mends, whose counterexample is searched.
type Row struct {
	ID       string // of the fix or the flaw
	Title    string // what goes wrong
	Property string // what falls
	// Fix is the switch that is off; 0 for a flaw.
	Fix    spec.Fixes
	config world.Config
}

// Rows are the fixes and the flaws of the whole check in which something falls.
func Rows() []Row {
	var out []Row
	for _, f := range world.FixRows() {
		if f.Property == "" {
			continue
		}
		c := f.Off()
		switch f.Fix {
		case spec.Fix18464:
			c.Holds = 1 // EndTxn has to come while its decision is not complete
		case spec.Fix19999:
			c.Crashes, c.MarkerFaults = 0, 1 // a crash between a marker and its answer can't be placed; an answer that is lost can
		}
		out = append(out, Row{f.Fix.Info().ID, f.Fix.Info().Title, f.Property, f.Fix, c})
	}
	for _, f := range world.Flaws() {
		out = append(out, Row{f.ID, f.About, f.Property, 0, f.Config})
	}
	return out
}

// Levels are those at which its requests can be sent: Produce v12 breaks the transactional id at level 0 (ADD-28).
func (r *Row) Levels() []int8 {
	if r.config.Style == world.TV2Style {
		return []int8{1, 2}
	}
	return []int8{0, 1, 2}
}

// Found is the counterexample of a row at one level of transaction.version.
type Found struct {
	Row
	Level int8
	Rules spec.Rules // of the model: those of the broker that has the flaw
	// Mended says that the property holds at this level once the switch is on.
	Mended bool
	// Placeable says that a tester can bring about every step from outside. One that can't be takes a hand inside the broker.
	Placeable bool
	// Length is the number of the checker's steps, Requests that of the requests in the scenario; 0 if nothing falls here.
	Length, Requests int
	// Command prints it.
	Command string
	Script  *script.Script // nil if nothing falls
	trace   *checker.Trace[world.Action]
}

// Search looks for the counterexample of a row at a level: the shortest that a tester can place, else the shortest of all.
func (r *Row) Search(ctx context.Context, level int8) (Found, error) {
	f := Found{Row: *r, Level: level}
	c := r.config
	c.Rules.TransactionVersion = level
	f.Rules = c.Rules
	for _, quick := range []int{1, 0} {
		c.Quick = quick
		if quick == 0 {
			c.Holds = 0
		}
		t, err := shortest(ctx, c, r.Property)
		if err != nil {
			return f, fmt.Errorf("%s at transaction.version %d: %w", r.ID, level, err)
		}
		if t == nil {
			continue
		}
		return f, f.take(ctx, t, c)
	}
	return f, nil
}

// take takes a counterexample in, found in a configuration.
func (f *Found) take(ctx context.Context, t *checker.Trace[world.Action], c world.Config) error {
	f.Length, f.Placeable, f.Command = t.Length, c.Quick == 1, command(f, &c)
	s, err := convert(t)
	if err != nil {
		return fmt.Errorf("%s at transaction.version %d: %w", f.ID, f.Level, err)
	}
	f.Script, f.Requests, f.trace = &s.Script, s.requests, t
	c.Rules.Fixes |= f.Fix
	mended, err := shortest(ctx, c, f.Property)
	f.Mended = f.Fix != 0 && mended == nil
	return err
}

// With is the scenario as the specification with other switches plays it: the checker's steps in their order, also those
// inside the broker, each line with the answer that comes there. The error names a step of the checker's that can't be taken
// with these switches.
func (f *Found) With(fixes spec.Fixes) (*script.Script, error) {
	m, err := world.Rebuild(f.trace.Model)
	if err != nil {
		return nil, err
	}
	c := m.Config
	c.Rules.Fixes = fixes
	t := *f.trace
	t.Model = c.Identity()
	s, err := convert(&t)
	if err != nil {
		return nil, fmt.Errorf("%s at transaction.version %d with other switches: %w", f.ID, f.Level, err)
	}
	return &s.Script, nil
}

// command is how to have it printed. (Below level 2, --tv has TV1-style clients: there is none for those of TV2 at level 1.)
func command(f *Found, c *world.Config) string {
	text := "onceproof check " + c.Name
	if f.Fix != 0 {
		text += " --fix-off " + f.ID
	}
	if f.Level != f.config.Rules.TransactionVersion {
		text += fmt.Sprintf(" --tv %d", f.Level)
	}
	text += " --property " + f.Property
	if changed := changedBounds(c); changed != "" {
		text += " --bound " + changed
	}
	return text + " --trace gherkin"
}

// changedBounds are the bounds of a configuration that differ from those of the model of its name.
func changedBounds(c *world.Config) string {
	named, err := world.Lookup(c.Name)
	if err != nil {
		return ""
	}
	own := map[string]string{}
	for _, b := range named.Identity().Bounds {
		own[b.Name] = b.Value
	}
	var out []string
	for _, b := range c.Identity().Bounds {
		if slices.Contains(world.BoundNames(), b.Name) && b.Value != own[b.Name] {
			out = append(out, b.Name+"="+b.Value)
		}
	}
	return strings.Join(out, ",")
}

// shortest is the shortest counterexample to one property, nil if it holds.
func shortest(ctx context.Context, c world.Config, property string) (*checker.Trace[world.Action], error) {
	m, err := world.New(c)
	if err != nil {
		return nil, err
	}
	properties, err := m.Properties().Only(property)
	if err != nil {
		return nil, err
	}
	result, err := checker.Check(ctx, m, properties, checker.Options{})
	if err != nil || len(result.Violations) == 0 {
		return nil, err
	}
	return result.Violations[0].Trace, nil
}

// Played is the scenario that is played at its level: where nothing falls, that of another level, which has to differ. It is
// nil if there is none.
func Played(all []Found, f *Found) *script.Script {
	if f.Script != nil {
		return f.Script
	}
	for i := range all {
		if all[i].ID == f.ID && all[i].Script != nil {
			return all[i].Script
		}
	}
	return nil
}

// All searches every row at every level of its own.
func All(ctx context.Context) ([]Found, error) {
	var out []Found
	for _, r := range Rows() {
		for _, level := range r.Levels() {
			f, err := r.Search(ctx, level)
			if err != nil {
				return nil, err
			}
			out = append(out, f)
		}
	}
	return out, nil
}
