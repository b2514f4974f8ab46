package checker_test

import (
	"context"
	"regexp"
	"strings"
	"testing"

	"github.com/onceproof/onceproof/checker"
	"github.com/onceproof/onceproof/checker/twophase"
)

// statements are the lines of Mermaid's sequence diagrams that are used here. A text has no character with a meaning of
// its own, but for those of a character by its number and the break of a line.
var statements = regexp.MustCompile(`^    (participant p\d+ as |p\d+(->>|-->>|--x)p\d+: |Note over p\d+(,p\d+)?: )([^;#%<>&"\\{}$` + "`" + `]|#\d+;|<br/>)+$`)

func checkDiagram(t *testing.T, text string) {
	t.Helper()
	lines := strings.Split(strings.TrimSuffix(text, "\n"), "\n")
	if lines[0] != "sequenceDiagram" {
		t.Errorf("expected a sequence diagram, got %q", lines[0])
	}
	for _, l := range lines[1:] {
		if !statements.MatchString(l) {
			t.Errorf("expected a statement of Mermaid, got %q", l)
		}
	}
}

func TestTraceAsDiagram(t *testing.T) {
	want := `sequenceDiagram
    participant p0 as walker
    Note over p0: 1. follows 5
    Note over p0: parity odd<br/>at 0 → 1
    Note over p0: 2. follows 1
    Note over p0: parity odd<br/>at 1 → 2
    Note over p0,p0: not 2 falls
`
	got := forkedTrace(t).Diagram().String()
	if got != want {
		t.Errorf("expected\n%s\ngot\n%s", want, got)
	}
	checkDiagram(t, got)
}

// checkTwoPhase finds what falls where resource managers decide by themselves.
func checkTwoPhase(t *testing.T, n int) *checker.Result[twophase.Action] {
	t.Helper()
	r, err := checker.Check(context.Background(), twophase.Model{RMs: n, Hasty: true}, twophase.Properties(), checker.Options{KeepGoing: true})
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// A message is an arrow from the actor who sent it.
func TestMessagesAreArrows(t *testing.T) {
	r := checkTwoPhase(t, 2)
	var b strings.Builder
	if err := r.Violations[0].Trace.WriteMermaid(&b); err != nil {
		t.Fatal(err)
	}
	checkDiagram(t, b.String())
	for _, want := range []string{"participant p0 as TM\n", "participant p1 as RM 0\n", "p0->>p1: ", "is told to commit\n", "Note over p0,p2: Consistent falls\n"} {
		if !strings.Contains(b.String(), want) {
			t.Errorf("expected %q in\n%s", want, b.String())
		}
	}
}

func TestAnyTextStandsInADiagram(t *testing.T) {
	for _, test := range []struct{ text, want string }{
		{"state Empty, P0 epoch -1", "state Empty, P0 epoch -1"},
		{"a;b#c", "a#59;b#35;c"},
		{"%%{init: {}}%%", "#37;#37;#123;init: #123;#125;#125;#37;#37;"},
		{"one\ntwo", "one<br/>two"},
		{"one\r\ntwo", "one#13;<br/>two"},
		{"<b>", "#60;b#62;"},
		{"style a:b#;", "style a#58;b#35;#59;"},
		{"wrap: x", "wrap#58; x"},
		{"the answer: NONE", "the answer: NONE"},
		{" first", "#32;first"},
		{"", "#32;"},
	} {
		if got := checker.Mermaid(test.text); got != test.want {
			t.Errorf("%q: expected %q, got %q", test.text, test.want, got)
		}
	}
	d := &checker.SequenceDiagram{}
	for _, text := range []string{"end", "A; B", "p0->>p1: x", "as", "x\ny", "", "участник", "\x00\x7f"} {
		d.Arrow(text, "other", text)
		d.Answer("other", text, text)
		d.Lost(text, text, text)
		d.Note(text, text)
	}
	d.NoteAcross("end", "other", "end")
	checkDiagram(t, d.String())
}

// A diagram is as wide as its longest line: long ones are broken between words.
func TestLongTextsAreBroken(t *testing.T) {
	d := &checker.SequenceDiagram{}
	word := strings.Repeat("x", 30)
	d.Note("A", word+" "+word+" "+word)
	d.Note("A", strings.Repeat("y", 100)+" z")
	want := "sequenceDiagram\n    participant p0 as A\n" +
		"    Note over p0: " + word + "<br/>" + word + "<br/>" + word + "\n" +
		"    Note over p0: " + strings.Repeat("y", 100) + "<br/>z\n"
	if got := d.String(); got != want {
		t.Errorf("expected\n%s\ngot\n%s", want, got)
	}
}
