package oracle_test

import "context"

// expiry lets a transaction time out.
func expiry(c *tester) {
	p := c.producer("producer", c.topic)
	p.timeout = 1000
	p.init()
	p.produce("a")
	if b, ok := c.b.(interface {
		TimeOut(context.Context, string) error
	}); ok {
		c.fail(b.TimeOut(context.Background(), c.topic))
	}
	c.patience = 3000
	c.completes(c.topic)
	c.look(c.topic, 0)
	p.batch(0, p.sequence, "b")
	if p.styled < 2 {
		p.try(p.addRequest(0))
	}
	p.try(p.endRequest(true))
	p.try(p.endRequest(false))
	p.try(p.initRequest(p.pid, p.epoch))
	c.look(c.topic, 0)
}

// waiting watches an open transaction for a while that is shorter than its
// timeout.
func waiting(c *tester) {
	p := c.producer("producer", c.topic)
	p.timeout = 30000
	p.init()
	p.produce("a")
	for range 30 {
		c.describe(c.topic)
	}
	p.end(true)
	c.completes(c.topic)
}

// crashing kills the broker in and between transactions.
func crashing(c *tester) {
	p := c.producer("producer", c.topic).init()
	p.produce("a")
	for i := range int32(3) {
		p.batch(0, p.sequence, string('b'+i))
	}
	c.restart(false)
	p.batch(0, 0, "a") // forgotten by the restart
	p.produce("e")
	p.end(true)
	c.restart(true)
	c.completes(c.topic)
	c.look(c.topic, 0)
	p.adopt(p.try(p.initRequest(p.pid, p.epoch)))
	repeat := p.as(p.pid, p.epoch-1)
	c.restart(false)
	repeat.try(repeat.initRequest(repeat.pid, repeat.epoch))
	c.look(c.topic, 0)
	p.produce("f")
	p.end(true)
	c.restart(false)
	c.completes(c.topic)
	c.look(c.topic, 0)
}

func (c *tester) restart(clean bool) {
	ctx := context.Background()
	if clean {
		c.fail(c.b.Restart(ctx))
	} else {
		c.fail(c.b.Crash(ctx))
	}
	c.conns = map[string]*watched{}
	c.o.Restarted(clean)
}

// stuck sends requests of the second style to a broker at level 0.
func stuck(c *tester) {
	p := c.producer("producer", c.topic).init()
	p.produce("a")
	if c.tv > 0 {
		return
	}
	p.styled = 2
	p.try(p.endRequest(true))
	for range 3 {
		p.try(p.endRequest(true))
		p.try(p.initRequest(-1, -1))
	}
	c.look(c.topic, 0)
}

// zombies has a fenced producer come back with its old identity.
func zombies(c *tester) {
	p := c.producer("old", c.topic).init()
	q := c.producer("new", c.topic).init()
	q.produce("a")
	p.try(p.initRequest(p.pid, p.epoch)) // while the owner's transaction is open
	c.completes(c.topic)
	c.look(c.topic, 0)
	r := c.producer("third", c.topic).init()
	r.produce("b")
	s := c.producer("fourth", c.topic)
	s.try(s.initRequest(-1, -1)) // aborts it, and is to ask again
	c.completes(c.topic)
	r.try(r.endRequest(false)) // the third comes first
	r.try(r.initRequest(r.pid, r.epoch))
	s.init()
	s.produce("c")
	s.end(true)
	c.completes(c.topic)
	c.look(c.topic, 0)
}

// leftovers are what batches that were not appended leave behind.
func leftovers(c *tester) {
	p := c.producer("producer", c.topic).init()
	p.styled = 1
	p.produce("a")
	p.end(true)
	c.completes(c.topic)
	p.add(0)
	p.batch(0, 0, "a") // a duplicate from the transaction before
	p.batch(0, 1, "b")
	p.end(false)
	c.completes(c.topic)
	c.look(c.topic, 0)
	n := c.producer("plain", "").init()
	n.batch(1, 0, "x")
	q := c.producer("first", c.topic+"-q").init()
	if q.styled < 2 {
		q.add(1)
	}
	q.batch(1, 4, "y") // the first sequence on a partition that holds others' records
	q.end(false)
	c.completes(c.topic + "-q")
	c.look(c.topic+"-q", 1)
}

// hurried ends transactions while the one before completes.
func hurried(c *tester) {
	p := c.producer("producer", c.topic).init()
	for range 4 {
		p.produce("a")
		p.produceTo(1, "b")
		p.end(true)
		p.try(p.endRequest(false))
		repeat := *p
		if p.styled >= 2 {
			repeat.epoch--
		}
		repeat.try(repeat.endRequest(true))
		c.completes(c.topic)
		m := c.describe(c.topic)
		p.epoch, p.sequence = m.ProducerEpoch, p.sequence*int32(1-p.styled/2)
	}
	c.look(c.topic, 0)
}

// races has an abort come between a batch's verification and its append.
func races(c *tester) {
	p := c.producer("producer", c.topic).init()
	p.styled = 1
	p.add(0)
	c.send("batch", p.produceRequest(11, 0, 0, true, "a"))
	c.send("end", p.endRequest(false))
	c.receive("batch")
	c.receive("end")
	c.completes(c.topic)
	c.look(c.topic, 0)
	p.init()
	p.add(1)
	q := c.producer("successor", c.topic)
	c.send("batch", p.produceRequest(11, 1, 0, true, "b"))
	c.send("init", q.initRequest(-1, -1))
	c.receive("init")
	c.receive("batch")
	c.completes(c.topic)
	c.look(c.topic, 1)
}

// script is a script with what it needs.
type script struct {
	name  string
	run   func(*tester)
	crash bool // needs a hand on the broker
	// overlap has the reference broker handle what is in flight in any order.
	overlap bool
}

func scripts() []script {
	return []script{
		{name: "example 1", run: commitAbortCommit},
		{name: "example 2", run: idempotent},
		{name: "example 3", run: fencing},
		{name: "endings", run: endings},
		{name: "identities", run: identities},
		{name: "retakes", run: retakes},
		{name: "sequences", run: sequences},
		{name: "refusals", run: refusals},
		{name: "verifies", run: verifies},
		{name: "markers", run: markers},
		{name: "visibility", run: visibility},
		{name: "late", run: late},
		{name: "unread", run: unread},
		{name: "together", run: together},
		{name: "expiry", run: expiry},
		{name: "waiting", run: waiting},
		{name: "zombies", run: zombies},
		{name: "leftovers", run: leftovers},
		{name: "hurried", run: hurried},
		{name: "races", run: races, overlap: true},
		{name: "stuck", run: stuck},
		{name: "crashing", run: crashing, crash: true},
	}
}
