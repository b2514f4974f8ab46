package oracle_test

import (
	"fmt"
	"testing"

	"github.com/onceproof/onceproof/harness/oracle"
	"github.com/onceproof/onceproof/spec"
)

// A batch for a partition that is not in the transaction is refused in words that its own client understands, unless its
// question may have gone out together with one of a client of the other kind (ADD-23): because others use the broker, or
// because the scenario itself has one under way at the same moment.
func TestWordsOfAnotherClientNeedCompany(t *testing.T) {
	const none, before, meanwhile = "", "answered before", "under way"
	for _, c := range []struct {
		version int16
		company bool
		other   int16
		when    string
		wrong   bool // the other kind's code is allowed too
	}{
		{version: 9, when: none},
		{version: 10, when: none},
		{version: 11, when: none},
		{version: 10, company: true, when: none, wrong: true},
		{version: 11, company: true, when: none, wrong: true},
		{version: 10, other: 11, when: before},
		{version: 11, other: 10, when: before},
		{version: 10, other: 11, when: meanwhile, wrong: true},
		{version: 10, other: 12, when: meanwhile, wrong: true},
		{version: 11, other: 10, when: meanwhile, wrong: true},
		{version: 11, other: 9, when: meanwhile, wrong: true},
		{version: 10, other: 9, when: meanwhile},
		{version: 11, other: 12, when: meanwhile},
	} {
		t.Run(fmt.Sprintf("v%d,company=%t,v%d %s", c.version, c.company, c.other, c.when), func(t *testing.T) {
			for _, wrong := range []bool{false, true} {
				h := byHand(t, oracle.Config{TransactionVersion: 2, Strict: true, Company: c.company})
				h.inits(1, 5, 0)
				if c.when != none {
					h.another(c.other, c.when == before)
				}
				batch := h.a.produceRequest(c.version, 0, 0, true, "a")
				h.sent(1, batch)
				code := words(c.version)
				if wrong {
					code = spec.InvalidTxnState + spec.TransactionAbortable - code
				}
				err := h.o.Answered(1, refused(batch, code), h.t)
				if wrong && !c.wrong {
					violated(t, err, spec.VER06)
				} else if err != nil {
					t.Errorf("%v: %v", code, err)
				}
			}
		})
	}
}

// words is what a client of this version understands about a partition that is not in its transaction (VER-06).
func words(version int16) spec.Code {
	if version <= 10 {
		return spec.InvalidTxnState
	}
	return spec.TransactionAbortable
}

// another has a producer of another transactional id send a batch to the other partition.
func (h *hand) another(version int16, answered bool) {
	h.Helper()
	own := *h.a
	defer func() { *h.a = own }()
	other := "other"
	h.a.id = &other
	h.inits(2, 6, 0)
	batch := h.a.produceRequest(version, 1, 0, true, "b")
	h.sent(2, batch)
	if answered {
		resp := refused(batch, words(version))
		resp.Topics[0].Partitions[0].Partition = 1
		if err := h.o.Answered(2, resp, h.t); err != nil {
			h.Fatal(err)
		}
	}
}
