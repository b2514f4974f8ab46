// Package steps is the language of the features: named actors that send the requests of Kafka's transaction protocol,
// one by one, and lines that say what must come back.
//
// # The tester is the network
//
// An actor's request is built, sent and answered as the line says. A request that is held is sent later; an answer that
// is lost is received by the tester and never shown to its actor; a request that is sent again goes out byte for byte as
// before, on another connection. Nothing waits for luck: where a broker goes on by itself, the state is polled until it
// is there or the patience is at an end.
//
// "A sends X" is what a client does: while the answer is one that asks for patience (the coordinator loads, another
// transition is in progress) the same request is sent again. "A sends X once" is one request and one answer.
//
// # Every exchange is judged
//
// All connections of a scenario belong to its [Session], which shows each request and each answer to an [Oracle] and
// keeps the wire history. A scenario whose every line holds still fails when the oracle finds no behaviour of the
// specification that explains what came.
//
// # Names
//
// Topics and transactional ids carry a suffix of the run. P0, P1 … are producer ids and C0, C1 … coordinator epochs,
// bound where the scenario first meets them.
package steps
