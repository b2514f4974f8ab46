package broker_test

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kmsg"

	"github.com/onceproof/onceproof/harness/broker"
	"github.com/onceproof/onceproof/harness/broker/brokertest"
	"github.com/onceproof/onceproof/harness/wire"
)

// silence is how long an answer is waited for that does not come.
const silence = 5 * time.Second

// Produce with a null record set is not answered (IDEM-04); an empty one is refused at once.
func TestNullRecordsAreNotAnswered(t *testing.T) {
	brokertest.NeedKafka(t)
	for level := range 3 {
		t.Run(fmt.Sprintf("tv=%d", level), func(t *testing.T) {
			t.Parallel()
			b := open(t, fmt.Sprintf("docker:%s,tv=%d", brokertest.Image, level))
			if err := b.CreateTopic(t.Context(), "null", 1); err != nil {
				t.Fatal(err)
			}
			req := produceRequest(11, nil, "null")
			req.Topics[0].Partitions[0].Records = nil
			c := dial(t, b)
			ctx, cancel := context.WithTimeout(t.Context(), silence)
			defer cancel()
			if x, err := c.Do(ctx, req); !errors.Is(err, wire.ErrTimeout) {
				t.Errorf("expected no answer in %v, got %+v (%v)", silence, x, err)
			}
			req.Topics[0].Partitions[0].Records = []byte{}
			if code := produceCode(do[*kmsg.ProduceResponse](t, dial(t, b), req)); code != kerr.InvalidRecord.Code {
				t.Errorf("an empty record set: expected INVALID_RECORD, got %v", kerr.ErrorForCode(code))
			}
		})
	}
}

// At level 0 one request of the new protocol stops its transactional id: a transaction that it has open outlives its
// timeout, and read_committed readers wait, until the coordinator restarts (ADD-28).
func TestDeadIDLivesAgainAfterARestart(t *testing.T) {
	brokertest.NeedKafka(t)
	t.Parallel()
	b := open(t, fmt.Sprintf("docker:%s,tv=0", brokertest.Image))
	p := newProducer(t, b, "dead")
	if err := b.CreateTopic(t.Context(), "another", 1); err != nil {
		t.Fatal(err)
	}
	p.init(time.Second)
	p.produce("open")
	batch := wire.Batch{ProducerID: p.id, ProducerEpoch: p.epoch, Transactional: true, Records: [][]byte{[]byte("x")}}
	req := produceRequest(12, &p.tid, "another", batch)
	if code := produceCode(do[*kmsg.ProduceResponse](t, p.conn, req)); code != kerr.UnsupportedVersion.Code {
		t.Fatalf("Produce v12: expected UNSUPPORTED_VERSION, got %v", kerr.ErrorForCode(code))
	}
	time.Sleep(5 * time.Second) // five timeouts; the image looks for them twice a second
	if f := p.fetchCommitted(); f.LastStableOffset != 0 || f.HighWatermark != 1 {
		t.Errorf("expected the transaction open, got last stable offset %d of %d", f.LastStableOffset, f.HighWatermark)
	}
	if code := p.initOnce(); code != "CONCURRENT_TRANSACTIONS" {
		t.Errorf("InitProducerId: expected CONCURRENT_TRANSACTIONS, got %s", code)
	}
	if err := b.Crash(t.Context()); err != nil {
		t.Fatal(err)
	}
	awaitCoordinator(t, b, "someone")
	p.conn = dial(t, b)
	p.init(time.Minute)
	p.produce("next")
	p.end(true)
	for deadline := time.Now().Add(10 * time.Second); ; time.Sleep(20 * time.Millisecond) {
		if f := p.fetchCommitted(); f.LastStableOffset == f.HighWatermark && f.HighWatermark >= 3 {
			return
		} else if time.Now().After(deadline) {
			t.Fatalf("expected everything ended, got last stable offset %d of %d", f.LastStableOffset, f.HighWatermark)
		}
	}
}

func produceCode(r *kmsg.ProduceResponse) int16 { return r.Topics[0].Partitions[0].ErrorCode }

// A downgrade of transaction.version from 2 to 0, which the broker takes for a safe one, stops every transactional id
// whose last transaction was of the new protocol, restarts or not (ADD-28). One to level 1 harms none.
func TestDowngradeStopsTransactionalIDs(t *testing.T) {
	brokertest.NeedKafka(t)
	for _, level := range []int16{0, 1} {
		t.Run(fmt.Sprintf("to %d", level), func(t *testing.T) {
			t.Parallel()
			b := open(t, fmt.Sprintf("docker:%s,tv=2", brokertest.Image))
			p := newProducer(t, b, "downgraded")
			p.produce("a")
			p.end(true)
			p.log(1)
			downgrade(t, b, level)
			var codes []string
			for range 2 {
				codes = append(codes, p.initOnce(), p.initOnce())
				time.Sleep(time.Second)
				codes = append(codes, p.initOnce())
				if err := b.Crash(t.Context()); err != nil {
					t.Fatal(err)
				}
				awaitCoordinator(t, b, "another")
				p.conn = dial(t, b)
			}
			want := []string{"UNSUPPORTED_VERSION", "CONCURRENT_TRANSACTIONS", "CONCURRENT_TRANSACTIONS", "UNSUPPORTED_VERSION", "CONCURRENT_TRANSACTIONS", "CONCURRENT_TRANSACTIONS"}
			if level == 1 {
				want = []string{"NONE", "NONE", "NONE", "NONE", "NONE", "NONE"}
			}
			if fmt.Sprint(codes) != fmt.Sprint(want) {
				t.Errorf("InitProducerId three times, a crash, and again: expected\n%v, got\n%v", want, codes)
			}
		})
	}
}

// downgrade sets the level of transaction.version as a safe downgrade (UpdateFeatures v1, upgrade type 2).
func downgrade(t *testing.T, b broker.Broker, level int16) {
	t.Helper()
	req := kmsg.NewPtrUpdateFeaturesRequest()
	req.Version, req.TimeoutMillis = 1, 10_000
	f := kmsg.NewUpdateFeaturesRequestFeatureUpdate()
	f.Feature, f.MaxVersionLevel, f.UpgradeType = "transaction.version", level, 2
	req.FeatureUpdates = append(req.FeatureUpdates, f)
	wantNone(t, "UpdateFeatures", do[*kmsg.UpdateFeaturesResponse](t, dial(t, b), req).ErrorCode)
	for deadline := time.Now().Add(10 * time.Second); ; time.Sleep(10 * time.Millisecond) {
		v, err := b.Versions(t.Context())
		if err == nil && v.TransactionVersion == level {
			return
		}
		if time.Now().After(deadline) {
			t.Fatalf("expected transaction.version %d, got %d (%v)", level, v.TransactionVersion, err)
		}
	}
}

// initOnce asks for the identity anew, once, and gives the name of the error.
func (p *producer) initOnce() string {
	p.t.Helper()
	req := kmsg.NewPtrInitProducerIDRequest()
	req.Version, req.TransactionalID, req.TransactionTimeoutMillis, req.ProducerID, req.ProducerEpoch = 5, &p.tid, 60_000, -1, -1
	code := do[*kmsg.InitProducerIDResponse](p.t, p.conn, req).ErrorCode
	if code == 0 {
		return "NONE"
	}
	return kerr.TypedErrorForCode(code).Message
}
