package spec

// The places of the fields in their words (see Packed).

// The bytes of a word, by part of the state.
const (
	headerBytes       = 4
	metadataBytes     = 6
	pendingBytes      = 4
	leaderBytes       = 3
	batchBytes        = 5
	producerBytes     = 4
	cachedBytes       = 2
	verificationBytes = 3
	abortedBytes      = 4
	requestBytes      = 8
	messageBytes      = 7
	answerBytes       = 6
)

func (m *Metadata) pack() Packed {
	return Packed{}.Put(m.ProducerID+1, 1, 6).Put(m.PrevProducerID+1, 7, 6).Put(int64(m.Epoch)+1, 13, 6).Put(int64(m.LastEpoch)+1, 19, 6).Put(int64(m.Status)+1, 25, 4).
		Put(int64(m.TimeoutMs), 29, 4).Put(int64(m.Partitions), 33, 6).Put(int64(m.ClientVersion), 39, 3).Put(bit(m.ByInit), 42, 1).Put(int64(m.Number), 43, 5)
}

func (m *Metadata) unpack(w uint64) {
	*m = Metadata{
		ProducerID: Bits(w, 1, 6) - 1, PrevProducerID: Bits(w, 7, 6) - 1, Epoch: int16(Bits(w, 13, 6) - 1),
		LastEpoch: int16(Bits(w, 19, 6) - 1), Status: Status(Bits(w, 25, 4) - 1), TimeoutMs: int32(Bits(w, 29, 4)),
		Partitions: Partitions(Bits(w, 33, 6)), ClientVersion: int8(Bits(w, 39, 3)), ByInit: Bits(w, 42, 1) != 0,
		Number: uint16(Bits(w, 43, 5)),
	}
}

func (x *Batch) pack() Packed {
	return Packed{}.Put(int64(x.Kind), 1, 2).Put(x.ProducerID+1, 3, 6).Put(int64(x.Epoch)+1, 9, 6).Put(int64(x.Sequence)+1, 15, 5).Put(int64(x.Count), 20, 3).
		Put(bit(x.Transactional), 23, 1).Put(int64(x.CoordinatorEpoch), 24, 4).Put(int64(x.Data), 28, 7).Put(int64(x.Number), 35, 5)
}

func (x *Batch) unpack(w uint64) {
	*x = Batch{
		Kind: BatchKind(Bits(w, 1, 2)), ProducerID: Bits(w, 3, 6) - 1, Epoch: int16(Bits(w, 9, 6) - 1),
		Sequence: int32(Bits(w, 15, 5) - 1), Count: int32(Bits(w, 20, 3)), Transactional: Bits(w, 23, 1) != 0,
		CoordinatorEpoch: int32(Bits(w, 24, 4)), Data: int32(Bits(w, 28, 7)), Number: uint16(Bits(w, 35, 5)),
	}
}

func (p *Producer) pack() Packed {
	return Packed{}.Put(p.ID+1, 1, 6).Put(int64(p.Epoch)+1, 7, 6).Put(int64(p.CoordinatorEpoch)+1, 13, 4).Put(p.Open+1, 17, 6).Put(int64(p.Number), 23, 5).
		Put(int64(p.Cached), 28, 3)
}

func (p *Producer) unpack(w uint64) {
	*p = Producer{
		ID: Bits(w, 1, 6) - 1, Epoch: int16(Bits(w, 7, 6) - 1), CoordinatorEpoch: int32(Bits(w, 13, 4) - 1),
		Open: Bits(w, 17, 6) - 1, Number: uint16(Bits(w, 23, 5)), Cached: int8(Bits(w, 28, 3)),
	}
}

func (c *CachedBatch) pack() Packed {
	return Packed{}.Put(int64(c.First)+1, 1, 5).Put(int64(c.Last)+1, 6, 5).Put(c.Offset+1, 11, 5)
}

func (c *CachedBatch) unpack(w uint64) {
	*c = CachedBatch{
		First: int32(Bits(w, 1, 5) - 1), Last: int32(Bits(w, 6, 5) - 1), Offset: Bits(w, 11, 5) - 1,
	}
}

func (a *Aborted) pack() Packed {
	return Packed{}.Put(a.ProducerID+1, 1, 6).Put(a.First+1, 7, 6).Put(a.Last+1, 13, 6).Put(a.LastStable+1, 19, 6)
}

func (a *Aborted) unpack(w uint64) {
	*a = Aborted{
		ProducerID: Bits(w, 1, 6) - 1, First: Bits(w, 7, 6) - 1, Last: Bits(w, 13, 6) - 1,
		LastStable: Bits(w, 19, 6) - 1,
	}
}

func (r *Request) pack() Packed {
	return Packed{}.Put(int64(r.API), 1, 3).Put(int64(r.Version), 4, 4).Put(int64(r.Ref), 8, 3).Put(int64(r.Txn)+2, 11, 3).Put(r.ProducerID+1, 14, 6).
		Put(int64(r.Epoch)+1, 20, 6).Put(int64(r.TimeoutMs), 26, 4).Put(int64(r.Partitions), 30, 4).Put(bit(r.VerifyOnly), 34, 1).Put(int64(r.Partition), 35, 3).
		Put(int64(r.Sequence)+1, 38, 5).Put(int64(r.Count), 43, 2).Put(bit(r.Transactional), 45, 1).Put(int64(r.Acks), 46, 2).Put(int64(r.Data), 48, 7).
		Put(bit(r.Commit), 55, 1).Put(int64(r.CoordinatorEpoch), 56, 3).Put(int64(r.TransactionVersion), 59, 2)
}

func (r *Request) unpack(w uint64) {
	*r = Request{
		API: API(Bits(w, 1, 3)), Version: int16(Bits(w, 4, 4)), Ref: uint8(Bits(w, 8, 3)),
		Txn: TxnID(Bits(w, 11, 3) - 2), ProducerID: Bits(w, 14, 6) - 1, Epoch: int16(Bits(w, 20, 6) - 1),
		TimeoutMs: int32(Bits(w, 26, 4)), Partitions: Partitions(Bits(w, 30, 4)), VerifyOnly: Bits(w, 34, 1) != 0,
		Partition: int8(Bits(w, 35, 3)), Sequence: int32(Bits(w, 38, 5) - 1), Count: int32(Bits(w, 43, 2)),
		Transactional: Bits(w, 45, 1) != 0, Acks: int8(Bits(w, 46, 2)), Data: int32(Bits(w, 48, 7)),
		Commit: Bits(w, 55, 1) != 0, CoordinatorEpoch: int32(Bits(w, 56, 3)), TransactionVersion: int8(Bits(w, 59, 2)),
	}
}

func (m *Message) pack() Packed {
	return Packed{}.Put(int64(m.Kind), 1, 2).Put(int64(m.Txn)+2, 3, 3).Put(int64(m.Partition), 6, 3).Put(int64(m.Slot), 9, 3).Put(bit(m.Waited), 12, 1).
		Put(m.ProducerID+1, 13, 6).Put(int64(m.Epoch)+1, 19, 6).Put(int64(m.Version), 25, 4).Put(int64(m.Ref), 29, 3).Put(bit(m.Commit), 32, 1).
		Put(int64(m.CoordinatorEpoch), 33, 3).Put(int64(m.TransactionVersion), 36, 2).Put(int64(m.Code)+1, 38, 7).Put(int64(m.Number), 45, 5)
}

func (m *Message) unpack(w uint64) {
	*m = Message{
		Kind: MessageKind(Bits(w, 1, 2)), Txn: TxnID(Bits(w, 3, 3) - 2), Partition: int8(Bits(w, 6, 3)),
		Slot: uint8(Bits(w, 9, 3)), Waited: Bits(w, 12, 1) != 0, ProducerID: Bits(w, 13, 6) - 1,
		Epoch: int16(Bits(w, 19, 6) - 1), Version: int16(Bits(w, 25, 4)), Ref: uint8(Bits(w, 29, 3)),
		Commit: Bits(w, 32, 1) != 0, CoordinatorEpoch: int32(Bits(w, 33, 3)), TransactionVersion: int8(Bits(w, 36, 2)),
		Code: Code(Bits(w, 38, 7) - 1), Number: uint16(Bits(w, 45, 5)),
	}
}

func (a *Answer) pack() Packed {
	return Packed{}.Put(int64(a.Conn), 1, 5).Put(int64(a.API), 6, 3).Put(int64(a.Code)+1, 9, 7).Put(a.ProducerID+1, 16, 6).Put(int64(a.Epoch)+1, 22, 6).
		Put(a.Offset+1, 28, 6).Put(int64(a.Failed), 34, 4).Put(int64(a.Rest)+1, 38, 7).Put(bit(a.Coordinator), 45, 1)
}

func (a *Answer) unpack(w uint64) {
	*a = Answer{
		Conn: Conn(Bits(w, 1, 5)), API: API(Bits(w, 6, 3)), Code: Code(Bits(w, 9, 7) - 1),
		ProducerID: Bits(w, 16, 6) - 1, Epoch: int16(Bits(w, 22, 6) - 1), Offset: Bits(w, 28, 6) - 1,
		Failed: Partitions(Bits(w, 34, 4)), Rest: Code(Bits(w, 38, 7) - 1), Coordinator: Bits(w, 45, 1) != 0,
	}
}
