package main

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/onceproof/onceproof/checker"
	"github.com/onceproof/onceproof/spec"
	"github.com/onceproof/onceproof/spec/world"
)

// search is one model to be searched, as chosen by the flags.
type search interface {
	name() string
	run(ctx context.Context, o checker.Options) (*outcome, error)
}

// searches are the models that the flags choose, changed as they say.
func (f *checkFlags) searches() ([]search, error) {
	var out []search
	for _, name := range f.models {
		if m := exampleNamed(name); m != nil {
			s, err := f.example(m)
			if err != nil {
				return nil, err
			}
			out = append(out, s)
			continue
		}
		c, err := lookup(name)
		if err != nil {
			return nil, err
		}
		s, err := f.protocol(c, f.property)
		if err != nil {
			return nil, err
		}
		out = append(out, s)
	}
	if len(f.models) > 0 {
		return out, nil
	}
	return f.unnamed()
}

func lookup(name string) (world.Config, error) {
	c, err := world.Lookup(name)
	if err != nil {
		return c, fmt.Errorf("%w, %s", err, exampleNames())
	}
	return c, nil
}

// unnamed are the models meant when none is named: that of each fix switched off, else the standard ones, and with a
// release the small ones of its flaws before them.
func (f *checkFlags) unnamed() ([]search, error) {
	if f.fixOff != nil {
		return f.ofFixes()
	}
	var out []search
	add := func(c world.Config, properties []string) error {
		if f.tv != unset && (c.Style == world.TV1Style) != (f.tv < 2) {
			return nil
		}
		s, err := f.protocol(c, properties)
		out = append(out, s)
		return err
	}
	if f.release != "" {
		r, err := spec.ParseRelease(f.release)
		if err != nil {
			return nil, err
		}
		for _, row := range world.ReleaseRows(r) {
			if err := add(row.Config, f.propertiesOf(row.Property)); err != nil {
				return nil, err
			}
		}
	}
	for _, c := range world.Models() {
		if err := add(c, f.property); err != nil {
			return nil, err
		}
	}
	return out, nil
}

// propertiesOf are those to check in a small model that is there for one property, so that the trace is the one listed
// for it, unless the flags ask for others.
func (f *checkFlags) propertiesOf(row string) []string {
	if f.property == nil && !f.keepGoing && row != "" {
		return []string{row}
	}
	return f.property
}

// ofFixes are the models of the fixes that are switched off.
func (f *checkFlags) ofFixes() ([]search, error) {
	var out []search
	for _, id := range f.fixOff {
		fix, err := spec.ParseFix(id)
		if err != nil {
			return nil, err
		}
		rows := world.FixRows()
		i := slices.IndexFunc(rows, func(r world.FixRow) bool { return r.Fix == fix })
		if i < 0 {
			return nil, fmt.Errorf("no model shows %s; name one", id)
		}
		s, err := f.protocol(rows[i].Config, f.propertiesOf(rows[i].Property))
		if err != nil {
			return nil, err
		}
		out = append(out, s)
	}
	return out, nil
}

// protocol is a configuration of the protocol, changed as the flags say; only the given properties are checked, all if
// there are none.
func (f *checkFlags) protocol(c world.Config, properties []string) (search, error) {
	if f.release != "" {
		r, err := spec.ParseRelease(f.release)
		if err != nil {
			return nil, err
		}
		c.Rules.Fixes = r.Fixes
	}
	for _, id := range f.fixOff {
		fix, err := spec.ParseFix(id)
		if err != nil {
			return nil, err
		}
		c.Rules.Fixes &^= fix
	}
	for _, id := range f.fixOn {
		fix, err := spec.ParseFix(id)
		if err != nil {
			return nil, err
		}
		c.Rules.Fixes |= fix
	}
	if f.tv != unset {
		c.Rules.TransactionVersion = int8(f.tv)
		if f.tv < 2 && c.Style == world.TV2Style {
			c.Style = world.TV1Style
		}
	}
	if err := f.setBounds(world.BoundNames(), c.SetBound); err != nil {
		return nil, err
	}
	m, err := world.New(c)
	if err != nil {
		return nil, fmt.Errorf("model %s: %w", c.Name, err)
	}
	s := &protocolSearch{model: m, properties: m.Properties()}
	if properties != nil {
		s.properties, err = s.properties.Only(properties...)
	}
	return s, err
}

// setBounds reads --bound.
func (f *checkFlags) setBounds(known []string, set func(name string, value int) error) error {
	for _, text := range f.bounds {
		name, number, _ := strings.Cut(text, "=")
		if !slices.Contains(known, name) {
			return fmt.Errorf("no bound %q; known: %s", name, strings.Join(known, ", "))
		}
		n, err := strconv.Atoi(number)
		if err != nil {
			return fmt.Errorf("--bound: expected NAME=N, got %q; known: %s", text, strings.Join(known, ", "))
		}
		if err := set(name, n); err != nil {
			return err
		}
	}
	return nil
}

// protocolSearch is a search of the protocol's model.
type protocolSearch struct {
	model      *world.Model
	properties checker.Properties[world.State, world.Action]
}

func (s *protocolSearch) name() string { return s.model.Name }

func (s *protocolSearch) run(ctx context.Context, o checker.Options) (*outcome, error) {
	r, err := checker.Check(ctx, s.model, s.properties, o)
	if err != nil {
		return nil, err
	}
	out := newOutcome(r)
	c := &s.model.Config
	out.About, out.Style, out.TransactionVersion = c.About, c.Style.String(), &c.Rules.TransactionVersion
	out.FixesOff = append([]string{}, (spec.AllFixes &^ c.Rules.Fixes).IDs()...)
	for _, b := range r.Model.Bounds {
		if slices.Contains(world.BoundNames(), b.Name) {
			if out.Bounds[b.Name], err = strconv.Atoi(b.Value); err != nil {
				return nil, err
			}
		}
	}
	return out, nil
}
