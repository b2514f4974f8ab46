package oracle_test

import (
	"testing"

	"github.com/twmb/franz-go/pkg/kmsg"

	"github.com/onceproof/onceproof/harness/oracle"
	"github.com/onceproof/onceproof/spec"
)

// commits writes one record in a transaction and commits it; that its marker is
// written is not known.
func (h *hand) commits() {
	h.Helper()
	h.inits(1, 5, 0)
	batch := h.a.produceRequest(12, 0, 0, true, "a")
	h.sent(1, batch)
	resp := batch.ResponseKind().(*kmsg.ProduceResponse)
	topic, part := kmsg.NewProduceResponseTopic(), kmsg.NewProduceResponseTopicPartition()
	part.LogStartOffset = 0
	topic.Topic, topic.Partitions = "topic", append(topic.Partitions, part)
	resp.Topics = append(resp.Topics, topic)
	h.answered(1, resp)
	end := h.a.endRequest(true)
	h.sent(1, end)
	ended := end.ResponseKind().(*kmsg.EndTxnResponse)
	ended.ProducerID, ended.ProducerEpoch = 5, 1
	h.answered(1, ended)
}

func (h *hand) answered(conn oracle.ConnID, resp kmsg.Response) {
	h.Helper()
	if err := h.o.Answered(conn, resp, h.t); err != nil {
		h.Fatal(err)
	}
}

// latest asks for the latest offset and is told so.
func (h *hand) latest(isolation int8, offset int64) error {
	h.Helper()
	list := kmsg.NewPtrListOffsetsRequest()
	list.Version, list.IsolationLevel = 7, isolation
	p, topic := kmsg.NewListOffsetsRequestTopicPartition(), kmsg.NewListOffsetsRequestTopic()
	p.Timestamp = -1
	topic.Topic, topic.Partitions = "topic", append(topic.Partitions, p)
	list.Topics = append(list.Topics, topic)
	h.sent(2, list)
	resp := list.ResponseKind().(*kmsg.ListOffsetsResponse)
	t, part := kmsg.NewListOffsetsResponseTopic(), kmsg.NewListOffsetsResponseTopicPartition()
	part.Offset = offset
	t.Topic, t.Partitions = "topic", append(t.Partitions, part)
	resp.Topics = append(resp.Topics, t)
	return h.o.Answered(2, resp, h.t)
}

// fetch asks for what is behind an offset and is told that nothing is, with
// such bounds.
func (h *hand) fetch(offset, high, stable int64) error {
	h.Helper()
	req := kmsg.NewPtrFetchRequest()
	req.Version = 12
	p, topic := kmsg.NewFetchRequestTopicPartition(), kmsg.NewFetchRequestTopic()
	p.FetchOffset, p.CurrentLeaderEpoch = offset, -1
	topic.Topic, topic.Partitions = "topic", append(topic.Partitions, p)
	req.Topics = append(req.Topics, topic)
	h.sent(2, req)
	resp := req.ResponseKind().(*kmsg.FetchResponse)
	t, part := kmsg.NewFetchResponseTopic(), kmsg.NewFetchResponseTopicPartition()
	part.HighWatermark, part.LastStableOffset, part.LogStartOffset = high, stable, 0
	t.Topic, t.Partitions = "topic", append(t.Partitions, part)
	resp.Topics = append(resp.Topics, t)
	return h.o.Answered(2, resp, h.t)
}

// A Fetch reads high watermark, last stable offset and data one after the
// other; a marker may come between any two of them, and between none when it is
// there already.
func TestAFetchTakesItsBoundsOneAfterTheOther(t *testing.T) {
	for _, c := range []struct {
		high, stable int64
		settled, ok  bool
	}{
		{2, 2, false, true}, {1, 2, false, true}, {1, 0, false, true}, {2, 0, false, true}, {2, 1, false, false}, {0, 2, false, false},
		{2, 2, true, true}, {1, 2, true, false}, {1, 0, true, false}, {2, 0, true, false},
	} {
		h := byHand(t, oracle.Config{TransactionVersion: 2})
		h.commits()
		if c.settled {
			if err := h.o.Settled(); err != nil {
				t.Fatal(err)
			}
		}
		err := h.fetch(2, c.high, c.stable)
		if (err == nil) != c.ok {
			t.Errorf("%+v: got %v", c, err)
		}
	}
}

// The last stable offset may follow the high watermark a moment later, as long
// as the marker is not answered for, and never goes back.
func TestTheLastStableOffsetMayFollowTheHighWatermark(t *testing.T) {
	h := byHand(t, oracle.Config{TransactionVersion: 2})
	h.commits()
	for _, x := range []struct {
		isolation int8
		offset    int64
	}{{0, 2}, {1, 0}, {0, 2}, {1, 2}} {
		if err := h.latest(x.isolation, x.offset); err != nil {
			t.Errorf("isolation %d, offset %d: %v", x.isolation, x.offset, err)
		}
	}
	h = byHand(t, oracle.Config{TransactionVersion: 2})
	h.commits()
	if err := h.latest(0, 2); err != nil {
		t.Fatal(err)
	}
	if err := h.o.Settled(); err != nil {
		t.Fatal(err)
	}
	violated(t, h.latest(1, 0), spec.LSO01)
}
