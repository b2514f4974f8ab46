package script

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/twmb/franz-go/pkg/kmsg"

	"github.com/onceproof/onceproof/harness/steps"
)

// Kind is what playing a script came to.
type Kind uint8

// The three outcomes. A script is reproduced when every line took place and held; or, where it says which rule is broken,
// when the oracle says so too; or, where its last line fails, when that is the one that does not hold.
const (
	Reproduced Kind = iota
	NotReproduced
	CouldNotJudge
)

func (k Kind) String() string {
	return [...]string{"reproduced", "not reproduced", "could not be judged"}[k]
}

// Outcome is what playing a script came to.
type Outcome struct {
	Kind Kind
	// Step is the index of the step at which it ended; the number of steps if it took place to the end.
	Step   int
	Reason string
	// Violation is what the oracle says of the broker, nil if it conforms.
	Violation *steps.Violation
	// ViolatedAt is the index of the step of Violation.
	ViolatedAt int
	History    []steps.Event
	// Topics were made on the broker, by their names there.
	Topics []string
}

// Play plays a script on a broker. The oracle of the configuration watches; what it calls a violation ends a script that
// says which rule is broken, and is only noted by one whose lines say what shows it.
func Play(ctx context.Context, c steps.Config, s *Script) Outcome {
	w := steps.NewWorld()
	watch := &witness{Oracle: c.Oracle, going: s.Breaks == ""}
	c.Oracle = watch
	w.Start(c)
	defer w.Close()
	out := Outcome{Step: len(s.Steps), ViolatedAt: -1}
	for i, st := range s.Steps {
		err := w.Play(ctx, st.Text, st.Table)
		if watch.violation != nil && out.Violation == nil {
			out.Violation, out.ViolatedAt = watch.violation, i
		}
		if err != nil {
			out.Step = i
			out.end(s, err)
			break
		}
	}
	if out.Step == len(s.Steps) && (s.Breaks != "" || s.Fails) {
		out.Kind, out.Reason = NotReproduced, "every step took place, and the broker broke no rule"
	}
	out.History, out.Topics = w.History(), w.Topics()
	return out
}

// end says what an error of a step means.
func (o *Outcome) end(s *Script, err error) {
	var over *steps.Over
	if errors.As(err, &over) {
		o.Kind, o.Reason = NotReproduced, over.Error()
		return
	}
	v, unjudged := steps.Classify(err)
	switch {
	case unjudged != nil:
		o.Kind, o.Reason = CouldNotJudge, fmt.Sprintf("step %d, %q: %v", o.Step+1, s.Steps[o.Step].Text, unjudged)
	case v.ByOracle && s.Breaks != "", s.Fails && o.Step == len(s.Steps)-1:
		o.Kind, o.Reason, o.Violation, o.ViolatedAt = Reproduced, v.Error(), v, o.Step
	default:
		o.Kind, o.Reason = NotReproduced, fmt.Sprintf("step %d, %q: %v", o.Step+1, s.Steps[o.Step].Text, v)
	}
}

// witness keeps what the oracle says and, while going, lets the script go on.
type witness struct {
	steps.Oracle
	going     bool
	violation *steps.Violation
}

func (w *witness) heard(err error) error {
	var v *steps.Violation
	if errors.As(err, &v) && v.ByOracle && w.violation == nil {
		w.violation = v
	}
	if w.going {
		return nil // also when the oracle gave up: the lines say what shows
	}
	return err
}

func (w *witness) Sent(conn uint16, req kmsg.Request, at time.Time) error {
	return w.heard(w.Oracle.Sent(conn, req, at))
}

func (w *witness) Answered(conn uint16, resp kmsg.Response, at time.Time) error {
	return w.heard(w.Oracle.Answered(conn, resp, at))
}

func (w *witness) Overdue(conn uint16) error { return w.heard(w.Oracle.Overdue(conn)) }

func (w *witness) Settled() error { return w.heard(w.Oracle.Settled()) }
