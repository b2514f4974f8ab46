package reference

import (
	"slices"

	"github.com/onceproof/onceproof/spec"
)

// wrongEffects change what a request does.
func wrongEffects() []Mutation {
	return []Mutation{
		{Name: "commit-aborts", About: "a commit aborts", Rules: []spec.Rule{spec.MARK17, spec.SM09, spec.ADM02, spec.END14, spec.END30},
			request: func(_ *Broker, r *spec.Request) {
				if r.API == spec.EndTxn {
					r.Commit = false
				}
			}},
		{Name: "abort-commits", About: "an abort commits", Rules: []spec.Rule{spec.MARK17, spec.SM09, spec.ADM02, spec.END14, spec.END30},
			request: func(_ *Broker, r *spec.Request) {
				if r.API == spec.EndTxn {
					r.Commit = true
				}
			}},
		{Name: "end-does-nothing", About: "EndTxn answers NONE and does nothing", Rules: []spec.Rule{spec.ADM02, spec.END20, spec.END14, spec.COORD09, spec.ADD07, spec.END30},
			step: func(b *Broker, before *spec.State, d *spec.Decision) {
				if d.Step.Kind == spec.Handle && d.Request.API == spec.EndTxn && d.Logged.Prepared() {
					b.undo(before, d)
				}
			}},
		{Name: "commit-not-logged", About: "the record of a commit is not in the transaction log", Rules: []spec.Rule{spec.SM09, spec.COORD09},
			record: func(_ *Broker, r *stateRecord) bool { return r.metadata.Status != spec.PrepareCommit }},
		{Name: "completion-not-logged", About: "the record of the completion is not in the transaction log", Rules: []spec.Rule{spec.SM09, spec.COORD09},
			record: func(_ *Broker, r *stateRecord) bool {
				return r.metadata.Status != spec.CompleteCommit && r.metadata.Status != spec.CompleteAbort
			}},
		{Name: "log-client-version", About: "the client's transaction version is not in the transaction log", Rules: []spec.Rule{spec.ADD08},
			record: func(_ *Broker, r *stateRecord) bool { r.metadata.ClientVersion = 0; return true }},
		{Name: "init-no-bump", About: "InitProducerId grants the current epoch: nobody is fenced", Rules: []spec.Rule{spec.INIT25, spec.INIT26},
			step: func(b *Broker, _ *spec.State, d *spec.Decision) {
				if d.Logged == spec.Empty && d.Step.Kind == spec.Handle {
					b.change(d, func(m *spec.Metadata) { m.Epoch = max(m.Epoch-1, 0) })
				}
			}},
		{Name: "fence-no-bump", About: "an open transaction is aborted by InitProducerId without a new epoch", Rules: []spec.Rule{spec.INIT31, spec.INIT25, spec.INIT32, spec.INIT33, spec.MARK40, spec.SM02, spec.ADM02},
			step: func(b *Broker, _ *spec.State, d *spec.Decision) {
				if d.Logged == spec.PrepareAbort && d.Request.API == spec.InitProducerID {
					b.change(d, func(m *spec.Metadata) { m.Epoch-- })
				}
			}},
		{Name: "add-forgets", About: "a second partition is said to be added and is not", Rules: []spec.Rule{spec.ADM02, spec.SM02, spec.VER06, spec.ADD08, spec.MARK17, spec.ADD07, spec.ADD10},
			step: func(b *Broker, _ *spec.State, d *spec.Decision) {
				if d.Logged == spec.Ongoing {
					b.change(d, func(m *spec.Metadata) { m.Partitions = m.Partitions &^ 2 })
				}
			}},
		{Name: "timeout-forgotten", About: "InitProducerId keeps the old transaction timeout", Rules: []spec.Rule{spec.INIT39, spec.SM02},
			step: func(b *Broker, _ *spec.State, d *spec.Decision) {
				if d.Logged == spec.Empty {
					b.change(d, func(m *spec.Metadata) { m.TimeoutMs = 60001 })
				}
			}},
		{Name: "duplicate-appended", About: "a duplicate is answered as one, and appended again", Rules: []spec.Rule{spec.IDEM12, spec.READ02, spec.IDEM17, spec.IDEM23},
			step: func(b *Broker, _ *spec.State, d *spec.Decision) {
				if d.By(spec.IDEM17) {
					log := &b.s.Leaders[d.Partition].Log
					for _, batch := range *log {
						if batch.Kind == spec.Data {
							*log = append(*log, batch)
							return
						}
					}
				}
			}},
		{Name: "refused-appended", About: "a batch that is refused for its sequence is appended all the same", Rules: []spec.Rule{spec.IDEM12, spec.READ02, spec.IDEM23},
			step: func(b *Broker, before *spec.State, d *spec.Decision) {
				if d.Answered && d.Code == spec.OutOfOrderSequence && d.Step.Kind == spec.Handle {
					r := &before.Inbox[d.Step.Index].Request
					b.s.Leaders[r.Partition].Log = append(b.s.Leaders[r.Partition].Log, spec.Batch{ProducerID: r.ProducerID, Epoch: r.Epoch,
						Sequence: r.Sequence, Count: r.Count, Transactional: r.Transactional, Data: r.Data})
				}
			}},
		{Name: "reload-forgets", About: "a restart forgets the transactional ids", Rules: []spec.Rule{spec.ADM02, spec.FO11, spec.ADD04, spec.END13, spec.END30, spec.INIT25, spec.INIT26, spec.INIT27, spec.END20, spec.END14, spec.ADD08},
			step: func(b *Broker, _ *spec.State, d *spec.Decision) {
				if d.Step.Kind == spec.Reload {
					for i := range b.s.Coordinator.Txns {
						b.s.Coordinator.Txns[i] = spec.Txn{Log: b.s.Coordinator.Txns[i].Log}
					}
				}
			}},
		{Name: "restart-remembers", About: "a restart keeps all cached batches", Rules: []spec.Rule{spec.IDEM23, spec.IDEM35, spec.FO03, spec.IDEM15},
			step: func(b *Broker, before *spec.State, d *spec.Decision) {
				if d.Step.Kind == spec.RestartLeaders {
					for i := range b.s.Leaders {
						b.s.Leaders[i].Producers = slices.Clone(before.Leaders[i].Producers)
					}
				}
			}},
	}
}

// undo takes back what a handled request did and answers NONE.
func (b *Broker) undo(before *spec.State, d *spec.Decision) {
	a := before.Inbox[d.Step.Index]
	m := before.Coordinator.Txns[d.Txn].Memory
	b.s.Copy(before)
	b.s.Inbox = slices.Delete(b.s.Inbox, int(d.Step.Index), int(d.Step.Index)+1)
	answer := spec.Answer{Conn: a.Conn, API: spec.EndTxn, ProducerID: spec.NoProducer, Epoch: spec.NoEpoch, Coordinator: true}
	if a.Request.Version >= 5 {
		answer.ProducerID, answer.Epoch = m.ProducerID, m.Epoch+1
	}
	b.s.Answers = append(b.s.Answers, answer)
	d.Logged = spec.NoStatus
}

// change changes the record that was just logged, and what memory becomes.
func (b *Broker) change(d *spec.Decision, change func(*spec.Metadata)) {
	t := &b.s.Coordinator.Txns[d.Txn]
	change(&t.Pending.Next)
	change(&t.Log[len(t.Log)-1])
}

// wrongMarkers change the marker that was just appended.
func wrongMarkers() []Mutation {
	marker := func(name, about string, rules []spec.Rule, kind spec.BatchKind, change func(b *Broker, before *spec.State, d *spec.Decision)) Mutation {
		return Mutation{Name: name, About: about, Rules: rules, step: func(b *Broker, before *spec.State, d *spec.Decision) {
			if !d.Appended {
				return
			}
			log := b.s.Leaders[d.Partition].Log
			if log[len(log)-1].Kind == kind {
				change(b, before, d)
			}
		}}
	}
	remove := func(b *Broker, _ *spec.State, d *spec.Decision) {
		l := &b.s.Leaders[d.Partition]
		l.Log = l.Log[:len(l.Log)-1]
	}
	last := func(b *Broker, d *spec.Decision) *spec.Batch {
		log := b.s.Leaders[d.Partition].Log
		return &log[len(log)-1]
	}
	return []Mutation{
		marker("no-commit-marker", "the marker of a commit is missing", []spec.Rule{spec.MARK17, spec.READ02, spec.IDEM25, spec.IDEM23, spec.READ12, spec.MARK13, spec.IDEM30}, spec.CommitMarker, remove),
		marker("no-abort-marker", "the marker of an abort is missing", []spec.Rule{spec.MARK17, spec.READ02, spec.IDEM25, spec.IDEM23, spec.READ12, spec.MARK13, spec.IDEM30}, spec.AbortMarker, remove),
		marker("marker-epoch", "the marker has the epoch before its own", []spec.Rule{spec.MARK40}, spec.CommitMarker, func(b *Broker, _ *spec.State, d *spec.Decision) { last(b, d).Epoch-- }),
		marker("marker-direction", "the marker of a commit says ABORT", []spec.Rule{spec.MARK17}, spec.CommitMarker, func(b *Broker, _ *spec.State, d *spec.Decision) { last(b, d).Kind = spec.AbortMarker }),
		marker("marker-coordinator-epoch", "the marker's coordinator epoch is not that of its coordinator", []spec.Rule{spec.MARK40, spec.MARK13}, spec.CommitMarker, func(b *Broker, _ *spec.State, d *spec.Decision) { last(b, d).CoordinatorEpoch += 5 }),
		marker("marker-twice", "the marker of an abort is written twice", []spec.Rule{spec.IDEM12, spec.READ02, spec.MARK17, spec.IDEM23, spec.IDEM25, spec.READ12}, spec.AbortMarker, func(b *Broker, _ *spec.State, d *spec.Decision) {
			l := &b.s.Leaders[d.Partition]
			l.Log = append(l.Log, *last(b, d))
		}),
		marker("marker-leaves-open", "a marker of an abort leaves the transaction open: the LSO stays", []spec.Rule{spec.LSO01, spec.ADM01, spec.READ01, spec.IDEM12, spec.MARK17}, spec.AbortMarker, func(b *Broker, before *spec.State, d *spec.Decision) {
			l, was := &b.s.Leaders[d.Partition], &before.Leaders[d.Partition]
			for i := range l.Producers {
				for j := range was.Producers {
					if was.Producers[j].ID == l.Producers[i].ID {
						l.Producers[i].Open = was.Producers[j].Open
					}
				}
			}
		}),
		marker("sequence-not-reset", "a marker that raises the epoch leaves the batches cached", []spec.Rule{spec.ADM01, spec.MARK13, spec.IDEM23, spec.IDEM40}, spec.CommitMarker, func(b *Broker, before *spec.State, d *spec.Decision) {
			l, was := &b.s.Leaders[d.Partition], &before.Leaders[d.Partition]
			for i := range l.Producers {
				for j := range was.Producers {
					if was.Producers[j].ID == l.Producers[i].ID && l.Producers[i].Cached == 0 {
						l.Producers[i].Batches, l.Producers[i].Cached = was.Producers[j].Batches, was.Producers[j].Cached
					}
				}
			}
		}),
		marker("index-entry-missing", "an abort leaves no entry in the transaction index", []spec.Rule{spec.READ04}, spec.AbortMarker, func(b *Broker, before *spec.State, d *spec.Decision) {
			b.s.Leaders[d.Partition].Aborted = slices.Clone(before.Leaders[d.Partition].Aborted)
		}),
	}
}

// wrongReads change what a Fetch or a ListOffsets shows.
func wrongReads() []Mutation {
	fetched := func(name, about string, rules []spec.Rule, change func(l *spec.Leader, isolation spec.Isolation, f *spec.Fetched)) Mutation {
		return Mutation{Name: name, About: about, Rules: rules, fetched: func(b *Broker, partition int, isolation spec.Isolation, f *spec.Fetched) {
			change(&b.s.Leaders[partition], isolation, f)
		}}
	}
	return []Mutation{
		fetched("high-watermark", "Fetch shows a high watermark that is one too high", []spec.Rule{spec.READ02}, func(_ *spec.Leader, _ spec.Isolation, f *spec.Fetched) { f.HighWatermark++ }),
		fetched("last-stable-offset", "Fetch shows the high watermark as last stable offset", []spec.Rule{spec.LSO01}, func(_ *spec.Leader, _ spec.Isolation, f *spec.Fetched) { f.LastStable = f.HighWatermark }),
		fetched("beyond-last-stable", "read_committed reads beyond the last stable offset", []spec.Rule{spec.READ01}, func(l *spec.Leader, isolation spec.Isolation, f *spec.Fetched) {
			if isolation == spec.ReadCommitted {
				if all, ok := l.Fetch(0, spec.ReadUncommitted); ok {
					f.Batches = all.Batches
				}
			}
		}),
		fetched("aborted-first-offset", "the aborted list has a first offset that is one too high", []spec.Rule{spec.READ04}, func(_ *spec.Leader, _ spec.Isolation, f *spec.Fetched) {
			for i := range f.Aborted {
				f.Aborted[i].FirstOffset++
			}
		}),
		fetched("aborted-uncommitted", "read_uncommitted gets an aborted list", []spec.Rule{spec.READ02}, func(_ *spec.Leader, _ spec.Isolation, f *spec.Fetched) {
			if f.Aborted == nil {
				f.Aborted = []spec.AbortedTxn{{ProducerID: 0}}
			}
		}),
		fetched("aborted-removed", "read_committed is spared the batches of aborted transactions", []spec.Rule{spec.IDEM12, spec.READ01}, func(_ *spec.Leader, isolation spec.Isolation, f *spec.Fetched) {
			if isolation == spec.ReadCommitted {
				f.Batches = slices.DeleteFunc(f.Batches, func(a spec.At) bool {
					return slices.ContainsFunc(f.Aborted, func(x spec.AbortedTxn) bool { return x.ProducerID == a.ProducerID && a.Kind == spec.Data })
				})
			}
		}),
		{Name: "latest-committed", About: "ListOffsets gives read_committed the high watermark", Rules: []spec.Rule{spec.LSO01},
			latest: func(b *Broker, partition int, _ spec.Isolation, _ int64) int64 {
				return b.s.Leaders[partition].HighWatermark()
			}},
		{Name: "latest-uncommitted", About: "ListOffsets gives read_uncommitted the last stable offset", Rules: []spec.Rule{spec.READ12},
			latest: func(b *Broker, partition int, _ spec.Isolation, _ int64) int64 {
				return b.s.Leaders[partition].LastStable()
			}},
	}
}
