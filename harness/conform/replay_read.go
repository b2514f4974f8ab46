package conform

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/onceproof/onceproof/checker"
	"github.com/onceproof/onceproof/checker/itf"
	"github.com/onceproof/onceproof/harness/bundle"
	"github.com/onceproof/onceproof/harness/script"
	"github.com/onceproof/onceproof/harness/trace"
	"github.com/onceproof/onceproof/spec"
	"github.com/onceproof/onceproof/spec/world"
)

// TraceKind is where a trace is from, which says what it means that it is reproduced.
type TraceKind string

// The kinds of trace. The lines of a counterexample are what the model's broker answered, and a broker that answers so
// reproduces it. A violation was found on a broker, and shows again where the broker breaks a rule at that line. A scenario
// says what has to be: it is reproduced, so to speak, where it is not so.
const (
	Counterexample TraceKind = "counterexample"
	Found          TraceKind = "violation"
	Written        TraceKind = "scenario"
)

// given is a trace that is to be replayed.
type given struct {
	file   string
	kind   TraceKind
	script *script.Script
	levels []int16     // at which it was found, or is meant to run
	rules  []spec.Rule // that a line breaks which does not hold

	finding *bundle.Trace // of a violation
	// model is that of a counterexample, property what falls, and doc what that demands; anyOrder says that the checker
	// looked at every order of what goes on inside the broker.
	model, property, doc string
	anyOrder             bool
}

// mostBytes is far more than any trace has.
const mostBytes = 64 << 20

// readGiven reads a trace: a file, a folder of a violation, or "-" for what comes from stdin. Scenario names one of a
// feature that has several.
func readGiven(name, scenario string, stdin io.Reader) (*given, error) {
	data, file, err := readWhole(name, stdin)
	if err != nil {
		return nil, err
	}
	g, err := understand(file, data, scenario)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", file, err)
	}
	g.file = file
	return g, nil
}

// readWhole reads a file, or that of a folder.
func readWhole(name string, stdin io.Reader) (data []byte, file string, err error) {
	if name == "-" {
		data, err = readAtMost(stdin)
		if err != nil {
			err = fmt.Errorf("standard input: %w", err)
		}
		return data, "standard input", err
	}
	info, err := os.Stat(name)
	if err != nil {
		return nil, name, fmt.Errorf("%w; onceproof check MODEL --trace json, and conform --report DIR, write traces", err)
	}
	if info.IsDir() {
		if name, err = traceIn(name); err != nil {
			return nil, name, err
		}
	}
	f, err := os.Open(name)
	if err != nil {
		return nil, name, err
	}
	defer f.Close()
	if data, err = readAtMost(f); err != nil {
		err = fmt.Errorf("%s: %w", name, err)
	}
	return data, name, err
}

func readAtMost(r io.Reader) ([]byte, error) {
	data, err := io.ReadAll(io.LimitReader(r, mostBytes+1))
	if err == nil && len(data) > mostBytes {
		err = fmt.Errorf("expected a trace, got more than %d MiB", mostBytes>>20)
	}
	return data, err
}

// traceIn is the trace of a violation's folder, or of one that has a single such folder in it.
func traceIn(dir string) (string, error) {
	name := filepath.Join(dir, bundle.TraceFile)
	if _, err := os.Stat(name); err == nil {
		return name, nil
	}
	inside, err := filepath.Glob(filepath.Join(dir, "*", bundle.TraceFile))
	if err != nil || len(inside) == 0 {
		return name, fmt.Errorf("%s: expected a folder with %s, as conform --report DIR writes one for each violation, got one without", dir, bundle.TraceFile)
	}
	if len(inside) == 1 {
		return inside[0], nil
	}
	for i := range inside {
		inside[i] = filepath.Dir(inside[i])
	}
	return name, fmt.Errorf("%s: expected the folder of one violation, got one of %d: %s", dir, len(inside), strings.Join(inside, ", "))
}

// understand reads what a file says.
func understand(file string, data []byte, scenario string) (*given, error) {
	text := bytes.TrimSpace(data)
	switch {
	case len(text) == 0:
		return nil, errors.New("expected a trace, got an empty file: was the command that wrote it stopped?")
	case text[0] == '{' || text[0] == '[':
		if scenario != "" {
			return nil, fmt.Errorf("--scenario %q chooses one of a feature's scenarios, and this is a trace", scenario)
		}
		return understandJSON(data)
	case filepath.Ext(file) == ".feature" || bytes.Contains(data, []byte("Feature:")):
		return understandFeature(file, data, scenario)
	}
	return nil, errors.New("expected a trace (JSON of onceproof check --trace json or itf, " + bundle.TraceFile + " of a violation) or a feature with a scenario, got neither")
}

func understandJSON(data []byte) (*given, error) {
	if itf.Is(data) {
		file, err := itf.Read(bytes.NewReader(data))
		if err != nil {
			return nil, err
		}
		if bundle.IsTrace(file) {
			return understandFinding(data)
		}
	}
	id, err := checker.TraceIdentity(data)
	if err != nil {
		return nil, fmt.Errorf("%w; onceproof check MODEL --trace json (or itf) writes one, conform --report DIR a %s for each violation", err, bundle.TraceFile)
	}
	if strings.HasPrefix(id.Name, "twophase") {
		return nil, fmt.Errorf("expected a trace of the protocol, got one of %s: there is no broker for it; onceproof trace prints it", id.Name)
	}
	if err := world.Named(id.Name); err != nil {
		return nil, err
	}
	m, err := world.Rebuild(id)
	if err != nil {
		return nil, fmt.Errorf("%w; onceproof check %s finds it anew, with --trace json", err, id.Name)
	}
	t, err := checker.ReadAndReplay(data, m)
	if err != nil {
		return nil, fmt.Errorf("%w; onceproof check %s finds it anew, with --trace json", err, id.Name)
	}
	s, err := trace.Script(t)
	if err != nil {
		return nil, err
	}
	return &given{kind: Counterexample, script: s, levels: []int16{int16(m.Rules.TransactionVersion)},
		model: id.Name, property: t.Property, doc: t.Doc, anyOrder: m.Quick == 0}, nil
}

func understandFinding(data []byte) (*given, error) {
	f, err := bundle.ReadTrace(bytes.NewReader(data))
	if err != nil {
		return nil, err
	}
	g := &given{kind: Found, script: f.Script, finding: f, levels: []int16{f.TransactionVersion}}
	if f.Rule == "" {
		return g, nil
	}
	rule, err := spec.ParseRule(f.Rule)
	if err != nil {
		return nil, fmt.Errorf("%w: was it found by another version of this program?", err)
	}
	g.rules = []spec.Rule{rule}
	return g, nil
}

func understandFeature(file string, data []byte, scenario string) (*given, error) {
	all, err := parsed(file, data)
	if err != nil {
		return nil, err
	}
	s, err := chosen(all, scenario)
	if err != nil {
		return nil, err
	}
	if slices.Contains(s.Tags, exploreTag) {
		return nil, fmt.Errorf("scenario %q goes random walks: onceproof conform --tags %s --explore N plays it", s.Name, exploreTag)
	}
	g := &given{kind: Written, script: &script.Script{Name: s.Name, Tags: s.Tags, Steps: s.Steps, Demands: true}, levels: s.Levels, rules: s.Rules}
	if s.fromTrace() {
		g.kind, g.script.Demands = Counterexample, false
	}
	return g, g.script.Check()
}

// chosen is the scenario of a feature that is meant.
func chosen(all []Scenario, name string) (*Scenario, error) {
	var names []string
	var found []*Scenario
	for i := range all {
		names = append(names, fmt.Sprintf("%q", all[i].Name))
		if name == "" || all[i].Name == name {
			found = append(found, &all[i])
		}
	}
	switch {
	case len(all) == 0:
		return nil, errors.New("expected a scenario, got a feature without any")
	case len(found) == 1 && len(found[0].Steps) == 0:
		return nil, fmt.Errorf("expected a scenario with lines, %q has none", found[0].Name)
	case len(found) == 0:
		return nil, fmt.Errorf("expected --scenario to name one of %s, got %q", strings.Join(names, ", "), name)
	case len(found) > 1 && name == "":
		return nil, fmt.Errorf("expected one scenario, got %d; name one with --scenario: %s", len(found), strings.Join(names, ", "))
	case len(found) > 1:
		return nil, fmt.Errorf("expected one scenario named %q, got %d", name, len(found))
	}
	return found[0], nil
}
