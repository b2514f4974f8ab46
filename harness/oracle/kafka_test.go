package oracle_test

import (
	"context"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"testing"
	"time"

	"github.com/onceproof/onceproof/harness/broker"
	"github.com/onceproof/onceproof/harness/oracle"
	"github.com/onceproof/onceproof/spec"
)

const image = "onceproof/kafka:4.4.0"

// Containers wait more than they work: the levels run side by side even where there are few cores.
func TestMain(m *testing.M) {
	flag.Parse()
	chosen := false
	flag.Visit(func(f *flag.Flag) { chosen = chosen || f.Name == "test.parallel" })
	if !chosen {
		_ = flag.Set("test.parallel", fmt.Sprint(max(6, runtime.GOMAXPROCS(0)))) // the flag is there and takes a number
	}
	os.Exit(m.Run())
}

// needKafka skips, or fails where containers are demanded, without an engine
// that has the image.
func needKafka(t *testing.T) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
	defer cancel()
	out, err := exec.CommandContext(ctx, "docker", "image", "inspect", "-f", "{{.Id}}", image).CombinedOutput()
	if err == nil {
		return
	}
	why := fmt.Sprintf("no Docker engine with %s (make kafka-image builds it): %s%v", image, out, err)
	if os.Getenv("ONCEPROOF_REQUIRE_DOCKER") == "1" {
		t.Fatal(why)
	}
	fmt.Println("SKIP", t.Name()+":", why)
	t.Skip(why)
}

// Apache Kafka 4.4.0 is what the release of that name says, strictly, at each
// level of transaction.version.
func TestKafkaConforms(t *testing.T) {
	needKafka(t)
	t.Parallel()
	release := spec.AllReleases()[0]
	for _, tv := range []int8{2, 1, 0} {
		t.Run(fmt.Sprintf("tv=%d", tv), func(t *testing.T) {
			t.Parallel()
			target, err := broker.Parse(fmt.Sprintf("docker:%s,tv=%d", image, tv))
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
