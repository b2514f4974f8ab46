package explore_test

import (
	"testing"
	"time"

	"github.com/onceproof/onceproof/harness/judge"
	"github.com/onceproof/onceproof/harness/reference"
	"github.com/onceproof/onceproof/harness/script"
	"github.com/onceproof/onceproof/harness/steps"
	"github.com/onceproof/onceproof/spec"
)

// What exploration once found wrong in the oracle or in the reference broker.
func TestOnceMistaken(t *testing.T) {
	t.Parallel()
	for name, lines := range map[string][]string{
		"a marker far ahead of the coordinator is still ahead after a restart": {
			`topic "t" with 1 partition`,
			`producer A (v5 style) with transactional id "x"`,
			`A sends InitProducerId() until it is granted`,
			`A sends AddPartitionsToTxn(t-0) once`,
			`the broker crashes and comes back`,
			`A sends InitProducerId() until it is granted`,
			`A sends WriteTxnMarkers(abort, t-0, transaction version 0, coordinator epoch 1000) once`,
			`the answer is NONE`,
		},
		"a transaction whose partitions are all marked when the broker crashes is complete when it is back": {
			`topic "t" with 1 partition`,
			`producer A (v5 style) with transactional id "x"`,
			`A sends InitProducerId() until it is granted`,
			`A's EndTxn(abort) is under way as "e"`,
			`"x" is described`,
			`the broker crashes and comes back`,
			`"x" is described`,
		},
	} {
		for seed := range uint64(40) {
			out := playOnSpec(t, script.OfLines(name, lines), seed)
			if out.Kind != script.Reproduced || out.Violation != nil {
				t.Errorf("%s, seed %d: %v: %s %v", name, seed, out.Kind, out.Reason, out.Violation)
			}
		}
	}
}

// playOnSpec plays a script on the reference broker at level 2; the seed gives the order of what goes on inside it.
func playOnSpec(t *testing.T, s *script.Script, seed uint64) script.Outcome {
	t.Helper()
	release := spec.AllReleases()[0]
	b := reference.New(spec.Rules{TransactionVersion: 2, Fixes: release.Fixes}, seed)
	b.Overlap()
	v, err := b.Versions(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return script.Play(t.Context(), steps.Config{Broker: b, Versions: v, Oracle: judge.New(release, 2, true), Release: release, Strict: true,
		Suffix: "f", Patience: time.Second}, s)
}
