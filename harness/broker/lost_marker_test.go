package broker_test

import (
	"flag"
	"fmt"
	"testing"
	"time"

	"github.com/twmb/franz-go/pkg/kmsg"

	"github.com/onceproof/onceproof/harness/broker"
	"github.com/onceproof/onceproof/harness/broker/between"
	"github.com/onceproof/onceproof/harness/broker/brokertest"
)

// crashes is how often the broker is killed at each level: go test ./harness/broker -run LostMarker -v -crashes 20
var (
	crashes     = flag.Int("crashes", 1, "kills of the broker in the test of lost markers, at each level and way; 1: at level 2 alone")
	crashedWith = flag.String("image", brokertest.Image, "image of the broker that is killed, such as another release")
)

// A broker that is killed right after it acknowledged EndTxn(commit) finishes the transaction when it is up again, or
// loses its marker (MARK-30): partitions that have no leader yet when the coordinator loads its log are left out, it says
// CompleteCommit, and the transaction stays open on them. How often is printed; it is a race.
func TestLostMarker(t *testing.T) {
	brokertest.NeedKafka(t)
	for level := range int8(3) {
		for _, held := range []bool{false, true} {
			if *crashes == 1 && (level < 2 || !held) {
				continue // not to be measured now
			}
			t.Run(fmt.Sprintf("tv=%d,held=%t", level, held), func(t *testing.T) {
				t.Parallel()
				loseMarkers(t, level, held)
			})
		}
	}
}

// A transaction that times out while the broker is down is aborted as soon as the coordinator has loaded it, and so before
// its partition has a leader: the marker is lost (MARK-30), and readers wait until its producer comes again. The image looks
// for timeouts twice a second; Kafka does every 10 s, the first time that much after its start.
func TestLostMarkerOfATimeout(t *testing.T) {
	brokertest.NeedKafka(t)
	for level := range int8(3) {
		if *crashes == 1 && level < 2 {
			continue // not to be measured now
		}
		t.Run(fmt.Sprintf("tv=%d", level), func(t *testing.T) {
			t.Parallel()
			b := open(t, fmt.Sprintf("docker:%s,tv=%d", *crashedWith, level))
			outcomes := map[string]int{}
			for i := range *crashes {
				tid := fmt.Sprintf("timed-out-%d", i)
				awaitCoordinator(t, b, tid)
				p := newProducer(t, b, tid)
				p.init(2 * time.Second) // the broker is down for longer
				p.produce("aborted")
				if err := b.Crash(t.Context()); err != nil {
					t.Fatal(err)
				}
				p.conn = dial(t, b)
				p.awaitState("CompleteAbort")
				time.Sleep(2 * time.Second) // what could come late has come
				f := p.fetchCommitted()
				outcomes[fmt.Sprintf("last stable offset %d of %d", f.LastStableOffset, f.HighWatermark)]++
			}
			t.Logf("tv=%d, %d crashes: %v", level, *crashes, outcomes)
		})
	}
}

func loseMarkers(t *testing.T, level int8, held bool) {
	inside := 0
	if held {
		inside = 1
	}
	target, err := broker.Parse(fmt.Sprintf("docker:%s,tv=%d,inside=%d", *crashedWith, level, inside))
	if err != nil {
		t.Fatal(err)
	}
	b, err := broker.Open(t.Context(), target, broker.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer b.Close(t.Context())
	outcomes := map[string]int{}
	for i := range *crashes {
		tid := fmt.Sprintf("lost-%d", i)
		awaitCoordinator(t, b, tid)
		p := newProducer(t, b, tid)
		p.produce("committed")
		if held {
			proxy, err := broker.Between(b)
			if err != nil {
				t.Fatal(err)
			}
			proxy.HoldRequest(between.Marks(p.id))
		}
		p.end(true)
		if err := b.Crash(t.Context()); err != nil {
			t.Fatal(err)
		}
		if held {
			proxy, _ := broker.Between(b)
			proxy.ReleaseAll()
		}
		p.conn = dial(t, b)
		outcomes[p.afterCrash()]++
	}
	t.Logf("%d crashes: %v", *crashes, outcomes)
}

// awaitCoordinator waits until the coordinator of a transactional id has loaded its log after a restart.
func awaitCoordinator(t *testing.T, b broker.Broker, tid string) {
	t.Helper()
	req := kmsg.NewPtrInitProducerIDRequest()
	req.Version, req.TransactionalID, req.TransactionTimeoutMillis, req.ProducerID, req.ProducerEpoch = 5, &tid, 60000, -1, -1
	c := dial(t, b)
	code := int16(-1)
	for deadline := time.Now().Add(30 * time.Second); code != 0 && time.Now().Before(deadline); time.Sleep(20 * time.Millisecond) {
		code = do[*kmsg.InitProducerIDResponse](t, c, req).ErrorCode
	}
	wantNone(t, "InitProducerId", code)
}

// afterCrash says what became of the transaction that was decided before the crash, and demands that it is one of two.
// Where the marker is lost the producer's next transaction decides it too: it aborts, and so the commit that was
// acknowledged is never read.
func (p *producer) afterCrash() string {
	state := p.awaitState("CompleteCommit")
	time.Sleep(2 * time.Second) // what could come late has come
	before := p.fetchCommitted()
	if end := before.HighWatermark; state == "CompleteCommit" && before.LastStableOffset == end && (end == 2 || end == 3) {
		return "finished" // with a second marker where the first was written before the crash (MARK-39)
	}
	if state != "CompleteCommit" || before.LastStableOffset != 0 || before.HighWatermark != 1 {
		p.t.Errorf("expected CompleteCommit and the marker or not, got %s, last stable offset %d of %d", state, before.LastStableOffset, before.HighWatermark)
		return state
	}
	p.produce("next")
	p.end(false)
	p.log(1)
	after := p.fetchCommitted()
	if len(after.Aborted) == 1 && after.Aborted[0] == (broker.Aborted{ProducerID: p.id, FirstOffset: 0}) {
		return "lost, then aborted by the next transaction"
	}
	return fmt.Sprintf("lost, then %+v", after.Aborted)
}

// awaitState waits until the coordinator says so of the transaction, for 20 s, and gives what it says.
func (p *producer) awaitState(want string) (state string) {
	p.t.Helper()
	for deadline := time.Now().Add(20 * time.Second); state != want && time.Now().Before(deadline); time.Sleep(20 * time.Millisecond) {
		req := kmsg.NewPtrDescribeTransactionsRequest()
		req.TransactionalIDs = []string{p.tid}
		state = do[*kmsg.DescribeTransactionsResponse](p.t, p.conn, req).TransactionStates[0].State
	}
	return state
}

func (p *producer) fetchCommitted() broker.Fetched {
	p.t.Helper()
	f, err := broker.Fetch(p.t.Context(), p.conn, p.topic, 0, 0, broker.ReadCommitted)
	if err != nil {
		p.t.Fatal(err)
	}
	return f
}
