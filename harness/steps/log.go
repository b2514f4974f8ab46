package steps

import (
	"context"
	"fmt"
	"strconv"
	"strings"

	"github.com/onceproof/onceproof/harness/broker"
	"github.com/onceproof/onceproof/harness/wire"
)

// fetch reads a partition to what the isolation level lets see.
func (w *World) fetch(ctx context.Context, at partition, offset int64, isolation int8) (broker.Fetched, error) {
	c, err := w.conn(ctx)
	if err != nil {
		return broker.Fetched{}, err
	}
	f, err := broker.Fetch(ctx, c, w.named(at.topic), at.index, offset, isolation)
	if err != nil {
		return f, err
	}
	return f, nil
}

// expectLog compares a partition's log, read uncommitted and from its start, with a table.
func (w *World) expectLog(ctx context.Context, at partition, t table) error {
	return w.await(ctx, func() error {
		f, err := w.fetch(ctx, at, 0, broker.ReadUncommitted)
		if err != nil {
			return err
		}
		if f.ErrorCode != 0 {
			return mismatch("a log", codeName(f.ErrorCode))
		}
		err = t.compare("the log of "+at.String(), len(f.Batches), func(row int, column, want string) (string, error) {
			return w.logCell(&f.Batches[row], column, want)
		})
		if v, ok := err.(*Violation); ok {
			v.Came += "; the log is " + w.renderLog(f.Batches)
		}
		if err == nil {
			w.showedFetch(&f, 0, broker.ReadUncommitted)
		}
		return err
	})
}

func (w *World) logCell(b *wire.RecordBatch, column, want string) (string, error) {
	var got string
	switch column {
	case "offsets":
		got = fmt.Sprintf("%d-%d", b.BaseOffset, b.LastOffset())
		if b.BaseOffset == b.LastOffset() && !strings.Contains(want, "-") {
			got = strconv.FormatInt(b.BaseOffset, 10)
		}
	case "producer":
		return w.symbol("P", b.ProducerID), w.bind(want, b.ProducerID)
	case "epoch":
		got = strconv.Itoa(int(b.ProducerEpoch))
	case "sequence":
		got = strconv.Itoa(int(b.BaseSequence))
	case "batch":
		got = renderBatch(b)
	case "coordinator epoch":
		if b.Marker == nil {
			break
		}
		return w.symbol("C", int64(b.Marker.CoordinatorEpoch)), w.bind(want, int64(b.Marker.CoordinatorEpoch))
	}
	return got, same(want, got, got == want)
}

// renderBatch is a batch in the words of the features: its values ("plain" in front of what is in no transaction), or
// COMMIT or ABORT. A marker that is not made as MARK-17 says is named as it is.
func renderBatch(b *wire.RecordBatch) string {
	if b.Control() {
		if b.Marker == nil {
			return "a control batch that is no marker"
		}
		name := b.Marker.Type.String()
		if b.Marker.KeyLength != 4 || b.Marker.ValueLength != 6 || !b.Transactional() {
			name += fmt.Sprintf(" (key %d bytes, value %d bytes)", b.Marker.KeyLength, b.Marker.ValueLength)
		}
		return name
	}
	var values []string
	if !b.Transactional() {
		values = append(values, "plain")
	}
	for _, r := range b.Records {
		values = append(values, string(r.Value))
	}
	return strings.Join(values, " ")
}

func (w *World) renderLog(batches []wire.RecordBatch) string {
	var out []string
	for i := range batches {
		b := &batches[i]
		out = append(out, fmt.Sprintf("[%d-%d %s epoch %d sequence %d: %s]", b.BaseOffset, b.LastOffset(), w.symbol("P", b.ProducerID), b.ProducerEpoch, b.BaseSequence, renderBatch(b)))
	}
	return strings.Join(out, " ")
}
