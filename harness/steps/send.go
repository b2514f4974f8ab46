package steps

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/twmb/franz-go/pkg/kmsg"

	"github.com/onceproof/onceproof/harness/wire"
	"github.com/onceproof/onceproof/spec"
)

// prepare builds an actor's request without sending it.
func (w *World) prepare(name string, p phrase) (*call, error) {
	a, err := w.actor(name)
	if err != nil {
		return nil, err
	}
	c := &call{actor: a, phrase: p}
	req, sequence, err := w.build(a, &c.phrase)
	if err != nil {
		return nil, err
	}
	c.exchange, c.sequence = &wire.Exchange{Request: req}, sequence
	return c, nil
}

// request builds the request that a line writes for an actor, without sending it.
func (w *World) request(name, text string) (*call, error) {
	p, err := parseRequest(text)
	if err != nil {
		return nil, err
	}
	return w.prepare(name, p)
}

// once sends a prepared request on a connection and takes its answer; the actor does not learn from it yet.
func (w *World) once(ctx context.Context, conn *Conn, c *call) error {
	w.last, conn.actor = c, c.actor.name
	w.starts(c)
	req := c.exchange.Request
	x, err := conn.Do(ctx, req)
	if x != nil {
		c.exchange = x
	}
	if err != nil {
		return err
	}
	if x.Response == nil {
		return nil // acks=0 has no answer
	}
	c.answer, err = readAnswer(w, x.Response)
	w.keepTime(c)
	w.ends(c)
	return err
}

// stored is a batch's place in the log.
type stored struct {
	at     partition
	offset int64
}

// keepTime keeps the time of a batch at the place where it is said to be
// stored. What is answered with the same place later is its duplicate.
func (w *World) keepTime(c *call) {
	req, ok := c.exchange.Request.(*kmsg.ProduceRequest)
	if !ok || c.answer.code != 0 {
		return
	}
	for _, t := range req.Topics {
		for _, p := range t.Partitions {
			place := stored{partition{w.unnamed(t.Topic), p.Partition}, c.answer.offset}
			batches, _, err := wire.DecodeRecords(p.Records)
			if _, known := w.times[place]; !known && err == nil && len(batches) == 1 {
				w.times[place] = batches[0].MaxTimestamp
			}
		}
	}
}

// send sends an actor's request once and lets it learn from the answer.
func (w *World) send(ctx context.Context, c *call) error {
	conn, err := w.connection(ctx, c.actor)
	if err != nil {
		return err
	}
	if err := w.once(ctx, conn, c); err != nil {
		return err
	}
	c.actor.learn(c)
	return nil
}

// sendUntilTaken is what a client does: the same request again while the answer asks for patience.
func (w *World) sendUntilTaken(ctx context.Context, c *call) error {
	return w.await(ctx, func() error {
		if err := w.send(ctx, c); err != nil {
			return err
		}
		if asksForPatience(c) {
			// The broker answers and yet does not go on: it owes another answer.
			return mismatch("an answer other than to try again", codeName(c.answer.code)+" again and again")
		}
		return nil
	})
}

// asksForPatience reports whether a client would send the same request again. UNKNOWN_TOPIC_OR_PARTITION is no such code
// here: a topic is waited for when it is made.
func asksForPatience(c *call) bool {
	code := spec.Code(c.answer.code)
	switch c.phrase.api {
	case spec.Produce:
		return slices.Contains([]spec.Code{spec.NotEnoughReplicas, spec.ConcurrentTransactions}, code) || code == notLeader
	case spec.WriteTxnMarkers:
		return false
	}
	return slices.Contains([]spec.Code{spec.CoordinatorLoading, spec.CoordinatorUnavailable, spec.NotCoordinator, spec.ConcurrentTransactions}, code)
}

const notLeader spec.Code = 6

// again sends the bytes of the last request once more, on the actor's connection or another one.
func (w *World) again(ctx context.Context, elsewhere bool) error {
	if w.last == nil {
		return fmt.Errorf("nothing was sent yet")
	}
	c := *w.last
	c.exchange = &wire.Exchange{Request: c.exchange.Request}
	return w.sendOn(ctx, &c, elsewhere)
}

// release sends a held request, on a connection of its own: a request that was long under way came on an old one.
func (w *World) release(ctx context.Context, label string) error {
	c, ok := w.held[label]
	if !ok {
		return fmt.Errorf("nothing is held as %q", label)
	}
	delete(w.held, label)
	return w.sendOn(ctx, c, true)
}

// sendOn sends on another connection than the actor's if elsewhere. The actor does not learn from the answer: it waits
// for another one, or for none any more.
func (w *World) sendOn(ctx context.Context, c *call, elsewhere bool) error {
	if !elsewhere {
		return w.send(ctx, c)
	}
	conn, err := w.session.Dial(ctx)
	if err != nil {
		return err
	}
	return w.once(ctx, conn, c)
}

// lose sends a request whose answer never reaches its actor. The tester takes the answer, so that it is known that the
// broker has done with it, and lets the oracle judge it.
func (w *World) lose(ctx context.Context, c *call) error {
	conn, err := w.session.Dial(ctx)
	if err != nil {
		return err
	}
	if err := w.once(ctx, conn, c); err != nil {
		return err
	}
	w.session.note(conn.ID, "the answer is lost on its way to %s", c.actor.name)
	return nil
}

// expectClosed sends a request that the broker must answer by closing the connection (IDEM-08).
func (w *World) expectClosed(ctx context.Context, c *call) error {
	conn, err := w.connection(ctx, c.actor)
	if err != nil {
		return err
	}
	if err := w.once(ctx, conn, c); err != nil {
		return err
	}
	ping := kmsg.NewPtrApiVersionsRequest()
	ping.Version = 0
	_, err = conn.inner.Do(ctx, ping)
	if errors.Is(err, wire.ErrStray) {
		return stray(conn, c.exchange.Request)
	}
	if errors.Is(err, wire.ErrClosed) {
		conn.gone = true
		w.session.note(conn.ID, "the broker closed the connection")
		return nil
	}
	if err != nil {
		return unjudged(err, "whether the connection is closed could not be seen")
	}
	return mismatch("the connection closed", "an answer on it to the next request")
}
