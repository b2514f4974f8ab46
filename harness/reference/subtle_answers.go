package reference

import (
	"time"

	"github.com/twmb/franz-go/pkg/kmsg"

	"github.com/onceproof/onceproof/spec"
)

// subtleAnswers answer wrongly in one case of several, or with a field that
// most clients do not look at.
func subtleAnswers() []Mutation {
	answered := func(name, about string, rules []spec.Rule, change func(b *Broker, r *spec.Request, a *spec.Answer, d *spec.Decision)) Mutation {
		return Mutation{Name: name, About: about, Rules: rules, answer: change}
	}
	stored := func(b *Broker, r *spec.Request) *spec.Metadata {
		if r.Txn < 0 || int(r.Txn) >= len(b.s.Coordinator.Txns) {
			return nil
		}
		return &b.s.Coordinator.Txns[r.Txn].Memory
	}
	produced := func(name, about string, rules []spec.Rule, change func(b *Broker, p *kmsg.ProduceResponseTopicPartition)) Mutation {
		return Mutation{Name: name, About: about, Rules: rules, reply: func(b *Broker, _ kmsg.Request, resp kmsg.Response) {
			if r, ok := resp.(*kmsg.ProduceResponse); ok {
				for i := range r.Topics {
					for j := range r.Topics[i].Partitions {
						change(b, &r.Topics[i].Partitions[j])
					}
				}
			}
		}}
	}
	return []Mutation{
		answered("older-duplicate-offset", "a duplicate of an older cached batch is answered with the offset of the newest", []spec.Rule{spec.IDEM17}, func(b *Broker, r *spec.Request, a *spec.Answer, d *spec.Decision) {
			if !d.By(spec.IDEM17) {
				return
			}
			for _, p := range b.s.Leaders[r.Partition].Producers {
				if p.ID == r.ProducerID && p.Cached > 0 {
					a.Offset = p.Batches[p.Cached-1].Offset
				}
			}
		}),
		answered("duplicate-refused", "a duplicate is DUPLICATE_SEQUENCE_NUMBER", []spec.Rule{spec.IDEM17}, func(_ *Broker, _ *spec.Request, a *spec.Answer, d *spec.Decision) {
			if d.By(spec.IDEM17) {
				a.Code, a.Offset = 46, spec.NoOffset
			}
		}),
		answered("late-retry-taken", "a repeated EndTxn v5 is taken two transactions later", []spec.Rule{spec.END25, spec.END30}, func(b *Broker, r *spec.Request, a *spec.Answer, d *spec.Decision) {
			if m := stored(b, r); r.API == spec.EndTxn && r.Version >= 5 && a.Code == spec.ProducerFenced && m != nil && r.Epoch == m.Epoch-2 {
				a.Code, a.ProducerID, a.Epoch = spec.None, m.ProducerID, m.Epoch
			}
		}),
		answered("verify-always", "a leader's question is always answered NONE", []spec.Rule{spec.ADD10, spec.ADD11}, func(_ *Broker, r *spec.Request, a *spec.Answer, _ *spec.Decision) {
			if r.API == spec.AddPartitionsToTxn && r.VerifyOnly {
				a.Code, a.Failed = spec.None, 0
			}
		}),
		answered("retry-instead-of-fence", "EndTxn v4 of another epoch hears CONCURRENT_TRANSACTIONS while a decision waits for its markers", []spec.Rule{spec.END13, spec.END10}, func(b *Broker, r *spec.Request, a *spec.Answer, _ *spec.Decision) {
			if m := stored(b, r); r.API == spec.EndTxn && r.Version < 5 && a.Code == spec.ProducerFenced && m != nil && m.Status.Prepared() {
				a.Code = spec.ConcurrentTransactions
			}
		}),
		answered("fence-instead-of-retry", "EndTxn v5 of another epoch hears PRODUCER_FENCED while a decision waits for its markers", []spec.Rule{spec.END29}, func(b *Broker, r *spec.Request, a *spec.Answer, _ *spec.Decision) {
			if m := stored(b, r); r.API == spec.EndTxn && r.Version >= 5 && a.Code == spec.ConcurrentTransactions && m != nil && r.Epoch != m.Epoch && r.Epoch != m.Epoch-1 {
				a.Code = spec.ProducerFenced
			}
		}),
		answered("end-retried-for-ever", "EndTxn v4 in the wrong state hears CONCURRENT_TRANSACTIONS", []spec.Rule{spec.END14}, func(_ *Broker, r *spec.Request, a *spec.Answer, _ *spec.Decision) {
			if r.API == spec.EndTxn && r.Version < 5 && a.Code == spec.InvalidTxnState {
				a.Code = spec.ConcurrentTransactions
			}
		}),
		answered("init-fenced-not-told-to-wait", "InitProducerId while a decision waits for its markers hears PRODUCER_FENCED", []spec.Rule{spec.INIT21}, func(_ *Broker, r *spec.Request, a *spec.Answer, d *spec.Decision) {
			if r.API == spec.InitProducerID && a.Code == spec.ConcurrentTransactions && d.By(spec.INIT21) {
				a.Code = spec.ProducerFenced
			}
		}),
		answered("init-foreign-taken", "InitProducerId takes the identity of another transactional id", []spec.Rule{spec.INIT22}, func(b *Broker, r *spec.Request, a *spec.Answer, d *spec.Decision) {
			if m := stored(b, r); m != nil && d.By(spec.INIT22) && a.Code == spec.ProducerFenced {
				a.Code, a.ProducerID, a.Epoch = spec.None, m.ProducerID, m.Epoch
			}
		}),
		answered("init-higher-taken", "InitProducerId takes an epoch above the stored one", []spec.Rule{spec.INIT28}, func(b *Broker, r *spec.Request, a *spec.Answer, d *spec.Decision) {
			if m := stored(b, r); m != nil && d.By(spec.INIT28) && a.Code == spec.ProducerFenced && r.Epoch > m.Epoch {
				a.Code, a.ProducerID, a.Epoch = spec.None, m.ProducerID, m.Epoch
			}
		}),
		{Name: "init-retry-bumps", About: "a repeated InitProducerId takes yet another epoch", Rules: []spec.Rule{spec.INIT27},
			step: func(b *Broker, _ *spec.State, d *spec.Decision) {
				if d.By(spec.INIT27) && d.Logged == spec.Empty {
					b.change(d, func(m *spec.Metadata) { m.Epoch++ })
				}
			}},
		answered("retry-other-direction", "EndTxn v5 repeated in the other direction is NONE", []spec.Rule{spec.END24, spec.END30, spec.END20}, func(b *Broker, r *spec.Request, a *spec.Answer, _ *spec.Decision) {
			if m := stored(b, r); m != nil && r.API == spec.EndTxn && r.Version >= 5 && a.Code == spec.InvalidTxnState && r.Epoch == m.Epoch-1 {
				a.Code, a.ProducerID, a.Epoch = spec.None, m.ProducerID, m.Epoch
			}
		}),
		answered("known-partition-verified", "one absent partition makes the leader's question fail for the others too", []spec.Rule{spec.ADD10, spec.ADD11}, func(_ *Broker, r *spec.Request, a *spec.Answer, _ *spec.Decision) {
			if r.API == spec.AddPartitionsToTxn && r.VerifyOnly && a.Code == spec.TransactionAbortable {
				a.Failed = r.Partitions
			}
		}),
		{Name: "silence-answered", About: "a Produce with acks=0 is answered", Rules: []spec.Rule{spec.IDEM08}, strays: true},
		{Name: "silence-stays-open", About: "an error with acks=0 leaves the connection open", Rules: []spec.Rule{spec.IDEM08}, lenient: true},
		produced("fresh-append-time", "a batch that is stored is answered with a log append time", []spec.Rule{spec.IDEM18}, func(_ *Broker, p *kmsg.ProduceResponseTopicPartition) {
			if p.ErrorCode == 0 && p.LogAppendTime < 0 {
				p.LogAppendTime = 1
			}
		}),
		produced("duplicate-append-time", "a duplicate is answered with the time of its repetition", []spec.Rule{spec.IDEM18}, func(_ *Broker, p *kmsg.ProduceResponseTopicPartition) {
			if p.ErrorCode == 0 && p.LogAppendTime > 0 {
				p.LogAppendTime += 5
			}
		}),
		produced("produce-log-start", "Produce answers the batch's offset as the start of the log", []spec.Rule{spec.IDEM23, spec.IDEM25, spec.IDEM28, spec.IDEM30, spec.IDEM14, spec.IDEM17}, func(_ *Broker, p *kmsg.ProduceResponseTopicPartition) {
			if p.ErrorCode == 0 {
				p.LogStartOffset = p.BaseOffset
			}
		}),
		{Name: "refusal-with-identity", About: "a refused EndTxn v5 carries the stored identity", Rules: []spec.Rule{spec.END30, spec.END29, spec.END20},
			reply: func(b *Broker, _ kmsg.Request, resp kmsg.Response) {
				if r, ok := resp.(*kmsg.EndTxnResponse); ok && r.ErrorCode != 0 {
					r.ProducerID, r.ProducerEpoch = b.s.Coordinator.Txns[0].Memory.ProducerID, b.s.Coordinator.Txns[0].Memory.Epoch
				}
			}},
		{Name: "init-refusal-with-identity", About: "a refused InitProducerId carries an identity", Rules: []spec.Rule{spec.INIT22, spec.INIT28, spec.INIT08, spec.INIT03, spec.INIT31, spec.INIT21, spec.INIT06, spec.INIT07},
			reply: func(_ *Broker, _ kmsg.Request, resp kmsg.Response) {
				if r, ok := resp.(*kmsg.InitProducerIDResponse); ok && r.ErrorCode != 0 {
					r.ProducerID, r.ProducerEpoch = 0, 0
				}
			}},
		{Name: "answer-for-others", About: "AddPartitionsToTxn answers for a partition that was not asked for", Rules: []spec.Rule{spec.ADD07, spec.ADD08, spec.ADD06, spec.ADD04, spec.ADD10, spec.ADD03, spec.ADD02},
			reply: func(_ *Broker, req kmsg.Request, resp kmsg.Response) {
				if r, ok := resp.(*kmsg.AddPartitionsToTxnResponse); ok && len(r.Topics) > 0 {
					p := kmsg.NewAddPartitionsToTxnResponseTopicPartition()
					p.Partition = 33
					r.Topics[0].Partitions = append(r.Topics[0].Partitions, p)
				}
			}},
		// What is earlier by less than the time between two questions shows by luck alone, and is not among them.
		{Name: "timeout-a-tenth-early", About: "a transaction times out a little early", Rules: []spec.Rule{spec.ADM02, spec.TMO02},
			timeout: func(d time.Duration) time.Duration { return d - 200*time.Millisecond }},
	}
}
