package explore_test

import (
	"context"
	"fmt"
	"testing"
	"time"

	"github.com/onceproof/onceproof/harness/broker"
	"github.com/onceproof/onceproof/harness/explore"
	"github.com/onceproof/onceproof/harness/reference"
	"github.com/onceproof/onceproof/spec"
)

// onSpec explores the reference broker at a level, changed by prepare.
func onSpec(level int8, fixes spec.Fixes, prepare func(*reference.Broker)) explore.Options {
	n := uint64(0)
	return explore.Options{Exchanges: 2000, Seed: 1, Release: spec.AllReleases()[0], Strict: true, Suffix: "e", Alone: true, Crashes: true, Patience: 200 * time.Millisecond,
		Open: func(context.Context) (broker.Broker, func([]string), error) {
			n++
			b := reference.New(spec.Rules{TransactionVersion: level, Fixes: fixes}, 1)
			b.Overlap()
			if prepare != nil {
				prepare(b)
			}
			return b, func([]string) {}, nil
		}}
}

// The specification explored by itself conforms.
func TestTheSpecificationConforms(t *testing.T) {
	t.Parallel()
	for level := range int8(3) {
		t.Run(fmt.Sprint(level), func(t *testing.T) {
			t.Parallel()
			r, err := explore.Run(t.Context(), onSpec(level, spec.AllReleases()[0].Fixes, nil))
			if err != nil {
				t.Fatal(err)
			}
			t.Log(r.Summary())
			for _, f := range r.Failures {
				t.Errorf("%v\n%s", f.Violation, f.Script.Gherkin())
			}
		})
	}
}
