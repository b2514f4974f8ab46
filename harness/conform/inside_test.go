package conform_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/onceproof/onceproof/harness/broker/brokertest"
	"github.com/onceproof/onceproof/harness/conform"
)

// With a hand on what a broker asks itself, the counterexamples that take place inside it are played on Apache Kafka:
// what it has no fix for is reproduced, what it has one for is not.
func TestWhatTakesPlaceInsideApacheKafka(t *testing.T) {
	t.Parallel()
	brokertest.NeedKafka(t)
	for level := range 3 {
		t.Run(fmt.Sprintf("tv%d", level), func(t *testing.T) {
			t.Parallel()
			r := run(t, conform.Options{Broker: fmt.Sprintf("docker:%s,tv=%d,inside=1", brokertest.Image, level), Strict: true, Tags: "@inside"})
			for _, s := range r.Scenarios {
				want := "not reproduced"
				if strings.HasSuffix(s.Name, "IDEM-43") {
					want = "reproduced"
				}
				if s.Verdict != conform.Conforms || !strings.HasPrefix(s.Trace, want) {
					t.Errorf("%s: expected that it conforms and is %s, got %v, %q %s", s.Name, want, s.Verdict, s.Trace, s.Reason)
				}
				t.Logf("%s: %s", s.Name, s.Trace)
			}
		})
	}
}
