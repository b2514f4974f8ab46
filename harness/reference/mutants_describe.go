package reference

import (
	"github.com/twmb/franz-go/pkg/kmsg"

	"github.com/onceproof/onceproof/spec"
)

// wrongDescriptions change what the Describe and List requests show.
func wrongDescriptions() []Mutation {
	described := func(name, about string, change func(m *spec.Metadata)) Mutation {
		return Mutation{Name: name, About: about, Rules: []spec.Rule{spec.ADM02, spec.INIT39}, described: func(_ *Broker, m *spec.Metadata) { change(m) }}
	}
	producers := func(name, about string, rules []spec.Rule, change func(v *spec.ProducerView)) Mutation {
		return Mutation{Name: name, About: about, Rules: rules, producers: func(_ *Broker, _ int, views []spec.ProducerView) []spec.ProducerView {
			for i := range views {
				change(&views[i])
			}
			return views
		}}
	}
	return []Mutation{
		described("describe-state", "DescribeTransactions shows a completed commit as Empty", func(m *spec.Metadata) {
			if m.Status == spec.CompleteCommit {
				m.Status = spec.Empty
			}
		}),
		described("describe-epoch", "DescribeTransactions shows the next epoch", func(m *spec.Metadata) { m.Epoch++ }),
		described("describe-partitions", "DescribeTransactions shows no partitions", func(m *spec.Metadata) { m.Partitions = 0 }),
		described("describe-timeout", "DescribeTransactions shows a timeout that nobody asked for", func(m *spec.Metadata) { m.TimeoutMs = 1 }),
		{Name: "list-omits", About: "ListTransactions omits the open transactions", Rules: []spec.Rule{spec.ADM04},
			listed: func(resp *kmsg.ListTransactionsResponse) {
				var kept []kmsg.ListTransactionsResponseTransactionState
				for _, t := range resp.TransactionStates {
					if t.TransactionState != "Ongoing" {
						kept = append(kept, t)
					}
				}
				resp.TransactionStates = kept
			}},
		producers("producers-start", "DescribeProducers shows no open transaction", []spec.Rule{spec.ADM01}, func(v *spec.ProducerView) { v.TxnStart = -1 }),
		producers("producers-sequence", "DescribeProducers shows the next sequence", []spec.Rule{spec.ADM01}, func(v *spec.ProducerView) { v.LastSequence++ }),
		producers("producers-epoch", "DescribeProducers shows the next epoch", []spec.Rule{spec.MARK13}, func(v *spec.ProducerView) { v.Epoch++ }),
		{Name: "producers-omitted", About: "DescribeProducers omits producers without an open transaction", Rules: []spec.Rule{spec.ADM01},
			producers: func(_ *Broker, _ int, views []spec.ProducerView) []spec.ProducerView {
				var kept []spec.ProducerView
				for _, v := range views {
					if v.TxnStart >= 0 {
						kept = append(kept, v)
					}
				}
				return kept
			}},
	}
}
