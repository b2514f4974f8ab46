package oracle_test

import (
	"github.com/twmb/franz-go/pkg/kmsg"
)

// Scripts go through what the rules tell apart. They demand little: whether
// the answers are right is for the oracle to say.

func (a *actor) try(req kmsg.Request) kmsg.Response { return a.c.do(a.on, req) }

// as returns a copy of the actor with another identity.
func (a *actor) as(pid int64, epoch int16) *actor {
	b := *a
	b.pid, b.epoch = pid, epoch
	return &b
}

// endings sends every kind of EndTxn in every state of a transaction.
func endings(c *tester) {
	p := c.producer("producer", c.topic).init()
	every := func() {
		for _, style := range []int8{1, 2} {
			if c.tv == 0 && style == 2 {
				continue // breaks the id (ADD-28)
			}
			for _, epoch := range []int16{p.epoch - 2, p.epoch - 1, p.epoch + 1} {
				for _, commit := range []bool{true, false} {
					x := p.as(p.pid, epoch)
					x.styled = style
					if epoch >= 0 && !(style == 2 && epoch == p.epoch) {
						x.try(x.endRequest(commit))
					}
				}
			}
		}
		p.as(p.pid+500, p.epoch).try(p.as(p.pid+500, p.epoch).endRequest(true))
	}
	every()
	p.try(p.endRequest(true)) // nothing to commit
	p.try(p.initRequest(p.pid, p.epoch+1))
	p.produce("a")
	every()
	p.end(true)
	c.completes(c.topic)
	every()
	repeat := *p
	if p.styled >= 2 {
		repeat.epoch--
	}
	repeat.try(repeat.endRequest(true))  // the same again
	repeat.try(repeat.endRequest(false)) // the other direction
	p.produce("b", "c")
	p.end(false)
	c.completes(c.topic)
	every()
	if p.styled >= 2 {
		repeat.epoch = p.epoch - 1
	}
	repeat.try(repeat.endRequest(false))
	repeat.try(repeat.endRequest(true))
	p.end(false) // an abort of nothing
	c.completes(c.topic)
	p.produce("d")
	p.end(true)
	c.completes(c.topic)
	c.look(c.topic, 0)
}

// identities sends InitProducerId with every kind of identity.
func identities(c *tester) {
	p := c.producer("producer", c.topic).init()
	old := *p
	bad := p.initRequest(-1, -1)
	bad.TransactionTimeoutMillis = 900001
	p.try(bad)
	p.try(p.initRequest(p.pid, -1))
	again := func(pid int64, epoch int16) { p.adopt(p.try(p.initRequest(pid, epoch))) }
	again(p.pid, p.epoch)         // its own: a new epoch
	again(old.pid, old.epoch)     // the answer was lost, once more
	again(old.pid+700, old.epoch) // somebody else's
	again(-1, -1)
	again(old.pid, old.epoch) // fenced
	c.look(c.topic, 0)
	p.produce("x")
	stale := *p
	c.producer("other", c.topic).init() // aborts it
	c.completes(c.topic)
	p.try(p.initRequest(stale.pid, stale.epoch))
	p.batch(0, p.sequence, "y")
	p.try(p.endRequest(false))
	p.try(p.addRequest(0))
	c.look(c.topic, 0)
	empty, v3 := "", p.initRequest(stale.pid, stale.epoch)
	v3.Version = 3
	p.try(v3)
	nobody := p.initRequest(-1, -1)
	nobody.TransactionalID = &empty
	p.try(nobody)
}

func (a *actor) adopt(r kmsg.Response) {
	if i := r.(*kmsg.InitProducerIDResponse); i.ErrorCode == 0 {
		a.pid, a.epoch, a.sequence = i.ProducerID, i.ProducerEpoch, 0
	}
}

// retakes has an open transaction's own producer ask for its identity again.
func retakes(c *tester) {
	p := c.producer("producer", c.topic).init()
	p.produce("x")
	p.try(p.initRequest(p.pid, p.epoch)) // aborts it
	c.completes(c.topic)
	p.try(p.initRequest(p.pid, p.epoch))
	p.adopt(p.try(p.initRequest(-1, -1)))
	p.produce("y")
	p.end(true)
	c.completes(c.topic)
	c.look(c.topic, 0)
}

// sequences are those of an idempotent producer.
func sequences(c *tester) {
	p := c.producer("producer", "").init()
	p.batch(0, 0, "a", "b")
	p.batch(0, 0, "a", "b")      // a duplicate
	p.batch(0, 1, "b", "c")      // overlaps
	p.batch(0, 0, "a", "b", "c") // overlaps
	p.batch(0, 2, "c")
	p.batch(0, 4, "e") // a gap
	p.batch(1, 7, "q") // no state
	p.batch(1, 8, "r")
	q := p.as(p.pid, p.epoch+1)
	q.batch(0, 3, "x") // a higher epoch must begin at 0
	q.batch(0, 0, "x")
	p.batch(0, 3, "d") // the lower epoch is over
	q.batch(0, 2147483647, "y")
	w := c.producer("wrap", "").init()
	w.batch(0, 2147483646, "m", "n", "o")
	w.batch(0, 2147483646, "m", "n", "o")
	w.batch(0, 1, "p")
	n := p.as(-1, -1)
	n.batch(0, -1, "z")
	n.batch(0, -1, "z")
	c.look("", 0)
	c.look("", 1)
}

// refusals are batches that are refused before anything is looked up, and what
// they leave.
func refusals(c *tester) {
	p := c.producer("producer", c.topic).init()
	lonely := p.produceRequest(11, 0, 0, true, "a")
	lonely.TransactionID = nil
	p.try(lonely)
	p.try(p.produceRequest(11, 9, 0, false, "a"))
	acks := p.produceRequest(11, 0, 0, false, "a")
	acks.Acks = 3
	p.try(acks)
	p.try(p.produceRequest(11, 0, -1, false, "a"))
	for _, version := range []int16{9, 11} {
		p.try(p.produceRequest(version, 0, 0, true, "a")) // not added
	}
	unknown := p.addRequest(0)
	unknown.Topics[0].Partitions = []int32{0, 9}
	p.try(unknown)
	p.as(p.pid+500, p.epoch).try(p.as(p.pid+500, p.epoch).addRequest(0))
	p.as(p.pid, p.epoch+1).try(p.as(p.pid, p.epoch+1).addRequest(0))
	p.as(p.pid+500, p.epoch).batch(0, 0, "a")
	p.as(p.pid, p.epoch+1).batch(0, 0, "a")
	c.look(c.topic, 0)
	p.produce("b")
	p.try(p.produceRequest(11, 0, p.sequence, false, "c"))              // not transactional, in a transaction
	p.as(p.pid, p.epoch).batch(0, p.sequence+5, "d")                    // a gap
	p.as(p.pid, p.epoch).batch(0, p.sequence-1, "b")                    // a duplicate
	p.as(-1, -1).try(p.as(-1, -1).produceRequest(11, 0, -1, true, "e")) // transactional, nobody's
	c.look(c.topic, 0)
	p.end(false)
	c.completes(c.topic)
	c.look(c.topic, 0)
}

// verifies asks what a leader asks.
func verifies(c *tester) {
	p := c.producer("producer", c.topic).init()
	ask := func(pid int64, epoch int16, partition int32) {
		req := kmsg.NewPtrAddPartitionsToTxnRequest()
		req.Version = 4
		x := kmsg.NewAddPartitionsToTxnRequestTransaction()
		x.TransactionalID, x.ProducerID, x.ProducerEpoch, x.VerifyOnly = c.topic, pid, epoch, true
		t := kmsg.NewAddPartitionsToTxnRequestTransactionTopic()
		t.Topic, t.Partitions = c.topic, []int32{partition}
		x.Topics = append(x.Topics, t)
		req.Transactions = append(req.Transactions, x)
		p.try(req)
	}
	all := func() {
		ask(p.pid, p.epoch, 0)
		ask(p.pid, p.epoch, 1)
		ask(p.pid, p.epoch+1, 0)
		ask(p.pid+900, p.epoch, 0)
	}
	all()
	p.produce("a")
	all()
	p.end(true)
	c.completes(c.topic)
	all()
}

func (c *tester) marker(version int16, pid int64, epoch int16, coordinator int32, tv int8, commit bool, partition int32) {
	req := kmsg.NewPtrWriteTxnMarkersRequest()
	req.Version = version
	m := kmsg.NewWriteTxnMarkersRequestMarker()
	m.ProducerID, m.ProducerEpoch, m.CoordinatorEpoch, m.Committed, m.TransactionVersion = pid, epoch, coordinator, commit, tv
	t := kmsg.NewWriteTxnMarkersRequestMarkerTopic()
	t.Topic, t.Partitions = c.topic, []int32{partition}
	m.Topics = append(m.Topics, t)
	req.Markers = append(req.Markers, m)
	c.do("admin", req)
}

// markers writes markers by hand.
func markers(c *tester) {
	p := c.producer("producer", c.topic).init()
	p.produce("a")
	p.end(true)
	c.completes(c.topic)
	c.look(c.topic, 0)
	coordinator := int32(0)
	for _, a := range c.producers(0).Topics[0].Partitions[0].ActiveProducers {
		if a.ProducerID == p.pid {
			coordinator = a.CoordinatorEpoch
		}
	}
	p.produce("b")
	open := *p
	c.marker(2, p.pid, p.epoch, coordinator, 2, false, 0) // strict, and open at this epoch
	c.marker(2, p.pid, p.epoch, coordinator, 0, false, 9)
	c.marker(1, p.pid, p.epoch, coordinator-1, 0, false, 0)
	c.marker(1, -1, 0, coordinator, 0, false, 0)
	c.look(c.topic, 0)
	c.marker(1, p.pid, p.epoch, coordinator, 0, false, 0) // ends it
	c.look(c.topic, 0)
	c.marker(2, p.pid, p.epoch, coordinator, 2, false, 0) // nothing open: taken again
	p.batch(0, p.sequence, "c")
	c.look(c.topic, 0)
	p.end(true)
	c.completes(c.topic)
	c.look(c.topic, 0)
	c.marker(1, open.pid, open.epoch-1, coordinator, 0, false, 0)
	c.marker(1, p.pid+900, 3, coordinator, 0, true, 1) // nobody's
	c.look(c.topic, 1)
}

// visibility has two transactions overlap on two partitions.
func visibility(c *tester) {
	p, q := c.producer("p", c.topic).init(), c.producer("q", c.topic+"-q").init()
	n := c.producer("n", "").init()
	p.produce("p1")
	q.produce("q1")
	n.produce("n1")
	p.produceTo(1, "p2")
	c.look(c.topic, 0)
	q.end(false)
	c.completes(c.topic + "-q")
	c.look(c.topic+"-q", 0)
	c.fetch(0, 2, 1)
	n.produce("n2")
	p.end(true)
	c.completes(c.topic)
	c.look(c.topic, 0)
	c.look(c.topic, 1)
	q.produceTo(1, "q2")
	q.end(false)
	c.completes(c.topic + "-q")
	p.produceTo(1, "p3")
	p.end(false)
	c.completes(c.topic)
	c.fetch(1, 2, 1)
	c.fetch(1, 500, 0)
	c.look(c.topic, 1)
}

// late sends the first copy of an EndTxn when a later transaction is open
// (KAFKA-17754).
func late(c *tester) {
	p := c.producer("producer", c.topic).init()
	p.produce("a")
	delayed := p.endRequest(true)
	p.end(true)
	c.completes(c.topic)
	p.produce("b")
	c.do("late", delayed)
	c.look(c.topic, 0)
	p.end(false)
	c.look(c.topic, 0)
}

// unread loses answers and sends again.
func unread(c *tester) {
	p := c.producer("producer", c.topic)
	c.lose("lost init", p.initRequest(-1, -1))
	p.init()
	if p.styled < 2 {
		c.lose("lost add", p.addRequest(0))
	}
	c.lose("lost batch", p.produceRequest(p.version(), 0, 0, true, "a"))
	p.produce("a")
	c.wait()
	p.produce("b")
	c.lose("lost end", p.endRequest(true))
	p.end(true)
	c.completes(c.topic)
	p.produce("c")
	p.end(false)
	c.completes(c.topic)
	c.look(c.topic, 0)
}

// together has two requests in flight at a time.
func together(c *tester) {
	p := c.producer("producer", c.topic).init()
	if p.styled < 2 {
		p.add(0)
	}
	first, second := p.produceRequest(p.version(), 0, 0, true, "a"), p.produceRequest(p.version(), 0, 1, true, "b")
	c.send("producer", first)
	c.send("second", second)
	c.receive("second")
	c.receive("producer")
	p.batch(0, 0, "a")
	p.batch(0, 1, "b")
	p.sequence = 2
	c.look(c.topic, 0)
	end := p.endRequest(true)
	c.send("producer", end)
	c.send("second", p.endRequest(false))
	c.receive("second")
	c.receive("producer")
	c.completes(c.topic)
	c.look(c.topic, 0)
}
