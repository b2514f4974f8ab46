package steps

import (
	"context"
	"fmt"
)

// flies sends a request on a connection of its own and leaves its answer outstanding: what comes next may overtake it.
func (w *World) flies(ctx context.Context, name, text, label string) error {
	c, err := w.request(name, text)
	if err != nil {
		return err
	}
	if _, taken := w.flying[label]; taken {
		return fmt.Errorf("a request is under way as %q already", label)
	}
	conn, err := w.session.Dial(ctx)
	if err != nil {
		return err
	}
	conn.actor = c.actor.name
	w.starts(c)
	x, err := conn.Send(ctx, c.exchange.Request)
	if x != nil {
		c.exchange = x
	}
	if err != nil {
		return err
	}
	w.flying[label] = flight{c, conn}
	return nil
}

// flight is a request whose answer was not waited for.
type flight struct {
	call *call
	conn *Conn
}

// lands waits for the answer to a request that is under way. Its actor learns from it.
func (w *World) lands(ctx context.Context, label string) error {
	f, ok := w.flying[label]
	if !ok {
		return fmt.Errorf("nothing is under way as %q", label)
	}
	delete(w.flying, label)
	w.last = f.call
	x, err := f.conn.Receive(ctx)
	if err != nil {
		return err
	}
	f.call.exchange = x
	if f.call.answer, err = readAnswer(w, x.Response); err != nil {
		return err
	}
	w.keepTime(f.call)
	w.ends(f.call)
	f.call.actor.learn(f.call)
	return nil
}

// fetched reads a partition; what comes is the oracle's to judge.
func (w *World) fetched(ctx context.Context, name, isolation string) error {
	at, err := parsePartition(name)
	if err != nil {
		return err
	}
	_, err = w.fetch(ctx, at, 0, isolations[isolation])
	return err
}

// askedLatest asks for a latest offset; what comes is the oracle's to judge.
func (w *World) askedLatest(ctx context.Context, name, isolation string) error {
	at, err := parsePartition(name)
	if err != nil {
		return err
	}
	_, err = w.latest(ctx, at, isolations[isolation])
	return err
}

// describedAlone asks for the state of a transactional id; what comes is the oracle's to judge.
func (w *World) describedAlone(ctx context.Context, txn string) error {
	_, err := w.describeTransaction(ctx, txn)
	return err
}

// describedProducers asks for the producers of a partition; what comes is the oracle's to judge.
func (w *World) describedProducers(ctx context.Context, name string) error {
	at, err := parsePartition(name)
	if err != nil {
		return err
	}
	_, err = w.producers(ctx, at)
	return err
}
