package oracle_test

import (
	"time"

	"github.com/onceproof/onceproof/harness/broker/between"
	"github.com/onceproof/onceproof/spec"
)

// The scripts of this file are traces of the checker, each placed step by step by what is held between leader and
// coordinator. A step on the way demands its answer; the last answer, which decides, is given back.

// voided is the trace of IDEM-43: the late batch of an aborted transaction takes the next one's verification with it.
func voided(h *holder) spec.Code {
	p := h.producer("producer", h.topic).init()
	answer := h.between.HoldAnswer(between.Asks(h.topic))
	h.send("late", p.produceRequest(12, 0, 0, true, "late")) // its producer gives up
	h.caught(answer)                                         // the coordinator has added the partition
	marker := h.between.HoldRequest(between.Marks(p.pid))
	h.want("EndTxn(abort)", p.end(false), spec.None)
	question := h.between.HoldRequest(between.Asks(h.topic))
	h.send("next", p.produceRequest(12, 0, 0, true, "next"))
	time.Sleep(h.underWay) // its question waits for the answer to the one before
	answer.Release()
	h.wantBatch("late", spec.None)
	h.caught(question)
	h.caught(marker)
	marker.Release()
	h.completes(h.topic)
	question.Release()
	code := spec.Code(produceCode(h.receive("next")))
	h.look(h.topic, 0)
	h.want("the same batch again", p.batch(0, 0, "next"), spec.None)
	h.finish(p)
	return code
}

// notVoided is the same but for the order of late batch and marker: the batch is refused, and voids nothing.
func notVoided(h *holder) spec.Code {
	p := h.producer("producer", h.topic).init()
	answer := h.between.HoldAnswer(between.Asks(h.topic))
	h.send("late", p.produceRequest(12, 0, 0, true, "late"))
	h.caught(answer)
	h.want("EndTxn(abort)", p.end(false), spec.None)
	h.completes(h.topic)
	question := h.between.HoldRequest(between.Asks(h.topic))
	h.send("next", p.produceRequest(12, 0, 0, true, "next"))
	time.Sleep(h.underWay)
	answer.Release()
	h.wantBatch("late", spec.InvalidProducerEpoch)
	h.caught(question)
	question.Release()
	code := spec.Code(produceCode(h.receive("next")))
	h.finish(p)
	return code
}

// voidedByMarker is IDEM-43 without a fault of any client: a late copy of a fence's marker voids the verification of the
// successor.
func voidedByMarker(h *holder) spec.Code {
	old := h.producer("old", h.topic).init()
	h.want("the old producer's batch", old.produce("old"), spec.None)
	marker := h.between.HoldRequest(between.Marks(old.pid))
	p := h.producer("producer", h.topic)
	h.want("InitProducerId", spec.Code(initCode(p.try(p.initRequest(-1, -1)))), spec.ConcurrentTransactions)
	h.caught(marker)
	marker.HangUp() // the coordinator sends it again
	p.init()
	answer := h.between.HoldAnswer(between.Asks(h.topic))
	h.send("next", p.produceRequest(12, 0, 0, true, "next"))
	h.caught(answer)
	h.look(h.topic, 0)
	h.want("the late marker", h.arrives(marker), spec.None)
	answer.Release()
	code := spec.Code(produceCode(h.receive("next")))
	h.finish(p)
	return code
}

// staleGuard is the trace of KAFKA-14884: the batch was verified, and its transaction has ended when the answer comes.
func staleGuard(h *holder) spec.Code {
	p := h.producer("producer", h.topic).init()
	h.want("AddPartitionsToTxn", p.add(0), spec.None)
	answer := h.between.HoldAnswer(between.Asks(h.topic))
	h.send("late", p.produceRequest(11, 0, 0, true, "late"))
	h.caught(answer)
	h.want("EndTxn(abort)", p.end(false), spec.None)
	h.completes(h.topic)
	answer.Release()
	code := spec.Code(produceCode(h.receive("late")))
	h.finish(p)
	return code
}

// unguarded is the same with Produce v12 and EndTxn v4: its verification outlives the marker.
func unguarded(h *holder) spec.Code {
	p := h.producer("producer", h.topic).init()
	answer := h.between.HoldAnswer(between.Asks(h.topic))
	h.send("late", p.produceRequest(12, 0, 0, true, "late"))
	h.caught(answer)
	h.want("EndTxn(abort)", p.end(false), spec.None)
	h.completes(h.topic)
	answer.Release()
	code := spec.Code(produceCode(h.receive("late")))
	h.look(h.topic, 0)
	return code
}

// timedOut is the trace of KAFKA-19690 (Produce v12) and of KAFKA-6119 (v11): the transaction times out while its first
// batch waits for the coordinator's answer.
func timedOut(h *holder) spec.Code {
	p := h.producer("producer", h.topic)
	p.timeout = 1000
	p.init()
	if p.styled < 2 {
		h.want("AddPartitionsToTxn", p.add(0), spec.None)
	}
	answer := h.between.HoldAnswer(between.Asks(h.topic))
	h.send("late", p.produceRequest(p.version(), 0, 0, true, "late"))
	h.caught(answer)
	time.Sleep(1500 * time.Millisecond)
	h.completes(h.topic)
	answer.Release()
	code := spec.Code(produceCode(h.receive("late")))
	h.look(h.topic, 0)
	return code
}

// ownCommit is the trace of KAFKA-18464: EndTxn v5 of the next transaction while the markers of the one before are out.
func ownCommit(h *holder) spec.Code {
	p := h.producer("producer", h.topic).init()
	h.want("Produce", p.produce("a"), spec.None)
	marker := h.between.HoldRequest(between.Marks(p.pid))
	h.want("EndTxn(commit)", p.end(true), spec.None)
	h.caught(marker)
	code := spec.Code(endCode(p.try(p.endRequest(false))))
	marker.Release()
	h.completes(h.topic)
	h.finish(p)
	return code
}

// secondFirst is the trace of KAFKA-15591 (v11, the partition was never written) and, with prior data, of KAFKA-18202
// (v12): the second batch arrives before the first.
func secondFirst(h *holder, prior bool) spec.Code {
	if prior {
		n := h.producer("anyone", "")
		n.pid, n.epoch = -1, -1
		h.want("data of no producer", n.batch(0, -1, "prior"), spec.None)
	}
	p := h.producer("producer", h.topic).init()
	if p.styled < 2 {
		h.want("AddPartitionsToTxn", p.add(0), spec.None)
	}
	code := spec.Code(produceCode(p.try(p.produceRequest(p.version(), 0, 1, true, "second"))))
	want := spec.None // the first is in place
	if code == spec.None {
		want = spec.OutOfOrderSequence // the first is lost
	}
	h.want("the first batch", p.batch(0, 0, "first"), want)
	h.finish(p)
	return code
}

// lateAdd is the trace of the flaw of that name: the first copy of AddPartitionsToTxn arrives after the client has ended
// the transaction, and the client, whose batch had failed, asks for a new epoch.
func lateAdd(h *holder) spec.Code {
	p := h.producer("producer", h.topic).init()
	first := p.addRequest(0)
	h.want("AddPartitionsToTxn", p.add(0), spec.None)
	h.want("EndTxn(abort)", p.end(false), spec.None)
	h.completes(h.topic)
	h.want("the first copy", spec.Code(addCode(h.do("late", first))), spec.None)
	h.want("InitProducerId", spec.Code(initCode(p.try(p.initRequest(p.pid, p.epoch)))), spec.ConcurrentTransactions)
	h.completes(h.topic)
	code := spec.Code(initCode(p.try(p.initRequest(p.pid, p.epoch))))
	h.look(h.topic, 0)
	return code
}

// lateMarker is that flaw's trace with the coordinator's own marker: sent, lost for its sender, sent again; the first
// copy arrives in the next transaction, which is then ended the other way. It gives what that copy is answered.
func lateMarker(h *holder, commit bool) spec.Code {
	p := h.producer("producer", h.topic).init()
	h.want("Produce", p.produce("a"), spec.None)
	marker := h.between.HoldRequest(between.Marks(p.pid))
	h.want("EndTxn", p.end(commit), spec.None)
	h.caught(marker)
	marker.HangUp()
	h.completes(h.topic)
	h.want("Produce", p.produce("b"), spec.None)
	code := h.arrives(marker)
	h.look(h.topic, 0)
	h.want("EndTxn", p.end(!commit), spec.None)
	h.completes(h.topic)
	h.look(h.topic, 0)
	return code
}

// finish commits what is open and reads everything.
func (h *holder) finish(p *actor) {
	p.try(p.endRequest(true))
	h.completes(h.topic)
	h.look(h.topic, 0)
}

func (h *holder) wantBatch(on string, want spec.Code) {
	h.want("the batch of "+on, spec.Code(produceCode(h.receive(on))), want)
}
