package spec

import "strconv"

// Real limits of Apache Kafka.
const (
	MaxEpoch        = 32767      // Short.MAX_VALUE; never given to a client (END-22)
	MaxSequence     = 2147483647 // Integer.MAX_VALUE, followed by 0 (IDEM-27)
	CachedBatches   = 5          // ProducerStateEntry.NUM_BATCHES_TO_RETAIN (IDEM-16)
	ProducerIDBlock = 1000       // ProducerIdsBlock.PRODUCER_ID_BLOCK_SIZE (INIT-07)
	MaxTimeoutMs    = 900000     // transaction.max.timeout.ms (INIT-08)
)

// NoProducer, NoEpoch, NoSequence and NoOffset say on the wire that there is none.
const (
	NoProducer int64 = -1
	NoEpoch    int16 = -1
	NoSequence int32 = -1
	NoOffset   int64 = -1
)

// Limits are the bounds of the protocol that a model may shrink, so that the checker reaches them.
type Limits struct {
	CachedBatches   int   // batches remembered for each producer and partition (IDEM-16)
	MaxSequence     int32 // the sequence that is followed by 0 (IDEM-27)
	MaxTimeoutMs    int32 // longest transaction timeout a client may ask for (INIT-08)
	ProducerIDBlock int64 // producer ids in one block (INIT-07)
}

// KafkaLimits are the limits of Apache Kafka at its default configuration.
var KafkaLimits = Limits{
	CachedBatches: CachedBatches, MaxSequence: MaxSequence, MaxTimeoutMs: MaxTimeoutMs, ProducerIDBlock: ProducerIDBlock,
}

// Rules say which variant of the protocol a Spec follows.
type Rules struct {
	TransactionVersion int8 // finalized feature transaction.version: 0, 1 or 2
	Fixes              Fixes
	Limits             Limits
	// CompactLog keeps only the last record of each transactional id in the coordinator's log, as cleanup.policy=compact
	// may at any time; what a reload finds is the same (FO-11).
	CompactLog bool
}

// Conn names the connection on which a request came and its answer goes. Zero is nobody: the connection is gone and the
// answer with it.
type Conn uint16

// TxnID numbers a transactional id.
type TxnID int8

// Transactional ids that are none.
const (
	NullTxnID  TxnID = -1 // transactional id null
	EmptyTxnID TxnID = -2 // transactional id "" (INIT-06)
)

// Partitions is a set of partition numbers, 0 to 63.
type Partitions uint64

// Has reports whether p is in the set.
func (ps Partitions) Has(p int) bool { return ps>>uint(p)&1 == 1 }

// With returns the set with p in it.
func (ps Partitions) With(p int) Partitions { return ps | 1<<uint(p) }

// Without returns the set without p.
func (ps Partitions) Without(p int) Partitions { return ps &^ (1 << uint(p)) }

// Status is the state of a transaction at its coordinator, by the ids of __transaction_state (TransactionState; ADM-03).
type Status int8

// The states of TransactionState. Dead is only ever a tombstone and is not modelled.
const (
	Empty             Status = 0
	Ongoing           Status = 1
	PrepareCommit     Status = 2
	PrepareAbort      Status = 3
	CompleteCommit    Status = 4
	CompleteAbort     Status = 5
	PrepareEpochFence Status = 7
	NoStatus          Status = -1
)

func (st Status) String() string {
	switch st {
	case Empty:
		return "Empty"
	case Ongoing:
		return "Ongoing"
	case PrepareCommit:
		return "PrepareCommit"
	case PrepareAbort:
		return "PrepareAbort"
	case CompleteCommit:
		return "CompleteCommit"
	case CompleteAbort:
		return "CompleteAbort"
	case PrepareEpochFence:
		return "PrepareEpochFence"
	case NoStatus:
		return "none"
	}
	return "Status(" + strconv.Itoa(int(st)) + ")"
}

// Prepared reports whether the decision is made and its markers are not all written.
func (st Status) Prepared() bool { return st == PrepareCommit || st == PrepareAbort }

// Code is an error code of the wire protocol (org.apache.kafka.common.protocol.Errors).
type Code int16

// The error codes that the protocol gives.
const (
	UnknownServerError     Code = -1
	None                   Code = 0
	UnknownTopicPartition  Code = 3
	NotEnoughReplicas      Code = 19
	CoordinatorLoading     Code = 14
	CoordinatorUnavailable Code = 15
	NotCoordinator         Code = 16
	NetworkException       Code = 13
	InvalidRequiredAcks    Code = 21
	UnsupportedVersion     Code = 35
	InvalidRequest         Code = 42
	OutOfOrderSequence     Code = 45
	InvalidProducerEpoch   Code = 47
	InvalidTxnState        Code = 48
	InvalidProducerMapping Code = 49
	InvalidTxnTimeout      Code = 50
	ConcurrentTransactions Code = 51
	CoordinatorFenced      Code = 52
	TxnIDNotAuthorized     Code = 53
	OperationNotAttempted  Code = 55
	InvalidRecord          Code = 87
	ProducerFenced         Code = 90
	TxnIDNotFound          Code = 105
	TransactionAbortable   Code = 120
)

// Name returns the code's name in Errors, as documentation and clients print it.
func (c Code) Name() string {
	switch c {
	case UnknownServerError:
		return "UNKNOWN_SERVER_ERROR"
	case None:
		return "NONE"
	case UnknownTopicPartition:
		return "UNKNOWN_TOPIC_OR_PARTITION"
	case NotEnoughReplicas:
		return "NOT_ENOUGH_REPLICAS"
	case CoordinatorLoading:
		return "COORDINATOR_LOAD_IN_PROGRESS"
	case CoordinatorUnavailable:
		return "COORDINATOR_NOT_AVAILABLE"
	case NotCoordinator:
		return "NOT_COORDINATOR"
	case NetworkException:
		return "NETWORK_EXCEPTION"
	case InvalidRequiredAcks:
		return "INVALID_REQUIRED_ACKS"
	case UnsupportedVersion:
		return "UNSUPPORTED_VERSION"
	case InvalidRequest:
		return "INVALID_REQUEST"
	case OutOfOrderSequence:
		return "OUT_OF_ORDER_SEQUENCE_NUMBER"
	case InvalidProducerEpoch:
		return "INVALID_PRODUCER_EPOCH"
	case InvalidTxnState:
		return "INVALID_TXN_STATE"
	case InvalidProducerMapping:
		return "INVALID_PRODUCER_ID_MAPPING"
	case InvalidTxnTimeout:
		return "INVALID_TRANSACTION_TIMEOUT"
	case ConcurrentTransactions:
		return "CONCURRENT_TRANSACTIONS"
	case CoordinatorFenced:
		return "TRANSACTION_COORDINATOR_FENCED"
	case TxnIDNotAuthorized:
		return "TRANSACTIONAL_ID_AUTHORIZATION_FAILED"
	case OperationNotAttempted:
		return "OPERATION_NOT_ATTEMPTED"
	case InvalidRecord:
		return "INVALID_RECORD"
	case ProducerFenced:
		return "PRODUCER_FENCED"
	case TxnIDNotFound:
		return "TRANSACTIONAL_ID_NOT_FOUND"
	case TransactionAbortable:
		return "TRANSACTION_ABORTABLE"
	}
	return "error " + strconv.Itoa(int(c))
}

func (c Code) String() string { return c.Name() }

// Retriable reports whether a client that follows the protocol sends the same request again on this code.
func (c Code) Retriable() bool {
	switch c {
	case NotEnoughReplicas, CoordinatorLoading, CoordinatorUnavailable, NotCoordinator, NetworkException,
		ConcurrentTransactions, UnknownTopicPartition:
		return true
	}
	return false
}

// Final reports whether the code is an error that ends the request for good.
func (c Code) Final() bool { return c != None && !c.Retriable() }
