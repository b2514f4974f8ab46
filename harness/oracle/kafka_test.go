package oracle_test

import (
	"context"
	"fmt"
	"os"
	"testing"

	"github.com/onceproof/onceproof/harness/broker"
	"github.com/onceproof/onceproof/harness/broker/brokertest"
	"github.com/onceproof/onceproof/harness/oracle"
	"github.com/onceproof/onceproof/spec"
)

func TestMain(m *testing.M) { os.Exit(brokertest.SideBySide(m)) }

// Apache Kafka 4.4.0 is what the release of that name says, strictly, at each
// level of transaction.version.
func TestKafkaConforms(t *testing.T) {
	brokertest.NeedKafka(t)
	t.Parallel()
	release := spec.AllReleases()[0]
	for _, tv := range []int8{2, 1, 0} {
		t.Run(fmt.Sprintf("tv=%d", tv), func(t *testing.T) {
			t.Parallel()
			target, err := broker.Parse(fmt.Sprintf("docker:%s,tv=%d", brokertest.Image, tv))
			if err != nil {
				t.Fatal(err)
			}
			b, err := broker.Open(t.Context(), target, broker.Options{})
			if err != nil {
				t.Fatal(err)
			}
			t.Cleanup(func() { _ = b.Close(context.Background()) })
			for i, sc := range scripts() {
				t.Run(sc.name, func(t *testing.T) {
					c, err := newTester(b, oracle.Config{Release: release, TransactionVersion: tv, Strict: true}, fmt.Sprintf("oracle-%d", i), 2)
					if err != nil {
						t.Fatal(err)
					}
					if err := c.run(sc.run); err != nil {
						t.Error(err)
					}
					_, largest := c.o.Belief()
					t.Logf("at most %d states", largest)
				})
			}
		})
	}
}
