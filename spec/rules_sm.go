package spec

// smRules are about the state machine of a transaction at its coordinator and the records it leaves in
// __transaction_state.
var smRules = map[Rule]ruleRow{
	SM01: {"SM-01",
		"a transition is prepared, appended, completed; meanwhile it is pending: client calls get CONCURRENT_TRANSACTIONS (not VerifyOnly, nor EndTxn during a fence), no second one may start",
		"KIP-98; TransactionMetadata.prepareTransitionTo, completeTransitionTo", "all"},
	SM02: {"SM-02",
		"a transition that changes what it must not (id, epoch, timeout, partitions, start time, by target state) -> an illegal state, a bug of the broker",
		"KIP-98; TransactionMetadata.completeTransitionTo", "all"},
	SM03: {"SM-03",
		"PrepareEpochFence and Dead are never in the log; Dead is written as a tombstone",
		"KIP-98; TransactionLog.valueToBytes", "all"},
	SM04: {"SM-04",
		"the previous producer id is the id before the transition: the current one, except right after a rotation",
		"KIP-890, KAFKA-20310; TransactionMetadata.prepareTransitionTo", ">=4.0"},
	SM05: {"SM-05",
		"last epoch: forgotten by a fresh InitProducerId, the previous epoch after one with identity, e after TV2 PrepareX, kept otherwise; 4.4.0 does not write it to the log",
		"KIP-360, KIP-890, KAFKA-20357; TransactionMetadata.prepareTransitionTo", "all"},
	SM06: {"SM-06",
		"an acknowledged PrepareCommit is the decision, no abort follows; PrepareAbort likewise; a record in the log that was not acknowledged need not be (SM-08)",
		"KIP-98; TransactionCoordinator.endTransaction", "all"},
	SM07: {"SM-07",
		"without the client's EndTxn a transaction is only ever aborted: by timeout, InitProducerId on Ongoing, Admin.fenceProducers",
		"KIP-98; TransactionCoordinator.abortTimedOutTransactions, handleInitProducerId", "all"},
	SM08: {"SM-08",
		"a Prepare whose append timed out is undone in memory and stays in the log: this coordinator may abort after COMMIT failed, one that loads the log before that commits",
		"TransactionStateManager.appendTransactionToLog, TransactionCoordinator.onElection", "4.4"},
	SM09: {"SM-09",
		"each state is entered only from its valid previous states, as PrepareCommit from Ongoing (4.5: empty states too), PrepareAbort from Ongoing or a fence (4.0: empty states too)",
		"KIP-98, KIP-890, KAFKA-21181; TransactionState.VALID_PREVIOUS_STATES", "all"},
}
