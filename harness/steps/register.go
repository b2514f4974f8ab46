package steps

import (
	"context"
	"fmt"

	"github.com/cucumber/godog"

	"github.com/onceproof/onceproof/harness/broker"
	"github.com/onceproof/onceproof/spec"
)

// Register makes the lines of the features known to godog, or to another player of lines, for one scenario.
func (w *World) Register(sc Stepper) {
	w.registerSetup(sc)
	w.registerRequests(sc)
	w.registerAnswers(sc)
	w.registerReads(sc)
	w.registerFaults(sc)
}

func (w *World) registerSetup(sc Stepper) {
	sc.Step(`^topic "([^"]+)" with (\d+) partitions?$`, w.createTopic)
	sc.Step(`^producer (\w+)(?: \((v[45]) style\))? with transactional id "([^"]+)"(?: and timeout (\d+) ms)?$`,
		func(name, style, txn, timeout string) error { return w.introduce(name, style, &txn, timeout) })
	sc.Step(`^producer (\w+)(?: \((v[45]) style\))? without transactional id$`,
		func(name, style string) error { return w.introduce(name, style, nil, "") })
	sc.Step(`^transaction.version is finalized at (\d+)(?: and supported from (\d+) to (\d+))?$`, w.expectFeature)
	sc.Step(`^the id "([^"]+)" belongs to partition (\d+) of (\d+)$`, expectOwner)
}

func (w *World) registerRequests(sc Stepper) {
	sc.Step(`^(\w+) produces (.+)$`, func(ctx context.Context, name, text string) error {
		return w.does(ctx, name, spec.Produce, text)
	})
	sc.Step(`^(\w+) writes (.+)$`, w.writes)
	sc.Step(`^(\w+) adds partitions? (.+) to the transaction(.*)$`, func(ctx context.Context, name, what, how string) error {
		return w.does(ctx, name, spec.AddPartitionsToTxn, " "+what+how)
	})
	sc.Step(`^(\w+) ends the transaction with (commit|abort)(.*)$`, func(ctx context.Context, name, what, how string) error {
		return w.does(ctx, name, spec.EndTxn, " "+what+how)
	})
	sc.Step(`^(\w+) sends ((?:InitProducerId|AddPartitionsToTxn|Produce|EndTxn|WriteTxnMarkers).*?)( once| and the answer is lost| and the connection is closed| until it is granted)?$`, w.sends)
	sc.Step(`^(\w+)'s ((?:InitProducerId|AddPartitionsToTxn|Produce|EndTxn|WriteTxnMarkers).*) is held as "([^"]+)"$`, w.holds)
	sc.Step(`^"([^"]+)" arrives$`, w.release)
	sc.Step(`^(\w+)'s ((?:InitProducerId|AddPartitionsToTxn|Produce|EndTxn|WriteTxnMarkers).*) is under way as "([^"]+)"$`, w.flies)
	sc.Step(`^"([^"]+)" is answered$`, w.lands)
	sc.Step(`^the request is sent again$`, func(ctx context.Context) error { return w.again(ctx, false) })
	sc.Step(`^the request is sent again on another connection$`, func(ctx context.Context) error { return w.again(ctx, true) })
}

func (w *World) registerAnswers(sc Stepper) {
	sc.Step(`^the answer is ([A-Z_]+(?: .+|, or .+)?)$`, w.answers)
	sc.Step(`^the answer code is ([A-Z_]+)$`, w.expectCode)
	sc.Step(`^the answer for (\S+) is ([A-Z_]+)$`, w.expectPartition)
	sc.Step(`^(\w+) is granted producer id (P\d+) at epoch (\d+)$`, w.granted)
	sc.Step(`^the answer carries (the time of the batch|no time)$`, w.expectAppendTime)
}

func (w *World) registerReads(sc Stepper) {
	sc.Step(`^the latest offset of (\S+) is (\d+) read_uncommitted and (\d+) read_committed$`, onPartition(w.expectLatest))
	sc.Step(`^a (read_committed|read_uncommitted) consumer of (\S+) reads (.+) and stands at (\d+)$`,
		func(ctx context.Context, isolation, at, records string, position int64) error {
			p, err := parsePartition(at)
			if err != nil {
				return err
			}
			return w.expectConsumer(ctx, isolation, p, records, position)
		})
	sc.Step(`^the aborted list of (\S+) from (\d+) is (.+)$`, onPartition(w.expectAborted))
	sc.Step(`^a (read_committed|read_uncommitted) fetch of (\S+) from (\d+) gives (.+)$`,
		func(ctx context.Context, isolation, at string, offset int64, text string) error {
			p, err := parsePartition(at)
			if err != nil {
				return err
			}
			return w.expectFetch(ctx, isolation, p, offset, text)
		})
	sc.Step(`^the log of (\S+) is:$`, w.logIs)
	sc.Step(`^DescribeProducers of (\S+) shows:$`, w.producersAre)
	sc.Step(`^the transaction log of "([^"]+)" is:$`, w.transactionLogIs)
	sc.Step(`^DescribeTransactions of "([^"]*)" shows (.+)$`, w.expectTransaction)
	sc.Step(`^ListTransactions shows "([^"]+)" as (\w+)$`, w.expectListed)
	sc.Step(`^(\S+) is fetched (read_committed|read_uncommitted)$`, w.fetched)
	sc.Step(`^the latest offset of (\S+) is asked (read_committed|read_uncommitted)$`, w.askedLatest)
	sc.Step(`^"([^"]*)" is described$`, w.describedAlone)
	sc.Step(`^the producers of (\S+) are described$`, w.describedProducers)
}

func (w *World) registerFaults(sc Stepper) {
	sc.Step(`^the transaction of "([^"]+)" times out$`, w.timesOut)
	sc.Step(`^the transaction of "([^"]+)" completes$`, w.completes)
	sc.Step(`^the transaction of "([^"]+)" stays in (\w+)$`, w.stays)
	sc.Step(`^`+restartLine+`$`, func(ctx context.Context) error { return w.restarts(ctx, true) })
	sc.Step(`^`+crashLine+`$`, func(ctx context.Context) error { return w.restarts(ctx, false) })
	sc.Step(`^inside the broker, (.+)$`, w.within)
}

// onPartition lets a step be written for a partition instead of its name.
func onPartition[A, B any](f func(context.Context, partition, A, B) error) func(context.Context, string, A, B) error {
	return func(ctx context.Context, name string, a A, b B) error {
		at, err := parsePartition(name)
		if err != nil {
			return err
		}
		return f(ctx, at, a, b)
	}
}

func (w *World) logIs(ctx context.Context, name string, rows *godog.Table) error {
	at, err := parsePartition(name)
	if err != nil {
		return err
	}
	t, err := readTable(rows, "offsets", "producer", "epoch", "sequence", "batch", "coordinator epoch")
	if err != nil {
		return err
	}
	return w.expectLog(ctx, at, t)
}

func (w *World) producersAre(ctx context.Context, name string, rows *godog.Table) error {
	at, err := parsePartition(name)
	if err != nil {
		return err
	}
	t, err := readTable(rows, "producer", "epoch", "last sequence", "coordinator epoch", "transaction start")
	if err != nil {
		return err
	}
	return w.expectProducers(ctx, at, t)
}

func (w *World) transactionLogIs(ctx context.Context, txn string, rows *godog.Table) error {
	t, err := readTable(rows, "status", "producer", "producerEpoch", "lastProducerEpoch", "partitions", "clientTransactionVersion",
		"value version", "timeout", "previousProducer")
	if err != nil {
		return err
	}
	return w.expectTransactionLog(ctx, txn, t)
}

// expectOwner checks a golden vector of COORD-03; it asks no broker.
func expectOwner(id string, want, of int32) error {
	for _, got := range []int32{broker.CoordinatorPartition(id, of), spec.CoordinatorPartition(id, of)} {
		if got != want {
			return fmt.Errorf("%q belongs to partition %d of %d, expected %d", id, got, of, want)
		}
	}
	return nil
}
