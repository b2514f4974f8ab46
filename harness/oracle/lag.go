package oracle

import (
	"slices"

	"github.com/onceproof/onceproof/spec"
)

// A marker raises the high watermark a moment before the last stable offset: a
// reader in between sees the new one with the old other (seen on Apache Kafka
// 4.4.0 under load: UnifiedLog.updateHighWatermarkMetadata sets the one, then
// the other, and readers take no lock). The moment is over when the leader
// answers for the marker or takes another batch, for both happen behind it.

// lagging is the last stable offset of before a partition's newest marker, where
// a reader may still see that.
func (m *comparison) lagging() (stable int64, ok bool) {
	l := &m.s.Leaders[m.q.partition]
	n := len(l.Log)
	if n == 0 || l.Log[n-1].Kind == spec.Data || !marking(m.s, m.q.partition, l.Log[n-1].ProducerID) {
		return 0, false
	}
	marker := &l.Log[n-1]
	at, first := l.LogEnd()-int64(marker.Count), spec.NoOffset
	for i := n - 2; i >= 0; i-- {
		b := &l.Log[i]
		at -= int64(b.Count)
		if b.ProducerID != marker.ProducerID {
			continue
		}
		if b.Kind != spec.Data {
			break
		}
		if b.Transactional {
			first = at
		}
	}
	if first == spec.NoOffset {
		return 0, false
	}
	return min(first, l.LastStable()), true
}

// marking reports whether a leader has not answered yet for a marker of a
// producer.
func marking(s *spec.State, partition int, producer int64) bool {
	return slices.ContainsFunc(s.Net, func(msg spec.Message) bool {
		return msg.Kind == spec.MarkerReply && int(msg.Partition) == partition && s.Coordinator.Txns[msg.Txn].Memory.ProducerID == producer
	})
}

// keepMarking copies into out what marking looks at.
func keepMarking(out, s *spec.State, partition int) {
	for _, msg := range s.Net {
		if msg.Kind != spec.MarkerReply || int(msg.Partition) != partition {
			continue
		}
		out.Net = append(out.Net, spec.Message{Kind: msg.Kind, Txn: msg.Txn, Partition: msg.Partition})
		for len(out.Coordinator.Txns) < len(s.Coordinator.Txns) {
			out.Coordinator.Txns = append(out.Coordinator.Txns, spec.Txn{})
		}
		out.Coordinator.Txns[msg.Txn].Memory.ProducerID = s.Coordinator.Txns[msg.Txn].Memory.ProducerID
	}
}
