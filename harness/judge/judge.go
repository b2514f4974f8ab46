// Package judge is the oracle (package oracle) in the terms of the features' language (package steps).
package judge

import (
	"errors"
	"time"

	"github.com/twmb/franz-go/pkg/kmsg"

	"github.com/onceproof/onceproof/harness/oracle"
	"github.com/onceproof/onceproof/harness/steps"
	"github.com/onceproof/onceproof/spec"
)

// Judge is an oracle whose errors are those of the steps.
type Judge struct{ *oracle.Oracle }

var _ steps.Oracle = Judge{}

// New returns a judge for one scenario: by a release, at a level of transaction.version; strict demands the release
// exactly, otherwise a broker may also have fixes that it lacks.
func New(release spec.Release, transactionVersion int8, strict bool) Judge {
	return Judge{oracle.New(oracle.Config{Release: release, TransactionVersion: transactionVersion, Strict: strict})}
}

// InCompany returns a judge like New for a broker that others use at the same time.
func InCompany(release spec.Release, transactionVersion int8, strict bool) Judge {
	return Judge{oracle.New(oracle.Config{Release: release, TransactionVersion: transactionVersion, Strict: strict, Company: true})}
}

// Sent, Answered, Overdue and Settled are the oracle's, their errors translated.
func (j Judge) Sent(conn uint16, req kmsg.Request, at time.Time) error {
	return translated(j.Oracle.Sent(conn, req, at))
}

// Answered is [oracle.Oracle.Answered].
func (j Judge) Answered(conn uint16, resp kmsg.Response, at time.Time) error {
	return translated(j.Oracle.Answered(conn, resp, at))
}

// Overdue is [oracle.Oracle.Overdue].
func (j Judge) Overdue(conn uint16) error { return translated(j.Oracle.Overdue(conn)) }

// Settled is [oracle.Oracle.Settled].
func (j Judge) Settled() error { return translated(j.Oracle.Settled()) }

func translated(err error) error {
	if err == nil {
		return nil
	}
	var v *oracle.Violation
	if !errors.As(err, &v) {
		return &steps.Unjudged{Reason: "the oracle could not judge", Err: err}
	}
	out := &steps.Violation{Sent: v.Sent, Came: v.Came, ByOracle: true, Exchange: v.Exchange}
	if v.Rule != spec.NoRule {
		out.Rules = append(out.Rules, v.Rule)
	}
	for _, a := range v.Allowed {
		out.Allowed = append(out.Allowed, steps.Allowed{Outcome: a.Answer, Rules: a.Rules})
		for _, r := range a.Rules {
			out.AddRule(r)
		}
	}
	return out
}
