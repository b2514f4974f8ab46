// Package reference is a broker that is the spec itself: requests and answers
// are values of package kmsg, nothing goes over a wire, and what the spec
// leaves open is decided by a scheduler with a seed. The features run against
// it, so that a feature that contradicts the spec fails without any broker,
// and its mutants (see [Mutate]) show that the oracle can fail.
package reference

import (
	"context"
	"fmt"
	"math/rand/v2"
	"sync"
	"time"

	"github.com/zeebo/xxh3"

	"github.com/onceproof/onceproof/harness/broker"
	"github.com/onceproof/onceproof/harness/mapping"
	"github.com/onceproof/onceproof/harness/wire"
	"github.com/onceproof/onceproof/spec"
)

// Broker is the spec as a broker of one node. It is safe for several
// goroutines.
//
// Its clock is the wall clock and what was skipped of it: a client that polls
// DescribeTransactions for the end of an open transaction lets time pass
// quickly, so that no test has to sleep until a timeout (see [Broker.Pass]).
// Sent and Received of its exchanges are times of that clock.
type Broker struct {
	mu    sync.Mutex
	name  string
	sp    *spec.Spec
	s     spec.State
	names *mapping.Names
	rng   *rand.Rand
	mut   *Mutation // nil for none

	conns      map[spec.Conn]*pending // by the number that the spec knows a request by
	nextConn   spec.Conn
	generation int // of connections; a crash ends one
	skipped    time.Duration

	batches   [][]stored       // by partition, beside the spec's log
	records   []stateRecord    // of __transaction_state, in the order in which they were written
	startedAt []time.Time      // by transactional id: when its transaction began
	topics    map[string]int32 // partitions by topic
	decisions []spec.Decision  // of every step taken, in order
	overlap   bool             // requests in flight are handled in any order
}

// pending is a request whose answer was not given yet, or not received.
type pending struct {
	request   spec.Request
	answer    *spec.Answer
	duplicate bool // the answer repeats that of an earlier batch (IDEM-17)
	refused   bool // answered with an error that nobody hears (IDEM-08)
}

var _ broker.Broker = (*Broker)(nil)

// New returns a broker under the given rules. The seed decides in which order
// hidden steps are taken.
func New(rules spec.Rules, seed uint64) *Broker {
	rules.CompactLog = false
	if rules.Limits == (spec.Limits{}) {
		rules.Limits = spec.KafkaLimits
	}
	b := &Broker{
		name: "spec", sp: spec.New(rules), names: mapping.NewNames(), rng: rand.New(rand.NewPCG(seed, 1)),
		conns: map[spec.Conn]*pending{}, topics: map[string]int32{},
	}
	b.sp.Reset(&b.s, 0, 0)
	b.s.Allocator.Ready = false // the first block of producer ids comes a little later (INIT-07)
	return b
}

// Open is the constructor that [broker.Options] takes: it reads release,
// transaction.version (2 unless said) and the fixes to switch off.
func Open(_ context.Context, t broker.Target) (broker.Broker, error) {
	release := spec.AllReleases()[0]
	if t.Release != "" {
		var err error
		if release, err = spec.ParseRelease(t.Release); err != nil {
			return nil, err
		}
	}
	rules := spec.Rules{TransactionVersion: 2, Fixes: release.Fixes, Limits: spec.KafkaLimits}
	if t.TransactionVersion != nil {
		if *t.TransactionVersion > 2 {
			return nil, fmt.Errorf("expected tv=0, tv=1 or tv=2, got tv=%d", *t.TransactionVersion)
		}
		rules.TransactionVersion = int8(*t.TransactionVersion)
	}
	for _, id := range t.FixOff {
		fix, err := spec.ParseFix(id)
		if err != nil {
			return nil, err
		}
		rules.Fixes &^= fix
	}
	b := New(rules, 1)
	b.name = t.Text
	return b, nil
}

// Name is what selects it.
func (b *Broker) Name() string { return b.name }

// Now is the time of the broker's clock.
func (b *Broker) Now() time.Time {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.now()
}

func (b *Broker) now() time.Time { return time.Now().Add(b.skipped) }

// Pass lets time pass on the broker's clock: transactions that are older than
// their timeout then are aborted (TMO-02).
func (b *Broker) Pass(d time.Duration) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.skipped += d
	b.expire()
}

// TimeOut lets time pass until the open transaction of an id is older than its
// timeout, and aborts it.
func (b *Broker) TimeOut(_ context.Context, transactionalID string) error {
	b.mu.Lock()
	defer b.mu.Unlock()
	id, ok := b.names.LookupTxn(transactionalID)
	if !ok || int(id) >= len(b.s.Coordinator.Txns) {
		return fmt.Errorf("transactional id %q: expected an open transaction, got an id that is not known", transactionalID)
	}
	t := &b.s.Coordinator.Txns[id]
	for t.Pending.Phase != spec.Idle && b.step() {
	}
	if t.Memory.Status != spec.Ongoing || t.Pending.Phase != spec.Idle {
		return fmt.Errorf("transactional id %q: expected an open transaction, got %v", transactionalID, t.Memory.Status)
	}
	end := b.startedAt[id].Add(time.Duration(t.Memory.TimeoutMs)*time.Millisecond + time.Millisecond)
	if wait := end.Sub(b.now()); wait > 0 {
		b.skipped += wait
	}
	b.expire()
	return nil
}

// Overlap lets requests that are in flight at the same time, and what goes on
// inside for them, come in any order. Without it the broker is quick: it has the
// answer when Send returns.
func (b *Broker) Overlap() {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.overlap = true
}

// Settle takes hidden steps until none is left: all markers are written.
func (b *Broker) Settle() {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.settle()
}

// Dial opens a connection.
func (b *Broker) Dial(context.Context) (broker.Conn, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return &Conn{b: b, generation: b.generation}, nil
}

// Versions asks for versions and features as a client does.
func (b *Broker) Versions(ctx context.Context) (broker.Versions, error) {
	return broker.ReadVersions(ctx, b.client())
}

// CreateTopic creates a topic.
func (b *Broker) CreateTopic(ctx context.Context, topic string, partitions int32) error {
	return broker.CreateTopic(ctx, b.client(), topic, partitions)
}

// DeleteTopic deletes a topic.
func (b *Broker) DeleteTopic(ctx context.Context, topic string) error {
	return broker.DeleteTopic(ctx, b.client(), topic)
}

func (b *Broker) client() *Conn {
	b.mu.Lock()
	defer b.mu.Unlock()
	return &Conn{b: b, generation: b.generation}
}

// Crash kills coordinator and leaders and starts them again. Appends of the
// coordinator that were not acknowledged are kept or lost, as the seed has it.
func (b *Broker) Crash(context.Context) error {
	b.mu.Lock()
	defer b.mu.Unlock()
	kind := spec.Crash
	for _, st := range b.sp.Steps(nil, &b.s, spec.Kinds(spec.CrashLosing)) {
		if b.rng.IntN(2) == 0 {
			kind = st.Kind
		}
	}
	b.restart(kind)
	return nil
}

// Restart stops it in an orderly way, and starts it again.
func (b *Broker) Restart(context.Context) error {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.settle()
	b.restart(spec.Crash)
	return nil
}

func (b *Broker) restart(kind spec.StepKind) {
	b.generation++
	b.conns = map[spec.Conn]*pending{}
	b.s.Inbox = b.s.Inbox[:0]
	b.take(spec.Step{Kind: kind})
	b.take(spec.Step{Kind: spec.RestartLeaders})
	b.s.Answers = b.s.Answers[:0]
	block := b.sp.Limits.ProducerIDBlock
	b.s.Allocator.Next = (b.s.Allocator.Next + block - 1) / block * block // each start takes a new block (INIT-07)
	b.s.Allocator.Ready = true
	b.take(spec.Step{Kind: spec.Reload})
}

// Close ends the broker.
func (b *Broker) Close(context.Context) error { return nil }

// closed is what a client sees of a broker that hangs up.
func closed(what, why string) error {
	return &wire.Error{Kind: wire.ErrClosed, Addr: "spec", Request: what, Expected: "an open connection", Got: why,
		Do: "dial again; if it repeats, check that the broker serves this version"}
}

// Fingerprint tells the broker's states apart, names and contents aside: two brokers of equal fingerprint and of one making
// behave the same from then on.
func (b *Broker) Fingerprint() uint64 {
	b.mu.Lock()
	defer b.mu.Unlock()
	return xxh3.Hash(b.s.Append(nil))
}
