package world

import (
	"github.com/onceproof/onceproof/spec"
)

// State is the broker, the clients, the network between them, the faults that may still happen, and what properties need
// to remember.
type State struct {
	Broker  spec.State
	Clients []Client
	Net     []Flight // requests under way; a bag, kept sorted
	Budget  Budget
	Ghost   Ghost

	// Step is how the state was reached, for step properties and traces. It is no part of the state.
	Step Event
}

// Budget counts the faults that may still happen.
type Budget struct{ Client, Marker, Timeout, Crash uint8 }

// Phase is where a client is.
type Phase uint8

// The phases of a client.
const (
	Off          Phase = iota // not started
	Initializing              // InitProducerId without identity
	Ready                     // between transactions
	Adding                    // AddPartitionsToTxn (TV1)
	Producing                 // in a transaction
	Ending                    // EndTxn
	Recovering                // InitProducerId with identity, after an abort (CLI-21)
	Dead                      // after a fatal error
)

func (p Phase) String() string {
	return [...]string{"off", "initializing", "ready", "adding partitions", "in transaction", "ending", "recovering", "dead"}[p]
}

// BatchState is what a client knows of one of its batches.
type BatchState uint8

// The states of a batch.
const (
	Unsent   BatchState = iota
	Waiting             // sent while an earlier batch to the same partition was not acknowledged
	Foremost            // waiting, and sent as the next one expected
	Acked
	Failed // refused for good, or given up
)

// Client is one incarnation of the producer.
type Client struct {
	Phase      Phase
	ProducerID int64
	Epoch      int16
	Commit     bool // the outcome asked for (Ending)
	Txn        uint8
	// Recover says that the next abort is followed by an InitProducerId with identity.
	Recover bool
	Batches [maxBatches]BatchState
	// Next are the next sequences by partition, First the sequences of the current batches.
	Next  [4]int32
	First [maxBatches]int32
}

// Flight is a request under way from a client. Conn 0: the client waits no longer for its answer.
type Flight struct {
	Conn    spec.Conn
	Request spec.Request
}

// slots is the number of connections of a client: one for the coordinator, one for each batch.
const slots = maxBatches + 1

// conn is the connection of a client's slot; slot 0 talks to the coordinator, slot i+1 carries batch i.
func conn(client, slot int) spec.Conn { return spec.Conn(1 + client*slots + slot) }

// slotOf is the inverse of conn.
func slotOf(c spec.Conn) (client, slot int) { return (int(c) - 1) / slots, (int(c) - 1) % slots }

// Ghost remembers what clients were told and what was logged, for properties. No rule and no client reads it.
type Ghost struct {
	Txns []Txn // by number, from 1; the transactions as their clients see them
	// Newest is the client whose InitProducerId without identity was the last to be durably logged; -1 if none was.
	Newest int8
	// Owner is the client to whom the last identity was granted, while it has it or waits for it, no other client came
	// since and its transaction was not timed out; -1 if there is none.
	Owner int8
	// OwnerEpoch is the epoch of the identity that Owner was granted.
	OwnerEpoch int16
	// Lost says which clients lost their transaction to the coordinator or were fenced by a newer incarnation.
	Lost [maxClients]bool
	// Granted are the clients to whom the epochs of the transactional id's producer id were granted, plus one; 0 to nobody.
	Granted [31]uint8
	// Decided has two bits for each transaction of the coordinator: commit, abort.
	Decided uint64
	// Logged is the cause of the last record in the coordinator's log that is not applied.
	Logged Cause
	// Opened is the client's transaction whose AddPartitionsToTxn (TV1) opened the coordinator's current or last one, and
	// OpenedEpoch its epoch, NoEpoch once an InitProducerId or a timeout came after.
	Opened      uint8
	OpenedEpoch int16
}

// Outcome of a transaction, as asked for.
type Outcome uint8

// The outcomes.
const (
	NotAsked Outcome = iota
	AskedCommit
	AskedAbort
)

// Txn is a transaction as its client sees it.
type Txn struct {
	Client uint8
	Asked  Outcome
	Told   bool  // NONE came for the outcome asked for
	Acked  uint8 // the batches for which NONE came
}

// Cause says whose request a record of the coordinator goes back to.
type Cause struct {
	Kind   CauseKind
	Client int8
}

// CauseKind is a kind of request that writes a record.
type CauseKind uint8

// The causes of a record.
const (
	NoCause CauseKind = iota
	FreshInit
	FreshFence
	IdentityInit
	IdentityFence
	Add
	End
	TimedOut
	Completed
)

// name is the contents of a batch: number of the transaction and of the batch in it.
func name(txn uint8, batch int) int32 { return int32(txn)*8 + int32(batch) + 1 }

// BatchOf says which batch a Produce of the model carries: the number of its transaction, from 1, and its place in it, from 0.
func BatchOf(r *spec.Request) (txn, batch int) {
	t, b := nameOf(r.Data)
	return int(t), b
}

func nameOf(data int32) (txn uint8, batch int) { return uint8((data - 1) / 8), int((data - 1) % 8) }
