package oracle_test

import (
	"fmt"
	"testing"

	"github.com/onceproof/onceproof/harness/oracle"
	"github.com/onceproof/onceproof/harness/reference"
	"github.com/onceproof/onceproof/spec"
)

// commitAbortCommit is the first worked example.
func commitAbortCommit(c *tester) {
	id := c.topic
	p := c.producer("producer", id).init()
	c.want("Produce c1", p.produce("c1"), spec.None)
	c.want("Produce c2 c3", p.batch(0, p.sequence, "c2", "c3"), spec.None)
	c.want("EndTxn commit", p.end(true), spec.None)
	c.want("Produce a1 a2 a3", p.produce("a1", "a2", "a3"), spec.None)
	c.latest(0, 0)
	c.latest(0, 1)
	c.look(id, 0)
	c.want("EndTxn abort", p.end(false), spec.None)
	c.want("Produce c4 c5", p.produce("c4", "c5"), spec.None)
	c.want("EndTxn commit", p.end(true), spec.None)
	c.completes(id)
	c.look(id, 0)
}

// idempotent is the second worked example.
func idempotent(c *tester) {
	p := c.producer("producer", "").init()
	write := func(sequence int32, want spec.Code) {
		c.want(fmt.Sprintf("sequence %d", sequence), p.batch(0, sequence, "x", "y", "z"), want)
	}
	write(0, spec.None)
	write(0, spec.None)
	c.want("skipping", p.batch(0, 5, "q"), spec.OutOfOrderSequence)
	for _, s := range []int32{3, 6, 9, 12, 15} {
		write(s, spec.None)
	}
	write(0, spec.OutOfOrderSequence)
	c.look("", 0)
}

// fencing is the third worked example.
func fencing(c *tester) {
	id := c.topic
	one := c.producer("one", id).init()
	c.want("z1", one.produce("z1"), spec.None)
	two := c.producer("two", id)
	c.want("first InitProducerId of two", spec.Code(initCode(c.do("two", two.initRequest(-1, -1)))), spec.ConcurrentTransactions)
	two.init()
	c.want("z2", one.batch(0, one.sequence, "z2"), spec.InvalidProducerEpoch)
	c.want("commit of one", one.end(true), spec.ProducerFenced)
	c.want("y1", two.produce("y1"), spec.None)
	c.want("commit of two", two.end(true), spec.None)
	c.completes(id)
	c.look(id, 0)
}

// Whatever the spec does conforms, in whatever order it takes its hidden
// steps, and the belief stays small.
func TestTheSpecConforms(t *testing.T) {
	for _, release := range spec.AllReleases() {
		for tv := range int8(3) {
			for _, sc := range scripts() {
				t.Run(fmt.Sprintf("%s/tv%d/%s", release.Name, tv, sc.name), func(t *testing.T) {
					t.Parallel()
					largest := 0
					for seed := range uint64(8) {
						b := reference.New(spec.Rules{TransactionVersion: tv, Fixes: release.Fixes}, seed)
						if sc.overlap || seed%2 == 1 {
							b.Overlap()
						}
						c, err := newTester(b, oracle.Config{Release: release, TransactionVersion: tv, Strict: true}, "example", 2)
						if err != nil {
							t.Fatal(err)
						}
						if err := c.run(sc.run); err != nil {
							t.Fatalf("seed %d: %v", seed, err)
						}
						_, l := c.o.Belief()
						largest = max(largest, l)
					}
					limit := 99
					if sc.name == "unread" || sc.name == "crashing" {
						limit = 900 // four answers that nobody reads, four restarts
					}
					if largest > limit {
						t.Errorf("belief: expected at most %d states, got %d", limit, largest)
					}
				})
			}
		}
	}
}
