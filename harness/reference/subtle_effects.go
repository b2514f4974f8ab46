package reference

import (
	"github.com/onceproof/onceproof/spec"
)

// acksOne is acks=1, as the spec has it.
const acksOne = 2

// lastAppended is the batch that a step appended.
func (b *Broker) lastAppended(d *spec.Decision) *spec.Batch {
	log := b.s.Leaders[d.Partition].Log
	return &log[len(log)-1]
}

// subtleEffects are mutants whose answers are right, or nearly so: what is
// wrong shows later, or only in one case of several.
func subtleEffects() []Mutation {
	appended := func(name, about string, rules []spec.Rule, change func(b *Broker, d *spec.Decision, batch *spec.Batch)) Mutation {
		return Mutation{Name: name, About: about, Rules: rules, step: func(b *Broker, _ *spec.State, d *spec.Decision) {
			if !d.Appended {
				return
			}
			if batch := b.lastAppended(d); batch.Kind == spec.Data {
				change(b, d, batch)
			}
		}}
	}
	logged := func(name, about string, rules []spec.Rule, when func(d *spec.Decision) bool, change func(m *spec.Metadata)) Mutation {
		return Mutation{Name: name, About: about, Rules: rules, step: func(b *Broker, _ *spec.State, d *spec.Decision) {
			if d.Logged != spec.NoStatus && when(d) {
				b.change(d, change)
			}
		}}
	}
	recorded := func(name, about string, rules []spec.Rule, change func(b *Broker, r *stateRecord)) Mutation {
		return Mutation{Name: name, About: about, Rules: rules, record: func(b *Broker, r *stateRecord) bool { change(b, r); return true }}
	}
	byEnd := func(version int16) func(d *spec.Decision) bool {
		return func(d *spec.Decision) bool {
			return d.Request.API == spec.EndTxn && d.Request.Version == version && d.Logged == spec.PrepareAbort
		}
	}
	return []Mutation{
		appended("stored-other-records", "the second batch of a producer is stored with the records of the first", []spec.Rule{spec.READ01},
			func(b *Broker, d *spec.Decision, batch *spec.Batch) {
				for _, x := range b.s.Leaders[d.Partition].Log {
					if x.Kind == spec.Data && x.ProducerID == batch.ProducerID && x.Count == batch.Count {
						batch.Data = x.Data
						return
					}
				}
			}),
		appended("stored-other-sequence", "a batch is stored with the sequence 0 whatever it came with", []spec.Rule{spec.IDEM12},
			func(_ *Broker, _ *spec.Decision, batch *spec.Batch) { batch.Sequence = min(batch.Sequence, 0) }),
		appended("stored-other-epoch", "a batch of a higher epoch is stored with epoch 0", []spec.Rule{spec.IDEM12},
			func(_ *Broker, _ *spec.Decision, batch *spec.Batch) { batch.Epoch = min(batch.Epoch, 0) }),
		appended("stored-plain", "a transactional batch is stored without the flag", []spec.Rule{spec.IDEM12},
			func(_ *Broker, _ *spec.Decision, batch *spec.Batch) { batch.Transactional = false }),
		appended("acks-one-not-stored", "a batch with acks=1 is acknowledged and its records are lost", []spec.Rule{spec.IDEM12, spec.IDEM07, spec.READ01, spec.IDEM23},
			func(b *Broker, d *spec.Decision, _ *spec.Batch) {
				if p := b.conns[d.Conn]; p != nil && p.request.Acks == acksOne {
					l := &b.s.Leaders[d.Partition]
					l.Log = l.Log[:len(l.Log)-1]
				}
			}),
		{Name: "open-moves", About: "the last stable offset follows the last batch of an open transaction", Rules: []spec.Rule{spec.LSO01, spec.ADM01, spec.READ01},
			step: func(b *Broker, before *spec.State, d *spec.Decision) {
				if !d.Appended || b.lastAppended(d).Kind != spec.Data {
					return
				}
				l := &b.s.Leaders[d.Partition]
				for i := range l.Producers {
					if p := &l.Producers[i]; p.ID == b.lastAppended(d).ProducerID && p.Open != spec.NoOffset {
						p.Open = before.Leaders[d.Partition].LogEnd()
					}
				}
			}},
		logged("abort-no-bump", "EndTxn v5 takes no new epoch for an abort", []spec.Rule{spec.END20, spec.END23, spec.END08, spec.SM02, spec.MARK40, spec.ADM02, spec.END30}, byEnd(5), func(m *spec.Metadata) { m.Epoch-- }),
		logged("v4-abort-bumps", "EndTxn v4 takes a new epoch for an abort, as v5 does", []spec.Rule{spec.END14, spec.SM02, spec.MARK40, spec.ADM02, spec.END13, spec.ADD04, spec.ADD06, spec.END10}, byEnd(4), func(m *spec.Metadata) { m.Epoch++ }),
		{Name: "v4-as-v5", About: "EndTxn v4 follows the rules of v5", Rules: []spec.Rule{spec.END14, spec.END13, spec.SM02, spec.MARK40, spec.END10, spec.END02, spec.ADM02, spec.ADD08},
			request: func(_ *Broker, r *spec.Request) {
				if r.API == spec.EndTxn && r.Version == 4 {
					r.Version = 5
				}
			}},
		{Name: "v5-as-v4", About: "EndTxn v5 follows the rules of v4", Rules: []spec.Rule{spec.END20, spec.END30, spec.END23, spec.END02, spec.END29},
			request: func(_ *Broker, r *spec.Request) {
				if r.API == spec.EndTxn && r.Version == 5 {
					r.Version = 4
				}
			}},
		{Name: "v12-as-v11", About: "Produce v12 does not add its partition", Rules: []spec.Rule{spec.ADD20, spec.IDEM28, spec.IDEM30, spec.VER06, spec.ADD08},
			request: func(_ *Broker, r *spec.Request) {
				if r.API == spec.Produce && r.Version == 12 {
					r.Version = 11
				}
			}},
		{Name: "v11-as-v12", About: "Produce v11 adds its partition as v12 does", Rules: []spec.Rule{spec.VER06, spec.ADM02, spec.ADD08, spec.IDEM35, spec.READ12},
			request: func(_ *Broker, r *spec.Request) {
				if r.API == spec.Produce && r.Version >= 9 {
					r.Version = 12
				}
			}},
		{Name: "plain-in-txn-stored", About: "a plain batch in an open transaction is stored", Rules: []spec.Rule{spec.IDEM44},
			step: func(b *Broker, before *spec.State, d *spec.Decision) {
				if d.Answered && d.By(spec.IDEM44) && d.Step.Kind == spec.Handle {
					r := &before.Inbox[d.Step.Index].Request
					l := &b.s.Leaders[r.Partition]
					for i := range b.s.Answers {
						if a := &b.s.Answers[i]; a.Conn == d.Conn {
							a.Code, a.Offset = spec.None, l.LogEnd()
						}
					}
					l.Log = append(l.Log, spec.Batch{ProducerID: r.ProducerID, Epoch: r.Epoch, Sequence: r.Sequence, Count: r.Count, Data: r.Data})
				}
			}},
		{Name: "init-ids-again", About: "a restart hands out producer ids that were handed out before", Rules: []spec.Rule{spec.INIT05, spec.INIT20, spec.INIT07},
			step: func(b *Broker, _ *spec.State, d *spec.Decision) {
				if d.Step.Kind == spec.Reload {
					b.s.Allocator.Next = 0
				}
			}},
		{Name: "restart-ends-open", About: "a restart forgets that a transaction is open on a partition", Rules: []spec.Rule{spec.LSO01, spec.LSO02, spec.READ12, spec.READ01},
			step: func(b *Broker, _ *spec.State, d *spec.Decision) {
				if d.Step.Kind == spec.RestartLeaders {
					for i := range b.s.Leaders {
						for j := range b.s.Leaders[i].Producers {
							b.s.Leaders[i].Producers[j].Open = spec.NoOffset
						}
					}
				}
			}},
		{Name: "restart-no-markers", About: "a restart completes a decided transaction without its markers", Rules: []spec.Rule{spec.MARK39, spec.ADM02, spec.MARK17, spec.END13, spec.IDEM12},
			hold: func(b *Broker, m *spec.Message) bool { return m.Kind == spec.Marker && b.generation > 0 }},
		recorded("log-previous-id", "the record of an end does not have the previous producer id", []spec.Rule{spec.SM04}, func(_ *Broker, r *stateRecord) {
			if r.metadata.Status.Prepared() {
				r.metadata.PrevProducerID = spec.NoProducer
			}
		}),
		recorded("log-partitions-kept", "the record of a completion still has the partitions", []spec.Rule{spec.SM02}, func(b *Broker, r *stateRecord) {
			if r.metadata.Status == spec.CompleteCommit {
				r.topics = b.topicsOf(&spec.Metadata{Status: spec.Ongoing, Partitions: 1})
			}
		}),
		recorded("log-partitions-null", "the record of a completion has null for its partitions", []spec.Rule{spec.SM02}, func(_ *Broker, r *stateRecord) {
			if r.metadata.Status == spec.CompleteAbort {
				r.topics = nil
			}
		}),
		recorded("log-epoch", "the record of the Prepare state has the epoch before", []spec.Rule{spec.SM02}, func(_ *Broker, r *stateRecord) {
			if r.metadata.Status.Prepared() && r.metadata.Epoch > 0 {
				r.metadata.Epoch--
			}
		}),
		recorded("log-twice", "the record of a completion is written twice", []spec.Rule{spec.SM01, spec.COORD09, spec.SM09, spec.SM02}, func(b *Broker, r *stateRecord) {
			if r.metadata.Status == spec.CompleteCommit {
				b.records = append(b.records, *r)
			}
		}),
		recorded("log-start", "the record of an open transaction has no start time", []spec.Rule{spec.SM01, spec.SM02, spec.SM06}, func(_ *Broker, r *stateRecord) {
			if r.metadata.Status == spec.Ongoing {
				r.start = noTime
			}
		}),
	}
}
