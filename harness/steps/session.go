package steps

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/twmb/franz-go/pkg/kmsg"

	"github.com/onceproof/onceproof/harness/broker"
	"github.com/onceproof/onceproof/harness/wire"
	"github.com/onceproof/onceproof/spec"
)

// Oracle watches what goes over the wire. An error is a *[Violation], or an *[Unjudged] when the oracle gives up.
type Oracle interface {
	// Sent is told before the request goes out, Answered when its answer came; at most one is outstanding on a
	// connection.
	Sent(conn uint16, req kmsg.Request, at time.Time) error
	Answered(conn uint16, resp kmsg.Response, at time.Time) error
	// Lost says that the answer outstanding on a connection will not come: done or not done.
	Lost(conn uint16)
	// Overdue says that it has not come though the broker had time; an error if the broker had to answer.
	Overdue(conn uint16) error
	// Settled says that the broker had time for all that goes on by itself; an error if it had to go on.
	Settled() error
	// Restarted says that the broker was stopped, in an orderly way or not, and started.
	Restarted(clean bool)
	// TopicCreated says that a topic is there, empty.
	TopicCreated(name string, partitions int32)
}

// Session is one scenario's view of the broker: every connection is dialed here, every exchange is kept and judged.
type Session struct {
	Broker   broker.Broker
	Versions broker.Versions
	Oracle   Oracle

	// Patience is how long an answer is waited for.
	Patience time.Duration

	// Correct sets right what is tolerated in an answer; nil tolerates nothing.
	Correct func(req kmsg.Request, resp kmsg.Response) []string

	history []Event
	conns   []*Conn
	line    int // of the scenario, counted from 1
}

// now is the time by the broker's clock where it has one of its own, as the reference broker does.
func (s *Session) now() time.Time {
	if b, ok := s.Broker.(interface{ Now() time.Time }); ok {
		return b.Now()
	}
	return time.Now()
}

// Event is something that happened on the wire or was done to the broker, in order.
type Event struct {
	Conn uint16
	// Line is the line of the scenario during which it happened, counted from 1; 0 before the first.
	Line int
	// Actor is whose request it is, "" for the tester's own.
	Actor string
	// Setup says that it made what the scenario needs and was not judged.
	Setup bool
	// Exchange is nil for what is not one; Note says then what it is.
	Exchange *wire.Exchange
	Note     string
	At       time.Time
}

// History is what happened so far.
func (s *Session) History() []Event { return s.history }

// note adds what is no exchange to the history.
func (s *Session) note(conn uint16, format string, args ...any) {
	s.history = append(s.history, Event{Conn: conn, Line: s.line, Note: fmt.Sprintf(format, args...), At: s.now()})
}

// exchanged adds an exchange to the history, where the answer will show.
func (c *Conn) exchanged(x *wire.Exchange, at time.Time) {
	c.session.history = append(c.session.history,
		Event{Conn: c.ID, Line: c.session.line, Actor: c.actor, Setup: c.setup, Exchange: x, At: at})
}

// Dial opens a connection.
func (s *Session) Dial(ctx context.Context) (*Conn, error) {
	inner, err := s.Broker.Dial(ctx)
	if err != nil {
		return nil, unjudged(err, "the broker can't be reached")
	}
	c := &Conn{session: s, inner: inner, ID: uint16(len(s.conns) + 1)}
	s.conns = append(s.conns, c)
	return c, nil
}

// Close closes all connections.
func (s *Session) Close() {
	for _, c := range s.conns {
		_ = c.inner.Close() // an answer that is still outstanding is of no interest any more
	}
}

// restarted is what follows a restart of the broker: all connections are gone.
func (s *Session) restarted(clean bool) {
	for _, c := range s.conns {
		_ = c.inner.Close()
		c.gone = true
	}
	s.Oracle.Restarted(clean)
}

// require says which version of a request the broker lacks.
func (s *Session) require(req kmsg.Request) error {
	key, version := req.Key(), req.GetVersion()
	if kmsg.Key(key) == kmsg.ApiVersions || s.Versions.Has(key, version) { // ApiVersions is how versions are found out
		return nil
	}
	r, known := s.Versions.Keys[key]
	if !known {
		return unjudged(broker.ErrUnsupported, "the broker does not offer %s", kmsg.NameForKey(key))
	}
	return unjudged(broker.ErrUnsupported, "the broker offers %s v%d to v%d, not v%d", kmsg.NameForKey(key), r.Min, r.Max, version)
}

// Conn is a connection of the session. It is a [broker.Conn] whose exchanges are judged.
type Conn struct {
	ID      uint16
	session *Session
	inner   broker.Conn
	actor   string // who sends on it, by the feature's name
	gone    bool   // the broker closed it, or was restarted
	// setup: what is exchanged is kept and not judged. While a topic is being made, the spec has no say in whether the
	// broker knows it yet.
	setup bool
}

// Do sends and receives.
func (c *Conn) Do(ctx context.Context, req kmsg.Request) (*wire.Exchange, error) {
	x, err := c.Send(ctx, req)
	if err != nil || !wire.HasResponse(req) {
		return x, err
	}
	return c.Receive(ctx)
}

// Send sends a request and leaves its answer outstanding.
func (c *Conn) Send(ctx context.Context, req kmsg.Request) (*wire.Exchange, error) {
	s := c.session
	if err := s.require(req); err != nil {
		return nil, err
	}
	at := s.now()
	if err := c.sent(req, at); err != nil {
		c.exchanged(&wire.Exchange{Request: req, Sent: at}, at)
		return nil, err
	}
	x, err := c.inner.Send(ctx, req)
	if x == nil {
		x = &wire.Exchange{Request: req, Sent: at}
	}
	c.exchanged(x, at)
	if err != nil {
		return x, c.failed(ctx, req, err)
	}
	return x, nil
}

// Receive waits for the outstanding answer and has it judged.
func (c *Conn) Receive(ctx context.Context) (*wire.Exchange, error) {
	within, cancel := context.WithTimeout(ctx, c.session.Patience)
	defer cancel()
	x, err := c.inner.Receive(within)
	if errors.Is(err, wire.ErrTimeout) && ctx.Err() == nil {
		if again, late := c.lateAnswer(ctx); late == nil {
			x, err = again, nil
		}
	}
	if err != nil {
		var req kmsg.Request
		if x != nil {
			req = x.Request
		}
		return x, c.failed(ctx, req, err)
	}
	at := x.Received
	if at.IsZero() {
		at = c.session.now()
	}
	if c.setup {
		return x, nil
	}
	if c.session.Correct != nil {
		for _, field := range c.session.Correct(x.Request, x.Response) {
			c.session.note(c.ID, "%s was wrong in the answer; it is judged as if it were right", field)
		}
	}
	return x, c.session.Oracle.Answered(c.ID, x.Response, at)
}

// lateAnswer gives a broker that is there as much time again, for a machine may stand still for a while.
func (c *Conn) lateAnswer(ctx context.Context) (*wire.Exchange, error) {
	_ = c.session.alive(ctx) // it has caught up by then, or nothing will be said of it
	within, cancel := context.WithTimeout(ctx, c.session.Patience)
	defer cancel()
	return c.inner.Receive(within)
}

func (c *Conn) sent(req kmsg.Request, at time.Time) error {
	if c.setup {
		return nil
	}
	return c.session.Oracle.Sent(c.ID, req, at)
}

// failed tells the oracle what became of a request without an answer. A broker that is there and silent may be one that
// had to answer; a connection that ended says nothing about the rules.
func (c *Conn) failed(ctx context.Context, req kmsg.Request, err error) error {
	what := "a request"
	if req != nil {
		what = wire.Describe(req)
	}
	if errors.Is(err, broker.ErrUnsupported) {
		c.session.Oracle.Lost(c.ID)
		return unjudged(err, "%s could not be sent", what)
	}
	if errors.Is(err, wire.ErrStray) {
		return stray(c, req)
	}
	if errors.Is(err, wire.ErrTimeout) && ctx.Err() == nil {
		c.session.note(c.ID, "no answer to %s", what)
		if c.session.alive(ctx) {
			if judged := c.session.Oracle.Overdue(c.ID); judged != nil {
				return judged
			}
		}
	}
	c.session.Oracle.Lost(c.ID)
	c.session.note(c.ID, "%s: %v", what, err)
	c.gone = true
	return unjudged(err, "no answer came to %s", what)
}

// stray is the answer to a Produce with acks=0, which has none (IDEM-08).
func stray(c *Conn, req kmsg.Request) error {
	c.gone = true
	v := mismatch("no answer to a Produce with acks=0", "one, in front of the answer to the next request")
	v.Rules, v.ByOracle = append(v.Rules, spec.IDEM08), true // no line of the scenario: asking again does not help
	if req != nil {
		v.Sent = wire.Describe(req)
	}
	return v
}

// alive asks the broker, on a connection of its own, whether it answers at all, and promptly: where it does not, the
// machine may be too slow for anything to be said.
func (s *Session) alive(ctx context.Context) bool {
	start := time.Now()
	_, err := s.Broker.Versions(ctx)
	return err == nil && time.Since(start) < prompt
}

// Close closes the connection.
func (c *Conn) Close() error { return c.inner.Close() }
