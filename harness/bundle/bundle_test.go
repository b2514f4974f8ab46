package bundle_test

import (
	"bytes"
	"encoding/json"
	"flag"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"strings"
	"testing"

	"github.com/onceproof/onceproof/checker/itf"
	"github.com/onceproof/onceproof/harness/bundle"
	"github.com/onceproof/onceproof/harness/judge"
	"github.com/onceproof/onceproof/harness/reference"
	"github.com/onceproof/onceproof/harness/script"
	"github.com/onceproof/onceproof/harness/steps"
	"github.com/onceproof/onceproof/spec"
)

var update = flag.Bool("update", false, "write the golden report anew")

// found is what a broker without KAFKA-18202 does: it takes a first sequence other than 0.
func found(t testing.TB) *bundle.Finding {
	t.Helper()
	s := &script.Script{Name: "A lost first batch is noticed", Tags: []string{"@tv2"}, Breaks: "IDEM-33"}
	s.Add(script.Given, `topic "t" with 1 partition`)
	s.Add(script.Given, `producer A (v5 style) with transactional id "id"`)
	s.Add(script.When, `A sends InitProducerId until it is granted`)
	s.Add(script.When, `A's Produce("a" to t-0) is held as "late; # 1"`)
	s.Add(script.When, `A sends Produce("b" to t-0 with sequence 5) once`)
	release := spec.AllReleases()[0]
	b := reference.New(spec.Rules{TransactionVersion: 2, Fixes: release.Fixes &^ spec.Fix18202}, 1)
	v, err := b.Versions(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	c := steps.Config{Broker: b, Versions: v, Oracle: judge.New(release, 2, true), Suffix: "x7", Release: release, Strict: true}
	out := script.Play(t.Context(), c, s)
	if out.Kind != script.Reproduced {
		t.Fatalf("expected a violation, got %v: %s", out.Kind, out.Reason)
	}
	return &bundle.Finding{
		Script: s, Violation: out.Violation, History: out.History, Broker: "spec,fix-off=KAFKA-18202", TransactionVersion: 2, Versions: v,
		Release: release.Name, Strict: true, Suffix: "x7", From: "a test",
	}
}

func write(t testing.TB, f *bundle.Finding) (dir string) {
	t.Helper()
	dir = filepath.Join(t.TempDir(), "violation-of-a-test")
	files, err := bundle.Write(dir, f)
	if err != nil {
		t.Fatal(err)
	}
	if len(files) != 4 || filepath.Base(files[0]) != bundle.ReportFile {
		t.Fatalf("expected four files, the report first, got %v", files)
	}
	return dir
}

func read(t testing.TB, dir, name string) []byte {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(dir, name))
	if err != nil {
		t.Fatal(err)
	}
	return text
}

// testdata/report.md is a report as people read it.
func TestTheReport(t *testing.T) {
	got := read(t, write(t, found(t)), bundle.ReportFile)
	const golden = "testdata/report.md"
	if *update {
		if err := os.WriteFile(golden, got, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(golden)
	if err != nil || !bytes.Equal(got, want) {
		t.Errorf("expected %s (%v), got\n%s\nwrite it anew with: go test ./harness/bundle -run TestTheReport -update", golden, err, got)
	}
}

// What a report shows of a diagram is in Mermaid's language, whatever the texts.
func TestTheDiagramIsOne(t *testing.T) {
	_, rest, _ := strings.Cut(string(read(t, write(t, found(t)), bundle.ReportFile)), "```mermaid\n")
	diagram, _, ok := strings.Cut(rest, "```\n")
	if !ok || !strings.HasPrefix(diagram, "sequenceDiagram\n") {
		t.Fatalf("expected a diagram, got %q", diagram)
	}
	statement := regexp.MustCompile(`^    (participant p\d+ as |p\d+(->>|-->>|--x)p\d+: |Note over p\d+(,p\d+)?: )([^;#%<>&"\\{}$]|#\d+;|<br/>)+$`)
	for line := range strings.Lines(strings.TrimPrefix(diagram, "sequenceDiagram\n")) {
		if !statement.MatchString(strings.TrimSuffix(line, "\n")) {
			t.Errorf("expected a statement of Mermaid, got %q", line)
		}
	}
	if !strings.Contains(diagram, "is held as #34;late#59; #35; 1#34;") {
		t.Errorf("expected the name of the held request, got\n%s", diagram)
	}
}

func TestTheTraceIsReadBack(t *testing.T) {
	f := found(t)
	text := read(t, write(t, f), bundle.TraceFile)
	file, err := itf.Read(bytes.NewReader(text))
	if err != nil || !bundle.IsTrace(file) || len(file.States) != len(f.Script.Steps)+1 {
		t.Fatalf("expected a state for each line, got %+v (%v)", file, err)
	}
	last := file.States[len(file.States)-1].Values
	for name, want := range map[string]string{
		"line": `A sends Produce("b" to t-0 with sequence 5) once`, "actor": "producer A", "answer": "t-0 NONE, base offset 0",
		"request": `Produce v12 t-0 producer P0, epoch 0, sequence 5, transactional id "id"`,
	} {
		if got, _ := last[name].Text(); got != want {
			t.Errorf("%s: expected %q, got %q", name, want, got)
		}
	}
	trace, err := bundle.ReadTrace(bytes.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	if !reflect.DeepEqual(trace.Script, f.Script) {
		t.Errorf("expected the script %+v, got %+v", f.Script, trace.Script)
	}
	if trace.Broker != f.Broker || trace.TransactionVersion != 2 || trace.Release != f.Release || !trace.Strict || trace.Rule != "IDEM-33" {
		t.Errorf("expected what was judged and by what, got %+v", trace)
	}
}

func TestWhatIsNoTraceOfAViolation(t *testing.T) {
	whole := string(read(t, write(t, found(t)), bundle.TraceFile))
	for _, test := range []struct{ text, want string }{
		{"", "the file is empty"},
		{whole[:len(whole)/2], "the file is cut off"},
		{`{"vars": [], "states": []}`, `expected the trace of a violation: itf: expected "script" in #meta`},
		{strings.Replace(whole, `"finding": {`, `"other": {`, 1), `expected "finding" in #meta`},
		{strings.Replace(whole, `"text": "A sends InitProducerId`, `"text": "B sends InitProducerId`, 1), `state 3: expected the line "B sends`},
		{strings.Replace(whole, `"line": {`, `"other": {`, 1), `state 1: itf: expected "line" in #meta`},
		{`{"#meta": {"script": {}, "finding": {}}, "vars": [], "states": [{}]}`, "expected a script with steps, got none"},
	} {
		if _, err := bundle.ReadTrace(strings.NewReader(test.text)); err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("expected an error with %q, got %v", test.want, err)
		}
	}
}

// Every byte that went over the wire is there, that of setting up too, with what was judged.
func TestTheWireHistory(t *testing.T) {
	f := found(t)
	var file struct {
		Came     string
		Rules    []struct{ ID, Source string }
		Exchange int
		Events   []struct {
			Line        int
			Actor       string
			Setup       bool
			Connection  uint16
			Request     string
			RequestHex  string `json:"request_hex"`
			ResponseHex string `json:"response_hex"`
		}
	}
	if err := json.Unmarshal(read(t, write(t, f), bundle.WireFile), &file); err != nil {
		t.Fatal(err)
	}
	if file.Came != "NONE, base offset 0" || len(file.Rules) == 0 || file.Rules[0].Source == "" || len(file.Events) != len(f.History) {
		t.Fatalf("expected what came, the rules and %d events, got %+v", len(f.History), file)
	}
	at := file.Events[file.Exchange]
	if at.Line != 5 || at.Actor != "A" || at.Setup || at.Connection == 0 || at.RequestHex == "" || at.ResponseHex == "" || !strings.HasPrefix(at.Request, "Produce v12 t.x7-0 ") {
		t.Errorf("expected the exchange at which it showed, with the names as they were, got %+v", at)
	}
}

func TestTheScenario(t *testing.T) {
	text := string(read(t, write(t, found(t)), bundle.ScenarioFile))
	for _, want := range []string{"Feature: spec", "  @tv2\n", "  Scenario: A lost first batch is noticed\n", `    When A sends InitProducerId until it is granted` + "\n", "OUT_OF_ORDER_SEQUENCE_NUMBER"} {
		if !strings.Contains(text, want) {
			t.Errorf("expected %q in\n%s", want, text)
		}
	}
}

func TestABundleNeedsAScriptAndAViolation(t *testing.T) {
	if _, err := bundle.Write(t.TempDir(), &bundle.Finding{Script: &script.Script{}}); err == nil {
		t.Error("expected an error, got none")
	}
	f := found(t)
	if _, err := bundle.Write("/dev/null/violation", f); err == nil {
		t.Error("expected an error of writing, got none")
	}
}

// Whatever the file, it is a trace of a violation or an error.
func FuzzReadTrace(f *testing.F) {
	whole := read(f, write(f, found(f)), bundle.TraceFile)
	f.Add(whole)
	f.Add([]byte(`{"#meta": {"script": null, "finding": []}, "vars": [], "states": []}`))
	f.Add(bytes.ReplaceAll(whole, []byte(`"text"`), []byte(`"keyword"`)))
	f.Fuzz(func(t *testing.T, data []byte) {
		trace, err := bundle.ReadTrace(bytes.NewReader(data))
		if (err == nil) != (trace != nil && trace.Script.Check() == nil) {
			t.Errorf("expected a script that can be played or an error, got %+v and %v", trace, err)
		}
	})
}
