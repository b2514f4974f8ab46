package broker_test

import (
	"flag"
	"fmt"
	"testing"

	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kmsg"

	"github.com/onceproof/onceproof/harness/broker"
	"github.com/onceproof/onceproof/harness/broker/brokertest"
	"github.com/onceproof/onceproof/harness/wire"
)

// runs is how often each producer asks at each level and way: go test ./harness/broker -run SharedQuestion -v -runs 1000
var runs = flag.Int("runs", 50, "batches of each producer in the test of shared questions, at each level and way")

// A batch for a partition that is not in its transaction is refused with TRANSACTION_ABORTABLE, clients up to Produce v10
// with INVALID_TXN_STATE, which they know (VER-06). Where the leader's questions for two producers go out in one request,
// both answers are in the words of the first one's client (ADD-23). How often is printed; it is a race. One after another
// it never happens, nor at once with v12 and v11, which know the same codes.
func TestSharedQuestion(t *testing.T) {
	brokertest.NeedKafka(t)
	for level := range int16(3) {
		t.Run(fmt.Sprintf("tv=%d", level), func(t *testing.T) {
			t.Parallel()
			b := open(t, fmt.Sprintf("docker:%s,tv=%d", brokertest.Image, level))
			for _, versions := range [][2]int16{{11, 10}, {12, 10}, {12, 11}} {
				if level == 0 && versions[0] == 12 {
					continue // it breaks the id (ADD-28)
				}
				pair := fmt.Sprintf("v%d-v%d", versions[0], versions[1])
				first, second := newAsker(t, b, pair+"-first", versions[0]), newAsker(t, b, pair+"-second", versions[1])
				t.Run(pair+",one after another", func(t *testing.T) { takeTurns(t, first, second) })
				t.Run(pair+",at once", func(t *testing.T) { atOnce(t, first, second) })
			}
		})
	}
}

// asker is a producer that writes to a partition that is not in its transaction, again and again.
type asker struct {
	conn     broker.Conn
	request  *kmsg.ProduceRequest
	own      int16 // the code for its client
	mistaken int   // answers for a client of the other kind
}

// newAsker makes a batch about which its leader asks each time, because it is never appended. Produce v12 adds the
// partition, and is then refused for its sequence (ADD-29).
func newAsker(t *testing.T, b broker.Broker, tid string, version int16) *asker {
	t.Helper()
	p := newProducer(t, b, tid)
	batch := wire.Batch{ProducerID: p.id, ProducerEpoch: p.epoch, Transactional: true, Records: [][]byte{[]byte("x")}}
	a := &asker{conn: p.conn}
	switch {
	case version >= 12:
		batch.BaseSequence, a.own = 7, kerr.OutOfOrderSequenceNumber.Code
	case version == 11:
		a.own = kerr.TransactionAbortable.Code
	default:
		a.own = kerr.InvalidTxnState.Code
	}
	a.request = produceRequest(version, &p.tid, p.topic, batch)
	return a
}

// takeTurns has one question under way at a time.
func takeTurns(t *testing.T, pair ...*asker) {
	for range *runs {
		for _, a := range pair {
			if code := produceCode(do[*kmsg.ProduceResponse](t, a.conn, a.request)); code != a.own {
				t.Fatalf("Produce v%d: expected %v, got %v", a.request.Version, kerr.ErrorForCode(a.own), kerr.ErrorForCode(code))
			}
		}
	}
}

// atOnce has both send at the same moment, either one first by turns.
func atOnce(t *testing.T, pair ...*asker) {
	for run := range *runs {
		for i := range pair {
			a := pair[(run+i)%len(pair)]
			if _, err := a.conn.Send(t.Context(), a.request); err != nil {
				t.Fatal(err)
			}
		}
		for i, a := range pair {
			x, err := a.conn.Receive(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			a.hears(t, produceCode(x.Response.(*kmsg.ProduceResponse)), pair[1-i])
		}
	}
	for _, a := range pair {
		t.Logf("%s: Produce v%d: %d of %d answers for a client of the other kind", t.Name(), a.request.Version, a.mistaken, *runs)
	}
}

// hears counts an answer that is meant for a client of the other one's kind, and takes no third.
func (a *asker) hears(t *testing.T, code int16, other *asker) {
	old, young := kerr.InvalidTxnState.Code, kerr.TransactionAbortable.Code
	switch {
	case code == a.own:
	case a.own == old && code == young, a.own == young && code == old && other.own == old:
		a.mistaken++
	default:
		t.Fatalf("Produce v%d: expected %v, got %v", a.request.Version, kerr.ErrorForCode(a.own), kerr.ErrorForCode(code))
	}
}
