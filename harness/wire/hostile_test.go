package wire_test

import (
	"context"
	"encoding/binary"
	"errors"
	"io"
	"net"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/twmb/franz-go/pkg/kmsg"

	"github.com/onceproof/onceproof/harness/wire"
)

// server runs behave on each connection, after it has read one request, and
// gives its address.
func server(t *testing.T, behave func(c net.Conn, correlation uint32)) string {
	t.Helper()
	l, err := net.Listen("tcp4", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = l.Close() })
	go func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			go func() {
				defer c.Close()
				for {
					id, err := readRequest(c)
					if err != nil {
						return
					}
					behave(c, id)
				}
			}()
		}
	}()
	return l.Addr().String()
}

func readRequest(c net.Conn) (correlation uint32, err error) {
	head := make([]byte, 12)
	if _, err := io.ReadFull(c, head); err != nil {
		return 0, err
	}
	_, err = io.CopyN(io.Discard, c, int64(binary.BigEndian.Uint32(head))-8)
	return binary.BigEndian.Uint32(head[8:]), err
}

// goodAnswer is the frame of a right answer to endTxn.
func goodAnswer(correlation uint32) []byte {
	resp := kmsg.NewPtrEndTxnResponse()
	resp.Version, resp.ProducerID, resp.ProducerEpoch = 5, 9081, 3
	return wire.EncodeResponse(resp, int32(correlation))
}

func endTxn() *kmsg.EndTxnRequest {
	req := kmsg.NewPtrEndTxnRequest()
	req.Version, req.TransactionalID, req.ProducerID = 5, "t", 9081
	return req
}

func frame(size uint32, body ...byte) []byte {
	return append(binary.BigEndian.AppendUint32(nil, size), body...)
}

func write(c net.Conn, b []byte) { _, _ = c.Write(b) }

// hostile is what a server may do to us and the kind of error that tells so.
var hostile = map[string]struct {
	behave func(c net.Conn, correlation uint32)
	kind   wire.Kind
	says   string
}{
	"hangs":                    {func(c net.Conn, _ uint32) { <-time.After(2 * time.Second) }, wire.ErrTimeout, "0 of 4 bytes"},
	"closes":                   {func(c net.Conn, _ uint32) { _ = c.Close() }, wire.ErrClosed, "EOF"},
	"answers HTTP":             {func(c net.Conn, _ uint32) { write(c, []byte("HTTP/1.1 400 Bad Request\r\n\r\n")) }, wire.ErrMalformed, "looks like an HTTP server"},
	"answers a TLS alert":      {func(c net.Conn, _ uint32) { write(c, []byte{0x15, 3, 3, 0, 2, 2, 70}) }, wire.ErrMalformed, "wants TLS"},
	"answers half a length":    {func(c net.Conn, _ uint32) { write(c, []byte{0, 0}); _ = c.Close() }, wire.ErrMalformed, "2 of 4 bytes"},
	"answers half a frame":     {func(c net.Conn, _ uint32) { write(c, frame(100, 1, 2, 3)); _ = c.Close() }, wire.ErrMalformed, "7 of 104 bytes"},
	"hangs inside a frame":     {func(c net.Conn, _ uint32) { write(c, frame(100, 1, 2, 3)); <-time.After(2 * time.Second) }, wire.ErrTimeout, "7 of 104 bytes"},
	"claims 2 GB":              {func(c net.Conn, _ uint32) { write(c, frame(1<<31-1)) }, wire.ErrMalformed, "2147483647"},
	"claims 60 MB, sends 3":    {func(c net.Conn, _ uint32) { write(c, frame(60<<20, 1, 2, 3)); _ = c.Close() }, wire.ErrMalformed, "7 of 62914564 bytes"},
	"a negative length":        {func(c net.Conn, _ uint32) { write(c, frame(0xffffffff)) }, wire.ErrMalformed, "length of -1"},
	"a length of 0":            {func(c net.Conn, _ uint32) { write(c, frame(0)) }, wire.ErrMalformed, "length of 0"},
	"a length of 3":            {func(c net.Conn, _ uint32) { write(c, frame(3, 0, 0, 0)) }, wire.ErrMalformed, "length of 3"},
	"the wrong correlation id": {func(c net.Conn, id uint32) { write(c, goodAnswer(id+7)) }, wire.ErrMalformed, "expected correlation id 0, got 7"},
	"no body":                  {func(c net.Conn, id uint32) { write(c, binary.BigEndian.AppendUint32(frame(4), id)) }, wire.ErrMalformed, "EndTxn v5"},
	"a body of another API":    {metadataAnswer, wire.ErrMalformed, "do not decode"},
	"bytes behind the body":    {func(c net.Conn, id uint32) { write(c, cut(append(goodAnswer(id), 0, 0), 0)) }, wire.ErrMalformed, "left over"},
	"a body cut short":         {func(c net.Conn, id uint32) { write(c, cut(goodAnswer(id), 3)) }, wire.ErrMalformed, "do not decode"},
	"a header of endless tags": {func(c net.Conn, id uint32) { write(c, append(binary.BigEndian.AppendUint32(frame(6), id), 0xff, 0x7f)) }, wire.ErrMalformed, "response header"},
	"a header tag of 4 GB": {func(c net.Conn, id uint32) {
		write(c, append(binary.BigEndian.AppendUint32(frame(11), id), 1, 0, 0xff, 0xff, 0xff, 0xff, 0x0f))
	}, wire.ErrMalformed, "response header"},
	"a body of many tags":       {func(c net.Conn, id uint32) { write(c, tagBomb(id)) }, wire.ErrMalformed, "do not decode"},
	"one byte at a time, wrong": {func(c net.Conn, id uint32) { slowly(c, goodAnswer(id+1)) }, wire.ErrMalformed, "correlation id"},
}

func metadataAnswer(c net.Conn, id uint32) {
	resp := kmsg.NewPtrMetadataResponse()
	resp.Version = 12
	b := kmsg.NewMetadataResponseBroker()
	b.Host, b.Port = "elsewhere", 9092
	resp.Brokers = append(resp.Brokers, b)
	write(c, wire.EncodeResponse(resp, int32(id)))
}

// cut takes bytes off the end of a frame and corrects its length.
func cut(b []byte, n int) []byte {
	b = b[:len(b)-n]
	binary.BigEndian.PutUint32(b, uint32(len(b)-4))
	return b
}

// tagBomb is an answer whose tagged fields claim to be four billion.
func tagBomb(id uint32) []byte {
	b := goodAnswer(id)
	b = append(b[:len(b)-1], 0xff, 0xff, 0xff, 0xff, 0x0f)
	return cut(b, 0)
}

func slowly(c net.Conn, b []byte) {
	for i := range b {
		write(c, b[i:i+1])
		time.Sleep(time.Millisecond)
	}
}

func TestAHostileServerGetsItsErrorInTime(t *testing.T) {
	for name, tt := range hostile {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c, err := wire.Dial(t.Context(), server(t, tt.behave), wire.Options{Timeout: 300 * time.Millisecond})
			if err != nil {
				t.Fatal(err)
			}
			defer c.Close()
			start := time.Now()
			x, err := c.Do(t.Context(), endTxn())
			if took := time.Since(start); took > 1500*time.Millisecond {
				t.Errorf("expected an error within the deadline of 0.3 s, it took %v", took)
			}
			if !errors.Is(err, tt.kind) {
				t.Fatalf("expected %q, got %v", tt.kind, err)
			}
			if !strings.Contains(err.Error(), tt.says) {
				t.Errorf("expected the message to say %q, got %q", tt.says, err)
			}
			if x == nil || len(x.RawRequest) == 0 || x.Response != nil {
				t.Errorf("expected an exchange with the request and no response, got %+v", x)
			}
		})
	}
}

func TestNothingListens(t *testing.T) {
	l, err := net.Listen("tcp4", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	addr := l.Addr().String()
	_ = l.Close()
	for _, addr := range []string{addr, "no such host:9092", "127.0.0.1", "127.0.0.1:notaport"} {
		if _, err := wire.Dial(t.Context(), addr, wire.Options{}); !errors.Is(err, wire.ErrConnect) {
			t.Errorf("%s: expected %q, got %v", addr, wire.ErrConnect, err)
		}
	}
}

// The length of a frame is a claim. Memory is taken as bytes come.
func TestAClaimedLengthTakesNoMemory(t *testing.T) {
	addr := server(t, func(c net.Conn, _ uint32) { write(c, frame(1<<30, 1, 2, 3)); _ = c.Close() })
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	for range 20 {
		c, err := wire.Dial(t.Context(), addr, wire.Options{MaxFrame: 1 << 30})
		if err != nil {
			t.Fatal(err)
		}
		if _, err := c.Do(t.Context(), endTxn()); !errors.Is(err, wire.ErrMalformed) {
			t.Fatalf("expected %q, got %v", wire.ErrMalformed, err)
		}
		_ = c.Close()
	}
	runtime.ReadMemStats(&after)
	if took := after.TotalAlloc - before.TotalAlloc; took > 8<<20 {
		t.Errorf("expected a few kilobytes for 20 answers of 7 bytes, got %d bytes", took)
	}
}

func TestOneByteAtATimeIsAnAnswer(t *testing.T) {
	c, err := wire.Dial(t.Context(), server(t, func(c net.Conn, id uint32) { slowly(c, goodAnswer(id)) }), wire.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	x, err := c.Do(t.Context(), endTxn())
	if err != nil {
		t.Fatal(err)
	}
	if got := x.Response.(*kmsg.EndTxnResponse); got.ProducerID != 9081 || got.ProducerEpoch != 3 {
		t.Errorf("expected 9081/3, got %+v", got)
	}
}

// A server that never reads fills the buffers; sending must end too.
func TestAServerThatDoesNotRead(t *testing.T) {
	l, err := net.Listen("tcp4", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	c, err := wire.Dial(t.Context(), l.Addr().String(), wire.Options{Timeout: 300 * time.Millisecond})
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	big := endTxn()
	big.TransactionalID = strings.Repeat("x", 32<<20)
	if _, err := c.Do(t.Context(), big); !errors.Is(err, wire.ErrTimeout) {
		t.Errorf("expected %q, got %v", wire.ErrTimeout, err)
	}
	if _, err := c.Do(t.Context(), endTxn()); !errors.Is(err, wire.ErrClosed) {
		t.Errorf("after half a request: expected %q, got %v", wire.ErrClosed, err)
	}
}

func TestCancellingInterruptsAReceive(t *testing.T) {
	c, err := wire.Dial(t.Context(), server(t, func(net.Conn, uint32) { <-time.After(5 * time.Second) }), wire.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	ctx, cancel := context.WithCancel(t.Context())
	time.AfterFunc(50*time.Millisecond, cancel)
	start := time.Now()
	if _, err := c.Do(ctx, endTxn()); !errors.Is(err, wire.ErrTimeout) {
		t.Errorf("expected %q, got %v", wire.ErrTimeout, err)
	}
	if took := time.Since(start); took > 2*time.Second {
		t.Errorf("expected the end soon after the cancellation, it took %v", took)
	}
}
