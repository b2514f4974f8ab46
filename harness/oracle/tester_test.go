package oracle_test

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/twmb/franz-go/pkg/kmsg"

	"github.com/onceproof/onceproof/harness/broker"
	"github.com/onceproof/onceproof/harness/oracle"
	"github.com/onceproof/onceproof/harness/wire"
	"github.com/onceproof/onceproof/spec"
)

// tester drives a broker while an oracle watches. It stops at the first error
// of the oracle; everything after is skipped.
type tester struct {
	b     broker.Broker
	o     *oracle.Oracle
	tv    int8
	conns map[string]*watched
	topic string
	sizes []int
	began int64 // the timestamp of all records
	// patience is how often a request is repeated while the answer asks for it.
	patience int
}

type watched struct {
	conn broker.Conn
	id   oracle.ConnID
}

// stop carries an error of the oracle, or of the connection, out of a script.
type stop struct{ err error }

func (c *tester) fail(err error) {
	if err != nil {
		panic(stop{err})
	}
}

// run runs a script and gives the first error.
func (c *tester) run(script func(*tester)) (err error) {
	defer func() {
		if r := recover(); r != nil {
			s, ok := r.(stop)
			if !ok {
				panic(r)
			}
			err = s.err
		}
	}()
	script(c)
	return nil
}

func newTester(b broker.Broker, cfg oracle.Config, topic string, partitions int32) (*tester, error) {
	c := &tester{b: b, o: oracle.New(cfg), tv: cfg.TransactionVersion, conns: map[string]*watched{}, topic: topic, patience: 300, began: time.Now().UnixMilli()}
	err := b.CreateTopic(context.Background(), topic, partitions)
	c.o.TopicCreated(topic, partitions)
	return c, err
}

func (c *tester) conn(name string) *watched {
	w := c.conns[name]
	if w == nil {
		conn, err := c.b.Dial(context.Background())
		c.fail(err)
		w = &watched{conn: conn, id: oracle.ConnID(len(c.conns) + 1)}
		c.conns[name] = w
	}
	return w
}

func (c *tester) now() time.Time {
	if b, ok := c.b.(interface{ Now() time.Time }); ok {
		return b.Now()
	}
	return time.Now()
}

func (c *tester) send(on string, req kmsg.Request) {
	w := c.conn(on)
	c.fail(c.o.Sent(w.id, req, c.now()))
	_, err := w.conn.Send(context.Background(), req)
	c.fail(err)
}

func (c *tester) receive(on string) kmsg.Response {
	w := c.conn(on)
	ctx, cancel := context.WithTimeout(context.Background(), 2*time.Second)
	defer cancel()
	x, err := w.conn.Receive(ctx)
	if errors.Is(err, wire.ErrTimeout) {
		c.fail(c.o.Overdue(w.id))
	}
	c.fail(err)
	c.fail(c.o.Answered(w.id, x.Response, x.Received))
	size, _ := c.o.Belief()
	c.sizes = append(c.sizes, size)
	return x.Response
}

func (c *tester) do(on string, req kmsg.Request) kmsg.Response {
	c.send(on, req)
	return c.receive(on)
}

// lose sends a request and does not read its answer.
func (c *tester) lose(on string, req kmsg.Request) {
	c.send(on, req)
	w := c.conn(on)
	_ = w.conn.Close()
	c.o.Lost(w.id)
	delete(c.conns, on)
	c.conns[fmt.Sprintf("gone %d", w.id)] = w
}

// wait lets so much time pass that a request without an answer is done or will
// not be.
func (c *tester) wait() {
	if b, ok := c.b.(interface{ Pass(time.Duration) }); ok {
		b.Pass(2 * time.Second)
		return
	}
	time.Sleep(1200 * time.Millisecond)
}

// patiently repeats a request while its answer asks for that; when it does not
// end, the broker had time enough to settle.
func (c *tester) patiently(on string, req kmsg.Request, code func(kmsg.Response) int16) kmsg.Response {
	for i := 0; ; i++ {
		resp := c.do(on, req)
		switch spec.Code(code(resp)) {
		case spec.ConcurrentTransactions, spec.CoordinatorLoading, spec.NotEnoughReplicas:
			if i > c.patience {
				c.fail(c.o.Settled())
				c.do(on, req)
				c.fail(fmt.Errorf("%T: never anything but %v", resp, spec.Code(code(resp))))
			}
			c.pause()
			continue
		}
		return resp
	}
}

func (c *tester) pause() {
	if _, ok := c.b.(interface{ Now() time.Time }); !ok {
		time.Sleep(5 * time.Millisecond)
	}
}

// actor is a producer of a script.
type actor struct {
	c        *tester
	on       string
	id       *string
	pid      int64
	epoch    int16
	sequence int32
	styled   int8 // 2 for Produce v12 and EndTxn v5
	timeout  int32
}

func (c *tester) producer(on string, id string) *actor {
	a := &actor{c: c, on: on, id: &id, pid: -1, epoch: -1, styled: c.tv, timeout: 60000}
	if id == "" {
		a.id = nil
	}
	return a
}

func (a *actor) initRequest(pid int64, epoch int16) *kmsg.InitProducerIDRequest {
	req := kmsg.NewPtrInitProducerIDRequest()
	req.Version, req.TransactionalID, req.TransactionTimeoutMillis = 4, a.id, a.timeout
	req.ProducerID, req.ProducerEpoch = pid, epoch
	return req
}

func initCode(r kmsg.Response) int16 { return r.(*kmsg.InitProducerIDResponse).ErrorCode }

func (a *actor) init() *actor {
	r := a.c.patiently(a.on, a.initRequest(-1, -1), initCode).(*kmsg.InitProducerIDResponse)
	if r.ErrorCode == 0 {
		a.pid, a.epoch, a.sequence = r.ProducerID, r.ProducerEpoch, 0
	}
	return a
}

func (a *actor) produceRequest(version int16, partition, sequence int32, transactional bool, values ...string) *kmsg.ProduceRequest {
	b := wire.Batch{ProducerID: a.pid, ProducerEpoch: a.epoch, BaseSequence: sequence, Transactional: transactional, Timestamp: a.c.began}
	for _, v := range values {
		b.Records = append(b.Records, []byte(v))
	}
	req := kmsg.NewPtrProduceRequest()
	req.Version, req.Acks, req.TimeoutMillis = version, -1, 5000
	if transactional {
		req.TransactionID = a.id
	}
	part := kmsg.NewProduceRequestTopicPartition()
	part.Partition, part.Records = partition, b.Encode()
	topic := kmsg.NewProduceRequestTopic()
	topic.Topic, topic.Partitions = a.c.topic, append(topic.Partitions, part)
	req.Topics = append(req.Topics, topic)
	return req
}

func produceCode(r kmsg.Response) int16 {
	return r.(*kmsg.ProduceResponse).Topics[0].Partitions[0].ErrorCode
}

func (a *actor) version() int16 {
	if a.styled >= 2 {
		return 12
	}
	return 11
}

// produce adds the partition where the style wants that, and writes a batch.
func (a *actor) produce(values ...string) spec.Code { return a.produceTo(0, values...) }

func (a *actor) produceTo(partition int32, values ...string) spec.Code {
	if a.styled < 2 && a.id != nil {
		if code := a.add(partition); code != 0 {
			return code
		}
	}
	return a.batch(partition, a.sequence, values...)
}

func (a *actor) batch(partition, sequence int32, values ...string) spec.Code {
	r := a.c.patiently(a.on, a.produceRequest(a.version(), partition, sequence, a.id != nil, values...), produceCode)
	if produceCode(r) == 0 && sequence == a.sequence {
		a.sequence += int32(len(values))
	}
	return spec.Code(produceCode(r))
}

func (a *actor) addRequest(partition int32) *kmsg.AddPartitionsToTxnRequest {
	req := kmsg.NewPtrAddPartitionsToTxnRequest()
	req.Version, req.TransactionalID, req.ProducerID, req.ProducerEpoch = 3, *a.id, a.pid, a.epoch
	t := kmsg.NewAddPartitionsToTxnRequestTopic()
	t.Topic, t.Partitions = a.c.topic, []int32{partition}
	req.Topics = append(req.Topics, t)
	return req
}

func addCode(r kmsg.Response) int16 {
	return r.(*kmsg.AddPartitionsToTxnResponse).Topics[0].Partitions[0].ErrorCode
}

func (a *actor) add(partition int32) spec.Code {
	return spec.Code(addCode(a.c.patiently(a.on, a.addRequest(partition), addCode)))
}

func (a *actor) endRequest(commit bool) *kmsg.EndTxnRequest {
	req := kmsg.NewPtrEndTxnRequest()
	req.Version, req.TransactionalID, req.ProducerID, req.ProducerEpoch, req.Commit = 4, *a.id, a.pid, a.epoch, commit
	if a.styled >= 2 {
		req.Version = 5
	}
	return req
}

func endCode(r kmsg.Response) int16 { return r.(*kmsg.EndTxnResponse).ErrorCode }

func (a *actor) end(commit bool) spec.Code {
	r := a.c.patiently(a.on, a.endRequest(commit), endCode).(*kmsg.EndTxnResponse)
	if r.ErrorCode == 0 && a.styled >= 2 {
		a.pid, a.epoch, a.sequence = r.ProducerID, r.ProducerEpoch, 0
	}
	return spec.Code(r.ErrorCode)
}

// describe asks for the state of a transactional id.
func (c *tester) describe(id string) *kmsg.DescribeTransactionsResponseTransactionState {
	req := kmsg.NewPtrDescribeTransactionsRequest()
	req.TransactionalIDs = []string{id}
	r := c.do("reader", req).(*kmsg.DescribeTransactionsResponse)
	return &r.TransactionStates[0]
}

// completes waits until the coordinator has done with the transaction.
func (c *tester) completes(id string) {
	for i := 0; ; i++ {
		switch c.describe(id).State {
		case "CompleteCommit", "CompleteAbort", "Empty":
			return
		}
		if i > c.patience {
			c.fail(c.o.Settled())
			c.describe(id)
			c.fail(fmt.Errorf("%s never completes", id))
		}
		c.pause()
	}
}

// fetch reads a partition from an offset.
func (c *tester) fetch(partition int32, offset int64, isolation int8) {
	c.fetchTopic(c.topic, partition, offset, isolation)
}

func (c *tester) fetchTopic(topic string, partition int32, offset int64, isolation int8) {
	for {
		f := c.fetchOnce(topic, partition, offset, isolation)
		batches, _, err := wire.DecodeRecords(f.RecordBatches)
		c.fail(err)
		end := f.HighWatermark
		if isolation == 1 {
			end = f.LastStableOffset
		}
		if len(batches) == 0 {
			return
		}
		if offset = batches[len(batches)-1].LastOffset() + 1; offset >= end {
			return
		}
	}
}

func (c *tester) fetchOnce(topic string, partition int32, offset int64, isolation int8) *kmsg.FetchResponseTopicPartition {
	return &c.do("reader", c.fetchRequest(topic, partition, offset, isolation)).(*kmsg.FetchResponse).Topics[0].Partitions[0]
}

func (c *tester) fetchRequest(topic string, partition int32, offset int64, isolation int8) *kmsg.FetchRequest {
	req := kmsg.NewPtrFetchRequest()
	req.Version, req.ReplicaID, req.MaxBytes, req.IsolationLevel, req.SessionEpoch = 12, -1, 32<<20, isolation, -1
	p := kmsg.NewFetchRequestTopicPartition()
	p.Partition, p.FetchOffset, p.PartitionMaxBytes = partition, offset, 32<<20
	p.CurrentLeaderEpoch, p.LastFetchedEpoch, p.LogStartOffset = -1, -1, -1
	t := kmsg.NewFetchRequestTopic()
	t.Topic, t.Partitions = topic, append(t.Partitions, p)
	req.Topics = append(req.Topics, t)
	return req
}

func (c *tester) latest(partition int32, isolation int8) int64 {
	return c.do("reader", c.latestRequest(partition, isolation)).(*kmsg.ListOffsetsResponse).Topics[0].Partitions[0].Offset
}

func (c *tester) latestRequest(partition int32, isolation int8) *kmsg.ListOffsetsRequest {
	req := kmsg.NewPtrListOffsetsRequest()
	req.Version, req.ReplicaID, req.IsolationLevel = 7, -1, isolation
	p := kmsg.NewListOffsetsRequestTopicPartition()
	p.Partition, p.Timestamp, p.CurrentLeaderEpoch = partition, -1, -1
	t := kmsg.NewListOffsetsRequestTopic()
	t.Topic, t.Partitions = c.topic, append(t.Partitions, p)
	req.Topics = append(req.Topics, t)
	return req
}

func (c *tester) producers(partition int32) *kmsg.DescribeProducersResponse {
	return c.do("reader", c.producersRequest(partition)).(*kmsg.DescribeProducersResponse)
}

func (c *tester) producersRequest(partition int32) *kmsg.DescribeProducersRequest {
	req := kmsg.NewPtrDescribeProducersRequest()
	t := kmsg.NewDescribeProducersRequestTopic()
	t.Topic, t.Partitions = c.topic, []int32{partition}
	req.Topics = append(req.Topics, t)
	return req
}

func (c *tester) list() {
	req := kmsg.NewPtrListTransactionsRequest()
	c.do("reader", req)
}

// look reads all there is to read about a partition and a transactional id.
func (c *tester) look(id string, partition int32) {
	c.fetch(partition, 0, 0)
	c.fetch(partition, 0, 1)
	c.latest(partition, 0)
	c.latest(partition, 1)
	c.producers(partition)
	c.list()
	if id == "" {
		return
	}
	c.describe(id)
	meta := kmsg.NewPtrMetadataRequest()
	meta.Version = 9
	topic := kmsg.NewMetadataRequestTopic()
	name := "__transaction_state"
	topic.Topic = &name
	meta.Topics = append(meta.Topics, topic)
	if m := c.do("reader", meta).(*kmsg.MetadataResponse); len(m.Topics) == 1 && m.Topics[0].ErrorCode == 0 {
		c.fetchTopic(name, spec.CoordinatorPartition(id, int32(len(m.Topics[0].Partitions))), 0, 0)
	}
}

func (c *tester) want(what string, have, want spec.Code) {
	if have != want {
		c.fail(fmt.Errorf("%s: expected %v, got %v", what, want, have))
	}
}
