// Package bundle makes a folder of a violation, which can be attached to a bug report as it is: a report for someone who
// knows Kafka and not this project, the exchange as a trace in the Informal Trace Format, from which it is replayed, the
// wire history with every byte, and the scenario.
package bundle

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime/debug"
	"strings"

	"github.com/onceproof/onceproof/checker/itf"
	"github.com/onceproof/onceproof/harness/broker"
	"github.com/onceproof/onceproof/harness/script"
	"github.com/onceproof/onceproof/harness/steps"
)

// The files of a bundle.
const (
	ReportFile   = "report.md"
	TraceFile    = "trace" + itf.Extension
	WireFile     = "wire.json"
	ScenarioFile = "scenario.feature"
)

// Finding is a violation with all that is needed to judge it without the run.
type Finding struct {
	// Script shows it: the lines up to the one at which it showed.
	Script *script.Script
	// Violation is what the broker did; History all that was done and exchanged until then, each event with its line of
	// Script.
	Violation *steps.Violation
	History   []steps.Event

	// Broker is the broker as --broker takes it, TransactionVersion its level, Versions what it offers.
	Broker             string
	TransactionVersion int16
	Versions           broker.Versions
	// Release is the one that is judged by; Strict demands it exactly.
	Release string
	Strict  bool
	// Profile is the file of what was tolerated in answers, "" if nothing was.
	Profile string

	// Names are the names that lines gave to producer ids (P0) and coordinator epochs (C0); others are named by the report.
	Names map[string]int64
	// Suffix is what the run put behind the names of topics and transactional ids; the report leaves it out.
	Suffix string

	// Known says why it is a known deviation, "" if it is none.
	Known string
	// From says where the scenario is from, such as "features/retries.feature:137", or how it was found.
	From string
	// Failed of Of is how often the script showed it; 0 of 0 if it was played once.
	Failed, Of int
}

// Write writes the bundle into a folder, which it makes, and gives the names of its files. The one to begin with comes
// first.
func Write(dir string, f *Finding) ([]string, error) {
	if err := f.check(); err != nil {
		return nil, err
	}
	trace, err := f.itf()
	if err != nil {
		return nil, err
	}
	wire, err := json.MarshalIndent(f.wire(), "", "  ")
	if err != nil {
		return nil, err
	}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return nil, err
	}
	return writeFiles(dir, []file{{ReportFile, f.Markdown(filepath.Base(dir))}, {TraceFile, trace}, {WireFile, string(wire) + "\n"}, {ScenarioFile, f.feature()}})
}

// file is one of a folder.
type file struct{ name, text string }

func writeFiles(dir string, files []file) ([]string, error) {
	var written []string
	for _, file := range files {
		name := filepath.Join(dir, file.name)
		if err := WriteWhole(name, []byte(file.text)); err != nil {
			return written, err
		}
		written = append(written, name)
	}
	return written, nil
}

func (f *Finding) check() error {
	if f.Script == nil || f.Violation == nil {
		return errors.New("bundle: expected a script and a violation")
	}
	return f.Script.Check()
}

// WriteWhole writes a file, and leaves none that is cut off.
func WriteWhole(name string, data []byte) error {
	f, err := os.Create(name)
	if err != nil {
		return err
	}
	_, err = f.Write(data)
	if err = errors.Join(err, f.Close()); err != nil {
		os.Remove(name) // the error that matters is the one before
	}
	return err
}

// feature is the scenario as a feature file, with what it shows.
func (f *Finding) feature() string {
	s := f.Script.Clone()
	n := f.names()
	s.About = append(s.About, "It shows when the last line is played: "+n.read(f.Violation.Error())+".")
	return script.Feature(f.title(n), nil, []*script.Script{s})
}

// rule is the one most likely broken, "" if none is known.
func (f *Finding) rule() string {
	if len(f.Violation.Rules) == 0 {
		return ""
	}
	return f.Violation.Rules[0].String()
}

// judged says by what the broker was judged.
func (f *Finding) judged() string {
	if f.Strict {
		return fmt.Sprintf("onceproof's specification of what Apache Kafka %s does exactly, its known flaws included", f.Release)
	}
	return fmt.Sprintf("onceproof's specification of what Apache Kafka %s does; a fix that a later release has is accepted too", f.Release)
}

// software is the broker with what is known of its version.
func (f *Finding) software() string {
	if module := builtIn(f.Broker); module != "" {
		return fmt.Sprintf("%s (%s)", f.Broker, module)
	}
	if f.Broker == "spec" || strings.HasPrefix(f.Broker, "spec,") {
		return f.Broker + " (onceproof's specification of the protocol, run as a broker)"
	}
	return f.Broker
}

// builtIn is the module of a broker that is a part of this program.
func builtIn(name string) string {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return ""
	}
	for _, m := range info.Deps {
		if strings.HasSuffix(m.Path, "/"+name) {
			return m.Path + " " + m.Version
		}
	}
	return ""
}
