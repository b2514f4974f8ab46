package steps

import (
	"fmt"
	"time"

	"github.com/onceproof/onceproof/spec"
)

// A scenario whose lines demand that a transaction is open says nothing about a broker when the machine was so slow that
// its timeout had passed. The oracle knows that by itself; the lines do not.

// clock is what is known of a transactional id's transaction.
type clock struct {
	since   time.Time // when the first request that may have opened it was sent; zero if nothing is open
	timeout time.Duration
}

// starts notes that a request is about to be sent that may open a transaction.
func (w *World) starts(c *call) {
	p, a := &c.phrase, c.actor
	if a.txn == nil || p.api != spec.Produce && p.api != spec.AddPartitionsToTxn {
		return
	}
	k := w.clocks[*a.txn]
	if k.since.IsZero() {
		k.since = w.session.now()
	}
	if k.timeout == 0 {
		k.timeout = time.Duration(a.timeout) * time.Millisecond
	}
	w.clocks[*a.txn] = k
}

// ends notes that a request was taken after which no transaction is open.
func (w *World) ends(c *call) {
	p, a := &c.phrase, c.actor
	if a.txn == nil || c.answer.code != 0 || p.api != spec.InitProducerID && p.api != spec.EndTxn {
		return
	}
	k := w.clocks[*a.txn]
	k.since = time.Time{}
	if p.api == spec.InitProducerID {
		k.timeout = time.Duration(a.timeout) * time.Millisecond
		if p.timeout != nil {
			k.timeout = time.Duration(*p.timeout) * time.Millisecond
		}
	}
	w.clocks[*a.txn] = k
}

// Late says which transaction may have timed out against the scenario's will, or nothing.
func (w *World) Late() string {
	if w.session.Broker == nil {
		return ""
	}
	now := w.session.now()
	for id, k := range w.clocks {
		if open := now.Sub(k.since); !k.since.IsZero() && open >= k.timeout {
			return fmt.Sprintf("the machine is too slow: the transaction of %q may have been open for %v, its timeout is %v", id, open.Round(time.Millisecond), k.timeout)
		}
	}
	return ""
}
