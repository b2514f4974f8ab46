package oracle_test

import (
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/twmb/franz-go/pkg/kmsg"

	"github.com/onceproof/onceproof/harness/oracle"
	"github.com/onceproof/onceproof/harness/reference"
	"github.com/onceproof/onceproof/spec"
)

// hand is an oracle that is told by hand what happens.
type hand struct {
	*testing.T
	o *oracle.Oracle
	a *actor
	t time.Time
}

func byHand(t *testing.T, cfg oracle.Config) *hand {
	t.Helper()
	if cfg.Release.Name == "" {
		cfg.Release = spec.AllReleases()[0]
	}
	o := oracle.New(cfg)
	o.TopicCreated("topic", 2)
	id := "txn"
	c := &tester{topic: "topic", o: o, tv: cfg.TransactionVersion, began: 1}
	return &hand{t, o, &actor{c: c, id: &id, pid: -1, epoch: -1, styled: cfg.TransactionVersion, timeout: 1000}, time.Unix(1000, 0)}
}

func (h *hand) sent(conn oracle.ConnID, req kmsg.Request) {
	h.Helper()
	if err := h.o.Sent(conn, req, h.t); err != nil {
		h.Fatal(err)
	}
}

func (h *hand) inits(conn oracle.ConnID, id int64, epoch int16) {
	h.Helper()
	req := h.a.initRequest(-1, -1)
	h.sent(conn, req)
	resp := req.ResponseKind().(*kmsg.InitProducerIDResponse)
	resp.ProducerID, resp.ProducerEpoch = id, epoch
	if err := h.o.Answered(conn, resp, h.t); err != nil {
		h.Fatal(err)
	}
	h.a.pid, h.a.epoch = id, epoch
}

func answerInit(code spec.Code, id int64, epoch int16) *kmsg.InitProducerIDResponse {
	resp := kmsg.NewPtrInitProducerIDResponse()
	resp.Version, resp.ErrorCode, resp.ProducerID, resp.ProducerEpoch = 4, int16(code), id, epoch
	return resp
}

func violated(t *testing.T, err error, rule spec.Rule) {
	t.Helper()
	var v *oracle.Violation
	if !errors.As(err, &v) || !v.Breaks(rule) {
		t.Errorf("expected a violation of %v, got %v", rule, err)
	}
}

// Any id may be the first one; a producer id belongs to one producer.
func TestProducerIDsAreUnique(t *testing.T) {
	h := byHand(t, oracle.Config{TransactionVersion: 2})
	h.inits(1, 9081, 0)
	other := "other"
	h.a.id = &other
	h.sent(2, h.a.initRequest(-1, -1))
	violated(t, h.o.Answered(2, answerInit(spec.None, 9081, 0), h.t), spec.INIT20)
}

// COORDINATOR_LOAD_IN_PROGRESS is no excuse once there are ids at hand.
func TestLoadingOnlyAtTheEndOfABlock(t *testing.T) {
	for _, c := range []struct {
		id int64
		ok bool
	}{{7, false}, {1999, true}} {
		h := byHand(t, oracle.Config{TransactionVersion: 2})
		h.a.id = nil
		h.sent(1, h.a.initRequest(-1, -1))
		if err := h.o.Answered(1, answerInit(spec.CoordinatorLoading, -1, -1), h.t); err != nil {
			t.Errorf("at first: %v", err)
		}
		h.inits(1, c.id, 0)
		h.sent(1, h.a.initRequest(-1, -1))
		err := h.o.Answered(1, answerInit(spec.CoordinatorLoading, -1, -1), h.t)
		if c.ok && err != nil {
			t.Errorf("after id %d: %v", c.id, err)
		}
		if !c.ok {
			violated(t, err, spec.INIT05)
		}
	}
}

// An answer that was not read may have granted an identity, or not.
func TestUnreadAnswers(t *testing.T) {
	for _, epoch := range []int16{0, 1} {
		h := byHand(t, oracle.Config{TransactionVersion: 2})
		h.sent(1, h.a.initRequest(-1, -1))
		h.o.Lost(1)
		h.inits(2, 5, epoch)
	}
	h := byHand(t, oracle.Config{TransactionVersion: 2})
	h.sent(1, h.a.initRequest(-1, -1))
	h.o.Lost(1)
	h.sent(2, h.a.initRequest(-1, -1))
	violated(t, h.o.Answered(2, answerInit(spec.None, 5, 2), h.t), spec.INIT25)
}

// A transaction times out after its timeout, not before.
func TestTimeoutsAreNotEarly(t *testing.T) {
	for _, c := range []struct {
		after time.Duration
		early bool
	}{{900 * time.Millisecond, true}, {1001 * time.Millisecond, false}} {
		h := byHand(t, oracle.Config{TransactionVersion: 2})
		h.inits(1, 5, 0)
		end := h.a.endRequest(true)
		batch := h.a.produceRequest(12, 0, 0, true, "a")
		h.sent(1, batch)
		resp := batch.ResponseKind().(*kmsg.ProduceResponse)
		topic, part := kmsg.NewProduceResponseTopic(), kmsg.NewProduceResponseTopicPartition()
		part.LogStartOffset = 0
		topic.Topic, topic.Partitions = "topic", append(topic.Partitions, part)
		resp.Topics = append(resp.Topics, topic)
		if err := h.o.Answered(1, resp, h.t); err != nil {
			t.Fatal(err)
		}
		h.t = h.t.Add(c.after)
		h.sent(1, end)
		fenced := end.ResponseKind().(*kmsg.EndTxnResponse)
		fenced.ErrorCode = int16(spec.InvalidTxnState) // what END-24 answers after a timeout
		err := h.o.Answered(1, fenced, h.t)
		if c.early {
			violated(t, err, spec.END20)
		} else if err != nil {
			t.Errorf("after %v: %v", c.after, err)
		}
	}
}

// A broker that answers nothing breaks the rule that it would answer by.
func TestOverdue(t *testing.T) {
	h := byHand(t, oracle.Config{TransactionVersion: 2})
	h.inits(1, 5, 0)
	h.sent(1, h.a.endRequest(true))
	violated(t, h.o.Overdue(1), spec.END30)
}

// What the spec does not model is not judged, and nothing after it is.
func TestNotJudged(t *testing.T) {
	requests := map[string]kmsg.Request{"AddOffsetsToTxn": kmsg.NewPtrAddOffsetsToTxnRequest()}
	h := byHand(t, oracle.Config{TransactionVersion: 2})
	many := h.a.produceRequest(12, 0, 0, true, "a")
	many.Topics[0].Partitions = append(many.Topics[0].Partitions, h.a.produceRequest(12, 1, 0, true, "a").Topics[0].Partitions...)
	requests["Produce"] = many
	for what, req := range requests {
		h := byHand(t, oracle.Config{TransactionVersion: 2})
		var n *oracle.NotJudged
		if err := h.o.Sent(1, req, h.t); !errors.As(err, &n) || !strings.Contains(n.Reason, what) {
			t.Errorf("%s: expected that it can't be judged, with the reason, got %v", what, err)
		}
		if err := h.o.Sent(2, h.a.initRequest(-1, -1), h.t); !errors.As(err, &n) {
			t.Errorf("%s: expected that nothing after it is judged, got %v", what, err)
		}
		if v := h.o.Verdict(); v.Kind != oracle.CouldNotJudge {
			t.Errorf("%s: expected no verdict, got %v", what, v.Kind)
		}
	}
}

// A belief that grows too large is no verdict either.
func TestTooManyStates(t *testing.T) {
	h := byHand(t, oracle.Config{TransactionVersion: 2, MaxBelief: 100})
	var err error
	for conn := oracle.ConnID(1); conn < 30 && err == nil; conn++ {
		err = h.o.Sent(conn, h.a.initRequest(-1, -1), h.t)
		h.o.Lost(conn)
	}
	h.sent(30, h.a.initRequest(-1, -1))
	err = h.o.Answered(30, answerInit(spec.None, 5, 9), h.t)
	if h.o.Verdict().Kind != oracle.CouldNotJudge {
		t.Errorf("expected that it can't be judged, got %v (%v)", h.o.Verdict().Kind, err)
	}
}

// A read may take place at any moment between its request and its answer, also
// before something that was answered meanwhile.
func TestReadsTakePlaceInBetween(t *testing.T) {
	for _, c := range []struct {
		high int64
		ok   bool
	}{{0, true}, {1, true}, {2, false}} {
		h := byHand(t, oracle.Config{TransactionVersion: 2})
		h.a.id = nil
		h.inits(1, 5, 0)
		list := kmsg.NewPtrListOffsetsRequest()
		list.Version = 7
		p, topic := kmsg.NewListOffsetsRequestTopicPartition(), kmsg.NewListOffsetsRequestTopic()
		p.Timestamp = -1
		topic.Topic, topic.Partitions = "topic", append(topic.Partitions, p)
		list.Topics = append(list.Topics, topic)
		h.sent(2, list)
		batch := h.a.produceRequest(12, 0, 0, false, "a")
		h.sent(1, batch)
		resp := batch.ResponseKind().(*kmsg.ProduceResponse)
		t1, p1 := kmsg.NewProduceResponseTopic(), kmsg.NewProduceResponseTopicPartition()
		p1.LogStartOffset = 0
		t1.Topic, t1.Partitions = "topic", append(t1.Partitions, p1)
		resp.Topics = append(resp.Topics, t1)
		if err := h.o.Answered(1, resp, h.t); err != nil {
			t.Fatal(err)
		}
		offsets := list.ResponseKind().(*kmsg.ListOffsetsResponse)
		t2, p2 := kmsg.NewListOffsetsResponseTopic(), kmsg.NewListOffsetsResponseTopicPartition()
		p2.Offset = c.high
		t2.Topic, t2.Partitions = "topic", append(t2.Partitions, p2)
		offsets.Topics = append(offsets.Topics, t2)
		err := h.o.Answered(2, offsets, h.t)
		if c.ok && err != nil {
			t.Errorf("offset %d: %v", c.high, err)
		}
		if !c.ok {
			violated(t, err, spec.READ12)
		}
	}
}

// A broker better than the release is remembered as such: it can't be as the
// release is, later.
func TestABetterBrokerStaysBetter(t *testing.T) {
	release := spec.AllReleases()[0]
	b := reference.New(spec.Rules{TransactionVersion: 2, Fixes: release.Fixes | spec.Fix21181}, 1)
	c, err := newTester(b, oracle.Config{Release: release, TransactionVersion: 2}, "topic", 2)
	if err != nil {
		t.Fatal(err)
	}
	if err := c.run(endings); err != nil {
		t.Fatal(err)
	}
	if have := c.o.Fixes(); have != release.Fixes|spec.Fix21181 {
		t.Errorf("expected KAFKA-21181 beside the release, got %v", have.IDs())
	}
	req := c.producer("x", "fresh").init().endRequest(true)
	if err := c.o.Sent(99, req, time.Now()); err != nil {
		t.Fatal(err)
	}
	refused := req.ResponseKind().(*kmsg.EndTxnResponse)
	refused.ErrorCode = int16(spec.InvalidTxnState)
	violated(t, c.o.Answered(99, refused, time.Now()), spec.END31)
}
