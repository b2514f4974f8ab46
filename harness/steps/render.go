package steps

import (
	"fmt"
	"strings"

	"github.com/twmb/franz-go/pkg/kmsg"

	"github.com/onceproof/onceproof/harness/mapping"
	"github.com/onceproof/onceproof/harness/wire"
)

// String gives an event in one line: connection, request and answer.
func (e *Event) String() string {
	if e.Exchange == nil {
		if e.Conn == 0 {
			return "      -- " + e.Note
		}
		return fmt.Sprintf("  [%d] -- %s", e.Conn, e.Note)
	}
	came := "no answer"
	if e.Exchange.Response != nil {
		came = RenderResponse(e.Exchange.Response)
	} else if !wire.HasResponse(e.Exchange.Request) {
		came = "no answer is due (acks=0)"
	}
	return fmt.Sprintf("  [%d] %s -> %s", e.Conn, mapping.Describe(e.Exchange.Request), came)
}

// RenderResponse gives an answer in one line.
func RenderResponse(resp kmsg.Response) string {
	switch r := resp.(type) {
	case *kmsg.InitProducerIDResponse:
		return fmt.Sprintf("%s, producer %d, epoch %d", codeName(r.ErrorCode), r.ProducerID, r.ProducerEpoch)
	case *kmsg.EndTxnResponse:
		if r.Version >= 5 {
			return fmt.Sprintf("%s, producer %d, epoch %d", codeName(r.ErrorCode), r.ProducerID, r.ProducerEpoch)
		}
		return codeName(r.ErrorCode)
	case *kmsg.ProduceResponse:
		return renderProduce(r)
	case *kmsg.AddPartitionsToTxnResponse, *kmsg.WriteTxnMarkersResponse:
		return renderCodes(r)
	case *kmsg.FetchResponse:
		return renderFetch(r)
	case *kmsg.ListOffsetsResponse:
		var out []string
		for _, t := range r.Topics {
			for _, p := range t.Partitions {
				out = append(out, fmt.Sprintf("%s-%d %s offset %d", t.Topic, p.Partition, codeName(p.ErrorCode), p.Offset))
			}
		}
		return strings.Join(out, ", ")
	}
	return renderDescribed(resp)
}

func renderProduce(r *kmsg.ProduceResponse) string {
	var out []string
	for _, t := range r.Topics {
		for _, p := range t.Partitions {
			text := fmt.Sprintf("%s-%d %s, base offset %d", t.Topic, p.Partition, codeName(p.ErrorCode), p.BaseOffset)
			if p.ErrorMessage != nil {
				text += fmt.Sprintf(" (%s)", *p.ErrorMessage)
			}
			out = append(out, text)
		}
	}
	return strings.Join(out, ", ")
}

// renderCodes is for answers that have a code for each partition and no more.
func renderCodes(resp kmsg.Response) string {
	var out []string
	if r, ok := resp.(*kmsg.AddPartitionsToTxnResponse); ok && r.ErrorCode != 0 {
		out = append(out, codeName(r.ErrorCode))
	}
	eachPartition(resp, func(topic string, partition int32, code int16) {
		out = append(out, fmt.Sprintf("%s-%d %s", topic, partition, codeName(code)))
	})
	if len(out) == 0 {
		return "an answer without partitions"
	}
	return strings.Join(out, ", ")
}

func renderFetch(r *kmsg.FetchResponse) string {
	var out []string
	if r.ErrorCode != 0 {
		out = append(out, codeName(r.ErrorCode))
	}
	for _, t := range r.Topics {
		for _, p := range t.Partitions {
			text := fmt.Sprintf("%s-%d %s, high watermark %d, last stable offset %d", t.Topic, p.Partition, codeName(p.ErrorCode), p.HighWatermark, p.LastStableOffset)
			if p.AbortedTransactions != nil {
				text += ", aborted ["
				for i, a := range p.AbortedTransactions {
					text += fmt.Sprintf("%s%d from %d", strings.Repeat(", ", min(i, 1)), a.ProducerID, a.FirstOffset)
				}
				text += "]"
			}
			out = append(out, text+renderBatches(p.RecordBatches))
		}
	}
	return strings.Join(out, ", ")
}

func renderBatches(set []byte) string {
	batches, _, err := wire.DecodeRecords(set)
	var b strings.Builder
	for i := range batches {
		x := &batches[i]
		fmt.Fprintf(&b, " [%d-%d producer %d epoch %d sequence %d: %s]", x.BaseOffset, x.LastOffset(), x.ProducerID, x.ProducerEpoch, x.BaseSequence, renderBatch(x))
	}
	if err != nil {
		fmt.Fprintf(&b, " and %v", err)
	}
	return b.String()
}

func renderDescribed(resp kmsg.Response) string {
	var out []string
	switch r := resp.(type) {
	case *kmsg.DescribeTransactionsResponse:
		for _, t := range r.TransactionStates {
			out = append(out, fmt.Sprintf("%s %s %s, producer %d, epoch %d, timeout %d ms, partitions [%s]", codeName(t.ErrorCode), t.TransactionalID, t.State, t.ProducerID, t.ProducerEpoch, t.TimeoutMillis, renderOpen(t.Topics)))
		}
	case *kmsg.DescribeProducersResponse:
		for _, t := range r.Topics {
			for _, p := range t.Partitions {
				text := fmt.Sprintf("%s-%d %s", t.Topic, p.Partition, codeName(p.ErrorCode))
				for _, a := range p.ActiveProducers {
					text += fmt.Sprintf(" [producer %d epoch %d last sequence %d coordinator epoch %d transaction start %d]", a.ProducerID, a.ProducerEpoch, a.LastSequence, a.CoordinatorEpoch, a.CurrentTxnStartOffset)
				}
				out = append(out, text)
			}
		}
	case *kmsg.ListTransactionsResponse:
		out = append(out, fmt.Sprintf("%s, %d transactions", codeName(r.ErrorCode), len(r.TransactionStates)))
		for _, t := range r.TransactionStates {
			out = append(out, fmt.Sprintf("%s %s", t.TransactionalID, t.TransactionState))
		}
	case *kmsg.CreateTopicsResponse:
		for _, t := range r.Topics {
			out = append(out, fmt.Sprintf("%s %s", t.Topic, codeName(t.ErrorCode)))
		}
	default:
		return "answered"
	}
	return strings.Join(out, ", ")
}

// renderOpen are the partitions of a transaction.
func renderOpen(topics []kmsg.DescribeTransactionsResponseTransactionStateTopic) string {
	var out []string
	for _, t := range topics {
		for _, p := range t.Partitions {
			out = append(out, fmt.Sprintf("%s-%d", t.Topic, p))
		}
	}
	return strings.Join(out, " ")
}
