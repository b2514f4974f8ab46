package between

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"net"
	"sync/atomic"
	"time"

	"github.com/twmb/franz-go/pkg/kmsg"
)

// maxFrame is the longest frame taken, in bytes.
const maxFrame = 64 << 20

func (p *Proxy) accept() {
	for {
		c, err := p.listener.Accept()
		if err != nil {
			return
		}
		p.running.Go(func() { p.serve(c) })
	}
}

// link is a connection and its continuation to the broker.
type link struct {
	p              *Proxy
	client, broker net.Conn
	// awaited are the requests that the broker has got and not answered, in order; nil for one of an unknown API.
	awaited chan kmsg.Request
	// owed counts them, and the client while it is there. At 0 quiet is closed: nothing is to be forwarded any more.
	owed  atomic.Int64
	quiet chan struct{}
	ended chan struct{} // closed when the broker has ended the connection
}

func (p *Proxy) serve(client net.Conn) {
	defer client.Close()
	ctx, cancel := context.WithTimeout(p.done, dialTimeout)
	broker, err := new(net.Dialer).DialContext(ctx, "tcp", p.target)
	cancel()
	if err != nil {
		return // the client sees the end of its connection, as it would without a proxy
	}
	defer broker.Close()
	defer context.AfterFunc(p.done, func() { client.Close(); broker.Close() })()
	l := &link{p: p, client: client, broker: broker, awaited: make(chan kmsg.Request, 1024), quiet: make(chan struct{}), ended: make(chan struct{})}
	l.owed.Store(1)
	p.running.Go(l.answers)
	l.requests()
	l.settled()
	// A late request is handled like any other: the broker's end of the connection stays until it has answered what its
	// client, who left, had sent, for Kafka may drop requests whose connection is gone.
	select {
	case <-l.quiet:
	case <-l.ended:
	case <-time.After(drainTimeout):
	case <-p.done.Done():
	}
}

func (l *link) hangUp() { _ = l.client.Close() } // twice is no harm

func (l *link) settled() {
	if l.owed.Add(-1) == 0 {
		close(l.quiet)
	}
}

// requests forwards what the client sends until it leaves.
func (l *link) requests() {
	for {
		frame, err := readFrame(l.client)
		if err != nil {
			return
		}
		req := decodeRequest(frame)
		if l.p.pass(Message{Request: req}, false, l.hangUp) != nil {
			return
		}
		l.owed.Add(1)
		select {
		case l.awaited <- req:
		case <-l.ended:
			return
		}
		if _, err := l.broker.Write(frame); err != nil {
			return
		}
	}
}

// answers forwards what the broker answers until it ends the connection.
func (l *link) answers() {
	defer close(l.ended)
	for {
		frame, err := readFrame(l.broker)
		if err != nil {
			l.client.Close()
			return
		}
		var req kmsg.Request
		select {
		case req = <-l.awaited:
		case <-l.p.done.Done():
			return
		}
		if l.p.pass(Message{req, decodeResponse(req, frame)}, true, l.hangUp) == nil {
			_, _ = l.client.Write(frame) // a client that left does not get it
		}
		l.settled()
	}
}

// readFrame reads a frame, its four bytes of length included.
func readFrame(r io.Reader) ([]byte, error) {
	head := make([]byte, 4)
	if _, err := io.ReadFull(r, head); err != nil {
		return nil, err
	}
	size := binary.BigEndian.Uint32(head)
	if size < 4 || size > maxFrame {
		return nil, fmt.Errorf("expected a frame of 4 to %d bytes, got a length of %d", maxFrame, size)
	}
	frame := append(head, make([]byte, size)...)
	_, err := io.ReadFull(r, frame[4:])
	return frame, err
}

var errShort = errors.New("the bytes end inside a field")

// decodeRequest decodes a request; nil where it can't, such as an API that is not known here.
func decodeRequest(frame []byte) (req kmsg.Request) {
	defer func() {
		if recover() != nil { // hostile bytes in a decoder
			req = nil
		}
	}()
	b := frame[4:]
	if len(b) < 10 {
		return nil
	}
	be := binary.BigEndian
	if req = kmsg.RequestForKey(int16(be.Uint16(b))); req == nil {
		return nil
	}
	req.SetVersion(int16(be.Uint16(b[2:])))
	client := max(0, int(int16(be.Uint16(b[8:])))) // -1 is null
	if b = b[10:]; len(b) < client {
		return nil
	}
	b = b[client:]
	var err error
	if req.IsFlexible() {
		if b, err = skipTags(b); err != nil {
			return nil
		}
	}
	if req.ReadFrom(b) != nil {
		return nil
	}
	return req
}

// decodeResponse decodes the answer to a request; nil where it can't.
func decodeResponse(req kmsg.Request, frame []byte) (resp kmsg.Response) {
	defer func() {
		if recover() != nil {
			resp = nil
		}
	}()
	if req == nil || len(frame) < 8 {
		return nil
	}
	resp = req.ResponseKind()
	resp.SetVersion(req.GetVersion())
	b := frame[8:]
	var err error
	if resp.IsFlexible() && resp.Key() != int16(kmsg.ApiVersions) { // whose header never is (KIP-511)
		if b, err = skipTags(b); err != nil {
			return nil
		}
	}
	if resp.ReadFrom(b) != nil {
		return nil
	}
	return resp
}

// skipTags skips the tagged fields of a header (KIP-482).
func skipTags(b []byte) ([]byte, error) {
	next := func() uint64 {
		v, n := binary.Uvarint(b)
		b = b[max(0, n):]
		if n <= 0 {
			b = nil
		}
		return v
	}
	for count := next(); count > 0; count-- {
		next()
		size := next()
		if size > uint64(len(b)) {
			return nil, errShort
		}
		b = b[size:]
	}
	return b, nil
}
