package between_test

import (
	"context"
	"errors"
	"io"
	"net"
	"sync/atomic"
	"testing"
	"time"

	"github.com/twmb/franz-go/pkg/kmsg"

	"github.com/onceproof/onceproof/harness/broker/between"
	"github.com/onceproof/onceproof/harness/wire"
)

// coordinator answers AddPartitionsToTxn and WriteTxnMarkers with nothing in them, and counts what it got.
type coordinator struct {
	addr string
	got  atomic.Int32
}

func newCoordinator(t *testing.T) *coordinator {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = l.Close() })
	c := &coordinator{addr: l.Addr().String()}
	go func() {
		for {
			conn, err := l.Accept()
			if err != nil {
				return
			}
			go c.serve(conn)
		}
	}()
	return c
}

func (c *coordinator) serve(conn net.Conn) {
	defer conn.Close()
	for {
		head := make([]byte, 12) // length, key, version, correlation id
		if _, err := io.ReadFull(conn, head); err != nil {
			return
		}
		size := int64(head[2])<<8 | int64(head[3])
		if _, err := io.CopyN(io.Discard, conn, size-8); err != nil {
			return
		}
		c.got.Add(1)
		resp := kmsg.ResponseForKey(int16(head[5]))
		resp.SetVersion(int16(head[7]))
		if _, err := conn.Write(wire.EncodeResponse(resp, int32(head[11]))); err != nil {
			return
		}
	}
}

func question(tid string) *kmsg.AddPartitionsToTxnRequest {
	req := kmsg.NewPtrAddPartitionsToTxnRequest()
	req.Version = 5
	x := kmsg.NewAddPartitionsToTxnRequestTransaction()
	x.TransactionalID = tid
	req.Transactions = append(req.Transactions, x)
	return req
}

func marker(pid int64) *kmsg.WriteTxnMarkersRequest {
	req := kmsg.NewPtrWriteTxnMarkersRequest()
	req.Version = 2
	m := kmsg.NewWriteTxnMarkersRequestMarker()
	m.ProducerID = pid
	req.Markers = append(req.Markers, m)
	return req
}

func start(t *testing.T) (*coordinator, *between.Proxy) {
	t.Helper()
	c := newCoordinator(t)
	p, err := between.Listen("127.0.0.1:0", c.addr)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := p.Close(); err != nil {
			t.Error(err)
		}
	})
	return c, p
}

func dial(t *testing.T, p *between.Proxy) *wire.Conn {
	t.Helper()
	c, err := wire.Dial(t.Context(), p.Addr(), wire.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = c.Close() })
	return c
}

func send(t *testing.T, c *wire.Conn, req kmsg.Request) {
	t.Helper()
	if _, err := c.Send(t.Context(), req); err != nil {
		t.Fatal(err)
	}
}

// answered demands an answer within a second, or none within 100 ms.
func answered(t *testing.T, c *wire.Conn, want bool) {
	t.Helper()
	wait := time.Second
	if !want {
		wait = 100 * time.Millisecond
	}
	ctx, cancel := context.WithTimeout(t.Context(), wait)
	defer cancel()
	_, err := c.Receive(ctx)
	if want && err != nil || !want && !errors.Is(err, wire.ErrTimeout) {
		t.Fatalf("expected an answer: %t, got: %v", want, err)
	}
}

func caught(t *testing.T, h *between.Hold) between.Message {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 5*time.Second)
	defer cancel()
	m, err := h.Caught(ctx)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

func TestWhatIsNotHeldPasses(t *testing.T) {
	_, p := start(t)
	p.HoldRequest(between.Asks("other"))
	c := dial(t, p)
	for _, req := range []kmsg.Request{question("a"), marker(7), question("a")} {
		send(t, c, req)
		answered(t, c, true)
	}
}

func TestARequestIsHeldBeforeTheBrokerGetsIt(t *testing.T) {
	b, p := start(t)
	h := p.HoldRequest(between.Asks("a"))
	c, other := dial(t, p), dial(t, p)
	send(t, c, question("a"))
	if m := caught(t, h); m.Answer != nil || m.Request.Key() != int16(kmsg.AddPartitionsToTxn) {
		t.Errorf("expected the question, got %+v", m)
	}
	answered(t, c, false)
	send(t, other, question("a")) // one hold holds one thing
	answered(t, other, true)
	if n := b.got.Load(); n != 1 {
		t.Errorf("expected that the broker got one request, got %d", n)
	}
	h.Release()
	h.Release()
	answered(t, c, true)
}

func TestAnAnswerIsHeldAfterTheBrokerActed(t *testing.T) {
	b, p := start(t)
	h := p.HoldAnswer(between.Marks(7))
	c := dial(t, p)
	send(t, c, marker(7))
	if m := caught(t, h); m.Answer == nil || m.Answer.Key() != int16(kmsg.WriteTxnMarkers) {
		t.Errorf("expected the answer to the marker, got %+v", m)
	}
	answered(t, c, false)
	if n := b.got.Load(); n != 1 {
		t.Errorf("expected that the broker got one request, got %d", n)
	}
	h.Release()
	answered(t, c, true)
}

// What is only watched goes on.
func TestAnAnswerThatIsWatchedPasses(t *testing.T) {
	_, p := start(t)
	h := p.WatchAnswer(between.Marks(7))
	c := dial(t, p)
	for _, req := range []kmsg.Request{marker(7), marker(7)} {
		send(t, c, req)
		answered(t, c, true)
	}
	if m := caught(t, h); m.Answer == nil {
		t.Errorf("expected the answer to the marker, got %+v", m)
	}
}

// What was lost for its sender arrives later.
func TestAHeldRequestOutlivesItsConnection(t *testing.T) {
	b, p := start(t)
	h := p.HoldRequest(between.Marks(7))
	c := dial(t, p)
	send(t, c, marker(7))
	caught(t, h)
	h.HangUp()
	if _, err := c.Receive(t.Context()); !errors.Is(err, wire.ErrClosed) {
		t.Fatalf("expected a closed connection, got %v", err)
	}
	again := dial(t, p)
	send(t, again, marker(7))
	answered(t, again, true)
	h.Release()
	for deadline := time.Now().Add(5 * time.Second); b.got.Load() < 2; time.Sleep(time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatal("expected that the broker gets the held request, it did not")
		}
	}
}

func TestAHoldThatIsReleasedEarlyHoldsNothing(t *testing.T) {
	_, p := start(t)
	p.HoldRequest(between.Asks("a")).Release()
	c := dial(t, p)
	send(t, c, question("a"))
	answered(t, c, true)
}

func TestCloseEndsWhatIsHeld(t *testing.T) {
	_, p := start(t)
	request, answer := p.HoldRequest(between.Asks("a")), p.HoldAnswer(between.Asks("b"))
	c, d := dial(t, p), dial(t, p)
	send(t, c, question("a"))
	send(t, d, question("b"))
	caught(t, request)
	caught(t, answer)
	if err := p.Close(); err != nil {
		t.Fatal(err)
	}
	for _, conn := range []*wire.Conn{c, d} {
		if _, err := conn.Receive(t.Context()); !errors.Is(err, wire.ErrClosed) {
			t.Errorf("expected a closed connection, got %v", err)
		}
	}
}

// Bytes that are no request, such as a web client's, end the connection or pass; nothing falls over.
func TestHostileBytes(t *testing.T) {
	_, p := start(t)
	for _, bytes := range []string{"GET / HTTP/1.1\r\n\r\n", "\x00\x00\x00\x0a\x00\x18\x00\x05\x00\x00\x00\x00\x7f\xff", "\x00\x00\x00\x0c\x00\x1b\x00\x02\x00\x00\x00\x00\xff\xff\xff\xff"} {
		c, err := net.Dial("tcp", p.Addr())
		if err != nil {
			t.Fatal(err)
		}
		if _, err := c.Write([]byte(bytes)); err != nil {
			t.Fatal(err)
		}
		_ = c.Close()
	}
	c := dial(t, p)
	send(t, c, question("a"))
	answered(t, c, true)
}

func TestReleaseAllLetsEverythingGo(t *testing.T) {
	_, p := start(t)
	h := p.HoldRequest(between.Asks("a"))
	p.HoldRequest(between.Asks("b"))
	c := dial(t, p)
	send(t, c, question("a"))
	caught(t, h)
	p.ReleaseAll()
	answered(t, c, true)
	send(t, c, question("b"))
	answered(t, c, true)
}
