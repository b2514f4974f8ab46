package spec

// endTxn is EndTxn (TransactionCoordinator.handleEndTransaction and endTransaction). The request's version alone chooses
// the rules, on any cluster (END-02): v5 those of KIP-890 part 2, up to v4 the earlier ones.
func (sp *Spec) endTxn(s *State, d *Decision, conn Conn, r *Request) {
	if r.Txn == NullTxnID || r.Txn == EmptyTxnID {
		d.by(END01)
		s.answer(d, endTxnAnswer(d, conn, r.Version, InvalidRequest, nil))
		return
	}
	code := sp.owned(s, d)
	if code != None {
		s.answer(d, endTxnAnswer(d, conn, r.Version, code, nil))
		return
	}
	t := &s.Coordinator.Txns[r.Txn]
	var next Metadata
	var write bool
	switch {
	case !t.Known:
		d.by(END01)
		code = InvalidProducerMapping
	case r.Version >= 5:
		d.by(END02)
		next, write, code = sp.endTxnV5(d, t, r)
	default:
		d.by(END02)
		next, write, code = sp.endTxnV4(d, t, r)
	}
	if write {
		code = sp.write(s, d, r.Txn, Pending{Next: next, From: d.Request, Conn: conn})
		if code == None {
			return
		}
	}
	if code == ProducerFenced && r.Version < 2 {
		d.by(END03)
		code = InvalidProducerEpoch
	}
	s.answer(d, endTxnAnswer(d, conn, r.Version, code, &t.Memory))
}

// endTxnV4 are the rules up to v4 (END-13, END-14): the decision keeps the epoch, and a repeated EndTxn is
// indistinguishable from the end of a later transaction (END-11, KAFKA-17754).
func (sp *Spec) endTxnV4(d *Decision, t *Txn, r *Request) (next Metadata, write bool, code Code) {
	m := &t.Memory
	switch {
	case r.ProducerID != m.ProducerID:
		d.by(END13)
		return next, false, InvalidProducerMapping
	case r.Epoch != m.Epoch: // either direction: KAFKA-9600
		d.by(END13, END10)
		return next, false, ProducerFenced
	case t.Pending.Phase != Idle:
		d.by(END13)
		return next, false, ConcurrentTransactions
	}
	d.by(END14)
	switch m.Status {
	case Ongoing:
		if m.ClientVersion >= 2 {
			d.by(END27)
		}
		next = *m
		next.Status = prepared(r.Commit)
		next.ClientVersion = 0
		return next, true, None
	case CompleteCommit, CompleteAbort:
		if r.Commit == (m.Status == CompleteCommit) {
			d.by(END11)
			return next, false, None
		}
	case PrepareCommit, PrepareAbort: // a decision has its completion pending (END-13), so that this is not reached
		if r.Commit == (m.Status == PrepareCommit) {
			return next, false, ConcurrentTransactions
		}
	}
	return next, false, InvalidTxnState
}

// endTxnV5 are the rules from v5 on (END-29, END-30, END-31): each decision takes a new epoch, a repeated EndTxn is known
// by its epoch, one below.
func (sp *Spec) endTxnV5(d *Decision, t *Txn, r *Request) (next Metadata, write bool, code Code) {
	m := &t.Memory
	cur, retry := r.Epoch == m.Epoch, r.Epoch == m.Epoch-1
	ok := false // whether the epoch is one that the state takes
	switch m.Status {
	case Empty, Ongoing:
		ok = cur
	case PrepareCommit, PrepareAbort:
		ok = retry
	case CompleteCommit, CompleteAbort:
		ok = cur || retry
	}
	pending := t.Pending.Phase != Idle
	d.by(END29)
	switch {
	case pending && sp.Fixes.Has(Fix18464):
		return next, false, ConcurrentTransactions
	case r.ProducerID != m.ProducerID:
		return next, false, InvalidProducerMapping
	case !ok:
		d.by(END30)
		if (m.Status == CompleteCommit || m.Status == CompleteAbort) && r.Epoch < m.Epoch {
			d.by(END25)
		}
		return next, false, ProducerFenced
	case pending:
		return next, false, ConcurrentTransactions
	}
	d.by(END30)
	switch {
	case retry:
		return next, false, sp.endTxnRetry(d, m, r.Commit)
	case m.Status == Ongoing:
		d.by(END20)
		if m.ClientVersion < 2 {
			d.by(END26)
		}
	case r.Commit && !sp.Fixes.Has(Fix21181):
		return next, false, InvalidTxnState
	default:
		d.by(END23)
		if r.Commit {
			d.by(END31)
		}
	}
	next = *m
	if m.Status != Ongoing {
		next.Partitions = 0
		next.Number++
	}
	next.Status, next.ByInit = prepared(r.Commit), false
	next.ClientVersion = 2
	next.Epoch, next.LastEpoch = m.Epoch+1, m.Epoch
	return next, true, None
}

// endTxnRetry answers an EndTxn v5 whose epoch is one below the stored one: the request that made the decision, repeated,
// or the first that comes after the coordinator's own abort (END-24).
func (sp *Spec) endTxnRetry(d *Decision, m *Metadata, commit bool) Code {
	switch m.Status {
	case PrepareCommit, PrepareAbort: // not reached: the completion is pending
		if commit == (m.Status == PrepareCommit) {
			return ConcurrentTransactions
		}
		return InvalidTxnState
	}
	if m.Status == CompleteAbort && m.ByInit && sp.Fixes.Has(FixINIT41) {
		d.by(INIT41)
		return ProducerFenced
	}
	if m.Status == CompleteAbort && commit {
		d.by(END24)
		if sp.Fixes.Has(Fix20785) {
			return ProducerFenced
		}
		return InvalidTxnState
	}
	if commit != (m.Status == CompleteCommit) {
		return InvalidTxnState
	}
	if m.Status == CompleteAbort {
		d.by(END24)
	}
	return None
}

func prepared(commit bool) Status {
	if commit {
		return PrepareCommit
	}
	return PrepareAbort
}

// endTxnAnswer is the response: v5 carries the identity to go on with (END-07, END-08).
func endTxnAnswer(d *Decision, conn Conn, version int16, code Code, m *Metadata) Answer {
	a := Answer{Conn: conn, API: EndTxn, Code: code, ProducerID: NoProducer, Epoch: NoEpoch, Coordinator: true}
	if code != None {
		return a
	}
	d.by(END07)
	if version >= 5 {
		d.by(END08)
		a.ProducerID, a.Epoch = m.ProducerID, m.Epoch
	}
	return a
}
