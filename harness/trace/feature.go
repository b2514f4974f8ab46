package trace

import (
	"fmt"
	"slices"
	"strings"

	"github.com/onceproof/onceproof/harness/script"
	"github.com/onceproof/onceproof/spec/world"
)

// Features are the files of features/traces by name, one for each row: a scenario for all levels at which its lines are the
// same.
func Features(all []Found) (map[string]string, error) {
	docs, err := propertyDocs()
	if err != nil {
		return nil, err
	}
	out := map[string]string{}
	for i := 0; i < len(all); {
		n := 1
		for i+n < len(all) && all[i+n].ID == all[i].ID {
			n++
		}
		if scripts := scenarios(all[i : i+n]); len(scripts) > 0 {
			r := &all[i].Row
			out[r.File()] = script.Feature(r.ID+": "+r.Title, about(r, docs[r.Property]), scripts)
		}
		i += n
	}
	return out, nil
}

// File is the name of the row's feature.
func (r *Row) File() string {
	return strings.ReplaceAll(strings.ToLower(r.ID), " ", "-") + ".feature"
}

func about(r *Row, doc string) []string {
	lines := []string{r.Property + ": " + doc}
	if r.Fix != 0 {
		lines = append(lines, "Every fix is on but this one: a broker without it does line by line what stands here.")
	} else {
		lines = append(lines, "It falls with every fix on: nothing in these requests tells one transaction of an epoch from the next.")
	}
	return append(lines, "Generated from the checker's counterexample: make docs")
}

// Name is that of the row's scenario.
func (r *Row) Name() string { return "Counterexample of " + r.ID }

// scenarios are the scripts of one row. Each says how the checker prints it, at the level of its model where it is one of several.
func scenarios(found []Found) []*script.Script {
	var out []*script.Script
	for i := range found {
		f := &found[i]
		if f.Script == nil {
			continue
		}
		level := fmt.Sprintf("@tv%d", f.Level)
		if same := slices.IndexFunc(out, func(s *script.Script) bool { return sameSteps(s, f.Script) }); same >= 0 {
			out[same].Tags = slices.Insert(out[same].Tags, levelsOf(out[same])+1, level)
			if f.Level == f.config.Rules.TransactionVersion {
				out[same].About[len(out[same].About)-1] = f.Command
			}
			continue
		}
		s := f.Script.Clone()
		s.Name = f.Name()
		s.About = append(s.About, f.Command)
		out = append(out, s)
	}
	if len(out) > 1 {
		for _, s := range out {
			s.Name += " at transaction.version " + strings.ReplaceAll(strings.Join(s.Tags[1:levelsOf(s)+1], " and "), "@tv", "")
		}
	}
	return out
}

// levelsOf is the number of tags that are levels; they follow the first tag.
func levelsOf(s *script.Script) int {
	n := 0
	for _, tag := range s.Tags {
		if strings.HasPrefix(tag, "@tv") {
			n++
		}
	}
	return n
}

func sameSteps(a, b *script.Script) bool { return Differs(a, b) < 0 }

// Differs is the index of the first step in which two scenarios differ, also by its table; -1 if they are the same.
func Differs(a, b *script.Script) int {
	for i := range min(len(a.Steps), len(b.Steps)) {
		x, y := &a.Steps[i], &b.Steps[i]
		if x.Text != y.Text || !slices.EqualFunc(x.Table, y.Table, func(p, q []string) bool { return slices.Equal(p, q) }) {
			return i
		}
	}
	if len(a.Steps) != len(b.Steps) {
		return min(len(a.Steps), len(b.Steps))
	}
	return -1
}

// propertyDocs is what each property demands.
func propertyDocs() (map[string]string, error) {
	m, err := world.New(world.Models()[0])
	if err != nil {
		return nil, err
	}
	out := map[string]string{}
	p := m.Properties()
	for _, x := range p.Invariants {
		out[x.Name] = x.Doc
	}
	for _, x := range p.Steps {
		out[x.Name] = x.Doc
	}
	for _, x := range p.CanReach {
		out[x.Name] = x.Doc
	}
	return out, nil
}
