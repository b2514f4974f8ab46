// Package oracle judges a broker by trace inclusion: it keeps the set of states
// of the spec that agree with everything seen so far, its belief. A request
// sent, an answer, an answer that will not be read, a log that was fetched:
// each widens or narrows it. When it is empty, no behaviour of the spec
// explains what came, and the broker has broken a rule.
//
// The hidden steps of the spec, such as a marker that arrives, may have
// happened or not at any moment: what they lead to is in the belief. It is not
// spelled out but where an answer may depend on it (follow.go). Two kinds are
// not taken at will, or the oracle would accept too much: a transaction times
// out only when its timeout has passed since the request that opened it was
// sent, and the broker restarts only when the harness says so.
//
// Producer ids are those on the wire. An id that a state hands out in an
// answer that was not read is a placeholder until some answer shows it.
package oracle

import (
	"fmt"
	"time"

	"github.com/twmb/franz-go/pkg/kmsg"

	"github.com/onceproof/onceproof/harness/mapping"
	"github.com/onceproof/onceproof/spec"
)

// DefaultMaxBelief is how many states are looked at before the oracle gives up.
const DefaultMaxBelief = 10000

// Config says by what a broker is judged.
type Config struct {
	Release spec.Release
	// TransactionVersion is the finalized level of the feature.
	TransactionVersion int8
	// Strict demands the release exactly; otherwise a switch that is off in it
	// may also be on in the broker.
	Strict bool
	// MaxBelief is how many states may be looked at for one answer; above, the
	// broker could not be judged. 0 is DefaultMaxBelief.
	MaxBelief int
	// ResendMarkers permits the coordinator to send a marker again before its
	// answer came, as after its request timeout (MARK-33).
	ResendMarkers bool
	// Company says that others than the scenario use the broker, so that a
	// leader's question may go out in one request with theirs (ADD-23), and they
	// take producer ids as well (INIT-07).
	Company bool
	// CoordinatorEpoch is the epoch of the coordinator where it is known before
	// it is seen. nil: not known; where a marker is written by hand first, that
	// of a broker of one node that was fresh is taken for granted.
	CoordinatorEpoch *int32
}

// ConnID names a connection of the harness. It is never 0.
type ConnID = uint16

// Oracle watches one scenario on one broker. It serves one goroutine.
type Oracle struct {
	cfg     Config
	names   *mapping.Names
	events  []*event
	belief  *belief
	failed  map[spec.Fixes]uint64 // sets of switches that what came contradicts, with their beliefs' traces
	largest int
	sent    map[ConnID]*call // outstanding
	count   int              // exchanges
	verdict Verdict
	state   stateTopic
	spent   []time.Duration // by exchange
}

// New returns an oracle for a broker about which nothing is known, but that
// the transactional ids and topics of the scenario are new to it.
func New(cfg Config) *Oracle {
	if cfg.MaxBelief <= 0 {
		cfg.MaxBelief = DefaultMaxBelief
	}
	o := &Oracle{cfg: cfg, names: mapping.NewNames(), sent: map[ConnID]*call{}, failed: map[spec.Fixes]uint64{}}
	o.belief = newBelief(o, cfg.Release.Fixes)
	return o
}

// CoordinatorAt says, before anything is sent, what the epoch of the coordinator
// is: what the broker's metadata has as the leader epoch of the partition of
// __transaction_state.
func (o *Oracle) CoordinatorAt(epoch int32) {
	o.cfg.CoordinatorEpoch = &epoch
	o.belief = newBelief(o, o.cfg.Release.Fixes)
}

// Sent tells that a request is sent on a connection at a time; its answer is
// outstanding. Times may be those of the broker's own clock.
func (o *Oracle) Sent(conn ConnID, req kmsg.Request, at time.Time) error {
	if err := o.verdict.err(); err != nil {
		return err
	}
	if o.sent[conn] != nil {
		return o.giveUp("%s on connection %d, where an answer is outstanding", mapping.Describe(req), conn)
	}
	o.count++
	defer o.spend(o.count, time.Now())
	c := &call{exchange: o.count, conn: conn, text: mapping.Describe(req), request: req, at: at}
	if err := o.translate(c); err != nil {
		return o.giveUp("%v", err)
	}
	if !c.silent {
		o.sent[conn] = c
	}
	return o.happened(&event{kind: sent, call: c, at: at})
}

// Answered tells what came. The error is a *[Violation], or a *[NotJudged].
func (o *Oracle) Answered(conn ConnID, resp kmsg.Response, at time.Time) error {
	if err := o.verdict.err(); err != nil {
		return err
	}
	c := o.sent[conn]
	if c == nil {
		return o.giveUp("an answer on connection %d, where none is outstanding", conn)
	}
	defer o.spend(c.exchange, time.Now())
	delete(o.sent, conn)
	e := &event{kind: answered, call: c, at: at}
	o.observe(e, resp)
	return o.happened(e)
}

// Lost tells that the answer outstanding on a connection will not be read: the
// request is done, now or a little later, or never.
func (o *Oracle) Lost(conn ConnID) {
	c := o.sent[conn]
	if c == nil || o.verdict.err() != nil {
		return
	}
	defer o.spend(c.exchange, time.Now())
	delete(o.sent, conn)
	_ = o.happened(&event{kind: lost, call: c}) // losing an answer contradicts nothing
}

// Overdue tells that the broker, which still answers, has not answered a
// request within the deadline. It is a violation unless the answer may stay out
// for ever. The request stays outstanding.
func (o *Oracle) Overdue(conn ConnID) error {
	if err := o.verdict.err(); err != nil {
		return err
	}
	c := o.sent[conn]
	if c == nil {
		return nil
	}
	return o.happened(&event{kind: overdue, call: c})
}

// Settled tells that the broker had so much time without anything that could
// hinder it that every hidden step which has to happen has happened: markers
// are written and transactions complete. A later answer that only an unfinished
// step explains is a violation.
func (o *Oracle) Settled() error {
	if err := o.verdict.err(); err != nil {
		return err
	}
	return o.happened(&event{kind: settled})
}

// Restarted tells that the harness killed the broker, or stopped it in an
// orderly way, and that it is up again. Answers outstanding are lost.
func (o *Oracle) Restarted(clean bool) {
	if o.verdict.err() != nil {
		return
	}
	clear(o.sent)
	_ = o.happened(&event{kind: restarted, clean: clean}) // as above
}

// TopicCreated tells that a topic is there, empty.
func (o *Oracle) TopicCreated(name string, partitions int32) {
	if o.verdict.err() != nil {
		return
	}
	if _, err := o.names.AddTopic(name, partitions); err != nil {
		_ = o.giveUp("%v", err) // the verdict has it
		return
	}
	_ = o.happened(&event{kind: topicCreated, text: fmt.Sprintf("topic %s with %d partitions", name, partitions)})
}

// Verdict is what can be said of the broker so far.
func (o *Oracle) Verdict() Verdict { return o.verdict }

// Belief returns how many states stand for those that the broker may be in now:
// it may be in these, and in what hidden steps lead to from them. largest is how
// many were looked at for one answer, at most.
func (o *Oracle) Belief() (size, largest int) { return len(o.belief.nodes), o.largest }

// Fixes are the switches by which the broker is explained so far: those of the
// release, and, unless it is judged strictly, those that are on beside.
func (o *Oracle) Fixes() spec.Fixes { return o.belief.sp.Fixes }

// giveUp ends the judging.
func (o *Oracle) giveUp(format string, args ...any) error {
	o.verdict = Verdict{Kind: CouldNotJudge, Reason: fmt.Sprintf(format, args...)}
	return o.verdict.err()
}

// happened takes in an event.
func (o *Oracle) happened(e *event) error {
	e.txns, e.partitions = o.names.Txns(), o.names.Partitions()
	o.events = append(o.events, e)
	err := o.belief.apply(e)
	if v := asViolation(err); v != nil && !o.cfg.Strict {
		err = o.otherwise(v)
	}
	o.largest = max(o.largest, o.belief.largest)
	switch err := err.(type) {
	case nil:
		return nil
	case *Violation:
		err.Exchange = o.exchange(e)
		o.verdict = Verdict{Kind: Violates, Violation: err}
		return err
	case *NotJudged:
		o.verdict = Verdict{Kind: CouldNotJudge, Reason: err.Reason}
		return err
	default:
		return o.giveUp("%v", err)
	}
}

func (o *Oracle) exchange(e *event) int {
	if e.call != nil {
		return e.call.exchange
	}
	return o.count
}
