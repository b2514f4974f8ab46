package conform_test

import (
	"context"
	"errors"
	"fmt"
	"net"
	"slices"
	"strconv"
	"testing"
	"time"

	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kgo"
	"github.com/twmb/franz-go/pkg/kmsg"

	"github.com/onceproof/onceproof/harness/broker"
	"github.com/onceproof/onceproof/harness/broker/brokertest"
)

// Example 3 with an ordinary client (kgo): the first producer's commit fails as fenced, and nothing of it is read at
// read_committed.
func TestTheOrdinaryClientIsFenced(t *testing.T) {
	t.Parallel()
	for _, target := range []string{"kfake", "docker:" + brokertest.Image} {
		t.Run(target, func(t *testing.T) {
			if target != "kfake" {
				brokertest.NeedKafka(t)
			}
			parsed, err := broker.Parse(target)
			if err != nil {
				t.Fatal(err)
			}
			b, err := broker.Open(t.Context(), parsed, broker.Options{})
			if err != nil {
				t.Fatal(err)
			}
			defer b.Close(context.WithoutCancel(t.Context()))
			if err := b.CreateTopic(t.Context(), "u12-fence", 1); err != nil {
				t.Fatal(err)
			}
			fence(t, addressOf(t, b))
		})
	}
}

// fence lets a second client of the same transactional id take over from the first.
func fence(t *testing.T, address string) {
	ctx, cancel := context.WithTimeout(t.Context(), 30*time.Second)
	defer cancel()
	first, second := client(t, address, kgo.TransactionalID("u12-fence")), client(t, address, kgo.TransactionalID("u12-fence"))
	write(ctx, t, first, "z1")
	write(ctx, t, second, "y1")
	if err := first.EndTransaction(ctx, kgo.TryCommit); !errors.Is(err, kerr.ProducerFenced) && !errors.Is(err, kerr.InvalidProducerEpoch) {
		t.Errorf("expected the first producer's commit to fail as fenced, got %v", err)
	}
	if err := second.EndTransaction(ctx, kgo.TryCommit); err != nil {
		t.Errorf("expected the second producer's commit to succeed, got %v", err)
	}
	reader := client(t, address, kgo.ConsumeTopics("u12-fence"), kgo.FetchIsolationLevel(kgo.ReadCommitted()), kgo.ConsumeResetOffset(kgo.NewOffset().AtStart()))
	var read []string
	for len(read) == 0 && ctx.Err() == nil {
		reader.PollFetches(ctx).EachRecord(func(r *kgo.Record) { read = append(read, fmt.Sprintf("%s@%d", r.Value, r.Offset)) })
	}
	if !slices.Equal(read, []string{"y1@2"}) {
		t.Errorf("expected y1@2 to be read, got %v", read)
	}
}

func client(t *testing.T, address string, opts ...kgo.Opt) *kgo.Client {
	t.Helper()
	c, err := kgo.NewClient(append(opts, kgo.SeedBrokers(address), kgo.DefaultProduceTopic("u12-fence"))...)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(c.Close)
	return c
}

func write(ctx context.Context, t *testing.T, c *kgo.Client, value string) {
	t.Helper()
	if err := c.BeginTransaction(); err != nil {
		t.Fatal(err)
	}
	if err := c.ProduceSync(ctx, kgo.StringRecord(value)).FirstErr(); err != nil {
		t.Fatalf("%s: %v", value, err)
	}
}

// addressOf asks a broker for the address that it tells its clients.
func addressOf(t *testing.T, b broker.Broker) string {
	t.Helper()
	c, err := b.Dial(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	req := kmsg.NewPtrMetadataRequest()
	req.Version = 9
	x, err := c.Do(t.Context(), req)
	if err != nil {
		t.Fatal(err)
	}
	node := x.Response.(*kmsg.MetadataResponse).Brokers[0]
	return net.JoinHostPort(node.Host, strconv.Itoa(int(node.Port)))
}
