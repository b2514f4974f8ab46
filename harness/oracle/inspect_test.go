package oracle_test

import (
	"slices"
	"testing"

	"github.com/onceproof/onceproof/harness/oracle"
	"github.com/onceproof/onceproof/spec"
)

// What the coordinator may hold: before the request was handled, while its
// record is written, and after.
func TestStatuses(t *testing.T) {
	h := byHand(t, oracle.Config{TransactionVersion: 2})
	if have := h.o.Statuses("txn"); have != nil {
		t.Errorf("expected nothing of an id that nobody has named, got %v", have)
	}
	h.sent(1, h.a.initRequest(-1, -1))
	unknown := oracle.Held{Status: spec.NoStatus, ProducerID: -1, Epoch: -1}
	have := h.o.Statuses("txn")
	if !slices.Contains(have, unknown) || !slices.ContainsFunc(have, func(x oracle.Held) bool { return x.Pending }) {
		t.Errorf("expected that the id may be unknown, or its record be written, got %v", have)
	}
	resp := answerInit(spec.None, 7, 0)
	if err := h.o.Answered(1, resp, h.t); err != nil {
		t.Fatal(err)
	}
	if have, want := h.o.Statuses("txn"), []oracle.Held{{Status: spec.Empty, ProducerID: 7}}; !slices.Equal(have, want) {
		t.Errorf("expected %v, got %v", want, have)
	}
}

// A clone goes on by itself: what contradicts one does not concern the other.
func TestClone(t *testing.T) {
	h := byHand(t, oracle.Config{TransactionVersion: 2})
	h.inits(1, 7, 0)
	h.sent(1, h.a.endRequest(false))
	clone := h.o.Clone()
	other := "other"
	x := *h.a
	x.id = &other
	if err := clone.Sent(2, x.initRequest(-1, -1), h.t); err != nil {
		t.Fatal(err)
	}
	violated(t, clone.Answered(2, answerInit(spec.None, 7, 0), h.t), spec.INIT20)
	if h.o.Verdict().Kind != oracle.Conforms || h.o.Statuses("other") != nil {
		t.Errorf("expected that the first one knows nothing of it, got %v and %v", h.o.Verdict().Kind, h.o.Statuses("other"))
	}
	h.inits(3, 7, 1)
	if len(h.o.Spent()) != 3 || len(clone.Spent()) != 3 {
		t.Errorf("expected the times of three exchanges each, got %v and %v", h.o.Spent(), clone.Spent())
	}
}
