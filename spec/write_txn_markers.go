package spec

import "slices"

// sendMarkers prepares the completion of a decision and sends its markers, one to each partition still in the record
// (TransactionMarkerChannelManager.addTxnMarkersToSend; MARK-30, MARK-40).
func (sp *Spec) sendMarkers(s *State, d *Decision, id TxnID) {
	t := &s.Coordinator.Txns[id]
	t.Pending = Pending{Phase: Completing}
	if t.Memory.Partitions == 0 {
		d.by(MARK31)
		sp.complete(s, d, id)
		return
	}
	d.by(MARK40)
	for p := range s.Leaders {
		if t.Memory.Partitions.Has(p) {
			s.send(sp.marker(s, id, p))
		}
	}
}

func (sp *Spec) marker(s *State, id TxnID, partition int) Message {
	m := &s.Coordinator.Txns[id].Memory
	return Message{
		Kind: Marker, Txn: id, Partition: int8(partition), Waited: true, ProducerID: m.ProducerID, Epoch: m.Epoch,
		Commit: m.Status == PrepareCommit, CoordinatorEpoch: s.Coordinator.Epoch, TransactionVersion: m.ClientVersion, Number: m.Number,
	}
}

// complete logs the end of a transaction once no marker is awaited (TransactionMetadata.prepareComplete; MARK-32).
func (sp *Spec) complete(s *State, d *Decision, id TxnID) {
	next := s.Coordinator.Txns[id].Memory
	next.Status++ // PrepareCommit to CompleteCommit, PrepareAbort to CompleteAbort
	next.Status++
	next.Partitions = 0
	if code := sp.write(s, d, id, Pending{Next: next}); code != None {
		d.by(ADD28)
	}
}

// resendMarker is the coordinator that waits no longer for a marker's answer and sends it again; the first copy may still
// arrive (request.timeout.ms; MARK-33, MARK-44). An answer that was under way is not read any more.
func (sp *Spec) resendMarker(s *State, d *Decision, i int) {
	d.by(MARK33, MARK44)
	m := s.receive(i)
	d.Txn, d.Partition = m.Txn, m.Partition
	if m.Kind == Marker {
		m.Waited = false
		s.send(m)
	}
	s.send(sp.marker(s, m.Txn, int(m.Partition)))
}

// DropMarker is a coordinator whose metadata name no leader for a partition: it takes the topic for deleted and drops the
// partition from the transaction, without a marker (TransactionMarkerChannelManager.addTxnMarkersToBrokerQueue; MARK-30).
// Apache Kafka 4.4.0 was seen to do so while its only broker, killed, came back: its partitions had no leader for a moment,
// and the commit completed without its marker. i is the place of a marker in Net. It is not among Steps: no model takes it.
func (sp *Spec) DropMarker(s *State, i int) Decision {
	m := s.receive(i)
	d := Decision{Step: Step{Kind: Deliver, Index: int8(i)}, Txn: m.Txn, Logged: NoStatus, Applied: NoStatus, Partition: m.Partition,
		ProducerID: NoProducer, Epoch: NoEpoch}
	d.by(MARK30)
	m.Code = None
	sp.markerAcknowledged(s, &d, &m)
	return d
}

// writeTxnMarkers is WriteTxnMarkers sent by hand, as Admin.abortTransaction does (KIP-664; ADM-05). Before v2 it carries
// no transaction version (ADM-06).
func (sp *Spec) writeTxnMarkers(s *State, d *Decision, conn Conn, r *Request) {
	a := Answer{Conn: conn, API: WriteTxnMarkers, ProducerID: NoProducer, Epoch: NoEpoch}
	version := r.TransactionVersion
	if r.Version < 2 {
		d.by(ADM06)
		version = 0
	}
	switch {
	case int(r.Partition) >= len(s.Leaders):
		d.by(MARK03)
		a.Code = UnknownTopicPartition
	case r.ProducerID == NoProducer || r.Epoch == NoEpoch:
		d.by(MARK20)
		a.Code = UnknownServerError
	default:
		d.by(ADM05)
		m := Message{ProducerID: r.ProducerID, Epoch: r.Epoch, Commit: r.Commit, CoordinatorEpoch: r.CoordinatorEpoch,
			TransactionVersion: version, Partition: r.Partition}
		a.Code = sp.appendMarker(s, d, &m)
	}
	s.answer(d, a)
}

// markerArrives is a marker from the coordinator at the partition's leader.
func (sp *Spec) markerArrives(s *State, d *Decision, m *Message) {
	d.Request, d.Txn = Origin{API: WriteTxnMarkers, Version: 2}, m.Txn
	code := sp.appendMarker(s, d, m)
	d.Message = code
	if m.Waited {
		s.send(Message{Kind: MarkerReply, Txn: m.Txn, Partition: m.Partition, Waited: true, Code: code, Number: m.Number})
	}
}

// appendMarker appends a control batch, or refuses it: ProducerAppendInfo.appendEndTxnMarker, checkProducerEpoch,
// checkCoordinatorEpoch. The leader does not know the decision: whoever passes the tests first ends what is open
// (MARK-18).
func (sp *Spec) appendMarker(s *State, d *Decision, m *Message) Code {
	l := &s.Leaders[m.Partition]
	d.Partition = m.Partition
	p := l.producer(m.ProducerID)
	if p == nil {
		d.by(MARK12)
		p = &Producer{Epoch: NoEpoch, CoordinatorEpoch: -1, Open: NoOffset}
	}
	if code := sp.markerEpoch(d, p, m); code != None {
		return code
	}
	if m.CoordinatorEpoch < p.CoordinatorEpoch {
		d.by(MARK11)
		return CoordinatorFenced
	}
	p = l.ensureProducer(m.ProducerID)
	kind, offset := AbortMarker, l.LogEnd()
	if m.Commit {
		kind = CommitMarker
	}
	l.Log = append(l.Log, Batch{Kind: kind, ProducerID: m.ProducerID, Epoch: m.Epoch, Sequence: NoSequence, Count: 1, Transactional: true,
		CoordinatorEpoch: m.CoordinatorEpoch, Number: m.Number})
	d.Appended = true
	d.by(MARK13, MARK17)
	first := p.Open
	if p.Epoch != m.Epoch {
		p.Cached, p.Batches = 0, [CachedBatches]CachedBatch{}
	}
	p.Epoch, p.CoordinatorEpoch, p.Open, p.Number = m.Epoch, m.CoordinatorEpoch, NoOffset, 0
	if first == NoOffset {
		d.by(MARK15)
	} else {
		d.by(MARK14)
		if kind == AbortMarker {
			d.by(READ06)
			l.Aborted = append(l.Aborted, Aborted{ProducerID: m.ProducerID, First: first, Last: offset, LastStable: l.LastStable()})
		}
	}
	if v := l.verification(m.ProducerID); v != nil {
		if v.Add && v.Epoch == m.Epoch {
			d.by(MARK16, VER03) // it stays
		} else {
			sp.clearVerification(d, l, v, m.Epoch, MARK16)
		}
	}
	return None
}

// markerEpoch is the epoch test of a marker against the producer's entry (KIP-1228).
func (sp *Spec) markerEpoch(d *Decision, p *Producer, m *Message) Code {
	strict := m.TransactionVersion >= 2 && sp.Fixes.Has(Fix19446)
	switch {
	case m.Epoch > p.Epoch:
		return None
	case m.Epoch < p.Epoch && strict:
		d.by(MARK07)
		return InvalidProducerEpoch
	case m.Epoch < p.Epoch:
		d.by(MARK06)
		return InvalidProducerEpoch
	case !strict:
		d.by(MARK06)
		return None
	case p.Open == NoOffset && sp.Fixes.Has(Fix19999):
		d.by(MARK08)
		return None
	}
	d.by(MARK07)
	return InvalidProducerEpoch
}

// markerAcknowledged is the leader's answer at the coordinator (TransactionMarkerRequestCompletionHandler).
func (sp *Spec) markerAcknowledged(s *State, d *Decision, m *Message) {
	t := &s.Coordinator.Txns[m.Txn]
	d.Txn, d.Partition = m.Txn, m.Partition
	if t.Pending.Phase != Completing && t.Pending.Phase != Cancelled {
		d.by(MARK37)
		return
	}
	switch m.Code {
	case None:
		d.by(MARK32)
		t.Memory.Partitions = t.Memory.Partitions.Without(int(m.Partition))
		if t.Memory.Partitions == 0 && t.Pending.Phase == Completing {
			sp.complete(s, d, m.Txn)
		}
	default: // INVALID_PRODUCER_EPOCH, TRANSACTION_COORDINATOR_FENCED: a leader gives no other
		d.by(MARK34)
		t.Pending.Phase = Cancelled
	}
}

// clearVerification deletes a verification entry on an append at the given epoch: the batches that wait lose their guard
// (UnifiedLog.append, ProducerStateManager.clearVerificationStateEntry).
func (sp *Spec) clearVerification(d *Decision, l *Leader, v *Verification, epoch int16, by Rule) {
	if epoch < v.Epoch && sp.Fixes.Has(FixIDEM43) {
		d.by(IDEM43)
		return
	}
	d.by(by)
	id := v.ID
	for i := range l.Waiting {
		if l.Waiting[i].Request.ProducerID == id {
			l.Waiting[i].Guard = false
		}
	}
	l.Verifications = slices.DeleteFunc(l.Verifications, func(v Verification) bool { return v.ID == id })
}
