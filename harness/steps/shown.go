package steps

import (
	"slices"

	"github.com/onceproof/onceproof/harness/broker"
	"github.com/onceproof/onceproof/harness/wire"
	"github.com/onceproof/onceproof/spec"
)

// The rules of the read path decide no step of the spec: they say what a state looks like from outside. Such a rule is
// shown where something was read that would have looked different without it, and the line of the scenario held.

// showedOffsets judges the pair of latest offsets.
func (w *World) showedOffsets(high, stable int64) {
	w.showed(spec.READ12, spec.LSO01)
	if stable < high {
		w.showed(spec.LSO02)
	}
}

// showedFetch judges what one fetch gave.
func (w *World) showedFetch(f *broker.Fetched, offset int64, isolation int8) {
	if f.ErrorCode != 0 {
		w.showed(spec.READ14)
		return
	}
	w.showed(spec.READ02)
	if isolation == broker.ReadUncommitted {
		w.showedUncommitted(f)
		return
	}
	if f.LastStableOffset < f.HighWatermark {
		w.showed(spec.READ01, spec.LSO02)
		if offset >= f.LastStableOffset && len(f.Batches) == 0 {
			w.showed(spec.READ14)
		}
	}
	if len(f.Aborted) > 0 {
		w.showed(spec.READ03, spec.READ04)
	}
	for i := range f.Batches {
		b := &f.Batches[i]
		aborted := slices.ContainsFunc(f.Aborted, func(a broker.Aborted) bool {
			return a.ProducerID == b.ProducerID && a.FirstOffset <= b.LastOffset()
		})
		if b.Marker != nil && b.Marker.Type == wire.Commit && !aborted {
			w.showed(spec.READ05)
		}
	}
	for _, a := range f.Aborted {
		if a.FirstOffset < offset {
			w.showed(spec.READ10) // without it the consumer would take the rest of that transaction
		}
	}
}

// showedUncommitted judges a fetch at read_uncommitted: data is in it whatever became of it.
func (w *World) showedUncommitted(f *broker.Fetched) {
	for i := range f.Batches {
		b := &f.Batches[i]
		if b.Marker != nil {
			w.showed(spec.MARK17)
		}
		if b.BaseOffset >= f.LastStableOffset && !b.Control() {
			w.showed(spec.READ01, spec.READ11)
			if !b.Transactional() {
				w.showed(spec.LSO06)
			}
		}
		if b.Marker != nil && b.Marker.Type == wire.Abort {
			w.showed(spec.READ11)
		}
	}
}

// showedConsumer judges what a consumer made of it.
func (w *World) showedConsumer(c *consumer) {
	if c.passed {
		w.showed(spec.READ08)
	}
	if c.skipped {
		w.showed(spec.READ07)
	}
	if c.plainOfAborting {
		w.showed(spec.READ09)
	}
}

// showedRecords judges the coordinator's log: each record must be one that may follow the one before.
func (w *World) showedRecords(records []wire.TxnRecord) {
	w.showed(spec.COORD03)
	if w.fenced() {
		w.showed(spec.SM03)
	}
	for i := range records {
		v := &records[i].Value
		if v.Version >= 1 && v.PreviousProducerID == v.ProducerID {
			w.showed(spec.SM04)
		}
		if i > 0 && mayFollow(spec.Status(records[i-1].Value.State), spec.Status(v.State)) {
			w.showed(spec.SM09)
		}
	}
}

// mayFollow is the table of valid previous states of 4.0 to 4.4 and of trunk (SM-09).
func mayFollow(before, after spec.Status) bool {
	quiet := before == spec.Empty || before == spec.CompleteCommit || before == spec.CompleteAbort
	switch after {
	case spec.Empty:
		return quiet
	case spec.Ongoing, spec.PrepareAbort, spec.PrepareCommit:
		return quiet || before == spec.Ongoing
	case spec.CompleteCommit:
		return before == spec.PrepareCommit
	case spec.CompleteAbort:
		return before == spec.PrepareAbort
	}
	return false
}
