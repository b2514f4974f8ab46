package spec

// owned is what a request to the coordinator meets before its own rules: the partition of
// __transaction_state is being loaded, or the id is unknown (TransactionStateManager.getAndMaybeAddTransactionState).
func (sp *Spec) owned(s *State, d *Decision) Code {
	if !s.Coordinator.Up {
		d.by(COORD05, FO11)
		return CoordinatorLoading
	}
	return None
}

// write begins a transition: the record goes to the log, and Memory follows when the append is acknowledged
// (TransactionStateManager.appendTransactionToLog, COORD-09). A record with client version 2 can't be written in value
// version 0: at transaction.version 0 the caller gets UNSUPPORTED_VERSION and the transition stays (ADD-28).
func (sp *Spec) write(s *State, d *Decision, id TxnID, p Pending) Code {
	t := &s.Coordinator.Txns[id]
	if sp.TransactionVersion == 0 && p.Next.ClientVersion >= 2 {
		d.by(ADD28)
		t.Pending = Pending{Phase: Stuck}
		return UnsupportedVersion
	}
	p.Phase = Appending
	p.Next.PrevProducerID = t.Memory.ProducerID // SM-04
	t.Pending = p
	t.Log = append(t.Log, p.Next)
	d.Logged = p.Next.Status
	return None
}

// apply is the acknowledgement of an append: Memory follows the log, the caller gets its answer, and a decision's markers
// are sent, in one step (see ApplyAlone).
func (sp *Spec) apply(s *State, d *Decision, id TxnID) {
	sp.applied(s, d, id)
	if s.Coordinator.Txns[id].Memory.Status.Prepared() {
		sp.sendMarkers(s, d, id)
	}
}

// ApplyAlone is Apply without the markers. Kafka lets go of the transaction between the two: for a moment the decision is in
// memory and nothing is in progress, so that what is handled just then meets the Prepare rows of END-14 and END-30. A
// SendMarkers step ends the moment. It is not among Steps: no model takes it, where it would cost a step for every decision
// and what it shows is one retriable error in place of another, or INVALID_TXN_STATE to a client that asks for both
// outcomes.
func (sp *Spec) ApplyAlone(s *State, id TxnID) Decision {
	d := Decision{Step: Step{Apply, int8(id)}, Logged: NoStatus, Partition: -1, ProducerID: NoProducer, Epoch: NoEpoch}
	sp.applied(s, &d, id)
	return d
}

// applied is TransactionMetadata.completeTransitionTo and the answer.
func (sp *Spec) applied(s *State, d *Decision, id TxnID) {
	t := &s.Coordinator.Txns[id]
	p := t.Pending
	d.by(COORD09, SM01)
	d.Request, d.Txn, d.Applied = p.From, id, p.Next.Status
	t.Memory = p.Next
	t.Pending = Pending{}
	if sp.CompactLog {
		t.Log = append(t.Log[:0], p.Next)
	}
	switch p.From.API {
	case InitProducerID:
		if p.From.Fence {
			d.by(INIT31)
			s.answer(d, Answer{Conn: p.Conn, API: InitProducerID, Code: ConcurrentTransactions, ProducerID: NoProducer, Epoch: NoEpoch, Coordinator: true})
		} else {
			d.by(INIT38)
			s.answer(d, Answer{Conn: p.Conn, API: InitProducerID, ProducerID: t.Memory.ProducerID, Epoch: t.Memory.Epoch, Coordinator: true})
		}
	case AddPartitionsToTxn:
		if p.Asked {
			s.reply(d, id, &p, None, t.Memory.Number)
		} else {
			s.answer(d, Answer{Conn: p.Conn, API: AddPartitionsToTxn, ProducerID: NoProducer, Epoch: NoEpoch, Coordinator: true})
		}
	case EndTxn:
		d.by(END04)
		s.answer(d, endTxnAnswer(d, p.Conn, p.From.Version, None, &t.Memory))
	}
}

// reply answers a leader's question.
func (s *State) reply(d *Decision, id TxnID, p *Pending, code Code, number uint16) {
	d.Message = code
	s.send(Message{Kind: Reply, Txn: id, Partition: p.Partition, Slot: p.Slot, Code: code, Number: number, Version: p.From.Version, Ref: p.From.Ref})
}

// fence prepares the abort of an open transaction by the coordinator itself: PrepareEpochFence, never logged, then an
// internal EndTxn(abort), in one step (TransactionMetadata.prepareFenceProducerEpoch; END-28 is the window between the
// two). bump is false only without KAFKA-6119.
func (sp *Spec) fence(d *Decision, m Metadata, bump bool) Metadata {
	next := m
	next.Status = PrepareAbort
	next.ClientVersion = 0
	if !bump {
		return next
	}
	if sp.TransactionVersion >= 2 {
		d.by(INIT33, INIT40) // one bump; the old epoch may still be retried
		next.ClientVersion = 2
		next.LastEpoch = m.Epoch
	} else {
		d.by(INIT32)
		next.LastEpoch = NoEpoch
	}
	next.Epoch = m.Epoch + 1
	return next
}

// writeFence begins the abort that fence prepared. At transaction.version 0 and 1 the new epoch is in memory at once, while
// the append is waited for (TransactionCoordinator.endTransactionWithTV1).
func (sp *Spec) writeFence(s *State, d *Decision, id TxnID, p Pending) Code {
	code := sp.write(s, d, id, p)
	if m := &s.Coordinator.Txns[id].Memory; code == None && sp.TransactionVersion < 2 && p.Next.Epoch != m.Epoch {
		d.by(INIT35)
		m.Epoch, m.LastEpoch = p.Next.Epoch, p.Next.LastEpoch
	}
	return code
}

// timeOut aborts a transaction that has been open for longer than its timeout
// (TransactionCoordinator.abortTimedOutTransactions, TMO-02 to TMO-06; SM-07).
func (sp *Spec) timeOut(s *State, d *Decision, id TxnID) {
	t := &s.Coordinator.Txns[id]
	d.by(TMO02, TMO04)
	d.Txn = id
	if sp.TransactionVersion >= 2 {
		d.by(TMO06)
	} else {
		d.by(TMO05)
	}
	sp.writeFence(s, d, id, Pending{Next: sp.fence(d, t.Memory, sp.Fixes.Has(Fix6119))})
}

// crash stops the coordinator: its memory, the requests under way to it and its answers are gone. Markers already sent
// stay under way, and nobody waits for their answers. A leader whose question was not answered hears a disconnect
// (ADD-23). The log keeps the appends that were not acknowledged yet, or loses them.
func (sp *Spec) crash(s *State, d *Decision, losing bool) {
	d.by(FO12)
	c := &s.Coordinator
	for i := range c.Txns {
		t := &c.Txns[i]
		if t.Pending.Phase == Appending {
			d.by(COORD11)
			if losing {
				t.Log = t.Log[:len(t.Log)-1]
			}
			if t.Pending.Asked {
				d.by(ADD23)
				s.reply(d, TxnID(i), &t.Pending, NetworkException, 0)
			}
		}
		*t = Txn{Log: t.Log}
	}
	c.Up = false
	s.disconnect(d)
	kept := s.Answers[:0]
	for _, a := range s.Answers {
		if !a.Coordinator {
			kept = append(kept, a)
		}
	}
	s.Answers = kept
}

// disconnect breaks the connections between a crashed coordinator and the leaders.
func (s *State) disconnect(d *Decision) {
	var changed []Message
	kept := s.Net[:0]
	for _, m := range s.Net {
		switch {
		case m.Kind == MarkerReply:
		case m.Kind == Marker && m.Waited:
			m.Waited = false
			changed = append(changed, m)
		case m.Kind == Ask, m.Kind == Reply && m.Code != NetworkException:
			d.by(ADD23)
			changed = append(changed, Message{Kind: Reply, Txn: m.Txn, Partition: m.Partition, Slot: m.Slot, Code: NetworkException, Version: m.Version, Ref: m.Ref})
		default:
			kept = append(kept, m)
		}
	}
	s.Net = kept
	for _, m := range changed {
		s.send(m)
	}
}

func (c *Coordinator) appending() bool {
	for i := range c.Txns {
		if c.Txns[i].Pending.Phase == Appending {
			return true
		}
	}
	return false
}

// reload reads the log from start to end: the last record of each id wins, a decision's markers are sent again to all
// its partitions (TransactionStateManager.loadTransactionMetadata; FO-11, MARK-39). What was never logged is lost: the
// last epoch without KAFKA-20357 (INIT-29), the client version in value version 0 (MARK-41).
func (sp *Spec) reload(s *State, d *Decision) {
	d.by(FO11, FO10)
	c := &s.Coordinator
	c.Up = true
	c.Epoch++
	for i := range c.Txns {
		t := &c.Txns[i]
		if len(t.Log) == 0 {
			continue
		}
		t.Known = true
		t.Memory = t.Log[len(t.Log)-1]
		if !sp.Fixes.Has(Fix20357) || sp.TransactionVersion == 0 { // value version 0 has no place for it
			d.by(INIT29)
			t.Memory.LastEpoch = NoEpoch
		}
		if sp.TransactionVersion == 0 {
			t.Memory.ClientVersion = 0
		}
		if sp.CompactLog {
			t.Log = append(t.Log[:0], t.Log[len(t.Log)-1])
		}
		if t.Memory.Status.Prepared() {
			d.by(MARK39)
			sp.sendMarkers(s, d, TxnID(i))
		}
	}
}

// CoordinatorPartition returns the partition of __transaction_state, of n, that a transactional id belongs to
// (COORD-03; Utils.abs(id.hashCode) % n, over UTF-16 code units).
func CoordinatorPartition(id string, n int32) int32 {
	var h int32
	for _, r := range id {
		if r > 0xFFFF {
			r -= 0x10000
			h = 31*h + (0xD800 + r>>10)
			r = 0xDC00 + r&0x3FF
		}
		h = 31*h + r
	}
	if h < 0 {
		h = -h // MinInt32 stays negative: Utils.abs makes it 0
	}
	if h < 0 {
		h = 0
	}
	return h % n
}
