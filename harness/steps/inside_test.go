package steps

import (
	"fmt"
	"testing"
	"time"

	"github.com/onceproof/onceproof/harness/broker/between"
)

// What is held, and from which line on, is known before the scenario begins.
func TestWhatIsToBeHeldInsideABroker(t *testing.T) {
	for _, c := range []struct {
		name  string
		lines []string
		want  string
	}{
		{"a reply, and the question behind it", []string{
			`topic "t" with 1 partition`,
			`A produces "z" to t-0`,
			`A's Produce("a" to t-0) is under way as "batch"`,
			"inside the broker, the coordinator's reply to t-0's leader is held",
			"A ends the transaction with abort",
			"inside the broker, the append of the coordinator is acknowledged",
			"inside the broker, the marker for t-0 is held",
			`A's Produce("b" to t-0) is under way as "batch 2"`,
			"inside the broker, t-0's leader receives the coordinator's reply: NONE",
			"inside the broker, t-0's leader receives the marker ABORT, producer P0 epoch 1",
			"inside the broker, the coordinator receives the answer to the marker for t-0: NONE",
			"inside the broker, the coordinator receives the leader's question: add t-0, producer P0 epoch 1",
			"inside the broker, t-0's leader receives the coordinator's reply: NONE",
		}, "line 3: the asking of t-0: answer NONE, request, answer NONE; line 5: the marking of t-0: request, answer NONE; "},
		{"what no line holds happens by itself, and is seen by its answer", []string{
			`A's Produce("a" to t-0) is under way as "batch"`,
			"inside the broker, the question of t-0's leader is held",
			`A's EndTxn(abort) is under way as "EndTxn"`,
			"inside the broker, the coordinator receives the leader's question: may the batch in t-0, producer P0 epoch 0",
			"inside the broker, t-0's leader receives the marker ABORT, producer P0 epoch 0",
			"inside the broker, t-0's leader receives the coordinator's reply: NONE",
		}, "line 1: the asking of t-0: request, answer NONE; line 3: the marking of t-0: answer; "},
		{"the answer of what no line holds, which one does", []string{
			"A ends the transaction with abort",
			"inside the broker, t-0's leader receives the marker ABORT, producer P0 epoch 0",
			"inside the broker, the answer to the marker for t-0 is held",
			`A's Produce("b" to t-0) is under way as "batch"`,
			"inside the broker, the coordinator receives the answer to the marker for t-0: NONE",
		}, "line 1: the marking of t-0: answer NONE; "},
		{"what is held and never arrives", []string{
			"A ends the transaction with commit",
			"the answer is NONE with P0 at epoch 1",
			"inside the broker, the answer to the marker for t-0 is held",
			"the broker crashes and comes back",
			"inside the broker, everything else goes on",
		}, "line 1: the marking of t-0: answer; "},
	} {
		in := newInside(nil, nil, c.lines)
		got := ""
		for line := range c.lines {
			for _, x := range in.starts[line+1] {
				got += fmt.Sprintf("line %d: %s; ", line+1, x.describe())
			}
		}
		if got != c.want {
			t.Errorf("%s: expected\n%s, got\n%s", c.name, c.want, got)
		}
	}
}

func (c *chain) describe() string {
	text := map[bool]string{true: "the asking", false: "the marking"}[c.events[0].of.asks] + " of " + c.at.String() + ":"
	for i, e := range c.events {
		if i > 0 {
			text += ","
		}
		text += map[bool]string{true: " answer", false: " request"}[e.answer]
		if e.code != "" {
			text += " " + e.code
		}
	}
	return text
}

// A line that can't be placed ends the scenario without a verdict, at once or when nothing comes.
func TestWhatCannotBePlacedInsideABrokerIsNotJudged(t *testing.T) {
	p, err := between.Listen("127.0.0.1:0", "127.0.0.1:1")
	if err != nil {
		t.Fatal(err)
	}
	defer p.Close()
	held, byItself := "the question of t-0's leader is held", "t-0's leader receives the marker ABORT, producer P0 epoch 1"
	w := NewWorld()
	w.Patience = 50 * time.Millisecond
	w.inside = newInside(p, w.named, []string{`A produces "a" to t-0`, insideTheBroker + held, insideTheBroker + byItself})
	w.BeginLine()
	for _, what := range []string{held, byItself, "the coordinator still loads its log"} {
		if _, unjudged := Classify(w.within(t.Context(), what)); unjudged == nil {
			t.Errorf("%s: expected that it could not be judged", what)
		}
	}
	w.inside = nil
	if _, unjudged := Classify(w.within(t.Context(), held)); unjudged == nil {
		t.Errorf("%s: expected that it could not be judged where there is no hand", held)
	}
}
