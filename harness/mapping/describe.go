package mapping

import (
	"fmt"
	"strings"

	"github.com/twmb/franz-go/pkg/kmsg"

	"github.com/onceproof/onceproof/harness/wire"
)

// Describe writes a request on one line, with what matters of it: "EndTxn v5
// commit, u12-txn, producer 0, epoch 1".
func Describe(req kmsg.Request) string {
	var parts []string
	add := func(format string, args ...any) { parts = append(parts, fmt.Sprintf(format, args...)) }
	switch req := req.(type) {
	case *kmsg.InitProducerIDRequest:
		add("%s", text(req.TransactionalID))
		add("timeout %d ms", req.TransactionTimeoutMillis)
		if req.Version >= 3 && (req.ProducerID != -1 || req.ProducerEpoch != -1) {
			add("producer %d, epoch %d", req.ProducerID, req.ProducerEpoch)
		}
	case *kmsg.EndTxnRequest:
		add("%s", map[bool]string{true: "commit", false: "abort"}[req.Commit])
		add("%s, producer %d, epoch %d", text(&req.TransactionalID), req.ProducerID, req.ProducerEpoch)
	case *kmsg.ProduceRequest:
		for _, t := range req.Topics {
			for _, p := range t.Partitions {
				add("%s-%d %s", t.Topic, p.Partition, describeBatch(p.Records))
			}
		}
		if req.TransactionID != nil {
			add("%s", *req.TransactionID)
		}
		if req.Acks != -1 {
			add("acks %d", req.Acks)
		}
	case *kmsg.AddPartitionsToTxnRequest:
		if req.Version <= 3 {
			add("%s, producer %d, epoch %d", text(&req.TransactionalID), req.ProducerID, req.ProducerEpoch)
		}
		for _, t := range req.Topics {
			add("%s%v", t.Topic, t.Partitions)
		}
		for _, x := range req.Transactions {
			add("%s, producer %d, epoch %d, verify only %t", x.TransactionalID, x.ProducerID, x.ProducerEpoch, x.VerifyOnly)
			for _, t := range x.Topics {
				add("%s%v", t.Topic, t.Partitions)
			}
		}
	case *kmsg.WriteTxnMarkersRequest:
		for _, m := range req.Markers {
			add("%s of producer %d, epoch %d, coordinator epoch %d", map[bool]string{true: "COMMIT", false: "ABORT"}[m.Committed], m.ProducerID, m.ProducerEpoch, m.CoordinatorEpoch)
			for _, t := range m.Topics {
				add("%s%v", t.Topic, t.Partitions)
			}
		}
	case *kmsg.FetchRequest:
		for _, t := range req.Topics {
			for _, p := range t.Partitions {
				add("%s-%d from %d, %s", t.Topic, p.Partition, p.FetchOffset, isolation(req.IsolationLevel))
			}
		}
	case *kmsg.ListOffsetsRequest:
		for _, t := range req.Topics {
			for _, p := range t.Partitions {
				add("%s-%d at %d, %s", t.Topic, p.Partition, p.Timestamp, isolation(req.IsolationLevel))
			}
		}
	case *kmsg.DescribeTransactionsRequest:
		add("%s", strings.Join(req.TransactionalIDs, ", "))
	case *kmsg.DescribeProducersRequest:
		for _, t := range req.Topics {
			add("%s%v", t.Topic, t.Partitions)
		}
	}
	return strings.TrimSpace(wire.Describe(req) + " " + strings.Join(parts, ", "))
}

func text(id *string) string {
	if id == nil {
		return "no transactional id"
	}
	if *id == "" {
		return `transactional id ""`
	}
	return *id
}

func isolation(level int8) string {
	if level == 1 {
		return "read_committed"
	}
	return "read_uncommitted"
}

func describeBatch(set []byte) string {
	batches, _, err := wire.DecodeRecords(set)
	if err != nil || len(batches) != 1 {
		return fmt.Sprintf("%d bytes", len(set))
	}
	b := &batches[0]
	kind := ""
	if b.Transactional() {
		kind = ", transactional"
	}
	return fmt.Sprintf("producer %d, epoch %d, sequence %d..%d%s", b.ProducerID, b.ProducerEpoch, b.BaseSequence, int64(b.BaseSequence)+int64(b.Count)-1, kind)
}
