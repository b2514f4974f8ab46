// Package wire speaks Kafka's protocol the way a tester must: on connections
// it owns, one request in flight, with the API version that the caller set and
// with nothing retried, negotiated or repaired behind the caller's back.
//
// Because sending and receiving are separate, the tester is the network: a
// delayed request is one that is sent later, a lost answer is one that is
// never received, a duplicate is one that is sent twice. What went over the
// wire is kept byte for byte in the [Exchange], so that it can be attached to
// a report and replayed.
//
// The server on the other side is not trusted. Whatever it does, each call
// ends within its deadline with an error of one [Kind], and memory is taken
// only for bytes that came.
package wire

import (
	"crypto/tls"
	"time"
)

const (
	defaultClientID    = "onceproof"
	defaultDialTimeout = 10 * time.Second
	defaultTimeout     = 30 * time.Second
	defaultMaxFrame    = 64 << 20
)

// Options say how to connect. The zero value is a plaintext connection with
// default limits.
type Options struct {
	// ClientID goes into every request header; "" means "onceproof".
	ClientID string
	// DialTimeout bounds connecting, TLS and SASL together; 0 means 10 s.
	DialTimeout time.Duration
	// Timeout bounds each Send and each Receive whose context has no earlier
	// deadline; 0 means 30 s.
	Timeout time.Duration
	// MaxFrame is the longest answer accepted, in bytes; 0 means 64 MiB.
	MaxFrame int32
	// TLS, when set, encrypts the connection. ServerName is filled in from
	// the address when it is empty.
	TLS *tls.Config
	// SASL, when set, authenticates with SASL/PLAIN before Dial returns.
	SASL *Plain
}

// Plain is a user name and password for SASL/PLAIN.
type Plain struct {
	User, Password string
}

func (o Options) withDefaults() Options {
	if o.ClientID == "" {
		o.ClientID = defaultClientID
	}
	if o.DialTimeout <= 0 {
		o.DialTimeout = defaultDialTimeout
	}
	if o.Timeout <= 0 {
		o.Timeout = defaultTimeout
	}
	if o.MaxFrame <= 0 {
		o.MaxFrame = defaultMaxFrame
	}
	return o
}
