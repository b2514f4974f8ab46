package oracle_test

import (
	"time"

	"github.com/twmb/franz-go/pkg/kmsg"

	"github.com/onceproof/onceproof/harness/broker/between"
	"github.com/onceproof/onceproof/spec"
)

// The scripts of this file show findings about Apache Kafka that need no hold, plain requests, one after the other; but
// for the last one.

// deadID sends a request of the new protocol to a broker at transaction.version 0. No request gets through any more.
func deadID(h *holder) spec.Code {
	p := h.producer("producer", h.topic).init()
	h.want("Produce v12", spec.Code(produceCode(p.try(p.produceRequest(12, 0, 0, true, "a")))), spec.UnsupportedVersion)
	time.Sleep(time.Second)
	p.styled = 1
	h.want("EndTxn v4", spec.Code(endCode(p.try(p.endRequest(false)))), spec.ConcurrentTransactions)
	h.want("AddPartitionsToTxn v3", spec.Code(addCode(p.try(p.addRequest(0)))), spec.ConcurrentTransactions)
	code := spec.Code(initCode(p.try(p.initRequest(-1, -1))))
	h.look(h.topic, 0)
	return code
}

// lateDuplicate repeats the last batch of a transaction in the next one.
func lateDuplicate(h *holder) spec.Code {
	p := h.producer("producer", h.topic).init()
	duplicate := p.produceRequest(11, 0, 0, true, "a")
	h.want("Produce", p.produce("a"), spec.None)
	h.want("EndTxn(commit)", p.end(true), spec.None)
	h.completes(h.topic)
	h.want("AddPartitionsToTxn", p.add(0), spec.None)
	h.want("the duplicate", spec.Code(produceCode(h.do("late", duplicate))), spec.None)
	h.want("the next batch", p.batch(0, 1, "b"), spec.OutOfOrderSequence)
	time.Sleep(time.Second)
	code := p.batch(0, 1, "b")
	h.look(h.topic, 0)
	return code
}

// foreignEpoch sends a batch at an epoch that nobody was given into the owner's open transaction.
func foreignEpoch(h *holder) spec.Code {
	p := h.producer("producer", h.topic).init()
	h.want("Produce", p.produce("a"), spec.None)
	stranger := p.as(p.pid, p.epoch+5)
	stranger.on = "stranger"
	h.want("the batch at a foreign epoch", stranger.batch(0, 0, "x"), spec.InvalidProducerEpoch)
	h.want("the owner's next batch", p.batch(0, 1, "b"), spec.OutOfOrderSequence)
	time.Sleep(2 * time.Second)
	code := p.batch(0, 1, "b")
	h.look(h.topic, 0)
	return code
}

// staleInit has a fenced producer ask for its identity again while its successor's transaction is open. It gives what the
// successor hears at its commit.
func staleInit(h *holder) spec.Code {
	old := h.producer("old", h.topic).init()
	p := h.producer("producer", h.topic).init()
	h.want("the owner's batch", p.produce("b"), spec.None)
	h.want("the old producer's InitProducerId", spec.Code(initCode(old.try(old.initRequest(old.pid, old.epoch)))), spec.ConcurrentTransactions)
	h.completes(h.topic)
	code := spec.Code(endCode(p.try(p.endRequest(true))))
	h.look(h.topic, 0)
	return code
}

// notYetFenced has the old producer end, and go on, between a successor's two InitProducerId. It gives what the successor
// hears the second time.
func notYetFenced(h *holder) spec.Code {
	old := h.producer("old", h.topic).init()
	h.want("the old producer's batch", old.produce("a"), spec.None)
	p := h.producer("producer", h.topic)
	h.want("InitProducerId", spec.Code(initCode(p.try(p.initRequest(-1, -1)))), spec.ConcurrentTransactions)
	h.completes(h.topic)
	h.want("the old producer's EndTxn(abort)", old.end(false), spec.None)
	h.want("the old producer's next batch", old.produce("b"), spec.None)
	code := spec.Code(initCode(p.try(p.initRequest(-1, -1))))
	h.completes(h.topic)
	h.look(h.topic, 0)
	return code
}

// lateEnd is KAFKA-17754: the first copy of EndTxn v4 arrives in the next transaction.
func lateEnd(h *holder) spec.Code {
	p := h.producer("producer", h.topic).init()
	h.want("Produce", p.produce("a"), spec.None)
	first := p.endRequest(true)
	h.want("EndTxn(commit)", p.end(true), spec.None)
	h.completes(h.topic)
	h.want("Produce", p.produce("b"), spec.None)
	code := spec.Code(endCode(h.do("late", first)))
	h.look(h.topic, 0)
	return code
}

// behind has two producers write to a partition that is in neither one's transaction, while the leader waits for the
// coordinator's answer about a third: their questions go out in one request, the first one first. It gives what the
// second hears, UNKNOWN_SERVER_ERROR where the two did not go out so.
func behind(h *holder, first, second int16) spec.Code {
	third, a, b := h.producer("third", h.topic+"-third").init(), h.producer("first", h.topic+"-first").init(), h.producer("second", h.topic+"-second").init()
	answer := h.between.HoldAnswer(between.Asks(*third.id))
	h.send("third", third.produceRequest(second, 0, 0, true, "c"))
	h.caught(answer)
	question := h.between.HoldRequest(between.Asks(*b.id))
	h.send("first", a.produceRequest(first, 0, 0, true, "a"))
	time.Sleep(h.underWay)
	h.send("second", b.produceRequest(second, 0, 0, true, "b"))
	time.Sleep(h.underWay)
	answer.Release()
	asked := h.caught(question).Request.(*kmsg.AddPartitionsToTxnRequest).Transactions
	question.Release()
	h.receive("third")
	h.receive("first")
	code := spec.Code(produceCode(h.receive("second")))
	h.look(*b.id, 0)
	if len(asked) != 2 || asked[0].TransactionalID != *a.id {
		return spec.UnknownServerError
	}
	return code
}
