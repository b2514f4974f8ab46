package oracle_test

import (
	"testing"

	"github.com/twmb/franz-go/pkg/kmsg"

	"github.com/onceproof/onceproof/harness/oracle"
	"github.com/onceproof/onceproof/spec"
)

// refused answers a Produce with an error.
func refused(req *kmsg.ProduceRequest, code spec.Code) *kmsg.ProduceResponse {
	resp := req.ResponseKind().(*kmsg.ProduceResponse)
	topic, part := kmsg.NewProduceResponseTopic(), kmsg.NewProduceResponseTopicPartition()
	part.ErrorCode, part.BaseOffset, part.LogStartOffset = int16(code), -1, -1
	topic.Topic, topic.Partitions = "topic", append(topic.Partitions, part)
	resp.Topics = append(resp.Topics, topic)
	return resp
}

// A batch that was not added is refused in words that its client knows; where its
// question went out with that of an old client, in that one's (ADD-23).
func TestQuestionsThatGoOutTogether(t *testing.T) {
	for _, c := range []struct {
		what               string
		beside, inCompany  bool
		wantTxnStateAsWell bool
	}{{"alone", false, false, false}, {"beside an old client's batch", true, false, true}, {"on a broker that others use", false, true, true}} {
		for _, code := range []spec.Code{spec.TransactionAbortable, spec.InvalidTxnState} {
			h := byHand(t, oracle.Config{TransactionVersion: 2, Company: c.inCompany, Strict: true})
			h.inits(1, 5, 0)
			young, other := *h.a, "other"
			h.a.id = &other
			h.inits(1, 6, 0)
			if c.beside {
				h.sent(2, h.a.produceRequest(9, 1, 0, true, "b"))
			}
			batch := young.produceRequest(11, 0, 0, true, "a")
			h.sent(1, batch)
			err := h.o.Answered(1, refused(batch, code), h.t)
			if code == spec.TransactionAbortable || c.wantTxnStateAsWell {
				if err != nil {
					t.Errorf("%s, %v: %v", c.what, code, err)
				}
				continue
			}
			violated(t, err, spec.VER06)
		}
	}
}

// Where others take producer ids as well, a block may be used up at any time.
func TestLoadingInCompany(t *testing.T) {
	h := byHand(t, oracle.Config{TransactionVersion: 2, Company: true})
	h.a.id = nil
	h.inits(1, 7, 0)
	h.sent(1, h.a.initRequest(-1, -1))
	if err := h.o.Answered(1, answerInit(spec.CoordinatorLoading, -1, -1), h.t); err != nil {
		t.Error(err)
	}
}
