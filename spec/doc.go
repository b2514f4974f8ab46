// Package spec is the broker side of Kafka's idempotent producer and transaction protocol, written once as an open
// system: requests arrive, answers come out, and hidden steps (a message between two roles arrives, an append is
// acknowledged, a transaction times out, a coordinator crashes) happen in between. It has no I/O, no clock and no
// goroutines.
//
// The same value is used in four ways: closed with model clients it is explored exhaustively (package world), fed with
// what a real broker does it is the oracle, driven by a scheduler it is a reference broker, and paths through it become
// tests.
//
// # Reading it
//
// One file for each request or role, named as a Kafka engineer would look for it: init_producer_id.go,
// add_partitions.go, produce.go, end_txn.go, write_txn_markers.go, partition.go, coordinator.go. One action is one
// function: guards in the order in which Kafka evaluates them (the order decides which error wins), then the effect.
// Each branch that decides names its rule: d.by(END30). The rules are in rules.go, the switchable fixes in fixes.go.
//
// # Using it
//
//	sp := spec.New(spec.Rules{TransactionVersion: 2, Fixes: spec.Release440.Fixes, Limits: spec.KafkaLimits})
//	var s spec.State
//	sp.Reset(&s, 1, 1)                        // one transactional id, one partition
//	sp.Submit(&s, 1, spec.Request{...})       // a request arrives on connection 1
//	steps := sp.Steps(nil, &s)                // what may happen next, in a fixed order
//	d := sp.Take(&s, steps[0])                // do one; d names rule and outcome
//	a, ok := sp.Answer(&s, 1)                 // the answer, once a step has given it
//
// All choice lies in which step is taken: Submit and Take are deterministic.
package spec
