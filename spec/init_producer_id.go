package spec

// initProducerID is InitProducerId (KIP-98, KIP-360): KafkaApis.handleInitProducerIdRequest and
// TransactionCoordinator.handleInitProducerId, prepareInitProducerIdTransit.
//
// Authorization (INIT-01, 02) is out of scope, and so is the rotation of an exhausted epoch (INIT-24, 30, 36).
func (sp *Spec) initProducerID(s *State, d *Decision, conn Conn, r *Request) {
	refuse := func(code Code, rules ...Rule) {
		d.by(rules...)
		if code == ProducerFenced && r.Version < 4 {
			d.by(INIT04)
			code = InvalidProducerEpoch
		}
		s.answer(d, Answer{Conn: conn, API: InitProducerID, Code: code, ProducerID: NoProducer, Epoch: NoEpoch, Coordinator: true})
	}
	withIdentity := r.Version >= 3 && r.ProducerID != NoProducer
	switch {
	case r.Version >= 3 && (r.ProducerID == NoProducer) != (r.Epoch == NoEpoch):
		refuse(InvalidRequest, INIT03)
		return
	case r.Txn == NullTxnID:
		d.by(INIT05)
		if !s.Allocator.Ready {
			refuse(CoordinatorLoading, INIT07)
			return
		}
		s.answer(d, Answer{Conn: conn, API: InitProducerID, ProducerID: s.allocate()})
		return
	case r.Txn == EmptyTxnID:
		refuse(InvalidRequest, INIT06)
		return
	case r.TimeoutMs <= 0 || r.TimeoutMs > sp.Limits.MaxTimeoutMs:
		refuse(InvalidTxnTimeout, INIT08)
		return
	}
	if code := sp.owned(s, d); code != None {
		refuse(code, INIT09)
		return
	}
	t := &s.Coordinator.Txns[r.Txn]
	if !t.Known {
		if !s.Allocator.Ready {
			refuse(CoordinatorLoading, INIT07)
			return
		}
		d.by(INIT20)
		t.Known = true
		t.Memory = Metadata{ProducerID: s.allocate(), PrevProducerID: NoProducer, Epoch: NoEpoch, LastEpoch: NoEpoch, Status: Empty, TimeoutMs: r.TimeoutMs}
	}
	m := &t.Memory
	switch {
	case t.Pending.Phase != Idle:
		refuse(ConcurrentTransactions, INIT21)
		return
	case withIdentity && m.Epoch != NoEpoch && r.ProducerID != m.ProducerID:
		refuse(ProducerFenced, INIT22)
		return
	case m.Status.Prepared():
		refuse(ConcurrentTransactions, INIT23)
		return
	case m.Status == Ongoing:
		sp.fenceByInit(s, d, conn, r, refuse)
		return
	}
	next, code := sp.nextIdentity(d, m, r)
	if code != None {
		refuse(code)
		return
	}
	d.by(INIT39)
	if code := sp.write(s, d, r.Txn, Pending{Next: next, From: d.Request, Conn: conn}); code != None {
		refuse(code)
	}
}

// nextIdentity is what InitProducerId grants where nothing is open: a new epoch, or once more the one that the same request was
// granted before (prepareIncrementProducerEpoch).
func (sp *Spec) nextIdentity(d *Decision, m *Metadata, r *Request) (Metadata, Code) {
	next := *m
	next.Status, next.TimeoutMs, next.ByInit = Empty, r.TimeoutMs, false
	switch {
	case r.Version < 3 || r.ProducerID == NoProducer:
		d.by(INIT25)
		next.Epoch, next.LastEpoch = m.Epoch+1, NoEpoch
	case m.ByInit && sp.Fixes.Has(FixINIT41) && r.Epoch == m.LastEpoch:
		d.by(INIT41)
		return next, ProducerFenced
	case m.Epoch == NoEpoch || r.Epoch == m.Epoch:
		d.by(INIT26)
		next.Epoch, next.LastEpoch = m.Epoch+1, m.Epoch
	case r.Epoch == m.LastEpoch:
		d.by(INIT27)
		if m.Status == CompleteAbort {
			d.by(INIT34)
		}
	default:
		d.by(INIT28)
		return next, ProducerFenced
	}
	return next, None
}

// fenceByInit is InitProducerId on an open transaction: the coordinator aborts it and the caller has to ask again. Only
// the producer id of an identity is looked at, unless fix INIT-31 is on.
func (sp *Spec) fenceByInit(s *State, d *Decision, conn Conn, r *Request, refuse func(Code, ...Rule)) {
	m := s.Coordinator.Txns[r.Txn].Memory
	withIdentity := r.Version >= 3 && r.ProducerID != NoProducer
	d.by(INIT31)
	if withIdentity && r.Epoch != m.Epoch && sp.Fixes.Has(FixINIT31) {
		refuse(ProducerFenced)
		return
	}
	next := sp.fence(d, m, true)
	next.ByInit = !withIdentity && sp.Fixes.Has(FixINIT41)
	p := Pending{Next: next, From: d.Request, Conn: conn}
	p.From.Fence = true
	if code := sp.writeFence(s, d, r.Txn, p); code != None {
		refuse(code)
	}
}

func (s *State) allocate() int64 {
	id := s.Allocator.Next
	s.Allocator.Next++
	return id
}
