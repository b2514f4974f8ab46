package steps

import (
	"strings"
	"testing"

	"github.com/onceproof/onceproof/harness/broker"
	"github.com/onceproof/onceproof/harness/wire"
)

// logOf makes a log as a Fetch gives it: "5:a" is a record a of producer 5 in a transaction, "5!C" and "5!A" its markers,
// "5=a" a record outside.
func logOf(t *testing.T, words ...string) []wire.RecordBatch {
	t.Helper()
	var set []byte
	for offset, word := range words {
		b := wire.Batch{BaseOffset: int64(offset), ProducerID: int64(word[0] - '0'), Transactional: word[1] != '=', Records: [][]byte{[]byte(word[2:])}}
		if word[1] == '!' {
			b.Control = true
			b.Keys, b.Records = [][]byte{{0, 0, 0, map[byte]byte{'A': 0, 'C': 1}[word[2]]}}, [][]byte{{0, 0, 0, 0, 0, 0}}
		}
		set = append(set, b.Encode()...)
	}
	batches, _, err := wire.DecodeRecords(set)
	if err != nil {
		t.Fatal(err)
	}
	return batches
}

func TestAConsumerSkipsFromTheFirstOffsetToTheAbortMarker(t *testing.T) {
	f := broker.Fetched{
		Batches: logOf(t, "1:a", "2:b", "2!A", "1:c", "1!A", "2:d", "2=e", "2!C", "1:f", "1!C"),
		Aborted: []broker.Aborted{{ProducerID: 2, FirstOffset: 1}, {ProducerID: 1, FirstOffset: 0}},
	}
	c := consume(&f, broker.ReadCommitted)
	if got := strings.Join(c.records, " "); got != "d@5 e@6 f@8" || c.position != 10 || !c.skipped || !c.passed {
		t.Errorf("expected d@5 e@6 f@8 and position 10, got %s and %d", got, c.position)
	}
	c = consume(&f, broker.ReadUncommitted)
	if got := strings.Join(c.records, " "); got != "a@0 b@1 c@3 d@5 e@6 f@8" || c.skipped {
		t.Errorf("expected everything, got %s", got)
	}
}
