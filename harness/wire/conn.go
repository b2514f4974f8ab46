package wire

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"net"
	"slices"
	"time"

	"github.com/twmb/franz-go/pkg/kmsg"
)

// Conn is a connection to one broker. It serves one goroutine at a time, and
// one request at a time.
type Conn struct {
	addr    string
	opts    Options
	net     net.Conn
	next    int32     // correlation id of the next request
	pending *Exchange // sent, answer not received
	partial []byte    // bytes of the pending answer that came so far
	silent  []int32   // correlation ids of requests that have no answer
	broken  error     // why the connection can't be used any more
}

// Addr is the address that was dialed.
func (c *Conn) Addr() string { return c.addr }

// Close closes the connection. An answer still outstanding is lost; whether
// its request takes effect is up to the broker.
func (c *Conn) Close() error {
	if c.broken == nil {
		c.broken = net.ErrClosed
	}
	err := c.net.Close()
	if errors.Is(err, net.ErrClosed) {
		return nil
	}
	return err
}

// Do sends a request and receives its answer. The version is the one that is
// set in req. On an error the exchange still tells what was sent and what raw
// bytes came; it is nil only if nothing was sent.
func (c *Conn) Do(ctx context.Context, req kmsg.Request) (*Exchange, error) {
	x, err := c.Send(ctx, req)
	if err != nil || !HasResponse(req) {
		return x, err
	}
	_, err = c.Receive(ctx)
	return x, err
}

// Send sends a request and returns at once, without its answer. A failure
// leaves it open whether the broker got the request.
func (c *Conn) Send(ctx context.Context, req kmsg.Request) (*Exchange, error) {
	x := &Exchange{Request: req, CorrelationID: c.next}
	if c.broken != nil {
		return nil, c.closedError(x, c.broken)
	}
	if c.pending != nil {
		return nil, &Error{Kind: ErrMisuse, Addr: c.addr, Request: c.name(x), Expected: "no request in flight",
			Got: "an answer outstanding to " + c.name(c.pending), Do: "call Receive first, or use another connection"}
	}
	frame, err := encodeRequest(req, c.next, c.opts.ClientID)
	if err != nil {
		return nil, &Error{Kind: ErrMisuse, Addr: c.addr, Request: c.name(x), Expected: "a request that can be encoded",
			Got: err.Error(), Do: "fill in the fields that this version needs", Err: err}
	}
	c.next++
	x.RawRequest = frame
	defer c.deadline(ctx)()
	if n, err := c.net.Write(frame); err != nil {
		// Half a request spoils whatever is sent behind it.
		c.fail(err)
		if isTimeout(err) {
			return x, &Error{Kind: ErrTimeout, Addr: c.addr, Request: c.name(x), Expected: fmt.Sprintf("to send %d bytes", len(frame)),
				Got: fmt.Sprintf("%d sent by the deadline", n), Do: "the broker does not read; look at its log", Err: err}
		}
		return x, c.closedError(x, err)
	}
	x.Sent = time.Now()
	if HasResponse(req) {
		c.pending, c.partial = x, nil
	} else {
		c.silent = append(c.silent, x.CorrelationID)
	}
	return x, nil
}

// Receive waits for the answer to the request in flight and completes its
// exchange. After ErrTimeout it may be called again: the answer may come yet.
func (c *Conn) Receive(ctx context.Context) (*Exchange, error) {
	x := c.pending
	if x == nil {
		return nil, &Error{Kind: ErrMisuse, Addr: c.addr, Expected: "a request in flight", Got: "none that awaits an answer", Do: "call Send first"}
	}
	if c.broken != nil {
		return x, c.closedError(x, c.broken)
	}
	defer c.deadline(ctx)()
	if err := c.readFrame(x); err != nil {
		x.RawResponse = c.partial
		return x, err
	}
	x.RawResponse, x.Received = c.partial, time.Now()
	c.pending, c.partial = nil, nil
	return x, c.decode(x)
}

// readFrame appends to c.partial until it is one whole frame. It never takes
// memory for more than twice the bytes that came.
func (c *Conn) readFrame(x *Exchange) error {
	if err := c.readTo(x, 4); err != nil {
		return err
	}
	size := int32(binary.BigEndian.Uint32(c.partial))
	if size < 4 || size > c.opts.MaxFrame {
		return c.malformed(x, fmt.Sprintf("a frame of 4 to %d bytes", c.opts.MaxFrame), fmt.Sprintf("a length of %d (bytes %q)%s", size, c.partial[:4], guess(c.partial)), nil)
	}
	return c.readTo(x, 4+int(size))
}

func (c *Conn) readTo(x *Exchange, size int) error {
	for len(c.partial) < size {
		have := len(c.partial)
		c.partial = slices.Grow(c.partial, min(size-have, max(4096, have)))
		n, err := c.net.Read(c.partial[have:min(size, cap(c.partial))])
		c.partial = c.partial[:have+n]
		if err != nil && len(c.partial) < size {
			return c.readError(x, size, err)
		}
	}
	return nil
}

func (c *Conn) readError(x *Exchange, size int, err error) error {
	have := len(c.partial)
	progress := fmt.Sprintf("%d of %d bytes", have, size)
	if isTimeout(err) {
		return &Error{Kind: ErrTimeout, Addr: c.addr, Request: c.name(x), Expected: "an answer", Got: progress + " by the deadline",
			Do: "whether the request took effect is not known; receive again, or look at the broker's log", Err: err}
	}
	if have > 0 && errors.Is(err, io.EOF) {
		return c.malformed(x, "a whole frame", progress+" and then the end of the connection", err)
	}
	c.fail(err)
	return c.closedError(x, err)
}

// decode checks the frame of a completed exchange and decodes it.
func (c *Conn) decode(x *Exchange) error {
	if got := int32(binary.BigEndian.Uint32(x.RawResponse[4:])); got != x.CorrelationID {
		if slices.Contains(c.silent, got) {
			c.fail(errors.New("closed after an answer that nobody awaits"))
			return &Error{Kind: ErrStray, Addr: c.addr, Request: c.name(x), Expected: fmt.Sprintf("correlation id %d", x.CorrelationID),
				Got: fmt.Sprintf("%d, that of a request with acks=0", got), Do: "dial again"}
		}
		return c.malformed(x, fmt.Sprintf("correlation id %d", x.CorrelationID), fmt.Sprintf("%d", got), nil)
	}
	resp, err := decodeResponse(x.Request, x.RawResponse[8:])
	if err != nil {
		return c.malformed(x, "an answer to "+Describe(x.Request), fmt.Sprintf("%d bytes that do not decode as one: %v", len(x.RawResponse)-8, err), err)
	}
	x.Response = resp
	return nil
}

func (c *Conn) malformed(x *Exchange, expected, got string, err error) error {
	c.fail(errors.New("closed after a malformed answer"))
	return &Error{Kind: ErrMalformed, Addr: c.addr, Request: c.name(x), Expected: expected, Got: got,
		Do: "check that the address is a Kafka broker's; the raw bytes are in the exchange", Err: err}
}

func (c *Conn) closedError(x *Exchange, err error) error {
	return &Error{Kind: ErrClosed, Addr: c.addr, Request: c.name(x), Expected: "an open connection", Got: err.Error(),
		Do: "dial again; if it repeats, check that the broker serves this version, and look at its log", Err: err}
}

// fail ends the use of the connection.
func (c *Conn) fail(err error) {
	c.broken = err
	_ = c.net.Close() // nothing more is written, so that nothing can be lost here
}

func (c *Conn) name(x *Exchange) string {
	return fmt.Sprintf("%s (correlation %d)", Describe(x.Request), x.CorrelationID)
}

// deadline puts the deadline of ctx, or the default one, on the connection,
// and makes a cancellation of ctx interrupt it. The returned function ends that.
func (c *Conn) deadline(ctx context.Context) func() {
	at := time.Now().Add(c.opts.Timeout)
	if d, ok := ctx.Deadline(); ok && d.Before(at) {
		at = d
	}
	_ = c.net.SetDeadline(at) // fails only on a closed connection, as the read or write then does
	done := make(chan struct{})
	stop := context.AfterFunc(ctx, func() {
		_ = c.net.SetDeadline(time.Unix(1, 0))
		close(done)
	})
	return func() {
		if !stop() {
			<-done // else it might interrupt the next call
		}
	}
}

// guess adds what the first bytes look like, when that is something known.
func guess(b []byte) string {
	switch {
	case string(b[:4]) == "HTTP":
		return ": this looks like an HTTP server"
	case b[0] == 0x15 && b[1] == 3:
		return ": this looks like a TLS alert, the broker wants TLS here"
	}
	return ""
}
