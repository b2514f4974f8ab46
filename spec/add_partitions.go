package spec

// addPartitionsToTxn is AddPartitionsToTxn from a client (v0-3), or sent by hand as a leader would (v4+):
// KafkaApis.handleAddPartitionsToTxnRequest, TransactionCoordinator.handleAddPartitionsToTransaction and
// handleVerifyPartitionsInTransaction. Authorization (ADD-01) is out of scope.
func (sp *Spec) addPartitionsToTxn(s *State, d *Decision, conn Conn, r *Request) {
	refuse := func(code Code, rest Code, failed Partitions) {
		if code == ProducerFenced && r.Version < 2 {
			code = InvalidProducerEpoch
		}
		s.answer(d, Answer{Conn: conn, API: AddPartitionsToTxn, Code: code, Rest: rest, Failed: failed, ProducerID: NoProducer, Epoch: NoEpoch, Coordinator: true})
	}
	if unknown := r.Partitions &^ (1<<len(s.Leaders) - 1); unknown != 0 {
		d.by(ADD03)
		refuse(UnknownTopicPartition, OperationNotAttempted, unknown)
		return
	}
	if r.Txn == EmptyTxnID || r.Txn == NullTxnID {
		d.by(ADD02)
		refuse(InvalidRequest, InvalidRequest, r.Partitions)
		return
	}
	if code := sp.owned(s, d); code != None {
		refuse(code, code, r.Partitions)
		return
	}
	if r.Version >= 4 && r.VerifyOnly {
		code, absent := sp.verifyPartitions(s, d, r.Txn, r.ProducerID, r.Epoch, r.Partitions)
		if absent == 0 {
			absent = r.Partitions
		}
		refuse(code, None, absent)
		return
	}
	p := Pending{From: d.Request, Conn: conn}
	code, done := sp.addPartitions(s, d, r.Txn, r.ProducerID, r.Epoch, r.Partitions, r.Version, p)
	if done {
		refuse(code, code, r.Partitions)
	}
}

// addPartitions is the path that adds, for a client (version up to 3) and for a leader (4 and later). done says that the
// answer is known now; otherwise it comes when the record is acknowledged.
func (sp *Spec) addPartitions(s *State, d *Decision, id TxnID, pid int64, epoch int16, parts Partitions, version int16, p Pending) (code Code, done bool) {
	t := &s.Coordinator.Txns[id]
	m := &t.Memory
	switch {
	case !t.Known:
		d.by(ADD04)
		return InvalidProducerMapping, true
	case t.Pending.Phase != Idle: // KAFKA-18660: before pid and epoch
		d.by(ADD05)
		return ConcurrentTransactions, true
	case pid != m.ProducerID:
		d.by(ADD04)
		return InvalidProducerMapping, true
	case epoch != m.Epoch:
		d.by(ADD04, ADD06)
		return ProducerFenced, true
	case m.Status.Prepared():
		d.by(ADD04)
		return ConcurrentTransactions, true
	case m.Status == Ongoing && m.Partitions&parts == parts:
		d.by(ADD04)
		return None, true
	}
	next := *m
	if m.Status != Ongoing {
		d.by(ADD07)
		next.Partitions = 0
		next.Number++
	}
	next.Status, next.Partitions, next.ByInit = Ongoing, next.Partitions|parts, false
	next.ClientVersion = 0
	if version > 3 {
		next.ClientVersion = 2
	}
	d.by(ADD08)
	p.Next = next
	if code := sp.write(s, d, id, p); code != None {
		return code, true
	}
	return None, false
}

// verifyPartitions is the verify-only path (KIP-890 part 1). A transition in progress does not matter (KAFKA-14904).
// absent are the partitions that the code is for; none means all.
func (sp *Spec) verifyPartitions(s *State, d *Decision, id TxnID, pid int64, epoch int16, parts Partitions) (code Code, absent Partitions) {
	d.by(ADD10)
	t := &s.Coordinator.Txns[id]
	m := &t.Memory
	switch {
	case !t.Known:
		return InvalidProducerMapping, 0
	case pid != m.ProducerID:
		return InvalidProducerMapping, 0
	case epoch != m.Epoch:
		return ProducerFenced, 0
	case m.Status.Prepared():
		return ConcurrentTransactions, 0
	}
	held := m.Partitions
	if m.Status != Ongoing {
		d.by(ADD11)
		held = 0
	}
	if absent = parts &^ held; absent != 0 {
		return TransactionAbortable, absent
	}
	return None, 0
}

// answerLeader is the same request from a partition's leader (AddPartitionsToTxnManager; KIP-890): Produce v12 and later
// adds, earlier ones verify (ADD-20, ADD-21).
func (sp *Spec) answerLeader(s *State, d *Decision, q *Message) {
	d.Request = Origin{API: AddPartitionsToTxn, Version: q.Version, Ref: q.Ref}
	d.Txn = q.Txn
	p := Pending{Asked: true, Partition: q.Partition, Slot: q.Slot, From: d.Request}
	if q.Txn == EmptyTxnID {
		d.by(ADD02)
		s.reply(d, q.Txn, &p, InvalidRequest, 0)
		return
	}
	code := sp.owned(s, d)
	number := uint16(0)
	if code == None {
		t := &s.Coordinator.Txns[q.Txn]
		part := Partitions(0).With(int(q.Partition))
		if q.Version >= 12 {
			var done bool
			// a leader sends v4 or later
			if code, done = sp.addPartitions(s, d, q.Txn, q.ProducerID, q.Epoch, part, 4, p); !done {
				return
			}
		} else {
			code, _ = sp.verifyPartitions(s, d, q.Txn, q.ProducerID, q.Epoch, part)
		}
		number = t.Memory.Number
	}
	s.reply(d, q.Txn, &p, code, number)
}

// EvictQuestion is a leader whose question, queued for the coordinator, is put out by another one for the same transactional
// id: with NETWORK_EXCEPTION by one of an equal epoch, with INVALID_PRODUCER_EPOCH by one of a higher epoch, or because a
// higher one is queued already (AddPartitionsToTxnManager.addTxnData; ADD-22). i is the place of a question in Net whose
// like, for the same id, is there too; ok is false if there is none. It is not among Steps: no model takes it.
func (sp *Spec) EvictQuestion(s *State, i int) (d Decision, ok bool) {
	q := s.Net[i]
	code := None
	for j := range s.Net {
		m := &s.Net[j]
		if j == i || q.Kind != Ask || m.Kind != Ask || m.Txn != q.Txn {
			continue
		}
		switch {
		case m.Epoch == q.Epoch && code == None:
			code = NetworkException
		case m.Epoch > q.Epoch:
			code = InvalidProducerEpoch
		}
	}
	if code == None {
		return d, false
	}
	s.receive(i)
	d = Decision{Step: Step{Kind: Deliver, Index: int8(i)}, Request: Origin{API: AddPartitionsToTxn, Version: q.Version, Ref: q.Ref}, Txn: q.Txn,
		Logged: NoStatus, Applied: NoStatus, Partition: q.Partition, ProducerID: NoProducer, Epoch: NoEpoch}
	d.by(ADD22)
	s.reply(&d, q.Txn, &Pending{Asked: true, Partition: q.Partition, Slot: q.Slot, From: d.Request}, code, 0)
	return d, true
}
