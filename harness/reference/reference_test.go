package reference_test

import (
	"testing"

	"github.com/twmb/franz-go/pkg/kmsg"

	"github.com/onceproof/onceproof/harness/broker"
	"github.com/onceproof/onceproof/harness/reference"
	"github.com/onceproof/onceproof/harness/wire"
	"github.com/onceproof/onceproof/spec"
)

func do[R kmsg.Response](t *testing.T, c broker.Conn, req kmsg.Request) R {
	t.Helper()
	x, err := c.Do(t.Context(), req)
	if err != nil {
		t.Fatal(err)
	}
	return x.Response.(R)
}

func initProducer(t *testing.T, c broker.Conn, id *string) *kmsg.InitProducerIDResponse {
	t.Helper()
	req := kmsg.NewPtrInitProducerIDRequest()
	req.Version, req.TransactionalID, req.TransactionTimeoutMillis, req.ProducerID, req.ProducerEpoch = 5, id, 60000, -1, -1
	for {
		resp := do[*kmsg.InitProducerIDResponse](t, c, req)
		if resp.ErrorCode != int16(spec.CoordinatorLoading) {
			return resp
		}
	}
}

func produce(topic string, id *string, b wire.Batch) *kmsg.ProduceRequest {
	req := kmsg.NewPtrProduceRequest()
	req.Version, req.TransactionID, req.Acks, req.TimeoutMillis = 12, id, -1, 5000
	part := kmsg.NewProduceRequestTopicPartition()
	part.Records = b.Encode()
	t := kmsg.NewProduceRequestTopic()
	t.Topic, t.Partitions = topic, append(t.Partitions, part)
	req.Topics = append(req.Topics, t)
	return req
}

// What a client wrote is what it reads, record for record, and the
// coordinator's log can be read like any other partition.
func TestWhatWasWrittenIsRead(t *testing.T) {
	for seed := range uint64(20) {
		b := reference.New(spec.Rules{TransactionVersion: 2, Fixes: spec.AllReleases()[0].Fixes}, seed)
		if err := b.CreateTopic(t.Context(), "topic", 1); err != nil {
			t.Fatal(err)
		}
		c, _ := b.Dial(t.Context())
		id := "u12-txn"
		who := initProducer(t, c, &id)
		r := do[*kmsg.ProduceResponse](t, c, produce("topic", &id, wire.Batch{ProducerID: who.ProducerID, Transactional: true, Records: [][]byte{[]byte("a"), []byte("b")}}))
		if p := r.Topics[0].Partitions[0]; p.ErrorCode != 0 || p.BaseOffset != 0 {
			t.Fatalf("Produce: expected NONE at offset 0, got %d at %d", p.ErrorCode, p.BaseOffset)
		}
		end := kmsg.NewPtrEndTxnRequest()
		end.Version, end.TransactionalID, end.ProducerID, end.Commit = 5, id, who.ProducerID, true
		if e := do[*kmsg.EndTxnResponse](t, c, end); e.ErrorCode != 0 || e.ProducerEpoch != 1 {
			t.Fatalf("EndTxn: expected NONE and epoch 1, got %+v", e)
		}
		b.Settle()
		f, err := broker.ReadLog(t.Context(), c, "topic", 0, 0, broker.ReadCommitted)
		if err != nil {
			t.Fatal(err)
		}
		if len(f.Batches) != 2 || string(f.Batches[0].Records[1].Value) != "b" || f.Batches[1].Marker == nil || f.Batches[1].Marker.Type != wire.Commit {
			t.Fatalf("log: expected a batch of a and b and a COMMIT marker, got %+v", f.Batches)
		}
		log, err := broker.ReadTransactionLog(t.Context(), c, id)
		if err != nil {
			t.Fatal(err)
		}
		var states []string
		for _, r := range log {
			states = append(states, r.Value.State.String())
		}
		if len(states) != 4 || states[3] != "CompleteCommit" || !log[0].NullPartitions() || log[3].NullPartitions() {
			t.Fatalf("transaction log: expected Empty, Ongoing, PrepareCommit, CompleteCommit, got %v", states)
		}
	}
}
