package spec

import "math"

// State is everything the broker side holds, role by role. The roles keep separate values and meet only through
// messages (Net): a field shared between coordinator and leader would hide exactly the bugs looked for.
//
// It is plain data: Encode writes its canonical bytes and two states are the same exactly when their bytes are.
type State struct {
	Allocator   Allocator
	Coordinator Coordinator
	Leaders     []Leader  // by partition
	Inbox       []Arrival // requests that arrived and are not handled yet
	Net         []Message // under way between coordinator and leaders; a bag, kept sorted
	Answers     []Answer  // given and not taken yet; sorted by connection
}

// Allocator hands out producer ids in blocks (INIT-07).
type Allocator struct {
	Next  int64 // the next producer id
	Ready bool  // whether a block is at hand
}

// Coordinator is the transaction coordinator of every transactional id, with its log.
type Coordinator struct {
	Epoch int32 // leader epoch of the __transaction_state partition; carried by markers (FO-10)
	Up    bool  // false from a crash until the log has been loaded (FO-11)
	Txns  []Txn // by TxnID
}

// Txn is what the coordinator holds for one transactional id.
type Txn struct {
	Known   bool     // whether the id is in the cache
	Memory  Metadata // the state that answers are given from
	Pending Pending  // the transition in progress (SM-01)
	Log     []Metadata
}

// Metadata is TransactionMetadata, in memory, and a record of __transaction_state, in the log.
type Metadata struct {
	ProducerID     int64
	PrevProducerID int64 // the producer id before the last transition (SM-04)
	Epoch          int16
	LastEpoch      int16 // what a retried request may carry (SM-05)
	Status         Status
	TimeoutMs      int32
	Partitions     Partitions // in a Prepare state in memory: those whose marker is not acknowledged yet (MARK-32)
	ClientVersion  int8       // cTV: 2 for Produce v12 and EndTxn v5, else 0 (ADD-08)
	ByInit         bool       // fix INIT-41: an InitProducerId of another incarnation caused this abort
	// Number counts the transactions of the id. It is a history variable for properties, read by no rule.
	Number uint16
}

// Phase is how far a transition in progress has come.
type Phase uint8

// The phases of Pending.
const (
	Idle       Phase = iota // no transition in progress
	Appending               // the record is in the log, not acknowledged yet
	Completing              // CompleteX is prepared and waits for markers
	Cancelled               // CompleteX is prepared and its markers were given up: nothing ends this but a reload (MARK-34)
	Stuck                   // the record could not be written: nothing ends this but a reload (ADD-28)
)

// Pending is a transition in progress at the coordinator. While there is one, clients get CONCURRENT_TRANSACTIONS.
type Pending struct {
	Phase Phase
	Next  Metadata // what Memory becomes (Appending)
	// From is the request that caused the transition: its API tells what to answer once it is applied. API None is the
	// coordinator's own doing (timeout, completion).
	From Origin
	Conn Conn
	// A leader's question (API AddPartitionsToTxn, Conn 0): where the reply goes.
	Asked     bool
	Partition int8
	Slot      uint8
}

// Origin says which request an effect goes back to.
type Origin struct {
	API     API
	Version int16
	Ref     uint8 // the caller's own mark on the request (Request.Ref)
	Fence   bool  // the request met an open transaction and fenced it (INIT-31)
}

// Leader is the leader of one data partition.
type Leader struct {
	Log           []Batch
	Producers     []Producer     // ProducerStateManager.producers, by producer id
	Verifications []Verification // ProducerStateManager.verificationStates, by producer id
	Waiting       []Wait         // batches whose transaction the coordinator is being asked about, by slot
	Aborted       []Aborted      // the transaction index (READ-04)
}

// BatchKind tells data from control batches.
type BatchKind int8

// The kinds of batch.
const (
	Data BatchKind = iota
	CommitMarker
	AbortMarker
)

// Batch is a record batch in a partition's log. Its offset is the sum of the counts before it.
type Batch struct {
	Kind             BatchKind
	ProducerID       int64
	Epoch            int16
	Sequence         int32 // of the first record; NoSequence in a marker (MARK-17)
	Count            int32
	Transactional    bool
	CoordinatorEpoch int32 // of a marker
	Data             int32 // the caller's own name for the contents
	// Number is the number of the transaction whose add or verification let the batch in, or for which the marker was
	// sent; 0 if none did. A history variable, read by no rule.
	Number uint16
}

// CachedBatch is what a leader remembers of an appended batch, to recognise a duplicate (IDEM-15).
type CachedBatch struct {
	First, Last int32
	Offset      int64
}

// Producer is ProducerStateEntry: what a leader knows of a producer id.
type Producer struct {
	ID               int64
	Epoch            int16
	CoordinatorEpoch int32 // of the last marker; -1 if there was none
	Open             int64 // first offset of the open transaction, or NoOffset
	Number           uint16
	Cached           int8 // how many of Batches are in use, oldest first
	Batches          [CachedBatches]CachedBatch
}

// Last returns the last sequence known, or NoSequence.
func (p *Producer) Last() int32 {
	if p.Cached == 0 {
		return NoSequence
	}
	return p.Batches[p.Cached-1].Last
}

// NoLowest is the lowest-sequence memory of a verification entry that remembers nothing.
const NoLowest int32 = math.MaxInt32

// Verification is VerificationStateEntry: a question to the coordinator is, or was, under way for this producer.
type Verification struct {
	ID     int64
	Epoch  int16 // highest epoch seen
	Lowest int32 // lowest first sequence seen at that epoch (IDEM-35)
	Add    bool  // made by a Produce v12, which adds (MARK-16)
}

// Wait is a batch that waits for the coordinator's reply.
type Wait struct {
	Slot    uint8
	Guard   bool // its verification guard is still the one stored (VER-03)
	Conn    Conn
	Request Request
}

// Aborted is an entry of the transaction index.
type Aborted struct {
	ProducerID  int64
	First, Last int64
	LastStable  int64 // LSO at the time of the abort (READ-06)
}

// MessageKind tells what one role sends another.
type MessageKind uint8

// The messages between coordinator and leaders.
const (
	Ask         MessageKind = iota // leader to coordinator: AddPartitionsToTxn v4+, verify or add
	Reply                          // its answer
	Marker                         // coordinator to leader: WriteTxnMarkers
	MarkerReply                    // its answer
)

// Message is under way between two roles.
type Message struct {
	Kind               MessageKind
	Txn                TxnID
	Partition          int8
	Slot               uint8 // of the waiting batch (Ask, Reply)
	Waited             bool  // the sender still waits for the answer (Marker, MarkerReply)
	ProducerID         int64
	Epoch              int16
	Version            int16 // of the Produce that asks
	Ref                uint8 // of the Produce that asks
	Commit             bool
	CoordinatorEpoch   int32
	TransactionVersion int8
	Code               Code
	Number             uint16 // history variable: the transaction it belongs to
}

// Arrival is a request that arrived and is not handled yet.
type Arrival struct {
	Conn    Conn
	Request Request
}

// Reset makes s the state of a fresh broker with so many transactional ids that may be used and so many partitions.
func (sp *Spec) Reset(s *State, txns, partitions int) {
	*s = State{Allocator: Allocator{Ready: true}, Coordinator: Coordinator{Up: true}}
	s.Coordinator.Txns = make([]Txn, txns)
	s.Leaders = make([]Leader, partitions)
}

// LogEnd returns the log end offset.
func (l *Leader) LogEnd() int64 {
	var end int64
	for i := range l.Log {
		end += int64(l.Log[i].Count)
	}
	return end
}

// HighWatermark returns the high watermark. There are no replicas: all that is appended is replicated.
func (l *Leader) HighWatermark() int64 { return l.LogEnd() }

// LastStable returns the last stable offset: the first offset of the oldest open transaction, else the high watermark
// (LSO-01, LSO-02; Partition.lastStableOffset).
func (l *Leader) LastStable() int64 {
	lso := l.HighWatermark()
	for i := range l.Producers {
		if open := l.Producers[i].Open; open != NoOffset && open < lso {
			lso = open
		}
	}
	return lso
}

func (l *Leader) producer(id int64) *Producer {
	for i := range l.Producers {
		if l.Producers[i].ID == id {
			return &l.Producers[i]
		}
	}
	return nil
}

// ensureProducer returns the entry of id, made with no epoch when there is none.
func (l *Leader) ensureProducer(id int64) *Producer {
	i := 0
	for i < len(l.Producers) && l.Producers[i].ID < id {
		i++
	}
	if i == len(l.Producers) || l.Producers[i].ID != id {
		l.Producers = append(l.Producers, Producer{})
		copy(l.Producers[i+1:], l.Producers[i:])
		l.Producers[i] = Producer{ID: id, Epoch: NoEpoch, CoordinatorEpoch: -1, Open: NoOffset}
	}
	return &l.Producers[i]
}

func (l *Leader) verification(id int64) *Verification {
	for i := range l.Verifications {
		if l.Verifications[i].ID == id {
			return &l.Verifications[i]
		}
	}
	return nil
}

// open reports whether the producer has a transaction open here at this epoch (VER-02, KAFKA-18575).
func (l *Leader) open(id int64, epoch int16) bool {
	p := l.producer(id)
	return p != nil && p.Open != NoOffset && p.Epoch == epoch
}
