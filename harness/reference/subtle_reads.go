package reference

import (
	"slices"

	"github.com/twmb/franz-go/pkg/kmsg"

	"github.com/onceproof/onceproof/spec"
)

// subtleReads show something wrong in one case of several, or in a field that
// few look at.
func subtleReads() []Mutation {
	fetched := func(name, about string, rules []spec.Rule, isolation spec.Isolation, change func(l *spec.Leader, f *spec.Fetched)) Mutation {
		return Mutation{Name: name, About: about, Rules: rules, fetched: func(b *Broker, partition int, i spec.Isolation, f *spec.Fetched) {
			if i == isolation {
				change(&b.s.Leaders[partition], f)
			}
		}}
	}
	partition := func(name, about string, rules []spec.Rule, change func(p *kmsg.FetchResponseTopicPartition)) Mutation {
		return Mutation{Name: name, About: about, Rules: rules, reply: func(_ *Broker, req kmsg.Request, resp kmsg.Response) {
			r, ok := resp.(*kmsg.FetchResponse)
			if !ok {
				return
			}
			for i := range r.Topics {
				for j := range r.Topics[i].Partitions {
					if r.Topics[i].Topic != stateTopic {
						change(&r.Topics[i].Partitions[j])
					}
				}
			}
		}}
	}
	described := func(name, about string, change func(s *kmsg.DescribeTransactionsResponseTransactionState)) Mutation {
		return Mutation{Name: name, About: about, Rules: []spec.Rule{spec.ADM02}, reply: func(_ *Broker, _ kmsg.Request, resp kmsg.Response) {
			if r, ok := resp.(*kmsg.DescribeTransactionsResponse); ok {
				for i := range r.TransactionStates {
					change(&r.TransactionStates[i])
				}
			}
		}}
	}
	listed := func(name, about string, change func(r *kmsg.ListTransactionsResponse)) Mutation {
		return Mutation{Name: name, About: about, Rules: []spec.Rule{spec.ADM04, spec.ADM03}, listed: change}
	}
	producers := func(name, about string, rules []spec.Rule, change func(views []spec.ProducerView) []spec.ProducerView) Mutation {
		return Mutation{Name: name, About: about, Rules: rules, producers: func(_ *Broker, _ int, views []spec.ProducerView) []spec.ProducerView { return change(views) }}
	}
	return []Mutation{
		fetched("committed-base-offset", "read_committed gets the last batch at an offset that is one too high", []spec.Rule{spec.IDEM12, spec.MARK17}, spec.ReadCommitted, func(_ *spec.Leader, f *spec.Fetched) {
			if n := len(f.Batches); n > 0 {
				f.Batches[n-1].Offset++
			}
		}),
		fetched("committed-without-markers", "read_committed gets no markers", []spec.Rule{spec.MARK17, spec.IDEM12}, spec.ReadCommitted, func(_ *spec.Leader, f *spec.Fetched) {
			f.Batches = slices.DeleteFunc(f.Batches, func(a spec.At) bool { return a.Kind != spec.Data })
		}),
		fetched("stable-moves-back", "the last stable offset of an open transaction is one too low", []spec.Rule{spec.LSO01}, spec.ReadCommitted, func(_ *spec.Leader, f *spec.Fetched) {
			if f.LastStable < f.HighWatermark && f.LastStable > 0 {
				f.LastStable--
			}
		}),
		fetched("aborted-by-first-offset", "the aborted list is in the order of first offsets", []spec.Rule{spec.READ04}, spec.ReadCommitted, func(_ *spec.Leader, f *spec.Fetched) {
			slices.SortFunc(f.Aborted, func(x, y spec.AbortedTxn) int { return int(x.FirstOffset - y.FirstOffset) })
		}),
		{Name: "aborted-from-offset", About: "the aborted list leaves out what began before the fetch offset", Rules: []spec.Rule{spec.READ04},
			reply: func(_ *Broker, req kmsg.Request, resp kmsg.Response) {
				if r, ok := resp.(*kmsg.FetchResponse); ok {
					from := req.(*kmsg.FetchRequest).Topics[0].Partitions[0].FetchOffset
					p := &r.Topics[0].Partitions[0]
					p.AbortedTransactions = slices.DeleteFunc(p.AbortedTransactions, func(a kmsg.FetchResponseTopicPartitionAbortedTransaction) bool { return a.FirstOffset < from })
				}
			}},
		fetched("aborted-too-many", "the aborted list names a committed transaction too", []spec.Rule{spec.READ04}, spec.ReadCommitted, func(_ *spec.Leader, f *spec.Fetched) {
			for _, b := range f.Batches {
				if b.Kind == spec.CommitMarker {
					f.Aborted = append(f.Aborted, spec.AbortedTxn{ProducerID: b.ProducerID, FirstOffset: b.Offset})
				}
			}
		}),
		partition("fetch-log-start", "Fetch shows the last stable offset as the start of the log", []spec.Rule{spec.READ02}, func(p *kmsg.FetchResponseTopicPartition) { p.LogStartOffset = p.LastStableOffset }),
		partition("out-of-range-bounds", "a Fetch out of range shows the bounds of the log", []spec.Rule{spec.READ14}, func(p *kmsg.FetchResponseTopicPartition) {
			if p.ErrorCode == offsetOutOfRange {
				p.ErrorCode = 0
				p.HighWatermark, p.LastStableOffset = 2, 0
			}
		}),
		described("describe-start", "DescribeTransactions shows no start of an open transaction", func(s *kmsg.DescribeTransactionsResponseTransactionState) { s.StartTimestamp = noTime }),
		described("describe-start-always", "DescribeTransactions shows a start where nothing was ever open", func(s *kmsg.DescribeTransactionsResponseTransactionState) {
			if s.ErrorCode == 0 && s.StartTimestamp == noTime {
				s.StartTimestamp = 1
			}
		}),
		described("describe-other", "DescribeTransactions answers under another transactional id", func(s *kmsg.DescribeTransactionsResponseTransactionState) { s.TransactionalID += "x" }),
		described("describe-unknown", "DescribeTransactions shows an unknown id as Empty", func(s *kmsg.DescribeTransactionsResponseTransactionState) {
			if s.ErrorCode == int16(spec.TxnIDNotFound) {
				s.ErrorCode, s.State = 0, "Empty"
			}
		}),
		described("describe-foreign-partition", "DescribeTransactions shows a partition of another topic", func(s *kmsg.DescribeTransactionsResponseTransactionState) {
			if s.State == "Ongoing" {
				t := kmsg.NewDescribeTransactionsResponseTransactionStateTopic()
				t.Topic, t.Partitions = "elsewhere", []int32{0}
				s.Topics = append(s.Topics, t)
			}
		}),
		described("describe-keeps-marked", "DescribeTransactions shows the partitions of a transaction that is complete", func(s *kmsg.DescribeTransactionsResponseTransactionState) {
			if s.State == "CompleteCommit" {
				t := kmsg.NewDescribeTransactionsResponseTransactionStateTopic()
				t.Topic, t.Partitions = "elsewhere", []int32{0}
				s.Topics = append(s.Topics, t)
			}
		}),
		listed("list-twice", "ListTransactions lists each id twice", func(r *kmsg.ListTransactionsResponse) {
			r.TransactionStates = append(r.TransactionStates, r.TransactionStates...)
		}),
		listed("list-state", "ListTransactions shows a completed abort as a completed commit", func(r *kmsg.ListTransactionsResponse) {
			for i := range r.TransactionStates {
				if r.TransactionStates[i].TransactionState == "CompleteAbort" {
					r.TransactionStates[i].TransactionState = "CompleteCommit"
				}
			}
		}),
		listed("list-producer", "ListTransactions shows another producer id", func(r *kmsg.ListTransactionsResponse) {
			for i := range r.TransactionStates {
				r.TransactionStates[i].ProducerID++
			}
		}),
		listed("list-unknown-filter", "ListTransactions takes a state that it knows for an unknown one", func(r *kmsg.ListTransactionsResponse) {
			r.UnknownStateFilters = append(r.UnknownStateFilters, "Ongoing")
		}),
		producers("producers-twice", "DescribeProducers shows each producer twice", []spec.Rule{spec.ADM01}, func(views []spec.ProducerView) []spec.ProducerView { return append(views, views...) }),
		producers("producers-coordinator-epoch", "DescribeProducers shows coordinator epoch 0 before any marker", []spec.Rule{spec.MARK13, spec.ADM01}, func(views []spec.ProducerView) []spec.ProducerView {
			for i := range views {
				views[i].CoordinatorEpoch = max(views[i].CoordinatorEpoch, 0)
			}
			return views
		}),
		producers("producers-last-sequence-open", "DescribeProducers shows the first sequence of an open transaction as the last", []spec.Rule{spec.ADM01}, func(views []spec.ProducerView) []spec.ProducerView {
			for i := range views {
				if views[i].TxnStart >= 0 {
					views[i].LastSequence = 0
				}
			}
			return views
		}),
		{Name: "latest-error", About: "ListOffsets for read_committed is one too low while a transaction is open", Rules: []spec.Rule{spec.LSO01, spec.READ12},
			latest: func(b *Broker, partition int, isolation spec.Isolation, offset int64) int64 {
				if isolation == spec.ReadCommitted && offset > 0 && offset < b.s.Leaders[partition].HighWatermark() {
					return offset - 1
				}
				return offset
			}},
	}
}
