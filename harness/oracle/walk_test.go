package oracle_test

import (
	"math/rand/v2"
	"time"

	"github.com/twmb/franz-go/pkg/kmsg"

	"github.com/onceproof/onceproof/harness/oracle"
	"github.com/onceproof/onceproof/harness/reference"
	"github.com/onceproof/onceproof/spec"
)

// walkLength is how many exchanges a random walk has.
const walkLength = 40

// unreadAtATime is how many requests whose answers nobody reads may be on their
// way at a time.
const unreadAtATime = 2

// walk is a random walk of two producers over the requests of the spec, on two
// partitions and two connections, with at most two requests in flight.
type walk struct {
	*tester
	rng    *rand.Rand
	actors [2]*walker
	flight [2]func(kmsg.Response) // by connection: what takes the answer
}

// walker is a producer of a walk, with what it would send next.
type walker struct {
	*actor
	next [2]int32 // sequence, by partition
}

// newWalk has everything that a walk chooses chosen by the seed.
func newWalk(release spec.Release, tv int8, seed uint64) (*walk, error) {
	return newWalkOn(release.Fixes, oracle.Config{Release: release, TransactionVersion: tv, Strict: true}, seed)
}

// newWalkOn is newWalk on a broker with other switches.
func newWalkOn(fixes spec.Fixes, cfg oracle.Config, seed uint64) (*walk, error) {
	b := reference.New(spec.Rules{TransactionVersion: cfg.TransactionVersion, Fixes: fixes}, seed)
	b.Overlap()
	c, err := newTester(b, cfg, "topic", 2)
	if err != nil {
		return nil, err
	}
	w := &walk{tester: c, rng: rand.New(rand.NewPCG(seed, 2))}
	ids := [2]string{"one", "one"}
	if w.chance(50) {
		ids[1] = "two"
	}
	for i, id := range ids {
		a := c.producer("", id)
		if w.chance(30) {
			a.timeout = 1000
		}
		w.actors[i] = &walker{actor: a}
	}
	return w, nil
}

func (w *walk) chance(percent int) bool { return w.rng.IntN(100) < percent }

// run walks, and receives what is outstanding at the end.
func (w *walk) run() error {
	return w.tester.run(func(*tester) {
		for sent := 0; sent < walkLength; {
			i := w.rng.IntN(2)
			if w.flight[i] != nil {
				w.take(i)
				continue
			}
			w.send(i)
			sent++
			if w.chance(50) && w.flight[i] != nil {
				w.take(i)
			}
			if w.chance(2) {
				w.b.(*reference.Broker).Pass(1100 * time.Millisecond)
			}
		}
		for i := range w.flight {
			if w.flight[i] != nil {
				w.take(i)
			}
		}
	})
}

func (w *walk) take(i int) {
	adopt := w.flight[i]
	w.flight[i] = nil
	adopt(w.receive(string('a' + rune(i))))
}

// send sends something on a connection; of a few nobody reads the answer.
func (w *walk) send(i int) {
	req, adopt := w.choose()
	on := string('a' + rune(i))
	if w.chance(4) && w.o.Unread() < unreadAtATime {
		w.lose(on, req)
		return
	}
	w.tester.send(on, req)
	w.flight[i] = adopt
}

func ignore(kmsg.Response) {}

// choose chooses a request, and what takes its answer.
func (w *walk) choose() (kmsg.Request, func(kmsg.Response)) {
	p := w.actors[w.rng.IntN(2)]
	partition := int32(w.rng.IntN(2))
	if p.pid < 0 {
		return p.initRequest(-1, -1), p.adopts
	}
	q := *p.actor
	q.epoch = w.near(q.epoch)
	if w.tv > 0 {
		q.styled = int8(1 + w.rng.IntN(2)) // at level 0 the second style breaks the id (ADD-28)
	}
	switch n := w.rng.IntN(100); {
	case n < 3:
		return p.initRequest(-1, -1), p.adopts
	case n < 10:
		return q.initRequest(q.pid, q.epoch), p.adopts
	case n < 22:
		return q.addRequest(partition), ignore
	case n < 52:
		sequence := p.next[partition]
		if w.chance(20) {
			sequence = max(0, sequence+int32(w.rng.IntN(3))-1)
		}
		return q.produceRequest(q.version(), partition, sequence, true, "a"), func(r kmsg.Response) {
			if produceCode(r) == 0 && sequence == p.next[partition] {
				p.next[partition]++
			}
		}
	case n < 72:
		return q.endRequest(w.chance(60)), p.ended
	case n < 76:
		return w.markerByHand(&q, partition), ignore
	}
	return w.look(p, partition), ignore
}

// near is an epoch, mostly the one given, else one off.
func (w *walk) near(epoch int16) int16 {
	if w.chance(15) {
		return max(0, epoch+int16(2*w.rng.IntN(2)-1))
	}
	return epoch
}

func (p *walker) adopts(r kmsg.Response) {
	if i := r.(*kmsg.InitProducerIDResponse); i.ErrorCode == 0 {
		p.pid, p.epoch, p.next = i.ProducerID, i.ProducerEpoch, [2]int32{}
	}
}

func (p *walker) ended(r kmsg.Response) {
	if e := r.(*kmsg.EndTxnResponse); e.ErrorCode == 0 && e.Version >= 5 {
		p.pid, p.epoch, p.next = e.ProducerID, e.ProducerEpoch, [2]int32{}
	}
}

func (w *walk) markerByHand(a *actor, partition int32) kmsg.Request {
	req := kmsg.NewPtrWriteTxnMarkersRequest()
	req.Version = int16(1 + w.rng.IntN(2))
	m := kmsg.NewWriteTxnMarkersRequestMarker()
	m.ProducerID, m.ProducerEpoch, m.Committed = a.pid, a.epoch, w.chance(50)
	if req.Version >= 2 && a.styled >= 2 {
		m.TransactionVersion = 2
	}
	t := kmsg.NewWriteTxnMarkersRequestMarkerTopic()
	t.Topic, t.Partitions = w.topic, []int32{partition}
	m.Topics = append(m.Topics, t)
	req.Markers = append(req.Markers, m)
	return req
}

// look reads.
func (w *walk) look(p *walker, partition int32) kmsg.Request {
	isolation := int8(w.rng.IntN(2))
	switch w.rng.IntN(5) {
	case 0, 1:
		return w.fetchRequest(w.topic, partition, 0, isolation)
	case 2:
		return w.latestRequest(partition, isolation)
	case 3:
		return w.producersRequest(partition)
	}
	req := kmsg.NewPtrDescribeTransactionsRequest()
	req.TransactionalIDs = []string{*p.id}
	return req
}
