package broker_test

import (
	"context"
	"fmt"
	"testing"
	"time"

	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kmsg"

	"github.com/onceproof/onceproof/harness/broker"
	"github.com/onceproof/onceproof/harness/wire"
)

// producer is a transactional producer without any cleverness.
type producer struct {
	t     *testing.T
	conn  broker.Conn
	topic string
	tid   string
	tv    int16
	id    int64
	epoch int16
	next  int32 // sequence
}

func open(t *testing.T, target string) broker.Broker {
	t.Helper()
	parsed, err := broker.Parse(target)
	if err != nil {
		t.Fatal(err)
	}
	start := time.Now()
	b, err := broker.Open(t.Context(), parsed, broker.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Logf("%s is ready after %.1f s", b.Name(), time.Since(start).Seconds())
	t.Cleanup(func() {
		if err := b.Close(context.Background()); err != nil {
			t.Error(err)
		}
	})
	return b
}

func dial(t *testing.T, b broker.Broker) broker.Conn {
	t.Helper()
	c, err := b.Dial(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = c.Close() })
	return c
}

// do sends a request and gives its answer as the type that belongs to it.
func do[R kmsg.Response](t *testing.T, c broker.Conn, req kmsg.Request) R {
	t.Helper()
	x, err := c.Do(t.Context(), req)
	if err != nil {
		t.Fatal(err)
	}
	return x.Response.(R)
}

func wantNone(t *testing.T, what string, code int16) {
	t.Helper()
	if code != 0 {
		t.Fatalf("%s: expected NONE, got %v", what, kerr.ErrorForCode(code))
	}
}

func newProducer(t *testing.T, b broker.Broker, tid string) *producer {
	t.Helper()
	v, err := b.Versions(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	p := &producer{t: t, conn: dial(t, b), topic: tid + "-topic", tid: tid, tv: v.TransactionVersion}
	if err := b.CreateTopic(t.Context(), p.topic, 1); err != nil {
		t.Fatal(err)
	}
	p.init(time.Minute)
	return p
}

func (p *producer) init(timeout time.Duration) {
	p.t.Helper()
	req := kmsg.NewPtrInitProducerIDRequest()
	req.Version, req.TransactionalID, req.TransactionTimeoutMillis = 5, &p.tid, int32(timeout.Milliseconds())
	req.ProducerID, req.ProducerEpoch = -1, -1
	p.untilNone("InitProducerId", func() int16 {
		resp := do[*kmsg.InitProducerIDResponse](p.t, p.conn, req)
		p.id, p.epoch, p.next = resp.ProducerID, resp.ProducerEpoch, 0
		return resp.ErrorCode
	})
}

// produce adds the partition if this transaction.version wants that of the
// client, and writes one batch.
func (p *producer) produce(values ...string) int64 {
	p.t.Helper()
	version := int16(12)
	if p.tv < 2 {
		version = 11
		p.addPartition()
	}
	b := wire.Batch{ProducerID: p.id, ProducerEpoch: p.epoch, BaseSequence: p.next, Transactional: true}
	for _, v := range values {
		b.Records = append(b.Records, []byte(v))
	}
	var offset int64
	p.untilNone("Produce", func() int16 {
		resp := do[*kmsg.ProduceResponse](p.t, p.conn, produceRequest(version, &p.tid, p.topic, b))
		offset = resp.Topics[0].Partitions[0].BaseOffset
		return resp.Topics[0].Partitions[0].ErrorCode
	})
	p.next += int32(len(values))
	return offset
}

// untilNone repeats a request while the transaction before is still ending: for a moment after its marker is in the
// log, and after a restart for as long as the coordinator takes to abort what it found open.
func (p *producer) untilNone(what string, try func() int16) {
	p.t.Helper()
	deadline := time.Now().Add(10 * time.Second)
	code := try()
	for code == kerr.ConcurrentTransactions.Code && time.Now().Before(deadline) {
		code = try()
	}
	wantNone(p.t, what, code)
}

func produceRequest(version int16, tid *string, topic string, batches ...wire.Batch) *kmsg.ProduceRequest {
	req := kmsg.NewPtrProduceRequest()
	req.Version, req.TransactionID, req.Acks, req.TimeoutMillis = version, tid, -1, 5000
	part := kmsg.NewProduceRequestTopicPartition()
	for _, b := range batches {
		part.Records = append(part.Records, b.Encode()...)
	}
	topicReq := kmsg.NewProduceRequestTopic()
	topicReq.Topic, topicReq.Partitions = topic, append(topicReq.Partitions, part)
	req.Topics = append(req.Topics, topicReq)
	return req
}

func (p *producer) addPartition() {
	p.t.Helper()
	req := kmsg.NewPtrAddPartitionsToTxnRequest()
	req.Version, req.TransactionalID, req.ProducerID, req.ProducerEpoch = 3, p.tid, p.id, p.epoch
	topic := kmsg.NewAddPartitionsToTxnRequestTopic()
	topic.Topic, topic.Partitions = p.topic, []int32{0}
	req.Topics = append(req.Topics, topic)
	p.untilNone("AddPartitionsToTxn", func() int16 {
		return do[*kmsg.AddPartitionsToTxnResponse](p.t, p.conn, req).Topics[0].Partitions[0].ErrorCode
	})
}

func (p *producer) end(commit bool) {
	p.t.Helper()
	req := kmsg.NewPtrEndTxnRequest()
	req.Version, req.TransactionalID, req.ProducerID, req.ProducerEpoch, req.Commit = 4, p.tid, p.id, p.epoch, commit
	if p.tv >= 2 {
		req.Version = 5
	}
	var resp *kmsg.EndTxnResponse
	p.untilNone("EndTxn", func() int16 {
		resp = do[*kmsg.EndTxnResponse](p.t, p.conn, req)
		return resp.ErrorCode
	})
	if p.tv >= 2 {
		p.id, p.epoch, p.next = resp.ProducerID, resp.ProducerEpoch, 0
	}
}

// log reads the topic until the marker of the last transaction is in it.
func (p *producer) log(markers int) []wire.RecordBatch {
	p.t.Helper()
	for deadline := time.Now().Add(10 * time.Second); ; {
		f, err := broker.ReadLog(p.t.Context(), p.conn, p.topic, 0, 0, broker.ReadUncommitted)
		if err != nil {
			p.t.Fatal(err)
		}
		seen := 0
		for _, b := range f.Batches {
			if b.Marker != nil {
				seen++
			}
		}
		if seen >= markers || time.Now().After(deadline) {
			return f.Batches
		}
	}
}

// describe writes a log as one line per batch.
func describe(batches []wire.RecordBatch) []string {
	var out []string
	for _, b := range batches {
		what := fmt.Sprintf("%d records from sequence %d", len(b.Records), b.BaseSequence)
		if b.Marker != nil {
			what = fmt.Sprintf("%s key %d value %d", b.Marker.Type, b.Marker.KeyLength, b.Marker.ValueLength)
		}
		out = append(out, fmt.Sprintf("%d-%d epoch %d: %s", b.BaseOffset, b.LastOffset(), b.ProducerEpoch, what))
	}
	return out
}

// commitAndAbort commits one transaction and aborts another, and demands the
// log that Kafka writes for that.
func commitAndAbort(t *testing.T, b broker.Broker, tid string, fake bool) *producer {
	t.Helper()
	p := newProducer(t, b, tid)
	p.produce("c1", "c2")
	p.end(true)
	p.produce("a1")
	p.end(false)
	bump, next := int16(0), int32(2)
	if p.tv >= 2 {
		bump, next = 1, 0
	}
	markerBump := bump
	if fake {
		markerBump = 0 // kfake's markers have the epoch of the data
	}
	want := []string{
		"0-1 epoch 0: 2 records from sequence 0",
		fmt.Sprintf("2-2 epoch %d: COMMIT key 4 value 6", markerBump),
		fmt.Sprintf("3-3 epoch %d: 1 records from sequence %d", bump, next),
		fmt.Sprintf("4-4 epoch %d: ABORT key 4 value 6", bump+markerBump),
	}
	if got := describe(p.log(2)); fmt.Sprint(got) != fmt.Sprint(want) {
		t.Fatalf("log of %s at transaction.version %d: expected\n%q, got\n%q", b.Name(), p.tv, want, got)
	}
	return p
}
