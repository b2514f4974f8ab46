package oracle

import (
	"math/bits"

	"github.com/onceproof/onceproof/spec"
)

// Sums stand for the contents of a state: two states are taken for the same when
// their sums are, with a chance of 2^-64 to be wrong for each pair. Those of
// transactional ids and leaders are kept, for a step changes one of each; those
// of logs grow with them. When a transaction began is in no sum, nor are the
// history variables, which are 0, and the slots of batches that wait, which only
// tie a message to its batch: marks do that as well.

// sums are those of the parts of a state.
type sums struct {
	txns    []txnSum
	leaders []leaderSum
}

type logSum struct {
	length int
	sum    uint64
}

type txnSum struct {
	log logSum
	sum uint64
}

type leaderSum struct {
	log, aborted logSum
	sum          uint64
}

func (x *sums) copyOf(y *sums) {
	x.txns = append(x.txns[:0], y.txns...)
	x.leaders = append(x.leaders[:0], y.leaders...)
}

func (x *sums) updateAll(s *spec.State) {
	for i := range x.txns {
		x.txns[i].update(&s.Coordinator.Txns[i], true)
	}
	for i := range x.leaders {
		x.leaders[i].update(&s.Leaders[i], true)
	}
}

// mix takes another word into a sum.
func mix(h, word uint64) uint64 {
	high, low := bits.Mul64(h^0x9e3779b97f4a7c15, word^0xd6e8feb86659fd93)
	return bits.RotateLeft64(h, 23) ^ high ^ low
}

func flag(b bool) uint64 {
	if b {
		return 1
	}
	return 0
}

// small puts numbers of at most 16 bits into one word.
func small[A, B, C, D ~int8 | ~uint8 | ~int16 | ~uint16](a A, b B, c C, d D) uint64 {
	return uint64(uint16(a)) | uint64(uint16(b))<<16 | uint64(uint16(c))<<32 | uint64(uint16(d))<<48
}

// two puts numbers of 32 bits into one word.
func two(a, b int32) uint64 { return uint64(uint32(a)) | uint64(uint32(b))<<32 }

func addMetadata(h uint64, m *spec.Metadata) uint64 {
	h = mix(h, uint64(m.ProducerID))
	h = mix(h, uint64(m.PrevProducerID))
	h = mix(h, small(m.Epoch, m.LastEpoch, m.Status, m.ClientVersion))
	h = mix(h, uint64(m.Partitions))
	return mix(h, uint64(uint32(m.TimeoutMs))|flag(m.ByInit)<<32|uint64(m.Number)<<33)
}

// update takes in what a step changed; whole says that the log may be another one.
func (x *txnSum) update(t *spec.Txn, whole bool) {
	if whole {
		x.log = logSum{}
	}
	for ; x.log.length < len(t.Log); x.log.length++ {
		x.log.sum = addMetadata(x.log.sum, &t.Log[x.log.length])
	}
	p := &t.Pending
	h := addMetadata(mix(flag(t.Known), x.log.sum), &t.Memory)
	h = mix(h, small(uint8(p.Phase), p.From.Version, uint8(p.From.API), p.From.Ref))
	h = mix(h, small(uint16(p.Conn), p.Partition, uint8(0), uint8(flag(p.Asked)|flag(p.From.Fence)<<1)))
	if p.Phase != spec.Idle {
		h = addMetadata(h, &p.Next)
	}
	x.sum = mix(h, uint64(len(t.Log)))
}

func (x *leaderSum) update(l *spec.Leader, whole bool) {
	if whole {
		x.log, x.aborted = logSum{}, logSum{}
	}
	for ; x.log.length < len(l.Log); x.log.length++ {
		b := &l.Log[x.log.length]
		h := mix(x.log.sum, uint64(b.ProducerID))
		h = mix(h, small(b.Epoch, int8(b.Kind), uint8(flag(b.Transactional)), b.Number))
		h = mix(h, two(b.Sequence, b.Count))
		x.log.sum = mix(h, two(b.CoordinatorEpoch, b.Data))
	}
	for ; x.aborted.length < len(l.Aborted); x.aborted.length++ {
		a := &l.Aborted[x.aborted.length]
		h := mix(x.aborted.sum, uint64(a.ProducerID))
		h = mix(h, uint64(a.First))
		h = mix(h, uint64(a.Last))
		x.aborted.sum = mix(h, uint64(a.LastStable))
	}
	h := mix(x.log.sum, uint64(len(l.Log)))
	h = mix(h, x.aborted.sum)
	for i := range l.Producers {
		h = addProducer(h, &l.Producers[i])
	}
	h = mix(h, uint64(len(l.Producers)))
	for i := range l.Verifications {
		v := &l.Verifications[i]
		h = mix(h, uint64(v.ID))
		h = mix(h, uint64(uint32(v.Lowest))|uint64(uint16(v.Epoch))<<32|flag(v.Add)<<48)
	}
	x.sum = mix(h, uint64(len(l.Verifications))) // what waits is looked at by total
}

func addProducer(h uint64, p *spec.Producer) uint64 {
	h = mix(h, uint64(p.ID))
	h = mix(h, uint64(p.Open))
	h = mix(h, uint64(uint32(p.CoordinatorEpoch))|uint64(uint16(p.Epoch))<<32|uint64(p.Number)<<48)
	for _, b := range p.Batches[:p.Cached] {
		h = mix(h, two(b.First, b.Last))
		h = mix(h, uint64(b.Offset))
	}
	return mix(h, uint64(p.Cached))
}

func addMessage(h uint64, m *spec.Message) uint64 {
	h = mix(h, small(uint8(m.Kind), int8(m.Txn), m.Partition, uint8(flag(m.Waited)|flag(m.Commit)<<1)))
	h = mix(h, uint64(m.ProducerID))
	h = mix(h, small(uint8(0), m.Ref, m.Epoch, m.Version))
	h = mix(h, uint64(uint32(m.CoordinatorEpoch))|uint64(uint8(m.TransactionVersion))<<32|uint64(uint16(m.Code))<<40)
	return mix(h, uint64(m.Number))
}

func addAnswer(h uint64, a *spec.Answer) uint64 {
	h = mix(h, small(uint16(a.Conn), int16(a.Code), int16(a.Rest), uint8(flag(a.Coordinator)|uint64(a.API)<<1)))
	h = mix(h, uint64(a.ProducerID))
	h = mix(h, uint64(a.Offset))
	h = mix(h, uint64(a.Failed))
	return mix(h, uint64(uint16(a.Epoch)))
}

// total is the sum of a node but for the requests whose answers nobody reads.
// Those are returned beside, by their places in lost, where there is room. One
// request and one read are left out.
func (n *node) total(lost []uint8, without uint8, read *call) (sum, unread uint64) {
	s := &n.s
	h := mix(uint64(s.Allocator.Next), flag(s.Allocator.Ready)|flag(s.Coordinator.Up)<<1|uint64(uint32(s.Coordinator.Epoch))<<2)
	for i := range n.parts.txns {
		h = mix(h, n.parts.txns[i].sum)
	}
	for i := range n.parts.leaders {
		h = mix(h, n.parts.leaders[i].sum)
		var waiting uint64 // in any order
		for j := range s.Leaders[i].Waiting {
			if w := &s.Leaders[i].Waiting[j]; w.Request.Ref != without {
				waiting += mix(1, small(uint8(flag(w.Guard)), w.Request.Ref, uint16(w.Conn), uint8(0)))
			}
		}
		h = mix(h, waiting)
	}
	for i := range s.Inbox { // a request is known by its mark
		a := &s.Inbox[i]
		if a.Request.Ref == without {
			continue
		}
		if place := indexOf(lost, a.Request.Ref); a.Conn == 0 && place >= 0 {
			unread |= 1 << place
			continue
		}
		h = mix(h, 1<<32|uint64(a.Conn)<<8|uint64(a.Request.Ref))
	}
	var net uint64 // a bag: in any order
	for i := range s.Net {
		if m := &s.Net[i]; m.Ref == 0 || m.Ref != without {
			net += addMessage(1, m)
		}
	}
	h = mix(h, net)
	for i := range s.Answers {
		if a := &s.Answers[i]; a.Conn != spec.Conn(without) {
			h = addAnswer(h, a)
		}
	}
	h = mix(h, 0)
	for _, t := range n.taken {
		if read != nil && t.exchange == read.exchange {
			continue
		}
		h = mix(h, uint64(t.exchange)<<8|uint64(len(t.seen)))
		for _, seen := range t.seen {
			h = mix(h, seen.sum)
		}
	}
	return h, unread
}

// indexOf is the place of a mark among the first 64, or -1.
func indexOf(lost []uint8, ref uint8) int {
	for i, x := range lost {
		if x == ref && i < 64 {
			return i
		}
	}
	return -1
}
