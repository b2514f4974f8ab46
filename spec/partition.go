package spec

// duplicate returns the cached batch that r repeats: same epoch, same first and last sequence
// (ProducerStateEntry.findDuplicateBatch; IDEM-15).
func (sp *Spec) duplicate(p *Producer, r *Request) *CachedBatch {
	if p == nil || p.Epoch != r.Epoch {
		return nil
	}
	last := sp.lastSequence(r.Sequence, r.Count)
	for i := range p.Batches[:p.Cached] {
		if b := &p.Batches[i]; b.First == r.Sequence && b.Last == last {
			return b
		}
	}
	return nil
}

// lastSequence is DefaultRecordBatch.incrementSequence: sequences wrap at their limit (IDEM-27).
func (sp *Spec) lastSequence(first, count int32) int32 {
	return int32((int64(first) + int64(count) - 1) % (int64(sp.Limits.MaxSequence) + 1))
}

// checkTransaction is the transactional gate before an append (UnifiedLog.analyzeAndValidateProducerState; IDEM-41,
// IDEM-42).
func (sp *Spec) checkTransaction(d *Decision, l *Leader, p *Producer, r *Request, verified bool) Code {
	if !r.Transactional || !sp.Fixes.Has(Fix14402) || l.open(r.ProducerID, r.Epoch) {
		return None
	}
	if p != nil && r.Epoch < p.Epoch && sp.Fixes.Has(Fix19690) {
		d.by(IDEM42)
		return InvalidProducerEpoch
	}
	if !verified && sp.Fixes.Has(Fix14884) {
		d.by(IDEM41, VER04)
		return InvalidTxnState
	}
	return None
}

// checkEpochAndSequence is ProducerAppendInfo.checkProducerEpoch and checkSequence.
func (sp *Spec) checkEpochAndSequence(d *Decision, l *Leader, p *Producer, r *Request) Code {
	v := l.verification(r.ProducerID)
	noState := p == nil || p.Epoch == NoEpoch
	switch {
	case p != nil && r.Epoch < p.Epoch:
		d.by(IDEM24)
		if r.Epoch == NoEpoch {
			d.by(IDEM49)
		}
		return InvalidProducerEpoch
	case (p == nil || p.Cached == 0) && r.Sequence != 0 && v != nil && v.Add && sp.Fixes.Has(Fix18202):
		d.by(IDEM33)
		return OutOfOrderSequence
	case v != nil && r.Sequence > sp.lowest(l, v, r):
		d.by(IDEM35)
		return OutOfOrderSequence
	case noState && r.Sequence == 0:
		d.by(IDEM30)
		if r.Epoch == NoEpoch {
			d.by(IDEM49)
		}
	case noState && sp.Fixes.Has(Fix15591) && len(l.Log) == 0:
		d.by(IDEM34)
		return OutOfOrderSequence
	case noState:
		d.by(IDEM32)
	case r.Epoch > p.Epoch && r.Sequence != 0:
		d.by(IDEM25)
		return OutOfOrderSequence
	case r.Epoch > p.Epoch:
		d.by(IDEM25)
	case r.Sequence != sp.next(p):
		d.by(IDEM23)
		switch {
		case p.Cached == 0:
			d.by(IDEM40)
		case int(p.Cached) == sp.Limits.CachedBatches && sp.lastSequence(r.Sequence, r.Count) < p.Batches[0].First:
			d.by(IDEM21)
		}
		return OutOfOrderSequence
	default:
		d.by(IDEM23)
		if p.Cached == 0 {
			d.by(IDEM40)
		}
	}
	return None
}

// lowest is the lowest sequence that the verification entry remembers. Kafka remembers each batch when it begins to wait;
// with fix IDEM-35 those that wait count while they do and their guard is current, and only a batch that is to come again stays in memory.
func (sp *Spec) lowest(l *Leader, v *Verification, r *Request) int32 {
	lowest := v.Lowest
	if !sp.Fixes.Has(FixIDEM35) {
		return lowest
	}
	if r.Epoch != v.Epoch {
		lowest = NoLowest
	}
	for i := range l.Waiting {
		if w := &l.Waiting[i].Request; l.Waiting[i].Guard && w.ProducerID == r.ProducerID && w.Epoch == r.Epoch && w.Sequence < lowest {
			lowest = w.Sequence
		}
	}
	return lowest
}

// next is the sequence that continues the producer's last batch.
func (sp *Spec) next(p *Producer) int32 {
	last := p.Last()
	if last == sp.Limits.MaxSequence {
		return 0
	}
	return last + 1
}

// append appends a data batch and updates the producer's entry (ProducerStateEntry.addBatch, IDEM-16;
// UnifiedLog.updateProducers, IDEM-43). It returns the base offset.
func (sp *Spec) append(d *Decision, l *Leader, r *Request, number uint16) int64 {
	offset := l.LogEnd()
	d.Appended, d.Partition = true, r.Partition
	if r.ProducerID == NoProducer {
		l.Log = append(l.Log, Batch{ProducerID: NoProducer, Epoch: r.Epoch, Sequence: r.Sequence, Count: r.Count, Transactional: r.Transactional, Data: r.Data})
		return offset
	}
	p := l.ensureProducer(r.ProducerID)
	if p.Epoch != r.Epoch {
		p.Epoch, p.Cached, p.Batches = r.Epoch, 0, [CachedBatches]CachedBatch{}
		if p.Open != NoOffset {
			d.by(IDEM26)
		}
	}
	if p.Open != NoOffset {
		number = p.Number
	}
	l.Log = append(l.Log, Batch{ProducerID: r.ProducerID, Epoch: r.Epoch, Sequence: r.Sequence, Count: r.Count, Transactional: r.Transactional, Data: r.Data, Number: number})
	if int(p.Cached) == sp.Limits.CachedBatches {
		d.by(IDEM16)
		copy(p.Batches[:], p.Batches[1:p.Cached])
		p.Cached--
	}
	p.Batches[p.Cached] = CachedBatch{First: r.Sequence, Last: sp.lastSequence(r.Sequence, r.Count), Offset: offset}
	p.Cached++
	d.by(IDEM28)
	if p.Last() < r.Sequence {
		d.by(IDEM27)
	}
	if r.Transactional {
		if p.Open == NoOffset {
			p.Open, p.Number = offset, number
		}
		if v := l.verification(r.ProducerID); v != nil {
			sp.clearVerification(d, l, v, r.Epoch, IDEM43)
		}
	}
	return offset
}

// restartLeaders is a restart of the broker as its partitions see it: each producer's last batch alone is still known,
// verification entries are gone, and so are the batches that waited (FO-02, FO-03, FO-09). A marker whose answer a
// coordinator waits for is sent again (MARK-33); an answer for a batch that waited goes to nobody.
func (sp *Spec) restartLeaders(s *State, d *Decision) {
	d.by(FO03)
	for i := range s.Leaders {
		l := &s.Leaders[i]
		if len(l.Verifications) > 0 {
			d.by(FO09)
		}
		for j := range l.Producers {
			if p := &l.Producers[j]; p.Cached > 1 {
				last := p.Batches[p.Cached-1]
				p.Batches = [CachedBatches]CachedBatch{last}
				p.Cached = 1
			}
		}
		l.Verifications = l.Verifications[:0]
		l.Waiting = l.Waiting[:0]
	}
	kept := s.Net[:0]
	for _, m := range s.Net {
		if m.Kind == MarkerReply || m.Waited {
			kept = append(kept, m)
		}
	}
	s.Net = kept
	for i := range s.Coordinator.Txns {
		s.Coordinator.Txns[i].Pending.Asked = false
	}
	s.Answers = s.Answers[:0]
}
