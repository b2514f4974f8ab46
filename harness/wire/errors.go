package wire

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"
)

// Kind is what went wrong with a connection. Each kind is itself an error, so
// that errors.Is(err, wire.ErrTimeout) asks for it.
type Kind string

// The kinds of failure. None of them but ErrStray says anything about the
// protocol's rules: a caller that sees one has no answer to judge.
const (
	// ErrConnect: no connection came about (refused, no route, TLS failed).
	ErrConnect Kind = "could not connect"
	// ErrClosed: the broker closed the connection before an answer began.
	// Apache Kafka does that for an API key or version it does not serve.
	ErrClosed Kind = "connection closed"
	// ErrTimeout: the deadline passed. The request may or may not have taken
	// effect. A later Receive on the same connection goes on where this one
	// stopped.
	ErrTimeout Kind = "timeout"
	// ErrMalformed: bytes came that are not the awaited answer. The
	// connection is closed.
	ErrMalformed Kind = "malformed answer"
	// ErrStray: the answer of an earlier request came, one that has none
	// (Produce with acks=0). The connection is closed.
	ErrStray Kind = "answer to a request that has none"
	// ErrRefused: the broker refused the SASL user.
	ErrRefused Kind = "authentication refused"
	// ErrMisuse: the caller asked for what this connection can't do, such as
	// a second request while an answer is outstanding.
	ErrMisuse Kind = "misuse of the connection"
)

// Error makes a Kind an error.
func (k Kind) Error() string { return string(k) }

// Error is a failure of a connection: what was expected, what came, what to
// do. It unwraps to its Kind and to the underlying error, if any.
type Error struct {
	Kind     Kind
	Addr     string
	Request  string // such as "EndTxn v5 (correlation 7)"; "" when connecting
	Expected string
	Got      string
	Do       string
	Err      error
}

func (e *Error) Error() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s: %s", e.Addr, e.Kind)
	if e.Request != "" {
		fmt.Fprintf(&b, " at %s", e.Request)
	}
	fmt.Fprintf(&b, ": expected %s, got %s", e.Expected, e.Got)
	if e.Do != "" {
		fmt.Fprintf(&b, "; %s", e.Do)
	}
	return b.String()
}

// Unwrap gives the kind and the cause.
func (e *Error) Unwrap() []error {
	if e.Err == nil {
		return []error{e.Kind}
	}
	return []error{e.Kind, e.Err}
}

// isTimeout reports whether err is a deadline that passed or a context that
// was cancelled, which the connection turns into a deadline in the past.
func isTimeout(err error) bool {
	return errors.Is(err, os.ErrDeadlineExceeded) || errors.Is(err, context.DeadlineExceeded) || errors.Is(err, context.Canceled)
}
