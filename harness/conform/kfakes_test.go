package conform_test

import (
	"testing"

	"github.com/onceproof/onceproof/harness/broker/brokertest"
	"github.com/onceproof/onceproof/harness/conform"
)

// An older kfake, which this project does not use otherwise, deviates as its own profile says, and in nothing else. It
// is met as any broker at an address is.
func TestAnOlderKfakeDeviatesAsItsProfileSays(t *testing.T) {
	t.Parallel()
	addr := brokertest.Program(t, "../../fixtures/kfake-20260804")
	r := run(t, conform.Options{Broker: addr, Profile: "../../fixtures/brokers/kfake-20260804.json", Tags: "~@restart"})
	if r.Count(conform.Violates) > 0 || r.Count(conform.Known) == 0 || len(r.Stale)+len(r.StaleFields) > 0 {
		t.Errorf("expected only the deviations of the profile, got:\n%s", r.Summary())
	}
	t.Logf("%d scenarios deviate, %d conform, %d could not be judged", r.Count(conform.Known), r.Count(conform.Conforms), r.Count(conform.NotJudged))
}
