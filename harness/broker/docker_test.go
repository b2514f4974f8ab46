package broker_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"testing"
	"time"

	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kmsg"

	"github.com/onceproof/onceproof/harness/broker"
	"github.com/onceproof/onceproof/harness/broker/brokertest"
	"github.com/onceproof/onceproof/harness/wire"
)

// At each level: what the log and __transaction_state hold after a commit and
// an abort. At level 2 the broker is then crashed and restarted.
func TestKafkaAtEachTransactionVersion(t *testing.T) {
	brokertest.NeedKafka(t)
	leftBehind(t)
	for _, tv := range []int16{2, 1, 0} {
		t.Run(fmt.Sprintf("tv=%d", tv), func(t *testing.T) {
			t.Parallel()
			b := open(t, fmt.Sprintf("docker:%s,tv=%d", brokertest.Image, tv))
			v, err := b.Versions(t.Context())
			if err != nil || v.TransactionVersion != tv {
				t.Fatalf("expected transaction.version %d, got %d (%v)", tv, v.TransactionVersion, err)
			}
			p := commitAndAbort(t, b, "smoke", false)
			want := transactionRecords(tv)
			if got := stateRecords(t, p, len(want)); fmt.Sprint(got) != fmt.Sprint(want) {
				t.Errorf("__transaction_state: expected\n%q, got\n%q", want, got)
			}
			probes(t, p)
			betweenBrokers(t, p)
			timesOut(t, newProducer(t, b, "late"))
			if tv == 2 {
				markersByHand(t, p)
				outlives(t, b, p)
			}
		})
	}
}

// leftBehind makes a network such as a killed run leaves behind, and demands
// that it is gone at the end: each start removes them.
func leftBehind(t *testing.T) {
	t.Helper()
	dead := exec.Command("true")
	host, err := os.Hostname()
	if err := errors.Join(err, dead.Run()); err != nil {
		t.Fatal(err)
	}
	name := fmt.Sprintf("onceproof-left-behind-%d", dead.Process.Pid)
	out, err := exec.Command("docker", "network", "create", "--label", "onceproof=true",
		"--label", fmt.Sprintf("onceproof.owner=%s/%d/1", host, dead.Process.Pid), name).CombinedOutput()
	if err != nil {
		t.Fatalf("docker network create: %v: %s", err, out)
	}
	t.Cleanup(func() {
		if exec.Command("docker", "network", "rm", name).Run() == nil {
			t.Errorf("expected that starting a broker removes %s, which a dead process made; it was still there", name)
		}
	})
}

// transactionRecords is the log of a commit and an abort: state, epoch, whether the list
// of partitions is null, number of topics, previous producer id, version of the client.
func transactionRecords(tv int16) []string {
	bump, version, previous, client := 0, 1, 0, 0
	switch tv {
	case 2:
		bump, client = 1, 2
	case 0:
		version, previous = 0, -1
	}
	line := func(state kmsg.TransactionState, epoch int, null bool, topics, client int) string {
		return fmt.Sprintf("v%d %s epoch %d null %t topics %d previous %d client %d", version, state, epoch, null, topics, previous, client)
	}
	return []string{
		line(kmsg.TransactionStateEmpty, 0, true, 0, 0),
		line(kmsg.TransactionStateOngoing, 0, false, 1, client),
		line(kmsg.TransactionStatePrepareCommit, bump, false, 1, client),
		line(kmsg.TransactionStateCompleteCommit, bump, false, 0, client),
		line(kmsg.TransactionStateOngoing, bump, false, 1, client),
		line(kmsg.TransactionStatePrepareAbort, 2*bump, false, 1, client),
		line(kmsg.TransactionStateCompleteAbort, 2*bump, false, 0, client),
	}
}

// stateRecords reads __transaction_state until there are so many records. The
// producer id of a previous one is written as 0 when it is the current one.
func stateRecords(t *testing.T, p *producer, count int) []string {
	t.Helper()
	var records []wire.TxnRecord
	for deadline := time.Now().Add(10 * time.Second); len(records) < count && time.Now().Before(deadline); {
		var err error
		if records, err = broker.ReadTransactionLog(t.Context(), p.conn, p.tid); err != nil {
			t.Fatal(err)
		}
	}
	var out []string
	for _, r := range records {
		previous := r.Value.PreviousProducerID
		if previous == p.id {
			previous = 0
		}
		out = append(out, fmt.Sprintf("v%d %s epoch %d null %t topics %d previous %d client %d", r.Value.Version, r.Value.State,
			r.Value.ProducerEpoch, r.NullPartitions(), len(r.Value.Topics), previous, r.Value.ClientTransactionVersion))
	}
	return out
}

// probes asks what an observer asks between steps, with a transaction open.
func probes(t *testing.T, p *producer) {
	t.Helper()
	first := p.produce("open")
	describe := kmsg.NewPtrDescribeTransactionsRequest()
	describe.TransactionalIDs = []string{p.tid}
	state := do[*kmsg.DescribeTransactionsResponse](t, p.conn, describe).TransactionStates[0]
	if state.ErrorCode != 0 || state.State != "Ongoing" || state.ProducerID != p.id || state.ProducerEpoch != p.epoch || len(state.Topics) != 1 {
		t.Errorf("DescribeTransactions: expected Ongoing of %d/%d with one topic, got %+v", p.id, p.epoch, state)
	}
	list := kmsg.NewPtrListTransactionsRequest()
	list.StateFilters = []string{"Ongoing"}
	if got := do[*kmsg.ListTransactionsResponse](t, p.conn, list).TransactionStates; len(got) != 1 || got[0].TransactionalID != p.tid {
		t.Errorf("ListTransactions: expected %q, got %+v", p.tid, got)
	}
	producers := kmsg.NewPtrDescribeProducersRequest()
	topic := kmsg.NewDescribeProducersRequestTopic()
	topic.Topic, topic.Partitions = p.topic, []int32{0}
	producers.Topics = append(producers.Topics, topic)
	active := do[*kmsg.DescribeProducersResponse](t, p.conn, producers).Topics[0].Partitions[0]
	if active.ErrorCode != 0 || len(active.ActiveProducers) != 1 || active.ActiveProducers[0].CurrentTxnStartOffset != first {
		t.Errorf("DescribeProducers: expected a transaction open from offset %d, got %+v", first, active)
	}
	f, err := broker.Fetch(t.Context(), p.conn, p.topic, 0, 0, broker.ReadCommitted)
	if err != nil || f.LastStableOffset != first || f.HighWatermark != first+1 || len(f.Aborted) != 1 || f.Aborted[0] != (broker.Aborted{ProducerID: p.id, FirstOffset: 3}) {
		t.Errorf("Fetch: expected last stable offset %d, high watermark %d, one aborted transaction from 3, got %+v (%v)", first, first+1, f, err)
	}
	for isolation, end := range map[int8]int64{broker.ReadUncommitted: first + 1, broker.ReadCommitted: first} {
		offsets := kmsg.NewPtrListOffsetsRequest()
		offsets.Version, offsets.ReplicaID, offsets.IsolationLevel = 7, -1, isolation
		part := kmsg.NewListOffsetsRequestTopicPartition()
		part.Timestamp, part.CurrentLeaderEpoch = -1, -1
		topic := kmsg.NewListOffsetsRequestTopic()
		topic.Topic, topic.Partitions = p.topic, append(topic.Partitions, part)
		offsets.Topics = append(offsets.Topics, topic)
		if got := do[*kmsg.ListOffsetsResponse](t, p.conn, offsets).Topics[0].Partitions[0]; got.ErrorCode != 0 || got.Offset != end {
			t.Errorf("ListOffsets at isolation %d: expected %d, got %+v", isolation, end, got)
		}
	}
	p.end(true)
	p.log(3)
}

// betweenBrokers asks as a partition leader asks the coordinator (v4, several
// transactions at once): is this partition in the transaction? It is not, then
// it is.
func betweenBrokers(t *testing.T, p *producer) {
	t.Helper()
	verify := func() int16 {
		req := kmsg.NewPtrAddPartitionsToTxnRequest()
		req.Version = 4
		topic := kmsg.NewAddPartitionsToTxnRequestTransactionTopic()
		topic.Topic, topic.Partitions = p.topic, []int32{0}
		txn := kmsg.NewAddPartitionsToTxnRequestTransaction()
		txn.TransactionalID, txn.ProducerID, txn.ProducerEpoch, txn.VerifyOnly = p.tid, p.id, p.epoch, true
		txn.Topics = append(txn.Topics, topic)
		req.Transactions = append(req.Transactions, txn)
		resp := do[*kmsg.AddPartitionsToTxnResponse](t, p.conn, req)
		wantNone(t, "AddPartitionsToTxn v4", resp.ErrorCode)
		return resp.Transactions[0].Topics[0].Partitions[0].ErrorCode
	}
	for _, want := range []int16{kerr.TransactionAbortable.Code, 0} {
		code := verify()
		for deadline := time.Now().Add(10 * time.Second); code == kerr.ConcurrentTransactions.Code && time.Now().Before(deadline); {
			code = verify()
		}
		if code != want {
			t.Errorf("AddPartitionsToTxn v4, verify only: expected error %d, got %d", want, code)
		}
		if want != 0 {
			p.produce("added")
		}
	}
	p.end(false)
	p.log(4)
}

// timesOut leaves a transaction of half a second alone.
func timesOut(t *testing.T, p *producer) {
	t.Helper()
	const timeout = 500 * time.Millisecond
	p.init(timeout)
	start := time.Now()
	p.produce("forgotten")
	batches := p.log(1)
	took := time.Since(start)
	t.Logf("a transaction with a timeout of %v is aborted after %.1f s", timeout, took.Seconds())
	last := batches[len(batches)-1]
	if last.Marker == nil || last.Marker.Type != wire.Abort || last.ProducerEpoch != p.epoch+1 {
		t.Errorf("expected ABORT at epoch %d, got %q after %v", p.epoch+1, describe(batches), took)
	}
}

// markersByHand plays the coordinator: a marker v1 and a marker v2 for a
// producer that no coordinator knows, in a partition of its own.
func markersByHand(t *testing.T, p *producer) {
	t.Helper()
	for _, version := range []int16{1, 2} {
		req := kmsg.NewPtrWriteTxnMarkersRequest()
		req.Version = version
		m := kmsg.NewWriteTxnMarkersRequestMarker()
		m.ProducerID, m.ProducerEpoch, m.Committed, m.CoordinatorEpoch = 1<<40+int64(version), 1, true, 0
		m.TransactionVersion = 2
		topic := kmsg.NewWriteTxnMarkersRequestMarkerTopic()
		topic.Topic, topic.Partitions = p.topic, []int32{0}
		m.Topics = append(m.Topics, topic)
		req.Markers = append(req.Markers, m)
		code := do[*kmsg.WriteTxnMarkersResponse](t, p.conn, req).Markers[0].Topics[0].Partitions[0].ErrorCode
		wantNone(t, fmt.Sprintf("WriteTxnMarkers v%d", version), code)
		batches := p.log(4 + int(version))
		if last := batches[len(batches)-1]; last.Marker == nil || last.Marker.Type != wire.Commit || last.ProducerID != m.ProducerID {
			t.Errorf("WriteTxnMarkers v%d: expected COMMIT of %d at the end of the log, got %v", version, m.ProducerID, describe(batches))
		}
	}
}

// outlives crashes and restarts the broker, with a transaction open, and goes
// on where it was.
func outlives(t *testing.T, b broker.Broker, p *producer) {
	t.Helper()
	for what, again := range map[string]func(context.Context) error{"crash": b.Crash, "restart": b.Restart} {
		offset := p.produce("before " + what)
		start := time.Now()
		if err := again(t.Context()); err != nil {
			t.Fatal(err)
		}
		t.Logf("%s: ready again after %.1f s", what, time.Since(start).Seconds())
		if _, err := p.conn.Do(t.Context(), kmsg.NewPtrMetadataRequest()); !errors.Is(err, wire.ErrClosed) {
			t.Errorf("%s: expected that the connection was closed, got %v", what, err)
		}
		p.conn = dial(t, b)
		if next := p.produce("after " + what); next != offset+1 {
			t.Errorf("%s: expected offset %d, got %d", what, offset+1, next)
		}
		p.end(true)
	}
	if v, err := b.Versions(t.Context()); err != nil || v.TransactionVersion != p.tv {
		t.Errorf("expected transaction.version %d to stay, got %d (%v)", p.tv, v.TransactionVersion, err)
	}
}
