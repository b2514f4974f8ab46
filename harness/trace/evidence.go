package trace

import (
	"fmt"
	"slices"
	"strings"

	"github.com/onceproof/onceproof/harness/script"
	"github.com/onceproof/onceproof/spec"
	"github.com/onceproof/onceproof/spec/world"
)

// ofAnswers are the properties whose fall is an answer: the last one shows it. Of the others logs and offsets do.
var ofAnswers = []string{"OwnerNotRefused", "FencedHearsFenced", "FencedStaysFenced", "RejectedHasNoEffect", "UniqueIdentity"}

// evidence are the lines at the end that show what is wrong.
func (s *scenario) evidence(property string) {
	if property == "" || slices.Contains(ofAnswers, property) {
		return
	}
	b := s.ms[len(s.ms)-1].after
	t := &b.Coordinator.Txns[0].Memory
	shows := fmt.Sprintf("%v, P%d, epoch %d", t.Status, t.ProducerID, t.Epoch)
	if t.Status == spec.Ongoing || t.Status.Prepared() {
		shows += ", partitions " + partitions(t.Partitions)
	}
	if t.Status.Prepared() {
		s.Add(script.Then, `the transaction of "id" stays in %v`, t.Status)
	}
	s.Add(script.Then, `DescribeTransactions of "id" shows %s`, shows)
	for p := range b.Leaders {
		s.log(p, &b.Leaders[p], property == "InOrder" || property == "NoDuplicate")
	}
}

// log shows what lies in a partition, with sequences or without, and what consumers see of it.
func (s *scenario) log(p int, l *spec.Leader, sequences bool) {
	rows := [][]string{{"offsets", "epoch", "sequence", "batch"}}
	var read []string
	var offset int64
	for i := range l.Log {
		b := &l.Log[i]
		batch := map[spec.BatchKind]string{spec.CommitMarker: "COMMIT", spec.AbortMarker: "ABORT"}[b.Kind]
		if b.Kind == spec.Data {
			batch = s.contents(b)
			if world.Shown(l, b, offset) {
				read = append(read, fmt.Sprintf("%s@%d", strings.TrimPrefix(batch, "plain "), offset))
			}
		}
		rows = append(rows, []string{fmt.Sprint(offset), fmt.Sprint(b.Epoch), fmt.Sprint(b.Sequence), batch})
		offset += int64(b.Count)
	}
	if read == nil {
		read = []string{"nothing"}
	}
	if !sequences {
		for i, row := range rows {
			rows[i] = slices.Delete(row, 2, 3)
		}
	}
	s.AddTable(script.Then, fmt.Sprintf("the log of t-%d is:", p), rows)
	s.Add(script.Then, "the latest offset of t-%d is %d read_uncommitted and %d read_committed", p, l.HighWatermark(), l.LastStable())
	s.Add(script.Then, "a read_committed consumer of t-%d reads %s and stands at %d", p, strings.Join(read, " "), l.LastStable())
}

// contents is a batch in the log as the features' language shows it.
func (s *scenario) contents(b *spec.Batch) string {
	if b.ProducerID == spec.NoProducer {
		return "plain z"
	}
	return s.value(&spec.Request{Data: b.Data})
}
