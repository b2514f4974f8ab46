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

// What exploration once called a violation and was the oracle's own mistake.
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
	} {
		release := spec.AllReleases()[0]
		b := reference.New(spec.Rules{TransactionVersion: 2, Fixes: release.Fixes}, 1)
		v, err := b.Versions(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		out := script.Play(t.Context(), steps.Config{Broker: b, Versions: v, Oracle: judge.New(release, 2, true), Release: release, Strict: true, Suffix: "f", Patience: time.Second},
			script.OfLines(name, lines))
		if out.Kind != script.Reproduced || out.Violation != nil {
			t.Errorf("%s: %v: %s %v", name, out.Kind, out.Reason, out.Violation)
		}
	}
}
