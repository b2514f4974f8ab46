package oracle_test

import (
	"context"
	"flag"
	"fmt"
	"testing"
	"time"

	"github.com/twmb/franz-go/pkg/kmsg"

	"github.com/onceproof/onceproof/harness/broker"
	"github.com/onceproof/onceproof/harness/broker/between"
	"github.com/onceproof/onceproof/harness/broker/brokertest"
	"github.com/onceproof/onceproof/harness/oracle"
	"github.com/onceproof/onceproof/spec"
)

const (
	// heldLimit bounds the wait for a message to hold.
	heldLimit = 10 * time.Second
	// underWay is how long a request is given at first to get as far as it can, where nothing outside shows how far it is.
	underWay = 300 * time.Millisecond
	// attempts is how often a trace with such a wait is tried, each with four times the wait, until it is placed.
	attempts = 3
)

// holder is a tester with a hand on what the broker says to itself. Producers of a script have its style.
type holder struct {
	*tester
	between *between.Proxy
	style   int8 // 2 for Produce v12 and EndTxn v5, 1 for v11 and v4
	// underWay is how long this run waits for what can't be seen.
	underWay time.Duration
}

func (h *holder) producer(on, id string) *actor {
	a := h.tester.producer(on, id)
	a.styled = h.style
	return a
}

// caught waits for what is to be held. That it never comes is no verdict on the broker: the step was not placed.
func (h *holder) caught(what *between.Hold) between.Message {
	ctx, cancel := context.WithTimeout(context.Background(), heldLimit)
	defer cancel()
	m, err := what.Caught(ctx)
	h.fail(err)
	return m
}

// lateCopyOf is the connection of the oracle for a marker's late copy. For the oracle the coordinator sent its marker
// once, and this copy is a tester's.
const lateCopyOf oracle.ConnID = 1000

// arrives lets a marker arrive whose sender has hung up and sent it again, and gives what it is answered.
func (h *holder) arrives(marker *between.Hold) spec.Code {
	req := h.caught(marker).Request.(*kmsg.WriteTxnMarkersRequest)
	answer := h.between.HoldAnswer(between.Marks(req.Markers[0].ProducerID))
	h.fail(h.o.Sent(lateCopyOf, req, h.now()))
	marker.Release()
	resp := h.caught(answer).Answer.(*kmsg.WriteTxnMarkersResponse)
	answer.Release()
	h.fail(h.o.Answered(lateCopyOf, resp, h.now()))
	return spec.Code(resp.Markers[0].Topics[0].Partitions[0].ErrorCode)
}

// kafkaTrace is a trace, or a control of one, and the code that ends it on Apache Kafka 4.4.0.
type kafkaTrace struct {
	name  string
	style int8
	raced bool // it waits for what can't be seen, so that on a slow machine it may miss
	run   func(*holder) spec.Code
	want  map[int8]spec.Code // by transaction.version
	// fixed is what the trace would end with if Kafka had the bug; nil where it has.
	fixed *spec.Code
}

func at(code spec.Code, levels ...int8) map[int8]spec.Code {
	m := map[int8]spec.Code{}
	for _, tv := range levels {
		m[tv] = code
	}
	return m
}

func kafkaTraces() []kafkaTrace {
	return []kafkaTrace{
		{name: "IDEM-43", style: 2, raced: true, run: voided, want: at(spec.InvalidTxnState, 1, 2)},
		{name: "IDEM-43, late batch refused", style: 2, run: notVoided, want: at(spec.None, 1, 2)},
		{name: "IDEM-43 by a late marker", style: 2, run: voidedByMarker, want: at(spec.InvalidTxnState, 1, 2)},
		{name: "KAFKA-14884", style: 1, run: staleGuard, want: at(spec.InvalidTxnState, 0, 1, 2), fixed: new(spec.None)},
		{name: "Produce v12 with EndTxn v4", style: 1, run: unguarded, want: at(spec.None, 1, 2)},
		{name: "KAFKA-19690", style: 2, run: timedOut, want: at(spec.InvalidProducerEpoch, 1, 2), fixed: new(spec.InvalidTxnState)},
		{name: "KAFKA-6119", style: 1, run: timedOut, want: at(spec.InvalidProducerEpoch, 0, 1, 2), fixed: new(spec.InvalidTxnState)},
		{name: "KAFKA-18464", style: 2, run: ownCommit, want: at(spec.ConcurrentTransactions, 1, 2), fixed: new(spec.ProducerFenced)},
		{name: "KAFKA-15591", style: 1, run: func(h *holder) spec.Code { return secondFirst(h, false) }, want: at(spec.None, 0, 1, 2)},
		{name: "KAFKA-18202", style: 2, run: func(h *holder) spec.Code { return secondFirst(h, true) }, want: at(spec.OutOfOrderSequence, 1, 2), fixed: new(spec.None)},
		{name: "late add", style: 1, run: lateAdd, want: at(spec.ProducerFenced, 0, 1)},
		{name: "late add, healed", style: 1, run: lateAdd, want: at(spec.None, 2), fixed: new(spec.ProducerFenced)},
		{name: "late abort marker, EndTxn v4", style: 1, run: func(h *holder) spec.Code { return lateMarker(h, false) }, want: at(spec.None, 0, 1, 2)},
		{name: "late marker, EndTxn v4", style: 1, run: func(h *holder) spec.Code { return lateMarker(h, true) }, want: at(spec.None, 0, 1, 2)},
		{name: "late marker, EndTxn v5", style: 2, run: func(h *holder) spec.Code { return lateMarker(h, true) }, want: at(spec.InvalidProducerEpoch, 1, 2), fixed: new(spec.None)},
		{name: "dead id", style: 2, run: deadID, want: at(spec.ConcurrentTransactions, 0)},
		{name: "IDEM-35, late duplicate", style: 1, run: lateDuplicate, want: at(spec.OutOfOrderSequence, 0, 1, 2)},
		{name: "IDEM-35, foreign epoch", style: 2, run: foreignEpoch, want: at(spec.OutOfOrderSequence, 1, 2)},
		{name: "INIT-31, EndTxn v4", style: 1, run: staleInit, want: at(spec.ProducerFenced, 0, 1, 2)},
		{name: "INIT-31, EndTxn v5", style: 2, run: staleInit, want: at(spec.InvalidTxnState, 1, 2)},
		{name: "INIT-41", style: 2, run: notYetFenced, want: at(spec.ConcurrentTransactions, 1, 2)},
		{name: "v10 behind v11", raced: true, run: func(h *holder) spec.Code { return behind(h, 11, 10) }, want: at(spec.TransactionAbortable, 0, 1, 2)},
		{name: "v10 behind v12", raced: true, run: func(h *holder) spec.Code { return behind(h, 12, 10) }, want: at(spec.TransactionAbortable, 1, 2)},
		{name: "v11 behind v10", raced: true, run: func(h *holder) spec.Code { return behind(h, 10, 11) }, want: at(spec.InvalidTxnState, 0, 1, 2)},
		{name: "v10 behind v9", raced: true, run: func(h *holder) spec.Code { return behind(h, 9, 10) }, want: at(spec.InvalidTxnState, 0, 1, 2)},
		{name: "v11 behind v12", raced: true, run: func(h *holder) spec.Code { return behind(h, 12, 11) }, want: at(spec.TransactionAbortable, 1, 2)},
		{name: "v12 behind v10", raced: true, run: func(h *holder) spec.Code { return behind(h, 10, 12) }, want: at(spec.None, 1, 2)},
		{name: "KAFKA-17754, EndTxn v4", style: 1, run: lateEnd, want: at(spec.None, 0, 1, 2)},
		{name: "KAFKA-17754, EndTxn v5", style: 2, run: lateEnd, want: at(spec.ProducerFenced, 1, 2), fixed: new(spec.None)},
	}
}

// runs is how often each trace is played: go test ./harness/oracle -run TracesOnKafka -v -runs 10
var runs = flag.Int("runs", 1, "how often each trace is played on each level of Apache Kafka")

// What the checker found happens on Apache Kafka 4.4.0 where it has the flaw, and does not where it has the fix. Races
// inside the broker are placed by what is held; the oracle, which knows of no hold, finds every answer allowed.
func TestTracesOnKafka(t *testing.T) {
	brokertest.NeedKafka(t)
	t.Parallel()
	for level := range int8(3) {
		t.Run(fmt.Sprintf("tv=%d", level), func(t *testing.T) {
			t.Parallel()
			target, err := broker.Parse(fmt.Sprintf("docker:%s,tv=%d,inside=1", brokertest.Image, level))
			if err != nil {
				t.Fatal(err)
			}
			b, err := broker.Open(t.Context(), target, broker.Options{})
			if err != nil {
				t.Fatal(err)
			}
			t.Cleanup(func() { _ = b.Close(context.Background()) })
			for i, s := range kafkaTraces() {
				if _, ok := s.want[level]; ok {
					t.Run(s.name, func(t *testing.T) { s.repeat(t, b, level, fmt.Sprintf("trace-%d", i)) })
				}
			}
		})
	}
}

func (s kafkaTrace) repeat(t *testing.T, b broker.Broker, level int8, topic string) {
	seen := map[spec.Code]int{}
	for i := range *runs {
		got, err := s.placed(t, b, level, fmt.Sprintf("%s-%d", topic, i))
		if err != nil {
			t.Errorf("run %d of %d: %v", i+1, *runs, err)
			continue
		}
		seen[got]++
	}
	if seen[s.want[level]] != *runs {
		t.Errorf("expected %v in each of %d runs, got %v", s.want[level], *runs, seen)
	}
	without := ""
	if s.fixed != nil {
		without = fmt.Sprintf("; with the bug it would be %v", *s.fixed)
	}
	t.Logf("ends with %v%s", seen, without)
}

// placed plays the trace until it ends as expected, or has been tried often enough.
func (s kafkaTrace) placed(t *testing.T, b broker.Broker, level int8, topic string) (code spec.Code, err error) {
	t.Helper()
	for i := range attempts {
		code, err = s.play(b, level, fmt.Sprintf("%s-%d", topic, i), underWay<<(2*i))
		if !s.raced || err != nil || code == s.want[level] {
			break
		}
		t.Logf("not placed with a wait of %v: %v", underWay<<(2*i), code)
	}
	return code, err
}

// play plays the trace once. The answer that decides it is as the release demands, too: the oracle has seen it.
func (s kafkaTrace) play(b broker.Broker, level int8, topic string, wait time.Duration) (code spec.Code, err error) {
	proxy, err := broker.Between(b)
	if err != nil {
		return 0, err
	}
	c, err := newTester(b, oracle.Config{Release: spec.AllReleases()[0], TransactionVersion: level, Strict: true}, topic, 1)
	if err != nil {
		return 0, err
	}
	defer proxy.ReleaseAll()
	err = c.run(func(c *tester) { code = s.run(&holder{c, proxy, s.style, wait}) })
	return code, err
}
