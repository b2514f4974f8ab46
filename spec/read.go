package spec

import "slices"

// The read path: what a Fetch, a ListOffsets or one of the Describe requests shows. Reading changes nothing, so these are
// functions of the state and no steps.

// Isolation is a consumer's isolation.level.
type Isolation int8

// The isolation levels, by their number on the wire. The default of a consumer is read_uncommitted (READ-16).
const (
	ReadUncommitted Isolation = 0
	ReadCommitted   Isolation = 1
)

func (i Isolation) String() string {
	if i == ReadCommitted {
		return "read_committed"
	}
	return "read_uncommitted"
}

// At is a batch at its offset.
type At struct {
	Offset int64
	Batch
}

// LastOffset returns the offset of the batch's last record.
func (a *At) LastOffset() int64 { return a.Offset + int64(a.Count) - 1 }

// AbortedTxn is an entry of a Fetch answer's aborted_transactions (READ-04).
type AbortedTxn struct {
	ProducerID  int64
	FirstOffset int64
}

// Fetched is the answer to a Fetch for one partition.
type Fetched struct {
	HighWatermark, LastStable int64 // at any isolation level (READ-02)
	Batches                   []At
	// Aborted is the aborted list; nil for read_uncommitted, for read_committed never nil.
	Aborted []AbortedTxn
}

// Fetch answers a Fetch from offset (READ-01 to READ-04, READ-14; ReplicaManager.readFromLog, LocalLog.read). The bytes
// are untouched: aborted data and control batches are in it. The aborted list goes to the log end, as in a segment without
// index entries: a transaction that begins behind the last stable offset may be in it. ok is false for an offset out of
// range.
func (l *Leader) Fetch(offset int64, isolation Isolation) (f Fetched, ok bool) {
	f.HighWatermark, f.LastStable = l.HighWatermark(), l.LastStable()
	bound := f.HighWatermark
	if isolation == ReadCommitted {
		bound = f.LastStable
		f.Aborted = []AbortedTxn{}
	}
	if offset < 0 || offset > l.LogEnd() {
		return f, false
	}
	if offset >= bound {
		return f, true
	}
	var at int64
	for i := range l.Log {
		b := At{Offset: at, Batch: l.Log[i]}
		at += int64(b.Count)
		if b.LastOffset() >= offset && at <= bound {
			f.Batches = append(f.Batches, b)
		}
	}
	if isolation == ReadCommitted {
		for _, a := range l.Aborted {
			if a.Last >= offset { // whatever their first offset: the bound of the search is the log end
				f.Aborted = append(f.Aborted, AbortedTxn{ProducerID: a.ProducerID, FirstOffset: a.First})
			}
		}
	}
	return f, true
}

// Latest answers ListOffsets with timestamp -1 (READ-12).
func (l *Leader) Latest(isolation Isolation) int64 {
	if isolation == ReadCommitted {
		return l.LastStable()
	}
	return l.HighWatermark()
}

// Consume returns the data batches that a consumer hands to its application out of one fetch, in order
// (CompletedFetch.nextFetchedRecord; READ-07 to READ-09). It judges by the aborted list alone, as a consumer does.
func Consume(f Fetched, isolation Isolation) []At {
	var out []At
	pending := slices.Clone(f.Aborted)
	slices.SortStableFunc(pending, func(a, b AbortedTxn) int { return int(a.FirstOffset - b.FirstOffset) })
	aborted := map[int64]bool{}
	for _, b := range f.Batches {
		if isolation == ReadCommitted && b.ProducerID != NoProducer {
			for len(pending) > 0 && pending[0].FirstOffset <= b.LastOffset() {
				aborted[pending[0].ProducerID] = true
				pending = pending[1:]
			}
			if b.Kind == AbortMarker {
				delete(aborted, b.ProducerID)
			}
			if b.Kind == Data && b.Transactional && aborted[b.ProducerID] {
				continue
			}
		}
		if b.Kind == Data {
			out = append(out, b)
		}
	}
	return out
}

// ProducerView is what DescribeProducers shows of a producer id (ADM-01).
type ProducerView struct {
	ID               int64
	Epoch            int16
	LastSequence     int32
	CoordinatorEpoch int32
	TxnStart         int64 // first offset of the open transaction, or -1
}

// DescribeProducers shows every producer id that the leader has an entry for, by id.
func (l *Leader) DescribeProducers() []ProducerView {
	var out []ProducerView
	for i := range l.Producers {
		p := &l.Producers[i]
		out = append(out, ProducerView{p.ID, p.Epoch, p.Last(), p.CoordinatorEpoch, p.Open})
	}
	return out
}

// DescribeTransaction shows the coordinator's memory of a transactional id (ADM-02): the state before a transition that
// is in progress; in a Prepare state the partitions whose marker is not acknowledged.
func (s *State) DescribeTransaction(id TxnID) (Metadata, Code) {
	switch {
	case id == EmptyTxnID || id == NullTxnID:
		return Metadata{}, InvalidRequest
	case !s.Coordinator.Up:
		return Metadata{}, CoordinatorLoading
	case !s.Coordinator.Txns[id].Known:
		return Metadata{}, TxnIDNotFound
	}
	return s.Coordinator.Txns[id].Memory, None
}

// TransactionLog returns the records of __transaction_state for an id, oldest first (all of them unless the log is
// compacted; FO-11).
func (s *State) TransactionLog(id TxnID) []Metadata { return s.Coordinator.Txns[id].Log }
