package world

import "github.com/onceproof/onceproof/spec"

// base is the smallest configuration: what the standard ones change.
func base(style Style, tv int8) Config {
	return Config{
		Style: style, Rules: spec.Rules{TransactionVersion: tv, Fixes: spec.AllFixes, Limits: spec.KafkaLimits},
		Incarnations: 1, Transactions: 1, Each: maxTxns, Partitions: 1, Batches: 1, Further: 1, InFlight: 1,
	}
}
