package steps

import (
	"context"
	"fmt"

	"github.com/onceproof/onceproof/harness/wire"
	"github.com/onceproof/onceproof/spec"
)

// actor is a producer as the features name it. It keeps what a client keeps: the identity it was granted, the next
// sequence of each partition, the partitions it added.
type actor struct {
	name    string
	txn     *string // transactional id by the feature's name; nil for an idempotent producer
	v5      bool    // speaks Produce v12 and EndTxn v5; otherwise AddPartitionsToTxn v3, Produce v11, EndTxn v4
	timeout int32   // transaction timeout in milliseconds
	conn    *Conn

	id    int64
	epoch int16
	next  map[partition]int32
	added map[partition]bool
}

func (w *World) actor(name string) (*actor, error) {
	a, ok := w.actors[name]
	if !ok {
		return nil, fmt.Errorf("no producer %s; a Given line introduces one", name)
	}
	return a, nil
}

// connection is the actor's own connection, a new one when the broker ended the last.
func (w *World) connection(ctx context.Context, a *actor) (*Conn, error) {
	if a.conn != nil && !a.conn.gone {
		return a.conn, nil
	}
	c, err := w.session.Dial(ctx)
	a.conn = c
	return c, err
}

// granted is an identity that the actor goes on with: sequences begin anew (CLI-08).
func (a *actor) granted(id int64, epoch int16) {
	a.id, a.epoch, a.next = id, epoch, map[partition]int32{}
}

// learn is what a client takes from an answer to its own request.
func (a *actor) learn(c *call) {
	p := &c.phrase
	if c.answer.code != int16(spec.None) {
		return
	}
	switch p.api {
	case spec.InitProducerID:
		a.granted(c.answer.producerID, c.answer.epoch)
		a.added = map[partition]bool{}
	case spec.EndTxn:
		a.added = map[partition]bool{}
		if c.answer.producerID >= 0 {
			a.granted(c.answer.producerID, c.answer.epoch)
		}
	case spec.AddPartitionsToTxn:
		for _, at := range p.partitions {
			a.added[at] = true
		}
	case spec.Produce:
		for _, at := range p.partitions {
			// A batch that was sent again does not take the sequence back.
			after := following(c.sequence, int32(len(p.values)))
			if next := a.next[at]; after > next || after < c.sequence && next >= c.sequence {
				a.next[at] = after
			}
		}
	}
}

// following is the sequence after n records from first on (IDEM-27).
func following(first, n int32) int32 {
	return int32((int64(first) + int64(n)) % (int64(spec.MaxSequence) + 1))
}

// shifted is the sequence one before or after another; what comes before 0 is the last one (IDEM-27).
func shifted(sequence, by int32) int32 {
	if sequence == 0 && by < 0 {
		return spec.MaxSequence
	}
	return following(sequence, by)
}

// call is a request of an actor: as written, as built, and what came.
type call struct {
	actor    *actor
	phrase   phrase
	sequence int32
	exchange *wire.Exchange
	answer   answer
}

// answer is what any of the answers says.
type answer struct {
	came       bool // false where none is due (acks=0)
	code       int16
	partitions map[partition]int16 // AddPartitionsToTxn, WriteTxnMarkers, Produce: by partition
	offset     int64               // Produce
	appendTime int64               // Produce
	producerID int64               // InitProducerId, EndTxn v5
	epoch      int16
}

// Identity is what an actor goes by at the moment: -1 both before it is granted any.
func (w *World) Identity(name string) (producerID int64, epoch int16) {
	a, ok := w.actors[name]
	if !ok {
		return spec.NoProducer, spec.NoEpoch
	}
	return a.id, a.epoch
}
