package reference

import (
	"time"

	"github.com/onceproof/onceproof/spec"
)

// unanswered is acks=0, as the spec has it.
const unanswered = 1

// submit lets a request arrive.
func (b *Broker) submit(r spec.Request) spec.Conn {
	b.grow()
	b.nextConn++
	if b.nextConn == 0 {
		b.nextConn = 1
	}
	conn := b.nextConn
	r.Ref = uint8(conn)
	b.conns[conn] = &pending{request: r}
	if b.mut != nil && b.mut.request != nil {
		b.mut.request(b, &r)
	}
	b.sp.Submit(&b.s, conn, r)
	return conn
}

// grow gives the spec the transactional ids and partitions that got a name.
func (b *Broker) grow() {
	for len(b.s.Coordinator.Txns) < b.names.Txns() {
		b.s.Coordinator.Txns = append(b.s.Coordinator.Txns, spec.Txn{})
		b.startedAt = append(b.startedAt, time.Time{})
	}
	for len(b.s.Leaders) < b.names.Partitions() {
		b.s.Leaders = append(b.s.Leaders, spec.Leader{})
		b.batches = append(b.batches, nil)
	}
}

// await takes hidden steps until the request has its answer, and reports
// whether it ever will.
func (b *Broker) await(conn spec.Conn) bool {
	for b.conns[conn] != nil && b.conns[conn].answer == nil {
		if !b.step() {
			return false
		}
	}
	return b.conns[conn] != nil
}

// linger takes a few hidden steps, as a broker does between two requests.
func (b *Broker) linger() {
	for range 1 + b.rng.IntN(4) {
		if !b.step() {
			return
		}
	}
}

// settle takes hidden steps until none is left.
func (b *Broker) settle() {
	for b.step() {
	}
}

// step takes one hidden step that goes on by itself. A leader's question that
// would be answered CONCURRENT_TRANSACTIONS comes last: it is asked again for a
// while (ADD-25).
func (b *Broker) step() bool {
	steps := b.sp.Steps(nil, &b.s, spec.Quiet)
	var now, later []spec.Step
	for _, st := range steps {
		if st.Kind == spec.Deliver && b.mut != nil && b.mut.hold != nil && b.mut.hold(b, &b.s.Net[st.Index]) {
			continue
		}
		if st.Kind == spec.Deliver && b.waits(&b.s.Net[st.Index]) {
			later = append(later, st)
		} else {
			now = append(now, st)
		}
	}
	if len(now) == 0 {
		now = later
	}
	if len(now) == 0 {
		return false
	}
	b.take(now[b.rng.IntN(len(now))])
	return true
}

func (b *Broker) waits(m *spec.Message) bool {
	return m.Kind == spec.Ask && m.Version >= 12 && b.s.Coordinator.Txns[m.Txn].Pending.Phase != spec.Idle
}

// take does a step and keeps beside the spec what it does not hold: contents
// and times.
func (b *Broker) take(st spec.Step) {
	var before spec.State
	if b.mut != nil {
		before.Copy(&b.s)
	}
	d := b.sp.Take(&b.s, st)
	b.decisions = append(b.decisions, d)
	if b.mut != nil && b.mut.step != nil {
		b.mut.step(b, &before, &d)
	}
	b.note(&d)
	b.collect(&d)
}

// collect takes answers out of the state.
func (b *Broker) collect(d *spec.Decision) {
	if d.Answered && d.Conn == 0 && d.Code != spec.None {
		for _, p := range b.conns {
			if p.request.Acks == unanswered && p.request.Ref == d.Request.Ref {
				p.refused = true
			}
		}
	}
	for len(b.s.Answers) > 0 {
		a, _ := b.sp.Answer(&b.s, b.s.Answers[0].Conn)
		p := b.conns[a.Conn]
		if p == nil {
			continue
		}
		p.duplicate = d.By(spec.IDEM17)
		if b.mut != nil && b.mut.answer != nil {
			if b.mut.answer(b, &p.request, &a, d); a.Conn == 0 {
				continue // never answered
			}
		}
		p.answer = &a
	}
}

// expire aborts the transactions that are older than their timeout. A
// mutation may make them older.
func (b *Broker) expire() {
	for _, st := range b.sp.Steps(nil, &b.s, spec.Kinds(spec.TimeOut)) {
		t := &b.s.Coordinator.Txns[st.Index]
		timeout := time.Duration(t.Memory.TimeoutMs) * time.Millisecond
		if b.mut != nil && b.mut.timeout != nil {
			timeout = b.mut.timeout(timeout)
		}
		if b.now().After(b.startedAt[st.Index].Add(timeout)) {
			b.take(st)
		}
	}
}
