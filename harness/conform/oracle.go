package conform

import (
	"errors"
	"time"

	"github.com/twmb/franz-go/pkg/kmsg"

	"github.com/onceproof/onceproof/harness/oracle"
	"github.com/onceproof/onceproof/harness/steps"
	"github.com/onceproof/onceproof/spec"
)

// judge is the oracle of package oracle, in the terms of the steps.
type judge struct{ *oracle.Oracle }

func newJudge(release spec.Release, transactionVersion int8, strict bool) steps.Oracle {
	return judge{oracle.New(oracle.Config{Release: release, TransactionVersion: transactionVersion, Strict: strict})}
}

// Sent, Answered, Overdue and Settled are the oracle's, their errors translated.
func (j judge) Sent(conn uint16, req kmsg.Request, at time.Time) error {
	return translated(j.Oracle.Sent(conn, req, at))
}

// Answered is [oracle.Oracle.Answered].
func (j judge) Answered(conn uint16, resp kmsg.Response, at time.Time) error {
	return translated(j.Oracle.Answered(conn, resp, at))
}

// Overdue is [oracle.Oracle.Overdue].
func (j judge) Overdue(conn uint16) error { return translated(j.Oracle.Overdue(conn)) }

// Settled is [oracle.Oracle.Settled].
func (j judge) Settled() error { return translated(j.Oracle.Settled()) }

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
