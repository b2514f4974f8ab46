package spec

import "slices"

// produce is Produce to one partition, from its arrival to the append or to the coordinator's being asked:
// KafkaApis.handleProduceRequest, ReplicaManager.handleProduceAppend, UnifiedLog.maybeStartTransactionVerification.
// Topic authorization, record format (IDEM-04, 10, 48) and replication (IDEM-09) are out of scope.
func (sp *Spec) produce(s *State, d *Decision, conn Conn, r *Request) {
	if r.Transactional && r.Txn == NullTxnID {
		d.by(IDEM01)
		s.produced(d, conn, r, TxnIDNotAuthorized, NoOffset)
		return
	}
	if int(r.Partition) >= len(s.Leaders) {
		d.by(IDEM03)
		s.produced(d, conn, r, UnknownTopicPartition, NoOffset)
		return
	}
	l := &s.Leaders[r.Partition]
	d.Partition = r.Partition
	verifies := r.Version >= 12 || sp.Fixes.Has(Fix14402)
	if !r.Transactional || r.ProducerID == NoProducer || !verifies {
		if r.Transactional && r.ProducerID == NoProducer {
			d.by(IDEM47)
		}
		sp.appendOrRefuse(s, d, conn, r, true, 0)
		return
	}
	p := l.producer(r.ProducerID)
	switch {
	case l.open(r.ProducerID, r.Epoch):
		d.by(ADD27)
		sp.appendOrRefuse(s, d, conn, r, true, 0)
		return
	case p != nil && r.Epoch < p.Epoch:
		d.by(ADD27, IDEM24)
		s.produced(d, conn, r, InvalidProducerEpoch, NoOffset)
		return
	}
	if sp.Fixes.Has(FixIDEM35) {
		if dup := sp.duplicate(p, r); dup != nil {
			d.by(IDEM35, IDEM17)
			s.produced(d, conn, r, None, dup.Offset)
			return
		}
	}
	sp.ask(s, d, l, conn, r)
}

// ask makes or reuses the verification entry, lets the batch wait and asks the coordinator (ADD-20, ADD-21).
func (sp *Spec) ask(s *State, d *Decision, l *Leader, conn Conn, r *Request) {
	d.by(VER01, VER03, ADD21)
	if r.Version >= 12 {
		d.by(ADD20)
	}
	if p := l.producer(r.ProducerID); p != nil && p.Open != NoOffset {
		d.by(VER02)
	}
	v := l.verification(r.ProducerID)
	if v == nil {
		i := 0
		for i < len(l.Verifications) && l.Verifications[i].ID < r.ProducerID {
			i++
		}
		l.Verifications = slices.Insert(l.Verifications, i, Verification{ID: r.ProducerID, Epoch: r.Epoch, Lowest: NoLowest, Add: r.Version >= 12})
		v = &l.Verifications[i]
	}
	if r.Epoch > v.Epoch {
		v.Epoch, v.Lowest = r.Epoch, NoLowest
	}
	if !sp.Fixes.Has(FixIDEM35) {
		v.remember(r)
	}
	slot := uint8(0)
	i := 0
	for i < len(l.Waiting) && l.Waiting[i].Slot == slot {
		slot++
		i++
	}
	l.Waiting = slices.Insert(l.Waiting, i, Wait{Slot: slot, Guard: true, Conn: conn, Request: *r})
	s.send(Message{Kind: Ask, Txn: r.Txn, Partition: r.Partition, Slot: slot, ProducerID: r.ProducerID, Epoch: r.Epoch, Version: r.Version, Ref: r.Ref})
}

// remember keeps the lowest first sequence seen at the entry's epoch
// (VerificationStateEntry.maybeUpdateLowestSequenceAndEpoch; IDEM-35).
func (v *Verification) remember(r *Request) {
	if r.Epoch == v.Epoch && r.Sequence < v.Lowest {
		v.Lowest = r.Sequence
	}
}

// replyArrives is the coordinator's answer at the leader: the batch that waits is appended, or refused
// (AddPartitionsToTxnManager's completion handler, ReplicaManager.handleProduceAppend; ADD-23, ADD-24, VER-06).
func (sp *Spec) replyArrives(s *State, d *Decision, m *Message) { sp.replyTo(s, d, m, 0) }

// SharedReply is the arrival of message i, a reply, where its question went out in one request with an earlier one of
// another transactional id: what a client of that one's version understands is what this one is answered
// (AddPartitionsToTxnManager keeps one TransactionSupportedOperation for all that it collects; ADD-23). ok says whether that
// makes a difference. For the oracle alone: other ids' requests are not in a state.
func (sp *Spec) SharedReply(s *State, i int) (d Decision, ok bool) {
	m := s.Net[i]
	if m.Kind != Reply || m.Code != TransactionAbortable {
		return d, false
	}
	l := &s.Leaders[m.Partition]
	at := slices.IndexFunc(l.Waiting, func(w Wait) bool { return w.Slot == m.Slot })
	if at < 0 {
		return d, false
	}
	d = Decision{Step: Step{Kind: Deliver, Index: int8(i)}, Txn: NullTxnID, Logged: NoStatus, Applied: NoStatus, Partition: -1, ProducerID: NoProducer, Epoch: NoEpoch}
	first := int16(11)
	if l.Waiting[at].Request.Version >= 11 {
		first = 10
	}
	s.receive(i)
	sp.replyTo(s, &d, &m, first)
	return d, true
}

// replyTo is replyArrives; first is the version of the request that was collected first, 0 for this one.
func (sp *Spec) replyTo(s *State, d *Decision, m *Message, first int16) {
	l := &s.Leaders[m.Partition]
	i := slices.IndexFunc(l.Waiting, func(w Wait) bool { return w.Slot == m.Slot })
	if i < 0 {
		return // the batch is gone with a restart of the leader
	}
	w := l.Waiting[i]
	l.Waiting = slices.Delete(l.Waiting, i, i+1)
	r := &w.Request
	d.Request, d.Txn, d.Partition = Origin{API: Produce, Version: r.Version, Ref: r.Ref}, r.Txn, m.Partition
	if m.Code == None {
		sp.appendOrRefuse(s, d, w.Conn, r, w.Guard, m.Number)
		if r.Version >= 12 && d.Code != None {
			d.by(ADD29)
		}
		return
	}
	if first == 0 {
		first = r.Version
	}
	code := m.Code
	switch {
	case code == ProducerFenced:
		d.by(ADD23)
		code = InvalidProducerEpoch
	case code == TransactionAbortable && first <= 10:
		d.by(ADD23, VER06)
		code = InvalidTxnState
	case code == NetworkException || code == CoordinatorLoading || code == CoordinatorUnavailable || code == NotCoordinator,
		code == ConcurrentTransactions && r.Version < 12:
		d.by(ADD24)
		code = NotEnoughReplicas
	case code == ConcurrentTransactions:
		d.by(ADD24, ADD25)
	case code == TransactionAbortable:
		d.by(VER06)
	default:
		d.by(ADD24)
	}
	sp.refuseProduce(s, d, w.Conn, r, w.Guard, code)
}

// appendOrRefuse is the append to the log and its answer. verified says that the verification guard, or the open
// transaction, that the request carries is still the current one.
func (sp *Spec) appendOrRefuse(s *State, d *Decision, conn Conn, r *Request, verified bool, number uint16) {
	l := &s.Leaders[r.Partition]
	switch {
	case r.Acks < 0 || r.Acks > 2:
		d.by(IDEM07)
		s.produced(d, conn, r, InvalidRequiredAcks, NoOffset)
		return
	case r.Count <= 0 || r.ProducerID != NoProducer && r.Sequence < 0:
		d.by(IDEM11)
		s.produced(d, conn, r, InvalidRecord, NoOffset)
		return
	case r.ProducerID == NoProducer:
		d.by(IDEM14)
		s.produced(d, conn, r, None, sp.append(d, l, r, 0))
		return
	}
	p := l.producer(r.ProducerID)
	if dup := sp.duplicate(p, r); dup != nil {
		d.by(IDEM15, IDEM17)
		s.produced(d, conn, r, None, dup.Offset)
		return
	}
	code := sp.checkTransaction(d, l, p, r, verified)
	if code == None {
		code = sp.checkEpochAndSequence(d, l, p, r)
	}
	if code == None && !r.Transactional && p != nil {
		switch {
		case p.Open != NoOffset:
			d.by(IDEM44)
			code = InvalidTxnState
		case p.CoordinatorEpoch >= 0: // a marker was here
			d.by(IDEM45)
		}
	}
	if code != None {
		sp.refuseProduce(s, d, conn, r, verified, code)
		return
	}
	s.produced(d, conn, r, None, sp.append(d, l, r, number))
}

// refuseProduce refuses a batch. With fix IDEM-35 only one that its producer sends again leaves its sequence in memory, and
// only in the verification entry that it waited with.
func (sp *Spec) refuseProduce(s *State, d *Decision, conn Conn, r *Request, verified bool, code Code) {
	if sp.Fixes.Has(FixIDEM35) && code.Retriable() && r.Transactional && verified {
		if v := s.Leaders[r.Partition].verification(r.ProducerID); v != nil {
			d.by(IDEM35)
			v.remember(r)
		}
	}
	s.produced(d, conn, r, code, NoOffset)
}

// produced answers a Produce; acks=0 has no answer (IDEM-08).
func (s *State) produced(d *Decision, conn Conn, r *Request, code Code, offset int64) {
	if r.Acks == 1 {
		if code != None {
			d.by(IDEM08)
		}
		conn = 0
	}
	s.answer(d, Answer{Conn: conn, API: Produce, Code: code, ProducerID: NoProducer, Epoch: NoEpoch, Offset: offset})
}
