package steps

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"strconv"
	"strings"
	"time"

	"github.com/twmb/franz-go/pkg/kmsg"

	"github.com/onceproof/onceproof/harness/broker"
	"github.com/onceproof/onceproof/spec"
)

// Config is what a scenario is given.
type Config struct {
	Broker   broker.Broker
	Versions broker.Versions
	Oracle   Oracle
	// Suffix makes the names of the scenario its own.
	Suffix string
	// Release is the one that is judged by; Strict demands it exactly.
	Release spec.Release
	Strict  bool
	// Lines are the steps of the scenario, without their keywords: what is held inside a broker has to be known before.
	Lines []string
	// Patience is how long a state is waited for.
	Patience time.Duration
	// Correct sets right what is tolerated in an answer, before anything judges it, and names what was wrong; nil tolerates
	// nothing. It must leave everything that tells of the broker's state.
	Correct func(req kmsg.Request, resp kmsg.Response) []string
}

// World is what one scenario has: its session, its actors, the names it bound.
type World struct {
	Config
	session *Session
	actors  map[string]*actor
	topics  map[string]int32 // partitions by the feature's name
	asked   []string         // topics asked for, by their names on the broker
	bound   map[string]int64 // P0, C0 … by the feature's name
	held    map[string]*call
	flying  map[string]flight
	lines   lines // for Play
	last    *call // the request sent last
	reader  *Conn // for what no actor asks
	read    map[spec.Rule]bool
	times   map[stored]int64 // of the batches that were stored
	clocks  map[string]clock // by transactional id
	inside  *inside          // nil where there is no hand on the broker, or nothing inside it to be placed
}

// NewWorld makes the world of one scenario, which begins with Start.
func NewWorld() *World {
	return &World{
		session: &Session{},
		actors:  map[string]*actor{}, topics: map[string]int32{}, bound: map[string]int64{}, held: map[string]*call{}, flying: map[string]flight{},
		read: map[spec.Rule]bool{}, times: map[stored]int64{}, clocks: map[string]clock{},
	}
}

// Start gives the scenario its broker and its oracle.
func (w *World) Start(c Config) {
	w.Config = c
	w.session.Broker, w.session.Versions, w.session.Oracle, w.session.Patience = c.Broker, c.Versions, c.Oracle, c.Patience
	w.session.Correct = c.Correct
	w.inside = handOn(c.Broker, w.named, c.Lines)
}

// History is every exchange so far.
func (w *World) History() []Event { return w.session.History() }

// BeginLine says that the next line of the scenario begins: what happens belongs to it. Play does so by itself.
func (w *World) BeginLine() {
	w.session.line++
	if w.inside != nil {
		w.inside.before(w.session.line)
	}
}

// Line is the line of the scenario that was begun last, counted from 1.
func (w *World) Line() int { return w.session.line }

// Names are the names that lines gave to producer ids (P0) and coordinator epochs (C0).
func (w *World) Names() map[string]int64 { return maps.Clone(w.bound) }

// Read are the rules of the read path that decided what this scenario read and found right.
func (w *World) Read() []spec.Rule {
	var out []spec.Rule
	for _, r := range spec.AllRules() {
		if w.read[r] {
			out = append(out, r)
		}
	}
	return out
}

// Topics are the topics asked for, by their names on the broker: one that is being made when a scenario ends may be there.
func (w *World) Topics() []string { return w.asked }

// Close closes the scenario's connections, and lets go what it holds.
func (w *World) Close() {
	if w.inside != nil {
		w.inside.letGo()
	}
	w.session.Close()
}

// named gives a topic or a transactional id the suffix of the run.
func (w *World) named(name string) string { return name + "." + w.Suffix }

// unnamed takes the suffix off again, for what people read.
func (w *World) unnamed(text string) string { return strings.ReplaceAll(text, "."+w.Suffix, "") }

// conn is the tester's own connection.
func (w *World) conn(ctx context.Context) (*Conn, error) {
	if w.reader != nil && !w.reader.gone {
		return w.reader, nil
	}
	c, err := w.session.Dial(ctx)
	w.reader = c
	return c, err
}

// showed marks rules that decided what was read.
func (w *World) showed(rules ...spec.Rule) {
	for _, r := range rules {
		w.read[r] = true
	}
}

// value is the number behind a name such as P0, or behind digits.
func (w *World) value(name string) (int64, error) {
	if n, err := strconv.ParseInt(name, 10, 64); err == nil {
		return n, nil
	}
	n, ok := w.bound[name]
	if !ok {
		return 0, fmt.Errorf("%s is not known yet: a line above must meet it first", name)
	}
	return n, nil
}

// bind checks a name against a number that came; what meets a name first binds it. Two names never share a number.
func (w *World) bind(name string, came int64) error {
	if n, err := strconv.ParseInt(name, 10, 64); err == nil {
		return same(name, strconv.FormatInt(came, 10), n == came)
	}
	if n, ok := w.bound[name]; ok {
		return same(fmt.Sprintf("%s, which is %d", name, n), w.symbol(name[:1], came), n == came)
	}
	for other, n := range w.bound {
		if n == came && other[0] == name[0] {
			return mismatch("a "+name+" not seen before", fmt.Sprintf("%d, which is %s", came, other))
		}
	}
	if came < 0 {
		return mismatch(name, strconv.FormatInt(came, 10))
	}
	if _, restarted := w.bound["C0"]; name[0] == 'C' && restarted {
		w.showed(spec.FO10)
	}
	w.bound[name] = came
	return nil
}

// symbol is how people read a producer id (kind P) or coordinator epoch (kind C): P0 where it has that name.
func (w *World) symbol(kind string, n int64) string {
	for name, v := range w.bound {
		if v == n && strings.HasPrefix(name, kind) {
			return name
		}
	}
	return strconv.FormatInt(n, 10)
}

func same(expected, got string, ok bool) error {
	if ok {
		return nil
	}
	return mismatch(expected, got)
}

// await asks until what is asked for is there, or patience ends. Only a mismatch is waited for; the waits grow from 5 to
// 100 ms. At the end the oracle is told that the broker had its time, and the broker is asked once more: where the
// protocol must go on and did not, that is the oracle's to say.
func (w *World) await(ctx context.Context, ask func() error) error {
	return w.awaitFor(ctx, w.Patience, ask)
}

func (w *World) awaitFor(ctx context.Context, patience time.Duration, ask func() error) error {
	begun, counted := time.Now(), time.Duration(0)
	for wait := 5 * time.Millisecond; ; wait = min(2*wait, 100*time.Millisecond) {
		asked := time.Now()
		err := ask()
		v, _ := err.(*Violation)
		if err == nil || v == nil || v.ByOracle {
			return err
		}
		if counted < patience && time.Since(begun) > standstill*patience {
			return unjudged(nil, "the machine is too slow: of %v only %v were of use, with %s until then",
				time.Since(begun).Round(time.Millisecond), counted.Round(time.Millisecond), v.Came)
		}
		if counted >= patience {
			if err := w.Oracle.Settled(); err != nil {
				return err
			}
			if err = ask(); err == nil || errors.As(err, &v) && v.ByOracle {
				return err
			}
			v.Came += fmt.Sprintf(" (waited %v)", patience)
			return v
		}
		if err := pause(ctx, wait); err != nil {
			return err
		}
		counted += min(time.Since(asked), wait+min(prompt, patience/10))
	}
}

// prompt is how soon a broker on a machine that is not overloaded answers a question, and this process is woken from a
// pause. Of what takes longer no more than that counts as patience: the broker stood still as well. Where patience is
// not at its end after standstill times as long, nothing can be said.
const (
	prompt     = 500 * time.Millisecond
	standstill = 5
)

// pause waits between two questions.
func pause(ctx context.Context, wait time.Duration) error {
	select {
	case <-time.After(wait):
		return nil
	case <-ctx.Done():
		return unjudged(ctx.Err(), "the run was stopped")
	}
}
