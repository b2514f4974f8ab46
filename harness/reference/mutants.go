package reference

import (
	"slices"
	"time"

	"github.com/onceproof/onceproof/spec"
)

// Mutants are ways in which a broker may be wrong, one each. An oracle that
// does not call every one of them a violation is blind to something.
func Mutants() []Mutation {
	var all []Mutation
	for _, family := range [][]Mutation{wrongCodes(), wrongAnswers(), wrongEffects(), wrongMarkers(), wrongReads(), wrongDescriptions(), wrongTimes()} {
		all = append(all, family...)
	}
	return all
}

// Subtle are mutants that are wrong in one case of several, or in a field that
// few look at. The features have to find every one of them too.
func Subtle() []Mutation {
	return slices.Concat(subtleEffects(), subtleMarkers(), subtleAnswers(), subtleReads())
}

// wrongCode answers a refusal with another error.
func wrongCode(name, about string, api spec.API, rule spec.Rule, from, to spec.Code) Mutation {
	return Mutation{Name: name, About: about, Rules: []spec.Rule{rule},
		answer: func(_ *Broker, r *spec.Request, a *spec.Answer, d *spec.Decision) {
			if r.API == api && d.By(rule) && a.Code == from {
				a.Code = to
			}
		}}
}

func wrongCodes() []Mutation {
	const duplicateSequence, notLeader spec.Code = 46, 6
	return []Mutation{
		wrongCode("init-stale-epoch", "an identity that is too old hears INVALID_PRODUCER_EPOCH at v4", spec.InitProducerID, spec.INIT28, spec.ProducerFenced, spec.InvalidProducerEpoch),
		wrongCode("init-foreign-id", "an identity with a foreign producer id hears INVALID_PRODUCER_ID_MAPPING", spec.InitProducerID, spec.INIT22, spec.ProducerFenced, spec.InvalidProducerMapping),
		wrongCode("init-timeout-bound", "a timeout above the maximum hears INVALID_REQUEST", spec.InitProducerID, spec.INIT08, spec.InvalidTxnTimeout, spec.InvalidRequest),
		wrongCode("init-half-identity", "a producer id without an epoch hears PRODUCER_FENCED", spec.InitProducerID, spec.INIT03, spec.InvalidRequest, spec.ProducerFenced),
		wrongCode("init-empty-id", "an empty transactional id hears INVALID_TRANSACTION_TIMEOUT", spec.InitProducerID, spec.INIT06, spec.InvalidRequest, spec.InvalidTxnTimeout),
		wrongCode("end-v4-epoch", "EndTxn v4 with another epoch hears INVALID_PRODUCER_EPOCH", spec.EndTxn, spec.END10, spec.ProducerFenced, spec.InvalidProducerEpoch),
		wrongCode("end-v4-producer", "EndTxn v4 with another producer id hears PRODUCER_FENCED", spec.EndTxn, spec.END13, spec.InvalidProducerMapping, spec.ProducerFenced),
		wrongCode("end-v4-state", "EndTxn v4 in the wrong state hears INVALID_REQUEST", spec.EndTxn, spec.END14, spec.InvalidTxnState, spec.InvalidRequest),
		wrongCode("end-v5-epoch", "EndTxn v5 with another epoch hears INVALID_TXN_STATE", spec.EndTxn, spec.END30, spec.ProducerFenced, spec.InvalidTxnState),
		wrongCode("end-v5-state", "EndTxn v5 in the wrong state hears PRODUCER_FENCED", spec.EndTxn, spec.END30, spec.InvalidTxnState, spec.ProducerFenced),
		wrongCode("end-repeat", "EndTxn once more hears INVALID_TXN_STATE", spec.EndTxn, spec.END11, spec.None, spec.InvalidTxnState),
		wrongCode("add-epoch", "AddPartitionsToTxn with another epoch hears INVALID_PRODUCER_EPOCH", spec.AddPartitionsToTxn, spec.ADD06, spec.ProducerFenced, spec.InvalidProducerEpoch),
		wrongCode("add-producer", "AddPartitionsToTxn with another producer id hears PRODUCER_FENCED", spec.AddPartitionsToTxn, spec.ADD04, spec.InvalidProducerMapping, spec.ProducerFenced),
		{Name: "add-unknown", About: "with an unknown partition the known ones are said to be added", Rules: []spec.Rule{spec.ADD03},
			answer: func(_ *Broker, _ *spec.Request, a *spec.Answer, d *spec.Decision) {
				if d.By(spec.ADD03) {
					a.Rest = spec.None
				}
			}},
		wrongCode("verify-absent", "a partition that is not in the transaction is verified", spec.AddPartitionsToTxn, spec.ADD10, spec.TransactionAbortable, spec.None),
		wrongCode("verify-epoch", "another epoch is verified as INVALID_PRODUCER_EPOCH", spec.AddPartitionsToTxn, spec.ADD10, spec.ProducerFenced, spec.InvalidProducerEpoch),
		wrongCode("produce-gap", "a gap hears DUPLICATE_SEQUENCE_NUMBER", spec.Produce, spec.IDEM23, spec.OutOfOrderSequence, duplicateSequence),
		wrongCode("produce-higher-epoch", "a higher epoch that does not begin at 0 hears INVALID_PRODUCER_EPOCH", spec.Produce, spec.IDEM25, spec.OutOfOrderSequence, spec.InvalidProducerEpoch),
		wrongCode("produce-lower-epoch", "a lower epoch hears PRODUCER_FENCED", spec.Produce, spec.IDEM24, spec.InvalidProducerEpoch, spec.ProducerFenced),
		wrongCode("produce-not-added-v11", "Produce v11 without its partition in the transaction hears INVALID_TXN_STATE", spec.Produce, spec.VER06, spec.TransactionAbortable, spec.InvalidTxnState),
		wrongCode("produce-not-added-v9", "Produce v9 without its partition in the transaction hears TRANSACTION_ABORTABLE", spec.Produce, spec.VER06, spec.InvalidTxnState, spec.TransactionAbortable),
		wrongCode("produce-mapping", "a foreign producer id hears INVALID_TXN_STATE", spec.Produce, spec.ADD24, spec.InvalidProducerMapping, spec.InvalidTxnState),
		wrongCode("produce-fenced", "a stale epoch at the coordinator hears PRODUCER_FENCED", spec.Produce, spec.ADD23, spec.InvalidProducerEpoch, spec.ProducerFenced),
		wrongCode("produce-no-partition", "an unknown partition hears NOT_LEADER_OR_FOLLOWER", spec.Produce, spec.IDEM03, spec.UnknownTopicPartition, notLeader),
		wrongCode("produce-no-id", "a transactional batch without transactional id hears INVALID_REQUEST", spec.Produce, spec.IDEM01, spec.TxnIDNotAuthorized, spec.InvalidRequest),
		wrongCode("produce-acks", "acks that are none hear INVALID_REQUEST", spec.Produce, spec.IDEM07, spec.InvalidRequiredAcks, spec.InvalidRequest),
		wrongCode("produce-no-sequence", "a batch without a sequence hears OUT_OF_ORDER_SEQUENCE_NUMBER", spec.Produce, spec.IDEM11, spec.InvalidRecord, spec.OutOfOrderSequence),
		wrongCode("produce-plain-in-txn", "a plain batch in an open transaction hears INVALID_PRODUCER_EPOCH", spec.Produce, spec.IDEM44, spec.InvalidTxnState, spec.InvalidProducerEpoch),
		wrongCode("marker-old-epoch", "a marker of an older epoch is said to be written", spec.WriteTxnMarkers, spec.MARK06, spec.InvalidProducerEpoch, spec.None),
		wrongCode("marker-old-coordinator", "a marker of an older coordinator hears INVALID_PRODUCER_EPOCH", spec.WriteTxnMarkers, spec.MARK11, spec.CoordinatorFenced, spec.InvalidProducerEpoch),
		wrongCode("marker-nobody", "a marker of nobody is said to be written", spec.WriteTxnMarkers, spec.MARK20, spec.UnknownServerError, spec.None),
		wrongCode("marker-no-partition", "a marker for an unknown partition is said to be written", spec.WriteTxnMarkers, spec.MARK03, spec.UnknownTopicPartition, spec.None),
	}
}

func wrongAnswers() []Mutation {
	granted := func(name, about string, api spec.API, rules []spec.Rule, change func(a *spec.Answer)) Mutation {
		return Mutation{Name: name, About: about, Rules: rules, answer: func(_ *Broker, r *spec.Request, a *spec.Answer, _ *spec.Decision) {
			if r.API == api && a.Code == spec.None && a.ProducerID != spec.NoProducer {
				change(a)
			}
		}}
	}
	return []Mutation{
		granted("init-epoch-skips", "InitProducerId grants the epoch after the one it stores", spec.InitProducerID, []spec.Rule{spec.INIT25, spec.INIT26, spec.INIT27, spec.INIT05}, func(a *spec.Answer) { a.Epoch++ }),
		granted("init-id-again", "InitProducerId grants an id that is somebody's already", spec.InitProducerID, []spec.Rule{spec.INIT05, spec.INIT20, spec.INIT25}, func(a *spec.Answer) { a.ProducerID = 0 }),
		granted("end-epoch-stays", "EndTxn v5 answers the epoch before", spec.EndTxn, []spec.Rule{spec.END20, spec.END23, spec.END30}, func(a *spec.Answer) { a.Epoch-- }),
		granted("end-other-id", "EndTxn v5 answers another producer id", spec.EndTxn, []spec.Rule{spec.END20, spec.END23, spec.END30}, func(a *spec.Answer) { a.ProducerID++ }),
		{Name: "offset-off-by-one", About: "Produce answers the offset after the batch's", Rules: []spec.Rule{spec.IDEM23, spec.IDEM25, spec.IDEM30, spec.IDEM14},
			answer: func(_ *Broker, r *spec.Request, a *spec.Answer, d *spec.Decision) {
				if r.API == spec.Produce && a.Code == spec.None && !d.By(spec.IDEM17) {
					a.Offset++
				}
			}},
		{Name: "duplicate-without-offset", About: "a duplicate is answered without its offset", Rules: []spec.Rule{spec.IDEM17},
			answer: func(_ *Broker, _ *spec.Request, a *spec.Answer, d *spec.Decision) {
				if d.By(spec.IDEM17) {
					a.Offset = spec.NoOffset
				}
			}},
		{Name: "refusal-with-offset", About: "a refused batch is answered with an offset", Rules: []spec.Rule{spec.IDEM23, spec.IDEM24, spec.IDEM25, spec.VER06},
			answer: func(_ *Broker, r *spec.Request, a *spec.Answer, _ *spec.Decision) {
				if r.API == spec.Produce && a.Code == spec.OutOfOrderSequence {
					a.Offset = 0
				}
			}},
		{Name: "no-answer", About: "EndTxn once more is never answered", Rules: []spec.Rule{spec.END11, spec.END30, spec.END24},
			answer: func(_ *Broker, r *spec.Request, a *spec.Answer, d *spec.Decision) {
				if r.API == spec.EndTxn && a.Code == spec.None && d.Step.Kind == spec.Handle {
					a.Conn = 0
				}
			}},
	}
}

func wrongTimes() []Mutation {
	return []Mutation{
		{Name: "early-timeout", About: "a transaction times out after a tenth of its timeout", Rules: []spec.Rule{spec.ADM02, spec.TMO02},
			timeout: func(d time.Duration) time.Duration { return d / 10 }},
		{Name: "never-complete", About: "markers are written, the transaction never completes: CONCURRENT_TRANSACTIONS for ever", Rules: []spec.Rule{spec.MARK32, spec.END04, spec.INIT31, spec.END13, spec.INIT25, spec.ADD07, spec.ADM02, spec.ADD08, spec.ADD24, spec.IDEM30, spec.IDEM23},
			hold: func(_ *Broker, m *spec.Message) bool { return m.Kind == spec.MarkerReply }},
		{Name: "never-marked", About: "markers are never written", Rules: []spec.Rule{spec.MARK32, spec.END04, spec.INIT31, spec.END13, spec.INIT25, spec.ADD07, spec.ADM02, spec.ADD08, spec.ADD24, spec.IDEM30, spec.IDEM23},
			hold: func(_ *Broker, m *spec.Message) bool { return m.Kind == spec.Marker }},
	}
}
