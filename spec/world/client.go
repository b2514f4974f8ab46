package world

import (
	"slices"

	"github.com/onceproof/onceproof/spec"
)

// clientSteps are the steps that client i takes on its own.
func (m *Model) clientSteps(s *State, e *emitter, i int) {
	c := &s.Clients[i]
	m.waitingSteps(s, e, i)
	if m.helping {
		return
	}
	switch c.Phase {
	case Off:
		// the incarnations are alike: they start in order
		if i == 0 || s.Clients[i-1].Phase != Off {
			n := e.From(Action{Kind: Start, Client: int8(i)})
			n.Clients[i].Phase = Initializing
			m.send(n, i, 0)
		}
	case Ready:
		if len(s.Ghost.Txns) < m.Transactions && s.begun(i) < m.Each {
			n := e.From(Action{Kind: Begin, Client: int8(i)})
			m.begin(n, i)
		}
	case Producing:
		if c.awaits(Waiting) || c.awaits(Foremost) || m.Style == Idempotent {
			return
		}
		if !c.awaits(Failed) {
			m.end(s, e, i, true)
		}
		m.end(s, e, i, false)
	}
}

func (s *State) begun(client int) int {
	n := 0
	for _, t := range s.Ghost.Txns {
		if int(t.Client) == client {
			n++
		}
	}
	return n
}

// awaits reports whether a batch is in the given state.
func (c *Client) awaits(st BatchState) bool { return slices.Contains(c.Batches[:], st) }

// waits reports whether the client waits for an answer on the slot.
func (c *Client) waits(slot int) bool {
	if slot > 0 {
		return c.Phase == Producing && (c.Batches[slot-1] == Waiting || c.Batches[slot-1] == Foremost)
	}
	switch c.Phase {
	case Initializing, Adding, Ending, Recovering:
		return true
	}
	return false
}

// waitsAtAll reports whether the client waits for any answer.
func (c *Client) waitsAtAll() bool {
	return c.waits(0) || c.Phase == Producing && (c.awaits(Waiting) || c.awaits(Foremost))
}

// waitingSteps: who waits may resend at no cost what a crash has lost; to stop waiting for what is still under way is a
// fault. A batch can be given up too (delivery.timeout.ms).
func (m *Model) waitingSteps(s *State, e *emitter, i int) {
	c := &s.Clients[i]
	for slot := range m.batches() + 1 {
		if !c.waits(slot) {
			continue
		}
		a := Action{Client: int8(i), Slot: int8(slot)}
		if !m.present(s, conn(i, slot)) {
			a.Kind, a.Request = SendAgain, m.request(s, i, slot)
			m.send(e.From(a), i, slot)
			continue
		}
		if m.helping {
			continue
		}
		if s.Budget.Client == 0 {
			e.BudgetHit(budgetClient)
			continue
		}
		a.Kind, a.Request = StopWaiting, m.request(s, i, slot)
		n := e.From(a)
		n.Budget.Client--
		m.forget(n, i, slot)
		m.send(n, i, slot)
		if slot > 0 && m.Style != Idempotent || c.Phase == Adding && m.GiveUpAdd == 1 {
			a.Kind = GiveUp
			n := e.From(a)
			n.Budget.Client--
			m.forget(n, i, slot)
			m.giveUp(n, i, slot)
		}
	}
}

// giveUp is what a client does that gave up on a batch, or on adding partitions.
func (m *Model) giveUp(s *State, client, slot int) {
	c := &s.Clients[client]
	if slot > 0 {
		m.fail(c, slot-1)
		return
	}
	s.Ghost.Txns[c.Txn-1].Asked = AskedAbort
	c.Phase = Recovering
	m.send(s, client, 0)
}

// present reports whether the request of a connection, or its answer, is still somewhere.
func (m *Model) present(s *State, c spec.Conn) bool {
	return slices.ContainsFunc(s.Net, func(f Flight) bool { return f.Conn == c }) || m.sp.Outstanding(&s.Broker, c)
}

// forget breaks a client's connection: what was sent on it goes on, and nobody waits for the answer.
func (m *Model) forget(s *State, client, slot int) {
	c := conn(client, slot)
	for i := range s.Net {
		if s.Net[i].Conn == c {
			f := s.Net[i]
			f.Conn = 0
			s.Net = slices.Delete(s.Net, i, i+1)
			s.put(f)
			break
		}
	}
	m.sp.Forget(&s.Broker, c)
}

// put adds a request to the network, in its place in the sorted bag.
func (s *State) put(f Flight) {
	i := len(s.Net)
	for i > 0 {
		if s.Net[i-1].compare(&f) <= 0 {
			break
		}
		i--
	}
	s.Net = slices.Insert(s.Net, i, f)
}

// send puts the request that a client waits for on a slot into the network.
func (m *Model) send(s *State, client, slot int) {
	if slot > 0 {
		c := &s.Clients[client]
		c.Batches[slot-1] = Waiting
		if m.nextExpected(c, slot-1) {
			c.Batches[slot-1] = Foremost
		}
	}
	s.put(Flight{Conn: conn(client, slot), Request: m.request(s, client, slot)})
}

// request is what a client asks on a slot; a resend is the same request.
func (m *Model) request(s *State, client, slot int) spec.Request {
	c := &s.Clients[client]
	r := spec.Request{Ref: uint8(client) + 1, ProducerID: c.ProducerID, Epoch: c.Epoch}
	if slot > 0 {
		i := slot - 1
		r.API, r.Version = spec.Produce, 11
		r.Partition, r.Sequence, r.Count, r.Data = int8(m.partition(i)), c.First[i], 1, name(c.Txn, i)
		r.Transactional = m.Style != Idempotent
		switch m.Style {
		case TV2Style:
			r.Version = 12
		case Idempotent:
			r.Txn = spec.NullTxnID
		}
		return r
	}
	switch c.Phase {
	case Initializing:
		r.API, r.Version, r.TimeoutMs = spec.InitProducerID, 5, 1
		r.ProducerID, r.Epoch = spec.NoProducer, spec.NoEpoch
		if m.Style == Idempotent {
			r.Txn = spec.NullTxnID
		}
	case Recovering:
		r.API, r.Version, r.TimeoutMs = spec.InitProducerID, 5, 1
	case Adding:
		r.API, r.Version, r.Partitions = spec.AddPartitionsToTxn, 3, 1<<m.Partitions-1
		r.Data = int32(c.Txn)
	case Ending:
		r.API, r.Version, r.Commit = spec.EndTxn, 4, c.Commit
		r.Data = int32(c.Txn)
		if m.Style == TV2Style {
			r.Version = 5
		}
	}
	return r
}

// begin begins a transaction: the partitions are added (TV1), or the first batches are sent, which adds them (TV2).
func (m *Model) begin(s *State, client int) {
	c := &s.Clients[client]
	s.Ghost.Txns = append(s.Ghost.Txns, Txn{Client: uint8(client)})
	c.Txn = uint8(len(s.Ghost.Txns))
	c.Recover = false
	if m.Style == TV1Style {
		c.Phase = Adding
		m.send(s, client, 0)
		return
	}
	c.Phase = Producing
	m.produce(s, client)
}

// produce sends the next batches, as long as none failed and fewer than InFlight are under way, to one partition no more
// than InFlight from the first that is not acknowledged: answers of a real connection keep their order, and behind a batch
// that is sent again nothing new is sent. A batch takes its sequence when it is first sent and keeps it (CLI-04).
func (m *Model) produce(s *State, client int) {
	c := &s.Clients[client]
	under := 0
	for i := range m.batches() {
		switch c.Batches[i] {
		case Failed:
			return
		case Waiting, Foremost:
			under++
		}
	}
	for i := range m.batches() {
		if c.Batches[i] == Unsent && under < m.InFlight && m.behind(c, i) < m.InFlight {
			under++
			p := m.partition(i)
			c.First[i] = c.Next[p]
			c.Next[p]++
			m.send(s, client, i+1)
		}
	}
}

// behind counts the batches before batch i to its partition, from the first one that is not acknowledged.
func (m *Model) behind(c *Client, i int) int {
	n := 0
	for j := range i {
		if m.partition(j) == m.partition(i) && (n > 0 || c.Batches[j] != Acked) {
			n++
		}
	}
	return n
}

// end sends EndTxn.
func (m *Model) end(s *State, e *emitter, client int, commit bool) {
	n := e.From(Action{Kind: EndTransaction, Client: int8(client), Commit: commit})
	c := &n.Clients[client]
	c.Phase, c.Commit = Ending, commit
	c.Batches, c.First = [maxBatches]BatchState{}, [maxBatches]int32{}
	asked := AskedAbort
	if commit {
		asked = AskedCommit
	}
	n.Ghost.Txns[c.Txn-1].Asked = asked
	m.send(n, client, 0)
}

// fail marks a batch as refused for good, or given up: the transaction can only be aborted. A TV1-style producer then
// takes a new epoch with its identity (CLI-20, CLI-21).
func (m *Model) fail(c *Client, batch int) {
	c.Batches[batch] = Failed
	c.Recover = m.Style == TV1Style
}

// answered is what a client does with an answer. A retriable error sends the same request again.
func (m *Model) answered(s *State, client, slot int, a *spec.Answer) {
	c := &s.Clients[client]
	switch {
	case a.Code.Retriable():
		m.send(s, client, slot)
	case slot > 0:
		m.produced(s, client, slot-1, a)
	case a.Code != spec.None:
		m.die(s, client)
	case c.Phase == Adding:
		c.Phase = Producing
		if !m.helping {
			m.produce(s, client)
		}
	case c.Phase == Ending:
		s.Ghost.Txns[c.Txn-1].Told = true
		c.Phase = Ready
		c.Commit = false
		if a.ProducerID != spec.NoProducer {
			c.adopt(a)
		}
		if c.Recover {
			c.Recover = false
			c.Phase = Recovering
			m.send(s, client, 0)
		}
	default: // InitProducerId
		c.Phase = Ready
		c.adopt(a)
	}
}

// adopt takes a new identity: sequences start again (CLI-08).
func (c *Client) adopt(a *spec.Answer) {
	c.ProducerID, c.Epoch = a.ProducerID, a.Epoch
	c.Next = [4]int32{}
}

// produced is an answer to batch i. OUT_OF_ORDER_SEQUENCE_NUMBER for a batch that was not the next one when it was sent is
// retried: an earlier one had to come first. (A real producer looks at what is acknowledged when the answer comes; there
// answers of one connection keep their order, here the acknowledgement of the earlier batch may overtake this one.)
func (m *Model) produced(s *State, client, i int, a *spec.Answer) {
	c := &s.Clients[client]
	switch {
	case a.Code == spec.None:
		c.Batches[i] = Acked
		s.Ghost.Txns[c.Txn-1].Acked |= 1 << i
		if !m.helping {
			m.produce(s, client)
		}
	case a.Code == spec.OutOfOrderSequence && c.Batches[i] == Waiting:
		m.send(s, client, i+1)
	default:
		m.fail(c, i)
	}
}

// nextExpected reports whether every earlier batch to the same partition is acknowledged.
func (m *Model) nextExpected(c *Client, i int) bool {
	for j := range i {
		if m.partition(j) == m.partition(i) && c.Batches[j] != Acked {
			return false
		}
	}
	return true
}

// die ends an incarnation after a fatal error: nobody waits for its answers any more.
func (m *Model) die(s *State, client int) {
	for slot := range slots {
		m.forget(s, client, slot)
	}
	s.Clients[client] = Client{Phase: Dead, ProducerID: spec.NoProducer, Epoch: spec.NoEpoch}
}
