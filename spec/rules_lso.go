package spec

// lsoRules say where the last stable offset of a partition is: what a read_committed consumer may read up to.
var lsoRules = map[Rule]ruleRow{
	LSO01: {"LSO-01",
		"the last stable offset is the first unstable offset if that is below the high watermark, else the high watermark",
		"KIP-98; UnifiedLog.lastStableOffset", "all"},
	LSO02: {"LSO-02",
		"the first unstable offset is the first of the oldest transaction that is open, or is ended and not yet replicated to its marker",
		"KIP-98; ProducerStateManager.firstUnstableOffset", "all"},
	LSO03: {"LSO-03",
		"an ended transaction is stable once the high watermark is above its marker's offset",
		"KIP-98; ProducerStateManager.removeUnreplicatedTransactions", "all"},
	LSO04: {"LSO-04",
		"the log start moves into an open transaction -> the first unstable offset moves to the base of the batch that holds the log start, which may be below it",
		"KIP-107; UnifiedLog.maybeIncrementFirstUnstableOffset", "all"},
	LSO05: {"LSO-05",
		"the last stable offset never falls on one leader; on a new one it may be lower until that leader learns the high watermark",
		"UnifiedLog.lastStableOffset", "all"},
	LSO06: {"LSO-06",
		"plain records after the first offset of an open transaction -> hidden from read_committed until it ends",
		"KIP-98; UnifiedLog.fetchLastStableOffsetMetadata", "all"},
	LSO07: {"LSO-07",
		"a transaction that nobody ends holds the last stable offset until a marker comes or the log start passes it",
		"KIP-890, KIP-664; ProducerStateManager.firstUnstableOffset", "all"},
}
