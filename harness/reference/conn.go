package reference

import (
	"context"
	"errors"
	"time"

	"github.com/twmb/franz-go/pkg/kmsg"

	"github.com/onceproof/onceproof/harness/mapping"
	"github.com/onceproof/onceproof/harness/wire"
	"github.com/onceproof/onceproof/spec"
)

// Conn is a connection to the reference broker, with one request in flight.
type Conn struct {
	b          *Broker
	generation int
	closed     bool
	next       int32
	flight     *wire.Exchange
	stray      bool        // an answer that nobody awaits comes first (a mutation)
	asked      []spec.Conn // the requests of the spec that make up the one in flight
}

// Do sends a request and receives its answer.
func (c *Conn) Do(ctx context.Context, req kmsg.Request) (*wire.Exchange, error) {
	x, err := c.Send(ctx, req)
	if err != nil || !wire.HasResponse(req) {
		return x, err
	}
	return c.Receive(ctx)
}

// Send sends a request. The broker handles it at once, as far as its answer;
// what goes on behind the answer is left for later.
func (c *Conn) Send(_ context.Context, req kmsg.Request) (*wire.Exchange, error) {
	c.b.mu.Lock()
	defer c.b.mu.Unlock()
	what := wire.Describe(req)
	switch {
	case c.closed || c.generation != c.b.generation:
		return nil, closed(what, "a connection that has ended")
	case c.flight != nil:
		return nil, &wire.Error{Kind: wire.ErrMisuse, Addr: "spec", Request: what, Expected: "no request in flight",
			Got: "an answer outstanding to " + wire.Describe(c.flight.Request), Do: "call Receive first, or use another connection"}
	case !served(req):
		c.closed = true
		return nil, closed(what, "a version that is not served")
	}
	x := &wire.Exchange{Request: req, CorrelationID: c.next, Sent: c.b.now()}
	c.next++
	c.b.expire()
	c.b.linger()
	asked, err := c.b.ask(req)
	if err != nil {
		c.closed = true
		return x, closed(what, err.Error())
	}
	if !wire.HasResponse(req) {
		c.unanswered(asked)
		return x, nil
	}
	c.flight, c.asked = x, asked
	return x, nil
}

// unanswered is a Produce with acks=0: no answer, and after an error no
// connection (IDEM-08).
func (c *Conn) unanswered(asked []spec.Conn) {
	for _, conn := range asked {
		c.closed = c.closed || c.b.conns[conn].refused
		delete(c.b.conns, conn)
	}
	if mut := c.b.mut; mut != nil {
		c.closed = c.closed && !mut.lenient
		c.stray = c.stray || mut.strays && !c.closed
	}
}

// Receive gives the answer to the request in flight.
func (c *Conn) Receive(ctx context.Context) (*wire.Exchange, error) {
	c.b.mu.Lock()
	defer c.b.mu.Unlock()
	x := c.flight
	switch {
	case x == nil:
		return nil, &wire.Error{Kind: wire.ErrMisuse, Addr: "spec", Expected: "a request in flight", Got: "none that awaits an answer", Do: "call Send first"}
	case c.closed || c.generation != c.b.generation:
		return x, closed(wire.Describe(x.Request), "a connection that has ended")
	}
	if c.stray {
		c.closed = true
		return x, &wire.Error{Kind: wire.ErrStray, Addr: "spec", Request: wire.Describe(x.Request), Expected: "its answer", Got: "that of a request with acks=0",
			Do: "dial again"}
	}
	resp, err := c.b.reply(x.Request, c.asked)
	if errors.Is(err, errNoAnswer) {
		<-ctx.Done()
		return x, &wire.Error{Kind: wire.ErrTimeout, Addr: "spec", Request: wire.Describe(x.Request), Expected: "an answer",
			Got: "none by the deadline", Do: "whether the request took effect is not known", Err: ctx.Err()}
	}
	if err != nil {
		c.closed = true
		return x, closed(wire.Describe(x.Request), err.Error())
	}
	if c.b.mut != nil && c.b.mut.reply != nil {
		c.b.mut.reply(c.b, x.Request, resp)
	}
	x.Response, x.Received = resp, c.b.now()
	c.flight, c.asked = nil, nil
	return x, nil
}

// Close ends the connection; the answer that is outstanding is lost.
func (c *Conn) Close() error {
	c.b.mu.Lock()
	defer c.b.mu.Unlock()
	c.closed = true
	if c.generation == c.b.generation {
		for _, conn := range c.asked {
			c.b.sp.Forget(&c.b.s, conn)
			delete(c.b.conns, conn)
		}
	}
	c.flight, c.asked = nil, nil
	return nil
}

var errNoAnswer = errors.New("no answer")

// ask lets a request that changes something arrive, and handles it; a reading
// one waits for Receive.
func (b *Broker) ask(req kmsg.Request) ([]spec.Conn, error) {
	if !mapping.Modelled(req) {
		return nil, nil
	}
	rs, err := b.names.Request(req)
	if err != nil {
		return nil, err
	}
	var asked []spec.Conn
	for _, r := range rs {
		asked = append(asked, b.submit(r))
	}
	if b.overlap && wire.HasResponse(req) {
		return asked, nil
	}
	for _, conn := range asked {
		b.await(conn)
	}
	return asked, nil
}

// reply makes the answer.
func (b *Broker) reply(req kmsg.Request, asked []spec.Conn) (kmsg.Response, error) {
	if len(asked) == 0 {
		return b.serve(req)
	}
	var answers []spec.Answer
	var duplicates []bool
	for _, conn := range asked {
		if !b.await(conn) {
			return nil, errNoAnswer
		}
		answers = append(answers, *b.conns[conn].answer)
		duplicates = append(duplicates, b.conns[conn].duplicate)
	}
	var partitions []int8
	for _, conn := range asked {
		partitions = append(partitions, b.conns[conn].request.Partition)
		delete(b.conns, conn)
	}
	resp, err := b.names.Response(req, answers)
	if p, ok := resp.(*kmsg.ProduceResponse); ok && err == nil {
		b.stampDuplicates(p, partitions, duplicates)
	}
	return resp, err
}

// stampDuplicates gives the answer for a duplicate the time of the batch that
// it repeats as its log append time (IDEM-18).
func (b *Broker) stampDuplicates(resp *kmsg.ProduceResponse, partitions []int8, duplicates []bool) {
	i := 0
	for t := range resp.Topics {
		for p := range resp.Topics[t].Partitions {
			if part := &resp.Topics[t].Partitions[p]; duplicates[i] {
				part.LogAppendTime = b.timeAt(int(partitions[i]), part.BaseOffset)
			}
			i++
		}
	}
}

// timeAt is the largest timestamp of the batch at an offset.
func (b *Broker) timeAt(partition int, offset int64) int64 {
	at := int64(0)
	for _, batch := range b.s.Leaders[partition].Log {
		if at == offset {
			return mapping.MaxTimestamp(b.names.Contents(batch.Data))
		}
		at += int64(batch.Count)
	}
	return noTime
}

// poll lets time pass for a client that asks again and again.
const poll = 200 * time.Millisecond
