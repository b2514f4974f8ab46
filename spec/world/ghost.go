package world

import (
	"slices"

	"github.com/onceproof/onceproof/spec"
)

// Event is how a state was reached: what the broker decided, and whom an identity was granted to.
type Event struct {
	Decided  bool // a step of the broker
	Decision spec.Decision
	// Client is the one that the decision's request came from, -1 if it is nobody's.
	Client int8
	// Waits says that Client waits for the answer that was given, on Slot.
	Waits bool
	Slot  int8
	// Durable is the cause of a record that was applied, or found at a reload.
	Durable Cause
	// Grant says that an identity was granted to GrantTo.
	Grant   bool
	GrantTo int8
	Epoch   int16
}

// observe brings the history up to date after a step of the broker. req is the request that arrived, if one did.
func (m *Model) observe(e *emitter, old, s *State, d spec.Decision, req *spec.Request) {
	if m.weakened != nil {
		m.weakened(s, &d, req)
	}
	for _, r := range d.Rules() {
		e.Decided(int(r) - 1)
	}
	ev := &s.Step
	*ev = Event{Decided: true, Decision: d, Client: int8(d.Request.Ref) - 1}
	if d.Answered && d.Conn != 0 {
		client, slot := slotOf(d.Conn)
		ev.Client, ev.Slot, ev.Waits = int8(client), int8(slot), true
	}
	if m.Style == Idempotent || m.helping {
		return
	}
	g := &s.Ghost
	switch {
	case d.Applied != spec.NoStatus, d.Step.Kind == spec.Reload && g.Logged.Kind != NoCause:
		ev.Durable = g.Logged
		g.Logged = Cause{}
		m.durable(s, ev)
	case d.Step.Kind == spec.CrashLosing:
		if m.Rules.TransactionVersion < 2 {
			g.restore(s)
		}
		g.Logged = Cause{}
	}
	if m.Beyond == 1 && m.known(old, s, &d, req) != "" {
		e.Drop()
		return
	}
	if d.Logged != spec.NoStatus {
		g.Logged = cause(&d, req)
		if req != nil && d.Logged == spec.Ongoing && old.Broker.Coordinator.Txns[0].Memory.Status != spec.Ongoing {
			g.Opened, g.OpenedEpoch = uint8(req.Data), req.Epoch
		}
		if m.Rules.TransactionVersion < 2 {
			g.fencing(s)
		}
	}
	// a repeated EndTxn or InitProducerId is told its identity without a record
	if ev.Waits && d.Applied == spec.NoStatus && d.Code == spec.None && d.ProducerID != spec.NoProducer {
		m.grant(s, ev, ev.Client, d.Epoch)
		g.own(ev.Client, d.Epoch)
	}
}

// own makes a client the owner.
func (g *Ghost) own(c int8, epoch int16) {
	g.Owner, g.OwnerEpoch, g.Lost[c] = c, epoch, false
}

// disown ends the ownership.
func (g *Ghost) disown() { g.Owner, g.OwnerEpoch = -1, 0 }

// received ends the ownership of a client that got the answer to an earlier request than the one that was granted: its own
// late copy has fenced it.
func (g *Ghost) received(client int, c *Client) {
	if int(g.Owner) == client && !c.waits(0) && c.Epoch != g.OwnerEpoch {
		g.disown()
		g.Lost[client] = true
	}
}

// known names the known flaw of TV1-style requests that a step is, if it is one: a request or a marker of one transaction
// that takes effect in a later one of the same identity, which its epoch does not tell apart. What an epoch or a coordinator
// epoch tells apart is none of them.
func (m *Model) known(old, s *State, d *spec.Decision, req *spec.Request) string {
	was := &old.Broker.Coordinator.Txns[0].Memory
	same := req != nil && old.Ghost.opener() == int(req.Ref)-1 && old.Ghost.OpenedEpoch == req.Epoch
	switch {
	case m.Style != TV1Style:
	case same && req.API == spec.EndTxn && d.Logged != spec.NoStatus && uint8(req.Data) != old.Ghost.Opened:
		return "KAFKA-17754: a late EndTxn ends the next transaction"
	case same && req.API == spec.AddPartitionsToTxn && d.Logged != spec.NoStatus && was.Status != spec.Ongoing && old.Ghost.Txns[req.Data-1].Asked != NotAsked:
		return "a late AddPartitionsToTxn opens a transaction that its client has ended"
	case m.MarkerFaults > 0 && d.Appended && d.Request.API == spec.WriteTxnMarkers && old.strays(d.Partition, s.Broker.Leaders[d.Partition].Log):
		return "a late marker at equal epoch ends the next transaction"
	}
	return ""
}

// strays reports whether the marker just appended to a log, at the epoch of its producer, meets another transaction than its
// own: one that it ends, or the batch of one that waits for its verification. A marker of an older coordinator than one before it is
// none of these (MARK-11).
func (s *State) strays(partition int8, log []spec.Batch) bool {
	marker := &log[len(log)-1]
	if slices.ContainsFunc(log, func(b spec.Batch) bool {
		return b.Kind != spec.Data && b.ProducerID == marker.ProducerID && b.CoordinatorEpoch > marker.CoordinatorEpoch
	}) {
		return false
	}
	for i := range ended(log) {
		return log[i].Epoch == marker.Epoch && log[i].Number != marker.Number
	}
	records := s.Broker.Coordinator.Txns[0].Log
	return records[len(records)-1].Number != marker.Number &&
		slices.ContainsFunc(s.Broker.Leaders[partition].Waiting, func(w spec.Wait) bool {
			txn, _ := nameOf(w.Request.Data)
			return w.Request.ProducerID == marker.ProducerID && w.Request.Epoch == marker.Epoch && txn == s.Ghost.Opened
		})
}

// opener is the client that opened the coordinator's transaction, -1 if that is not known.
func (g *Ghost) opener() int {
	if g.Opened == 0 {
		return -1
	}
	return int(g.Txns[g.Opened-1].Client)
}

// cause says what kind of request wrote a record.
func cause(d *spec.Decision, req *spec.Request) Cause {
	c := Cause{Client: int8(d.Request.Ref) - 1}
	switch {
	case d.Step.Kind == spec.TimeOut:
		c.Kind = TimedOut
	case d.Logged == spec.CompleteCommit || d.Logged == spec.CompleteAbort:
		return Cause{Kind: Completed, Client: -1}
	case d.Request.API == spec.EndTxn:
		c.Kind = End
	case d.Request.API == spec.AddPartitionsToTxn:
		c.Kind = Add
	default:
		fresh := req.ProducerID == spec.NoProducer
		switch {
		case fresh && d.Logged == spec.Empty:
			c.Kind = FreshInit
		case fresh:
			c.Kind = FreshFence
		case d.Logged == spec.Empty:
			c.Kind = IdentityInit
		default:
			c.Kind = IdentityFence
		}
	}
	return c
}

// durable is the moment at which a record counts: it was applied, or a reload found it.
func (m *Model) durable(s *State, ev *Event) {
	g, c := &s.Ghost, ev.Durable.Client
	meta := &s.Broker.Coordinator.Txns[0].Memory
	switch ev.Durable.Kind {
	case FreshInit:
		g.fence(s, c)
		m.granted(s, ev, Initializing)
	case FreshFence:
		g.fence(s, c)
	case IdentityInit:
		m.granted(s, ev, Recovering)
	case End:
		if m.Style == TV2Style {
			m.granted(s, ev, Ending)
		}
	case TimedOut:
		g.lose(s)
	}
	switch ev.Durable.Kind {
	case FreshInit, FreshFence, IdentityInit, IdentityFence, TimedOut:
		g.OpenedEpoch = spec.NoEpoch
	}
	if meta.Status.Prepared() {
		g.Decided |= decidedBit(meta)
	}
}

func decidedBit(meta *spec.Metadata) uint64 {
	if meta.Status == spec.PrepareCommit {
		return 1 << (2 * meta.Number)
	}
	return 2 << (2 * meta.Number)
}

// fence makes c the newest incarnation. All who have started are fenced; c is not if it still waits for its InitProducerId.
func (g *Ghost) fence(s *State, c int8) {
	g.Newest = c
	g.disown()
	for i := range s.Clients {
		if s.Clients[i].Phase != Off {
			g.Lost[i] = int8(i) != c || s.Clients[i].Phase != Initializing
		}
	}
}

// lose is a timeout: whoever has the identity lost its transaction to the coordinator.
func (g *Ghost) lose(s *State) {
	for i := range s.Clients {
		if s.Clients[i].ProducerID != spec.NoProducer {
			g.Lost[i] = true
		}
	}
	g.disown()
}

// fencing is a fence at transaction.version 0 and 1 from the moment it is begun: there the coordinator refuses the old
// epoch from then on (INIT-35), though only the record makes the newer incarnation the newest.
func (g *Ghost) fencing(s *State) {
	newest := g.Newest
	switch g.Logged.Kind {
	case FreshFence:
		g.fence(s, g.Logged.Client)
	case TimedOut:
		g.lose(s)
	}
	g.Newest = newest
}

// restore takes back a fence whose record was lost: it has fenced nobody, and the identity in the log is valid again.
func (g *Ghost) restore(s *State) {
	log := s.Broker.Coordinator.Txns[0].Log
	if g.Logged.Kind != FreshFence && g.Logged.Kind != TimedOut || len(log) == 0 {
		return
	}
	last := &log[len(log)-1]
	for i := range s.Clients {
		if c := &s.Clients[i]; c.ProducerID == last.ProducerID && c.Epoch == last.Epoch {
			g.own(int8(i), c.Epoch)
		}
	}
}

// granted makes the client of a durable record the owner, if it waits for that answer in the given phase or has the
// identity already.
func (m *Model) granted(s *State, ev *Event, waits Phase) {
	g, c := &s.Ghost, ev.Durable.Client
	meta := &s.Broker.Coordinator.Txns[0].Memory
	m.grant(s, ev, c, meta.Epoch)
	cl := &s.Clients[c]
	g.disown()
	if cl.Phase == waits || cl.ProducerID == meta.ProducerID && cl.Epoch == meta.Epoch {
		g.own(c, meta.Epoch)
	}
}

// grant notes that an epoch was granted.
func (m *Model) grant(s *State, ev *Event, c int8, epoch int16) {
	ev.Grant, ev.GrantTo, ev.Epoch = true, c, epoch
	if g := &s.Ghost; int(epoch) < len(g.Granted) && g.Granted[epoch] == 0 {
		g.Granted[epoch] = uint8(c) + 1
	}
}
