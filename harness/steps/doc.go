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
// specification that explains what came. Beside it are only what finds out about versions (ApiVersions), what makes and
// removes topics, and what asks whether a broker that is silent is there at all.
//
// # The lines
//
// A request is written as NAME(what it says), in any order: "EndTxn(commit, epoch 3)", "Produce("a" "b" to t-0 with
// sequence 5)", "InitProducerId(its identity)", "AddPartitionsToTxn(t-0 t-1, verify only)", "WriteTxnMarkers(abort, t-0,
// coordinator epoch C0)". What it leaves out is the actor's: its identity, its next sequence, the versions of its style.
// "The identity of B", "one epoch earlier", "one sequence later" (than the actor's own) say it without a number.
//
//	Given topic "t" with 2 partitions
//	Given producer A [(v4 style)|(v5 style)] with transactional id "id" [and timeout 700 ms]
//	Given producer A [(v5 style)] without transactional id
//	When A sends REQUEST [once|until it is granted|and the answer is lost|and the connection is closed]
//	When A produces "a" "b" to t-0 [with sequence 5] [at epoch 3] [with version 11] …
//	When A writes "a" to t-0                       (adds the partition first, if its style has to)
//	When A adds partition t-0 to the transaction
//	When A ends the transaction with commit
//	When A's REQUEST is held as "late"
//	When "late" arrives
//	When A's REQUEST is under way as "x"            (sent on a connection of its own; the answer is not waited for)
//	When "x" is answered
//	When the request is sent again [on another connection]
//	When the transaction of "id" times out|completes
//	Then the transaction of "id" stays in PrepareCommit
//	When the broker is restarted
//	When the broker crashes and comes back
//	When inside the broker, …                       (what no tester can bring about; the scenario could not be judged)
//	Then the answer is NONE [at offset 3] [with P0 at epoch 1] [, or CODE by FIX [and that is all]]
//	Then the answer code is NONE
//	Then the answer carries the time of the batch|no time
//	Then the answer for t-1 is UNKNOWN_TOPIC_OR_PARTITION
//	Then A is granted producer id P0 at epoch 0
//	Then the latest offset of t-0 is 7 read_uncommitted and 4 read_committed
//	Then a read_committed consumer of t-0 reads c1@0 c2@1 and stands at 11
//	Then a read_committed fetch of t-0 from 2 gives nothing
//	Then the aborted list of t-0 from 0 is P0 from 4
//	Then the log of t-0 is:                        (offsets, producer, epoch, sequence, batch, coordinator epoch)
//	Then the transaction log of "id" is:           (status, producer, producerEpoch, partitions …)
//	Then DescribeProducers of t-0 shows:           (producer, epoch, last sequence, coordinator epoch, transaction start)
//	Then DescribeTransactions of "id" shows CompleteCommit, P0, epoch 3, no partitions
//	Then ListTransactions shows "id" as CompleteCommit
//	When t-0 is fetched read_committed              (this and the three below: the oracle alone says what is right)
//	When the latest offset of t-0 is asked read_uncommitted
//	When "id" is described
//	When the producers of t-0 are described
//
// An outcome "by" a fix is one of a broker that has it: it counts if the release that is judged by has the fix, and, if
// that release is not demanded exactly, beside the release's own. "And that is all" ends the scenario with it.
//
// # Names
//
// Topics and transactional ids carry a suffix of the run. P0, P1 … are producer ids and C0, C1 … coordinator epochs,
// bound where the scenario first meets them.
package steps
