package main

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/onceproof/onceproof/checker"
	"github.com/onceproof/onceproof/checker/examples/paxos"
	"github.com/onceproof/onceproof/checker/twophase"
)

// exampleModel is a model that has nothing to do with Kafka, to try the checker with.
type exampleModel struct {
	name, about string
	bounds      []exampleBound
	// search is one with these values of the bounds, of the properties named, all if there are none.
	search func(m *exampleModel, values []int, properties []string) (search, error)
	// print replays and prints a trace of the model with these values.
	print func(values []int, e *env, file string, data []byte, format string) error
}

type exampleBound struct {
	name               string
	usual, least, most int
}

func exampleModels() []exampleModel {
	twoPhase := func(hasty bool) func([]int) twophase.Model {
		return func(v []int) twophase.Model { return twophase.Model{RMs: v[0], Hasty: hasty} }
	}
	properties := func(twophase.Model) checker.Properties[twophase.State, twophase.Action] { return twophase.Properties() }
	rms := []exampleBound{{"n", 7, 1, 32}}
	return []exampleModel{
		exampleOf("twophase", "Two-Phase Commit with n resource managers, to try the checker with", rms, twoPhase(false), properties),
		exampleOf("twophase-hasty", "the same with a manager that does not wait for all: a property falls", rms, twoPhase(true), properties),
		exampleOf("paxos", "consensus by Paxos, to try the checker with",
			[]exampleBound{{"acceptors", 3, 1, 8}, {"values", 2, 1, 8}, {"ballots", 3, 1, 16}},
			func(v []int) paxos.Model { return paxos.Model{Acceptors: v[0], Values: v[1], Ballots: v[2]} }, paxos.Model.Properties),
	}
}

// exampleNames are the names for messages that list what is known.
func exampleNames() string {
	var names []string
	for _, m := range exampleModels() {
		names = append(names, m.name)
	}
	return strings.Join(names, ", ")
}

func exampleNamed(name string) *exampleModel {
	models := exampleModels()
	if i := slices.IndexFunc(models, func(m exampleModel) bool { return m.name == name }); i >= 0 {
		return &models[i]
	}
	return nil
}

// exampleOf has the values of the bounds make a model M, which is a checker.Model of S and A.
func exampleOf[M checker.Model[S, A], S any, A comparable](name, about string, bounds []exampleBound, model func(values []int) M, properties func(M) checker.Properties[S, A]) exampleModel {
	return exampleModel{
		name: name, about: about, bounds: bounds,
		search: func(m *exampleModel, values []int, names []string) (search, error) {
			s := &exampleSearch[S, A]{example: m, values: values, model: model(values), properties: properties(model(values))}
			var err error
			if names != nil {
				s.properties, err = s.properties.Only(names...)
			}
			return s, err
		},
		print: func(values []int, e *env, file string, data []byte, format string) error {
			return printTraceOf(e, file, data, checker.Model[S, A](model(values)), format)
		},
	}
}

// usual are the values of the bounds when --bound does not say.
func (m *exampleModel) usual() []int {
	var values []int
	for _, b := range m.bounds {
		values = append(values, b.usual)
	}
	return values
}

// set gives a bound a value.
func (m *exampleModel) set(values []int, name string, n int) error {
	i := slices.IndexFunc(m.bounds, func(b exampleBound) bool { return b.name == name })
	if b := m.bounds[i]; n < b.least || n > b.most {
		return fmt.Errorf("bound %s is %d, must be %d to %d", name, n, b.least, b.most)
	}
	values[i] = n
	return nil
}

func (m *exampleModel) say(values []int) string {
	var said []string
	for i, b := range m.bounds {
		said = append(said, fmt.Sprintf("%s=%d", b.name, values[i]))
	}
	return strings.Join(said, " ")
}

// example is the search that the flags choose.
func (f *checkFlags) example(m *exampleModel) (search, error) {
	if f.release != "" || f.tv != unset || f.fixOff != nil || f.fixOn != nil {
		return nil, fmt.Errorf("%s has no releases, versions and fixes: --release, --tv, --fix-off and --fix-on are not for it", m.name)
	}
	var known []string
	for _, b := range m.bounds {
		known = append(known, b.name)
	}
	values := m.usual()
	if err := f.setBounds(known, func(name string, n int) error { return m.set(values, name, n) }); err != nil {
		return nil, err
	}
	return m.search(m, values, f.property)
}

// printExample prints a trace of an example.
func printExample(m *exampleModel, id checker.Identity, e *env, file string, data []byte, format string) error {
	values := m.usual()
	for i, b := range id.Bounds {
		n, err := strconv.Atoi(b.Value)
		if err == nil && i < len(m.bounds) {
			err = m.set(values, m.bounds[i].name, n) // names in the file are the model's
		}
		if err != nil || len(id.Bounds) != len(m.bounds) {
			return fmt.Errorf("%s: model %s: expected bounds as %s, got %q", file, id.Name, m.say(m.usual()), b.Name+"="+b.Value)
		}
	}
	return m.print(values, e, file, data, format)
}

type exampleSearch[S any, A comparable] struct {
	example    *exampleModel
	values     []int
	model      checker.Model[S, A]
	properties checker.Properties[S, A]
}

func (s *exampleSearch[S, A]) name() string { return s.example.name }

func (s *exampleSearch[S, A]) run(ctx context.Context, o checker.Options) (*outcome, error) {
	r, err := checker.Check(ctx, s.model, s.properties, o)
	if err != nil {
		return nil, err
	}
	out := newOutcome(r)
	out.About = s.example.about
	for i, b := range s.example.bounds {
		out.Bounds[b.name] = s.values[i]
	}
	return out, nil
}
