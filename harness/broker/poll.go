package broker

import (
	"context"
	"fmt"
	"time"
)

// pollLimit bounds a wait whose context has no deadline.
const pollLimit = 60 * time.Second

// poll calls try until it gives no error, or one that is final. The waits grow
// from 5 to 100 ms.
func poll(ctx context.Context, awaited string, try func(context.Context) error) error {
	start := time.Now()
	if _, ok := ctx.Deadline(); !ok {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, pollLimit)
		defer cancel()
	}
	var last error
	for wait := 5 * time.Millisecond; ; wait = min(2*wait, 100*time.Millisecond) {
		err := try(ctx)
		if err == nil || isFinal(err) {
			return err
		}
		if ctx.Err() == nil || last == nil {
			last = err // once the time is up, the error before says more
		}
		select {
		case <-time.After(wait):
		case <-ctx.Done():
			return fmt.Errorf("waited %.1f s for %s: %w", time.Since(start).Seconds(), awaited, last)
		}
	}
}
