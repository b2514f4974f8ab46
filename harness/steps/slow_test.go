package steps

import (
	"errors"
	"testing"
	"time"

	"github.com/twmb/franz-go/pkg/kmsg"

	"github.com/onceproof/onceproof/harness/broker"
	"github.com/onceproof/onceproof/spec"
)

// silent is an oracle that has nothing to say.
type silent struct{}

func (silent) Sent(uint16, kmsg.Request, time.Time) error      { return nil }
func (silent) Answered(uint16, kmsg.Response, time.Time) error { return nil }
func (silent) Lost(uint16)                                     {}
func (silent) Overdue(uint16) error                            { return nil }
func (silent) Settled() error                                  { return nil }
func (silent) Restarted(bool)                                  {}
func (silent) TopicCreated(string, int32)                      {}

// A broker that goes on asking for patience violates; one that stood still with its machine is not judged.
func TestASlowMachineIsNoViolation(t *testing.T) {
	for _, c := range []struct {
		answer   time.Duration // how long the broker takes for an answer
		violates bool
	}{{0, true}, {300 * time.Millisecond, false}} {
		w := NewWorld()
		w.Oracle = silent{}
		err := w.awaitFor(t.Context(), 100*time.Millisecond, func() error {
			if err := pause(t.Context(), c.answer); err != nil {
				return err
			}
			return mismatch("an end", "none")
		})
		violation, unjudged := Classify(err)
		if (violation != nil) != c.violates || (unjudged != nil) == c.violates {
			t.Errorf("answers after %v: expected a violation %v, got %v", c.answer, c.violates, err)
		}
	}
}

// clocked is a broker with a clock of its own.
type clocked struct {
	broker.Broker
	now time.Time
}

func (c *clocked) Now() time.Time { return c.now }

// A line that does not hold because a transaction was open for longer than its timeout says nothing.
func TestATransactionThatHadTimeToTimeOutIsKnown(t *testing.T) {
	b := &clocked{now: time.Unix(1000, 0)}
	w := NewWorld()
	w.Start(Config{Broker: b, Oracle: silent{}})
	id := "id"
	a := &actor{name: "A", txn: &id, timeout: 2000}
	w.starts(&call{actor: a, phrase: phrase{api: spec.Produce}})
	b.now = b.now.Add(1999 * time.Millisecond)
	if late := w.Late(); late != "" {
		t.Errorf("expected nothing before the timeout, got %q", late)
	}
	b.now = b.now.Add(time.Millisecond)
	if w.Late() == "" {
		t.Error("expected the transaction to be named after its timeout, got nothing")
	}
	w.ends(&call{actor: a, phrase: phrase{api: spec.EndTxn}})
	if late := w.Late(); late != "" {
		t.Errorf("expected nothing after the end, got %q", late)
	}
}

// An answer that never came is no answer: no line about it holds.
func TestNoLineHoldsOfAnAnswerThatNeverCame(t *testing.T) {
	w := NewWorld()
	w.last = &call{actor: &actor{name: "A"}, phrase: phrase{api: spec.Produce, partitions: []partition{{"t", 0}}}}
	for what, err := range map[string]error{
		"answer": w.expect("NONE at offset 0"), "code": w.expectCode("NONE"), "partition": w.expectPartition("t-0", "NONE"),
		"time": w.expectAppendTime("the time of the batch"), "identity": w.granted("A", "P0", 0),
	} {
		var v *Violation
		if err == nil || errors.As(err, &v) {
			t.Errorf("%s: expected an error of the scenario, got %v", what, err)
		}
	}
}
