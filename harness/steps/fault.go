package steps

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/onceproof/onceproof/harness/broker"
	"github.com/onceproof/onceproof/spec"
)

// timeoutScan is what a broker may need beyond the timeout itself: it looks for expired transactions every 10 s by
// default (TMO-02).
const timeoutScan = 20 * time.Second

// timesOut waits until the transaction of an id has timed out and its abort is complete, by asking for its state. (The
// clock of the reference broker runs fast while it is asked.)
func (w *World) timesOut(ctx context.Context, txn string) error {
	t, err := w.describeTransaction(ctx, txn)
	if err != nil {
		return err
	}
	switch t.State {
	case "Ongoing", "PrepareEpochFence", "PrepareAbort", "CompleteAbort":
	default:
		return mismatch("an open transaction of "+txn, t.State) // what is not open does not time out, however long one waits
	}
	patience := time.Duration(t.TimeoutMillis)*time.Millisecond + min(timeoutScan, w.Patience)
	delete(w.clocks, txn)
	return w.settled(ctx, txn, patience, "CompleteAbort")
}

// settled waits until the coordinator has done with a transaction: it is in one of the given states.
func (w *World) settled(ctx context.Context, txn string, patience time.Duration, states ...string) error {
	return w.awaitFor(ctx, patience, func() error {
		t, err := w.describeTransaction(ctx, txn)
		if err != nil {
			return err
		}
		for _, state := range states {
			if t.State == state {
				return nil
			}
		}
		return mismatch(fmt.Sprintf("%s to become %v", txn, states), t.State)
	})
}

// staying is how long a transaction that goes on by itself, if it can, is given: a broker writes markers in milliseconds.
const staying = 2 * time.Second

// stays checks that a transaction does not leave a state by itself.
func (w *World) stays(ctx context.Context, txn, state string) error {
	for begun := time.Now(); time.Since(begun) < staying; {
		t, err := w.describeTransaction(ctx, txn)
		if err != nil {
			return err
		}
		if t.State != state {
			return mismatch(fmt.Sprintf("%s to stay in %s", txn, state), t.State)
		}
		if err := pause(ctx, staying/20); err != nil {
			return err
		}
	}
	return nil
}

// completes waits for the markers of a transaction that was ended.
func (w *World) completes(ctx context.Context, txn string) error {
	return w.settled(ctx, txn, w.Patience, "CompleteCommit", "CompleteAbort", "Empty")
}

// The lines that restart the broker.
const (
	restartLine = "the broker is restarted"
	crashLine   = "the broker crashes and comes back"
)

// RestartsBroker reports whether a line restarts the broker, so that no other scenario can use it meanwhile.
func RestartsBroker(line string) bool { return line == restartLine || line == crashLine }

// restarts stops the broker, or kills it, and starts it again.
func (w *World) restarts(ctx context.Context, clean bool) error {
	restart, what := w.Broker.Crash, "crashed"
	if clean {
		restart, what = w.Broker.Restart, "was restarted"
	}
	err := restart(ctx)
	if errors.Is(err, broker.ErrUnsupported) {
		return unjudged(err, "there is no hand on this broker")
	}
	if err != nil {
		return unjudged(err, "the broker did not come back")
	}
	w.session.note(0, "the broker %s", what)
	w.session.restarted(clean)
	return nil
}

// fenced reports whether a coordinator's own abort is in the history: an InitProducerId met an open transaction, or a
// transaction timed out.
func (w *World) fenced() bool {
	for _, e := range w.session.history {
		if e.Exchange == nil || e.Exchange.Response == nil || e.Exchange.Request.Key() != spec.InitProducerID.Key() {
			continue
		}
		if a, err := readAnswer(w, e.Exchange.Response); err == nil && spec.Code(a.code) == spec.ConcurrentTransactions {
			return true
		}
	}
	return false
}
