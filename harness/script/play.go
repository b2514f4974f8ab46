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
	// Differs is what the step at which it ended says of the broker, nil if nothing was said there.
	Differs *steps.Violation
	// Violation is what the oracle says of the broker, or a step that says what has to be; nil if it conforms.
	Violation *steps.Violation
	// ViolatedAt is the index of the step of Violation.
	ViolatedAt int
	History    []steps.Event
	// Names are the names that steps gave to producer ids (P0) and coordinator epochs (C0).
	Names map[string]int64
	// Topics were made on the broker, by their names there.
	Topics []string
}

// Played is a step that was played, for those who watch.
type Played struct {
	Step    int // its index
	Err     error
	History []steps.Event // all so far
	Names   map[string]int64
	// Violation is what the oracle found at this step while the script goes on, nil if nothing.
	Violation *steps.Violation
}

// Play plays a script on a broker. The oracle of the configuration watches; what it calls a violation ends a script that
// says which rule is broken, or what has to be, and is only noted by one whose lines say what shows it.
func Play(ctx context.Context, c steps.Config, s *Script) Outcome {
	return PlayBefore(ctx, c, s, func(*Played) {})
}

// PlayBefore is Play before someone who watches: each step is told when it was played.
func PlayBefore(ctx context.Context, c steps.Config, s *Script, tell func(*Played)) Outcome {
	w := steps.NewWorld()
	watch := &witness{Oracle: c.Oracle, going: s.Breaks == "" && !s.Demands}
	c.Oracle = watch
	for _, st := range s.Steps {
		c.Lines = append(c.Lines, st.Text)
	}
	w.Start(c)
	defer w.Close()
	out := Outcome{Step: len(s.Steps), ViolatedAt: -1}
	for i, st := range s.Steps {
		err := w.Play(ctx, st.Text, st.Table)
		p := Played{Step: i, Err: err, History: w.History(), Names: w.Names()}
		if watch.violation != nil && out.Violation == nil {
			out.Violation, out.ViolatedAt = watch.violation, i
			p.Violation = watch.violation
		}
		tell(&p)
		if err != nil {
			out.Step = i
			out.end(s, err, w.Late())
			break
		}
	}
	if out.Step == len(s.Steps) && (s.Breaks != "" || s.Fails || s.Demands) {
		out.Kind, out.Reason = NotReproduced, "every step took place, and the broker broke no rule"
	}
	out.History, out.Topics, out.Names = w.History(), w.Topics(), w.Names()
	return out
}

// end says what an error of a step means. Late says why a line that does not hold says nothing, "" if it says something.
func (o *Outcome) end(s *Script, err error, late string) {
	var over *steps.Over
	if errors.As(err, &over) {
		o.Kind, o.Reason = NotReproduced, over.Error()
		return
	}
	v, unjudged := steps.Classify(err)
	switch {
	case unjudged != nil:
		o.Kind, o.Reason = CouldNotJudge, fmt.Sprintf("step %d, %q: %v", o.Step+1, s.Steps[o.Step].Text, unjudged)
	case late != "" && !v.ByOracle:
		o.Kind, o.Reason = CouldNotJudge, fmt.Sprintf("step %d, %q: %s", o.Step+1, s.Steps[o.Step].Text, late)
	case s.shows(v, o.Step):
		o.Kind, o.Reason, o.Differs, o.Violation, o.ViolatedAt = Reproduced, v.Error(), v, v, o.Step
	default:
		o.Kind, o.Differs, o.Reason = NotReproduced, v, fmt.Sprintf("step %d, %q: %v", o.Step+1, s.Steps[o.Step].Text, v)
	}
}

// shows reports whether a step that says something of the broker is one that the script is about.
func (s *Script) shows(v *steps.Violation, step int) bool {
	return s.Demands || s.Breaks != "" && v.ByOracle || s.Fails && step == len(s.Steps)-1
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
