package steps

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/twmb/franz-go/pkg/kmsg"

	"github.com/onceproof/onceproof/harness/broker"
	"github.com/onceproof/onceproof/harness/wire"
	"github.com/onceproof/onceproof/spec"
)

// describeTransaction asks for the coordinator's view of one id.
func (w *World) describeTransaction(ctx context.Context, txn string) (*kmsg.DescribeTransactionsResponseTransactionState, error) {
	c, err := w.conn(ctx)
	if err != nil {
		return nil, err
	}
	req := kmsg.NewPtrDescribeTransactionsRequest()
	name := ""
	if txn != "" {
		name = w.named(txn)
	}
	req.TransactionalIDs = []string{name}
	x, err := c.Do(ctx, req)
	if err != nil {
		return nil, err
	}
	states := x.Response.(*kmsg.DescribeTransactionsResponse).TransactionStates
	if len(states) != 1 {
		return nil, mismatch("one transaction", fmt.Sprintf("%d", len(states)))
	}
	return &states[0], nil
}

// expectTransaction checks DescribeTransactions against a line such as "CompleteCommit, P0, epoch 3, timeout 60000, no
// partitions"; a part that is left out is not checked.
func (w *World) expectTransaction(ctx context.Context, txn, text string) error {
	return w.await(ctx, func() error {
		t, err := w.describeTransaction(ctx, txn)
		if err != nil {
			return err
		}
		for _, want := range strings.Split(text, ", ") {
			if got, err := w.transactionPart(t, want); err != nil {
				if _, ok := err.(*Violation); ok {
					return mismatch("DescribeTransactions: "+want, got)
				}
				return err
			}
		}
		w.showed(spec.ADM02)
		if t.ErrorCode == 0 {
			w.showed(spec.ADM03)
		}
		return nil
	})
}

func (w *World) transactionPart(t *kmsg.DescribeTransactionsResponseTransactionState, want string) (string, error) {
	got := t.State
	kind, rest, _ := strings.Cut(want, " ")
	switch {
	case kind == "epoch":
		got, want = strconv.Itoa(int(t.ProducerEpoch)), rest
	case kind == "timeout":
		got, want = strconv.Itoa(int(t.TimeoutMillis)), rest
	case want == "no partitions", kind == "partitions":
		got, want = w.describedPartitions(t), strings.TrimPrefix(want, "partitions ")
	case strings.HasPrefix(want, "P") && len(want) == 2:
		return w.symbol("P", t.ProducerID), w.bind(want, t.ProducerID)
	case want == strings.ToUpper(want), t.ErrorCode != 0:
		got = codeName(t.ErrorCode)
	}
	return got, same(want, got, got == want)
}

func (w *World) describedPartitions(t *kmsg.DescribeTransactionsResponseTransactionState) string {
	var all []string
	for _, topic := range t.Topics {
		for _, p := range topic.Partitions {
			all = append(all, partition{w.unnamed(topic.Topic), p}.String())
		}
	}
	slices.Sort(all)
	if len(all) == 0 {
		return "no partitions"
	}
	return strings.Join(all, " ")
}

// expectListed checks ListTransactions, asked for the state in which the id must be (ADM-04).
func (w *World) expectListed(ctx context.Context, txn, state string) error {
	return w.await(ctx, func() error {
		c, err := w.conn(ctx)
		if err != nil {
			return err
		}
		req := kmsg.NewPtrListTransactionsRequest()
		req.StateFilters = []string{state}
		x, err := c.Do(ctx, req)
		if err != nil {
			return err
		}
		resp := x.Response.(*kmsg.ListTransactionsResponse)
		for _, t := range resp.TransactionStates {
			if t.TransactionalID == w.named(txn) {
				if t.TransactionState == state {
					w.showed(spec.ADM04, spec.ADM03)
				}
				return same(state, t.TransactionState, t.TransactionState == state)
			}
		}
		return mismatch(fmt.Sprintf("%s listed as %s", txn, state), "it is not in the list")
	})
}

// producers asks for the producers of a partition, in the order of their ids.
func (w *World) producers(ctx context.Context, at partition) ([]kmsg.DescribeProducersResponseTopicPartitionActiveProducer, error) {
	c, err := w.conn(ctx)
	if err != nil {
		return nil, err
	}
	req := kmsg.NewPtrDescribeProducersRequest()
	topic := kmsg.NewDescribeProducersRequestTopic()
	topic.Topic, topic.Partitions = w.named(at.topic), []int32{at.index}
	req.Topics = append(req.Topics, topic)
	x, err := c.Do(ctx, req)
	if err != nil {
		return nil, err
	}
	topics := x.Response.(*kmsg.DescribeProducersResponse).Topics
	if len(topics) != 1 || len(topics[0].Partitions) != 1 {
		return nil, mismatch("producers of "+at.String(), "an answer for other partitions")
	}
	p := &topics[0].Partitions[0]
	if p.ErrorCode != 0 {
		return nil, mismatch("producers", codeName(p.ErrorCode))
	}
	slices.SortFunc(p.ActiveProducers, func(a, b kmsg.DescribeProducersResponseTopicPartitionActiveProducer) int {
		return int(a.ProducerID - b.ProducerID)
	})
	return p.ActiveProducers, nil
}

// expectProducers checks DescribeProducers of a partition against a table.
func (w *World) expectProducers(ctx context.Context, at partition, t table) error {
	return w.await(ctx, func() error {
		active, err := w.producers(ctx, at)
		if err != nil {
			return err
		}
		err = t.compare("the producers of "+at.String(), len(active), func(row int, column, want string) (string, error) {
			return w.producerCell(&active[row], column, want)
		})
		if err == nil {
			w.showed(spec.ADM01)
		}
		return err
	})
}

func (w *World) producerCell(p *kmsg.DescribeProducersResponseTopicPartitionActiveProducer, column, want string) (string, error) {
	var got string
	switch column {
	case "producer":
		return w.symbol("P", p.ProducerID), w.bind(want, p.ProducerID)
	case "epoch":
		got = strconv.Itoa(int(p.ProducerEpoch))
	case "last sequence":
		got = strconv.Itoa(int(p.LastSequence))
	case "coordinator epoch":
		if strings.HasPrefix(want, "C") {
			return w.symbol("C", int64(p.CoordinatorEpoch)), w.bind(want, int64(p.CoordinatorEpoch))
		}
		got = strconv.Itoa(int(p.CoordinatorEpoch))
	case "transaction start":
		got = strconv.FormatInt(p.CurrentTxnStartOffset, 10)
	}
	return got, same(want, got, got == want)
}

// expectTransactionLog checks the records of __transaction_state of an id against a table.
func (w *World) expectTransactionLog(ctx context.Context, txn string, t table) error {
	return w.await(ctx, func() error {
		c, err := w.conn(ctx)
		if err != nil {
			return err
		}
		records, err := broker.ReadTransactionLog(ctx, c, w.named(txn))
		if errors.Is(err, broker.ErrUnsupported) {
			return unjudged(err, "the broker shows no __transaction_state")
		}
		if err != nil {
			return err
		}
		err = t.compare("the transaction log of "+txn, len(records), func(row int, column, want string) (string, error) {
			return w.recordCell(&records[row], column, want)
		})
		if v, ok := err.(*Violation); ok {
			v.Came += "; the log is " + w.renderRecords(records)
		}
		if err == nil {
			w.showedRecords(records)
		}
		return err
	})
}

func (w *World) renderRecords(records []wire.TxnRecord) string {
	var out []string
	for i := range records {
		out = append(out, fmt.Sprintf("%v(%d)", spec.Status(records[i].Value.State), records[i].Value.ProducerEpoch))
	}
	return strings.Join(out, " ")
}

func (w *World) recordCell(r *wire.TxnRecord, column, want string) (string, error) {
	var got string
	switch column {
	case "status":
		got = spec.Status(r.Value.State).String()
	case "producer":
		return w.symbol("P", r.Value.ProducerID), w.bind(want, r.Value.ProducerID)
	case "producerEpoch":
		got = strconv.Itoa(int(r.Value.ProducerEpoch))
	case "lastProducerEpoch":
		// Only a release with KAFKA-20357 writes this field.
		if got = "absent"; r.LastProducerEpoch != nil {
			got = strconv.Itoa(int(*r.LastProducerEpoch))
		}
		if !w.Release.Fixes.Has(spec.Fix20357) && (got == "absent" || !w.Strict) {
			return got, nil
		}
	case "partitions":
		got = w.recordPartitions(r)
	case "clientTransactionVersion":
		got = strconv.Itoa(int(r.Value.ClientTransactionVersion))
	case "value version":
		got = strconv.Itoa(int(r.Value.Version))
	case "timeout":
		got = strconv.Itoa(int(r.Value.TimeoutMillis))
	case "previousProducer":
		return w.symbol("P", r.Value.PreviousProducerID), w.bind(want, r.Value.PreviousProducerID)
	}
	return got, same(want, got, got == want)
}

func (w *World) recordPartitions(r *wire.TxnRecord) string {
	if r.NullPartitions() {
		return "null"
	}
	var all []string
	for _, t := range r.Value.Topics {
		for _, p := range t.Partitions {
			all = append(all, partition{w.unnamed(t.Topic), p}.String())
		}
	}
	if len(all) == 0 {
		return "empty"
	}
	slices.Sort(all)
	return strings.Join(all, " ")
}
