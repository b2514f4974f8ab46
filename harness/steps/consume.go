package steps

import (
	"container/heap"
	"context"
	"fmt"
	"strings"

	"github.com/onceproof/onceproof/harness/broker"
	"github.com/onceproof/onceproof/harness/wire"
)

// isolations, read only, are the isolation levels by name.
var isolations = map[string]int8{"read_uncommitted": broker.ReadUncommitted, "read_committed": broker.ReadCommitted}

// expectConsumer reads a partition as a consumer does, from its start, and checks the records and the position.
func (w *World) expectConsumer(ctx context.Context, isolation string, at partition, records string, position int64) error {
	level := isolations[isolation]
	want := strings.Join(strings.Fields(records), " ")
	if want == "nothing" {
		want = ""
	}
	return w.await(ctx, func() error {
		f, err := w.fetch(ctx, at, 0, level)
		if err != nil {
			return err
		}
		c := consume(&f, level)
		got := strings.Join(c.records, " ")
		if got != want || c.position != position {
			return mismatch(fmt.Sprintf("%s reads %q and stands at %d", isolation, want, position),
				fmt.Sprintf("%q and position %d (high watermark %d, last stable offset %d)", got, c.position, f.HighWatermark, f.LastStableOffset))
		}
		w.showedFetch(&f, 0, level)
		w.showedConsumer(&c)
		return nil
	})
}

// consumer is what reading one answer gave to the application.
type consumer struct {
	records         []string
	position        int64
	skipped         bool // an aborted batch was left out
	passed          bool // a control batch was passed
	plainOfAborting bool // a plain batch of an id that has an aborted transaction open was delivered
}

// consume is the algorithm of the Java consumer (CompletedFetch; READ-07 to READ-09): the aborted list, a heap by first
// offset, tells from where on an id is skipped, and its ABORT marker until where.
func consume(f *broker.Fetched, isolation int8) (c consumer) {
	pending := byFirstOffset(append([]broker.Aborted(nil), f.Aborted...))
	heap.Init(&pending)
	aborted := map[int64]bool{}
	for i := range f.Batches {
		b := &f.Batches[i]
		c.position = b.LastOffset() + 1
		if isolation == broker.ReadCommitted && b.ProducerID >= 0 {
			for len(pending) > 0 && pending[0].FirstOffset <= b.LastOffset() {
				aborted[heap.Pop(&pending).(broker.Aborted).ProducerID] = true
			}
			if b.Marker != nil && b.Marker.Type == wire.Abort {
				delete(aborted, b.ProducerID)
			}
			if !b.Control() && b.Transactional() && aborted[b.ProducerID] {
				c.skipped = true
				continue
			}
		}
		if b.Control() {
			c.passed = true
			continue
		}
		c.plainOfAborting = c.plainOfAborting || !b.Transactional() && aborted[b.ProducerID]
		for _, r := range b.Records {
			c.records = append(c.records, fmt.Sprintf("%s@%d", r.Value, r.Offset))
		}
	}
	return c
}

// byFirstOffset is a heap of aborted transactions.
type byFirstOffset []broker.Aborted

func (h byFirstOffset) Len() int           { return len(h) }
func (h byFirstOffset) Less(i, j int) bool { return h[i].FirstOffset < h[j].FirstOffset }
func (h byFirstOffset) Swap(i, j int)      { h[i], h[j] = h[j], h[i] }

// Push and Pop are for package heap.
func (h *byFirstOffset) Push(x any) { *h = append(*h, x.(broker.Aborted)) }

func (h *byFirstOffset) Pop() any {
	old := *h
	x := old[len(old)-1]
	*h = old[:len(old)-1]
	return x
}

// expectAborted checks the aborted list of a read_committed fetch, in its order: "P0 from 4, P1 from 2", or "empty".
func (w *World) expectAborted(ctx context.Context, at partition, offset int64, text string) error {
	return w.await(ctx, func() error {
		f, err := w.fetch(ctx, at, offset, broker.ReadCommitted)
		if err != nil {
			return err
		}
		var got []string
		for _, a := range f.Aborted {
			got = append(got, fmt.Sprintf("%s from %d", w.symbol("P", a.ProducerID), a.FirstOffset))
		}
		came := strings.Join(got, ", ")
		switch {
		case f.Aborted == nil:
			came = "null"
		case len(got) == 0:
			came = "empty"
		}
		if came == text {
			w.showedFetch(&f, offset, broker.ReadCommitted)
		}
		return same("the aborted list "+text, came, came == text)
	})
}

// expectFetch checks the outcome of one fetch: an error code, or how many batches came.
func (w *World) expectFetch(ctx context.Context, isolation string, at partition, offset int64, text string) error {
	f, err := w.fetch(ctx, at, offset, isolations[isolation])
	if err != nil {
		return err
	}
	came := codeName(f.ErrorCode)
	if f.ErrorCode == 0 {
		came = "nothing"
		if len(f.Batches) > 0 {
			came = w.renderLog(f.Batches)
		}
	}
	if came == text {
		w.showedFetch(&f, offset, isolations[isolation])
	}
	return same(text, came, came == text)
}
