package wire

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"net"

	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kmsg"
)

// Dial connects to a broker at HOST:PORT, with TLS and SASL if the options ask
// for them. It asks the broker for nothing else, not even for its versions.
func Dial(ctx context.Context, addr string, opts Options) (*Conn, error) {
	opts = opts.withDefaults()
	ctx, cancel := context.WithTimeout(ctx, opts.DialTimeout)
	defer cancel()
	raw, err := new(net.Dialer).DialContext(ctx, "tcp", addr)
	if err != nil {
		return nil, connectError(addr, "a listening broker", err)
	}
	if opts.TLS != nil {
		if raw, err = encrypt(ctx, raw, addr, opts.TLS); err != nil {
			return nil, err
		}
	}
	c := &Conn{addr: addr, opts: opts, net: raw}
	if opts.SASL != nil {
		if err := c.authenticate(ctx, *opts.SASL); err != nil {
			_ = c.Close()
			return nil, err
		}
	}
	return c, nil
}

func connectError(addr, expected string, err error) error {
	return &Error{Kind: ErrConnect, Addr: addr, Expected: expected, Got: err.Error(),
		Do: "start the broker, or correct the address and the TLS settings", Err: err}
}

func encrypt(ctx context.Context, raw net.Conn, addr string, cfg *tls.Config) (net.Conn, error) {
	cfg = cfg.Clone()
	if cfg.ServerName == "" {
		host, _, err := net.SplitHostPort(addr)
		if err != nil {
			host = addr
		}
		cfg.ServerName = host
	}
	t := tls.Client(raw, cfg)
	if err := t.HandshakeContext(ctx); err != nil {
		_ = raw.Close()
		return nil, connectError(addr, "a TLS handshake", err)
	}
	return t, nil
}

// authenticate is SASL/PLAIN (RFC 4616) inside SaslHandshake v1 and
// SaslAuthenticate v1, which every broker since 1.0 serves.
func (c *Conn) authenticate(ctx context.Context, p Plain) error {
	handshake := kmsg.NewPtrSASLHandshakeRequest()
	handshake.Version, handshake.Mechanism = 1, "PLAIN"
	x, err := c.Do(ctx, handshake)
	if err != nil {
		return err
	}
	h := x.Response.(*kmsg.SASLHandshakeResponse)
	if h.ErrorCode != 0 {
		return c.refused(x, h.ErrorCode, fmt.Sprintf("the broker offers %v", h.SupportedMechanisms))
	}
	auth := kmsg.NewPtrSASLAuthenticateRequest()
	auth.Version, auth.SASLAuthBytes = 1, []byte("\x00"+p.User+"\x00"+p.Password)
	x, err = c.Do(ctx, auth)
	if errors.Is(err, ErrClosed) {
		return &Error{Kind: ErrRefused, Addr: c.addr, Request: c.name(x), Expected: "NONE", Got: "the end of the connection",
			Do: "check user and password", Err: err}
	}
	if err != nil {
		return err
	}
	a := x.Response.(*kmsg.SASLAuthenticateResponse)
	if a.ErrorCode != 0 {
		why := "check user and password"
		if a.ErrorMessage != nil {
			why = *a.ErrorMessage
		}
		return c.refused(x, a.ErrorCode, why)
	}
	return nil
}

func (c *Conn) refused(x *Exchange, code int16, do string) error {
	err := kerr.ErrorForCode(code)
	var known *kerr.Error
	got := fmt.Sprintf("error %d", code)
	if errors.As(err, &known) {
		got = fmt.Sprintf("%s (%d)", known.Message, code)
	}
	return &Error{Kind: ErrRefused, Addr: c.addr, Request: c.name(x), Expected: "NONE", Got: got, Do: do, Err: err}
}
