package oracle

import (
	"slices"
	"time"

	"github.com/onceproof/onceproof/harness/mapping"
	"github.com/onceproof/onceproof/spec"
)

// belief is the set of states that a broker may be in, under one set of
// switches: nodes, and all that hidden steps which may happen by themselves lead
// to from them.
type belief struct {
	sp      *spec.Spec
	names   *mapping.Names
	max     int
	resend  bool
	nodes   []*node
	largest int
	now     time.Time

	refs   map[int][]uint8 // by exchange: how the spec knows its requests
	inUse  [256]bool
	sentAt [256]time.Time // by ref
	reads  []*call        // outstanding
	lost   []uint8        // requests whose answers are not read and that may be on their way yet

	granted  map[int64]bool // producer ids that answers have given out
	loadable bool           // the producer ids at hand may be used up (INIT-07)
	lostIDs  int            // producer ids that may have been given out unseen
	epochs   epochs

	company company

	leaderless bool // partitions have no leader for a moment

	following
}

func newBelief(o *Oracle, fixes spec.Fixes) *belief {
	b := &belief{
		sp:    spec.New(spec.Rules{TransactionVersion: o.cfg.TransactionVersion, Fixes: fixes, Limits: spec.KafkaLimits}),
		names: o.names, max: o.cfg.MaxBelief, resend: o.cfg.ResendMarkers, company: company{others: o.cfg.Company},
		refs: map[int][]uint8{}, granted: map[int64]bool{}, loadable: true, following: following{index: map[uint64]*node{}},
	}
	n := &node{}
	b.sp.Reset(&n.s, 0, 0)
	n.s.Allocator.Next = placeholder
	n.s.Coordinator.Epoch = firstGeneration << generationShift
	b.epochs.reset()
	if o.cfg.CoordinatorEpoch != nil {
		b.epochs.bound[firstGeneration] = *o.cfg.CoordinatorEpoch
	}
	b.nodes = []*node{n}
	return b
}

// apply takes in an event.
func (b *belief) apply(e *event) error {
	if e.at.After(b.now) {
		b.now = e.at
	}
	for _, n := range b.nodes {
		n.grow(e.txns, e.partitions)
	}
	switch e.kind {
	case sent:
		return b.submit(e.call)
	case answered:
		return b.answered(e)
	case lost:
		return b.lose(e.call)
	case overdue:
		return b.overdue(e.call)
	case settled:
		return b.settle()
	case restarted:
		return b.restart()
	}
	return nil
}

// submit lets a request arrive in every state.
func (b *belief) submit(c *call) error {
	if len(c.queries) > 0 {
		b.reads = append(b.reads, c)
		return nil
	}
	if len(c.requests) == 0 {
		return nil
	}
	refs, err := b.newRefs(len(c.requests))
	if err != nil {
		return err
	}
	b.refs[c.exchange] = refs
	for i, r := range c.requests {
		r.Ref = refs[i]
		if r.API == spec.WriteTxnMarkers {
			r.CoordinatorEpoch = b.epochs.internal(r.CoordinatorEpoch, b.latestGeneration())
		}
		conn := spec.Conn(refs[i])
		if c.silent {
			conn, b.lost = 0, append(b.lost, refs[i])
		}
		b.company.asks(&r, &b.inUse)
		for _, n := range b.nodes {
			b.sp.Submit(&n.s, conn, r)
		}
	}
	return nil
}

// newRefs gives a request the marks by which the spec carries it along.
func (b *belief) newRefs(count int) ([]uint8, error) {
	var refs []uint8
	for ref := 1; ref < len(b.inUse) && len(refs) < count; ref++ {
		if !b.inUse[ref] {
			b.inUse[ref] = true
			b.sentAt[ref] = b.now
			refs = append(refs, uint8(ref))
		}
	}
	if len(refs) < count {
		return nil, &NotJudged{"more than 255 requests whose answers are not read"}
	}
	return refs, nil
}

// lose breaks the connection in every state. The marks of the requests stay in
// use, for they may be handled yet.
func (b *belief) lose(c *call) error {
	b.reads = slices.DeleteFunc(b.reads, func(r *call) bool { return r == c })
	for _, n := range b.nodes {
		n.forgetRead(c.exchange)
		for _, ref := range b.refs[c.exchange] {
			n.hangUp(b.sp, spec.Conn(ref))
			n.forget(ref)
		}
	}
	for _, r := range c.requests {
		if r.API == spec.InitProducerID {
			b.lostIDs++
		}
	}
	b.lost = append(b.lost, b.refs[c.exchange]...)
	delete(b.refs, c.exchange)
	b.nodes = b.sift(b.nodes)
	return nil
}

// patience is how much later than a request whose answer is not read another
// one must be sent, so that its answer shows that the first one will not be
// handled any more if it was not: brokers take requests from one queue.
const patience = time.Second

// giveUpLost drops the requests that were sent long before c, which has its
// answer, and were not handled until now.
func (b *belief) giveUpLost(c *call, nodes []*node) ([]*node, error) {
	for _, ref := range slices.Clone(b.lost) {
		if c.at.Sub(b.sentAt[ref]) < patience {
			continue
		}
		if err := b.follow(nodes, goal{gone: ref}); err != nil {
			return nil, err
		}
		handled := b.found
		for _, n := range nodes {
			if at := n.waiting(ref); at >= 0 {
				n.s.Inbox = slices.Delete(n.s.Inbox, at, at+1)
				handled = append(handled, n)
			}
		}
		b.lost = slices.DeleteFunc(b.lost, func(lost uint8) bool { return lost == ref })
		nodes = b.sift(handled)
	}
	return nodes, nil
}

// overdue looks for a state in which nothing goes on by itself and yet the
// request has no answer.
func (b *belief) overdue(c *call) error {
	if len(c.queries) > 0 {
		return &Violation{Sent: c.text, Came: "no answer", Allowed: []Allowed{{Answer: "an answer"}}, Rule: c.queries[0].rule()}
	}
	if len(c.requests) == 0 {
		return nil
	}
	if err := b.follow(b.nodes, goal{}); err != nil {
		return err
	}
	for _, n := range b.all {
		if !b.idle(n) {
			continue
		}
		for _, ref := range b.refs[c.exchange] {
			answered := slices.ContainsFunc(n.s.Answers, func(a spec.Answer) bool { return a.Conn == spec.Conn(ref) })
			if !answered && b.sp.Outstanding(&n.s, spec.Conn(ref)) {
				return nil
			}
		}
	}
	return b.unanswered(c, "no answer")
}

// unanswered is the violation of a request to which something else came than
// what is allowed.
func (b *belief) unanswered(c *call, came string) error {
	nodes := b.nodes
	for _, ref := range b.refs[c.exchange] {
		if err := b.follow(nodes, goal{ref: ref}); err != nil {
			return err
		}
		nodes = b.found
	}
	v := &Violation{Sent: c.text, Came: came, Allowed: b.allowed(c, nodes)}
	v.Rule = v.likely()
	return v
}

// idle reports whether nothing goes on by itself. A request whose answer is not
// read may still be on its way.
func (b *belief) idle(n *node) bool {
	return !slices.ContainsFunc(b.sp.Steps(nil, &n.s, spec.Quiet), func(st spec.Step) bool {
		return st.Kind != spec.Handle || n.s.Inbox[st.Index].Conn != 0
	})
}

// settle leaves the states in which nothing goes on by itself, if there are any.
func (b *belief) settle() error {
	if err := b.follow(b.nodes, goal{}); err != nil {
		return err
	}
	var still []*node
	for _, n := range b.all {
		if b.idle(n) {
			still = append(still, n)
		}
	}
	if len(still) > 0 {
		b.become(still)
	}
	return nil
}

// answered keeps the states that give the answer that came.
func (b *belief) answered(e *event) error {
	c := e.call
	if len(c.queries) > 0 {
		return b.read(e)
	}
	if len(c.requests) == 0 {
		return nil
	}
	if e.shape != nil {
		return b.unanswered(c, e.came)
	}
	nodes := b.nodes
	for i, ref := range b.refs[c.exchange] {
		if err := b.follow(nodes, goal{ref: ref}); err != nil {
			return err
		}
		nodes = slices.DeleteFunc(b.found, func(n *node) bool { return !b.gives(n, &c.requests[i], ref, e.seen[i]) })
		if len(nodes) == 0 {
			return b.unanswered(c, e.came)
		}
	}
	b.learn(c, e.seen)
	nodes, err := b.giveUpLost(c, nodes)
	if err != nil {
		return err
	}
	for _, ref := range b.refs[c.exchange] {
		b.inUse[ref] = false
	}
	delete(b.refs, c.exchange)
	b.become(nodes)
	return nil
}

// gives takes the answer that came out of n, if n holds it.
func (b *belief) gives(n *node, r *spec.Request, ref uint8, came mapping.Seen) bool {
	a, ok := b.sp.Answer(&n.s, spec.Conn(ref))
	if !ok {
		return false
	}
	n.forget(ref)
	have := b.names.See(r, &a)
	if have.Code == spec.None && have.ProducerID >= placeholder && came.Code == spec.None {
		if !b.bindable(n, came.ProducerID) {
			return false
		}
		n.bind(have.ProducerID, came.ProducerID)
		have.ProducerID = came.ProducerID
	}
	return have == came
}

// learn notes a producer id that was given out. The block of ids ends with one
// that ends in 999.
func (b *belief) learn(c *call, seen []mapping.Seen) {
	for _, s := range seen {
		if s.API == spec.InitProducerID && s.Code == spec.None && !b.granted[s.ProducerID] {
			b.granted[s.ProducerID] = true
			block := b.sp.Limits.ProducerIDBlock
			b.loadable = b.company.others || s.ProducerID%block+int64(b.lostIDs) >= block-1 // others take ids as well
		}
	}
}

// latestGeneration is the last generation of the coordinator that a state is in, or is about to load.
func (b *belief) latestGeneration() int32 {
	latest := int32(firstGeneration)
	for _, n := range b.nodes {
		g := n.s.Coordinator.Epoch >> generationShift
		if !n.s.Coordinator.Up {
			g++
		}
		latest = max(latest, g)
	}
	return latest
}
