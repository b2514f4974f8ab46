package script_test

import (
	"context"
	"strings"
	"testing"

	"github.com/onceproof/onceproof/harness/judge"
	"github.com/onceproof/onceproof/harness/reference"
	"github.com/onceproof/onceproof/harness/script"
	"github.com/onceproof/onceproof/harness/steps"
	"github.com/onceproof/onceproof/spec"
)

// lateEndTxn is KAFKA-17754 with the given answer to the late copy.
func lateEndTxn(answer string) *script.Script {
	s := &script.Script{Name: "a late EndTxn"}
	s.Add(script.Given, `topic "t" with 1 partition`)
	s.Add(script.Given, `producer A (v4 style) with transactional id "id"`)
	s.Add(script.When, `A sends InitProducerId until it is granted`)
	s.Add(script.When, `A adds partition t-0 to the transaction`)
	s.Add(script.When, `A's EndTxn(commit) is held as "late"`)
	s.Add(script.When, `A ends the transaction with commit`)
	s.Add(script.When, `A adds partition t-0 to the transaction`)
	s.Add(script.When, `A's Produce("a" to t-0) is under way as "a"`)
	s.Add(script.When, `"a" is answered`)
	s.Add(script.Then, `the answer is NONE at offset 1`)
	s.Add(script.When, `"late" arrives`)
	s.Add(script.Then, `the answer is %s`, answer)
	s.Add(script.When, `the transaction of "id" completes`)
	s.AddTable(script.Then, `the log of t-0 is:`, [][]string{{"offsets", "batch"}, {"0", "COMMIT"}, {"1", "a"}, {"2", "COMMIT"}})
	return s
}

func play(t *testing.T, s *script.Script) script.Outcome {
	t.Helper()
	release := spec.AllReleases()[0]
	b := reference.New(spec.Rules{TransactionVersion: 2, Fixes: release.Fixes}, 1)
	v, err := b.Versions(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return script.Play(context.Background(), steps.Config{Broker: b, Versions: v, Oracle: judge.New(release, 2, false), Suffix: "x", Release: release}, s)
}

func TestPlay(t *testing.T) {
	t.Parallel()
	lines := len(lateEndTxn("NONE").Steps)
	for _, c := range []struct {
		name   string
		change func(*script.Script)
		kind   script.Kind
		step   int
		reason string
	}{
		{"every line holds", func(*script.Script) {}, script.Reproduced, lines, ""},
		{"a line differs", func(s *script.Script) { *s = *lateEndTxn("PRODUCER_FENCED") }, script.NotReproduced, 11, "expected PRODUCER_FENCED; got NONE"},
		{"a step can't be placed", func(s *script.Script) { s.Steps[2].Text = "A sends EndTxn(version 99)" }, script.CouldNotJudge, 2, "not v99"},
		{"a line that there is none of", func(s *script.Script) { s.Steps[2].Text = "A sleeps" }, script.CouldNotJudge, 2, "no such line"},
		{"a table that differs", func(s *script.Script) { s.Steps[lines-1].Table[3][1] = "ABORT" }, script.NotReproduced, lines - 1, "ABORT"},
		{"what has to be is so", func(s *script.Script) { s.Demands = true }, script.NotReproduced, lines, "broke no rule"},
		{"what has to be is not so", func(s *script.Script) { *s = *lateEndTxn("PRODUCER_FENCED"); s.Demands = true }, script.Reproduced, 11, "expected PRODUCER_FENCED; got NONE"},
		{"a line differs after the transaction had time to time out", func(s *script.Script) {
			*s = *lateEndTxn("NONE")
			s.Steps[1].Text += " and timeout 1 ms"
			s.Steps[4].Text, s.Steps[5].Text = `"id" is described`, `"id" is described`
			s.Steps[6] = script.Step{Keyword: script.Then, Text: "DescribeTransactions of \"id\" shows Empty, P7"}
		}, script.CouldNotJudge, 6, "may have been open for"},
		{"a rule that is kept", func(s *script.Script) { s.Breaks = "END-20" }, script.NotReproduced, lines, "broke no rule"},
	} {
		s := lateEndTxn("NONE")
		c.change(s)
		o := play(t, s)
		if o.Kind != c.kind || o.Step != c.step || !strings.Contains(o.Reason, c.reason) {
			t.Errorf("%s: expected %v at step %d with %q, got %v at %d with %q", c.name, c.kind, c.step, c.reason, o.Kind, o.Step, o.Reason)
		}
	}
}

func TestGherkin(t *testing.T) {
	t.Parallel()
	s := &script.Script{Name: "two", About: []string{"Why."}, Tags: []string{"@tv2"}}
	s.Add(script.Given, `topic "t" with 1 partition`)
	s.Add(script.When, `A does`)
	s.Add(script.When, `A does more`)
	s.AddTable(script.Then, "it is:", [][]string{{"a", "long"}, {"bcd", "e"}})
	want := `  @tv2
  Scenario: two
    Why.

    Given topic "t" with 1 partition
    When A does
    And A does more
    Then it is:
      | a   | long |
      | bcd | e    |
`
	if got := s.Gherkin(); got != want {
		t.Errorf("expected\n%s\ngot\n%s", want, got)
	}
}
