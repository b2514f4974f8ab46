package explore

import (
	"context"
	"slices"
	"sync"

	"github.com/onceproof/onceproof/harness/broker"
)

// coordinator is what is known of the coordinators of a broker that all walks share.
type coordinator struct {
	mu     sync.Mutex
	epochs broker.CoordinatorEpochs // those that were read last
}

// read asks the broker for the epochs of its coordinators. A nil coordinator is that of a broker that is new to each walk.
func (c *coordinator) read(ctx context.Context, b broker.Broker) (broker.CoordinatorEpochs, error) {
	if c == nil {
		return nil, nil
	}
	c.mu.Lock()
	before := c.epochs
	c.mu.Unlock()
	epochs, err := broker.ReadCoordinatorEpochs(ctx, b, before)
	if err != nil {
		return nil, err
	}
	c.mu.Lock()
	c.epochs = epochs
	c.mu.Unlock()
	return epochs, nil
}

// steady reports whether the coordinators are those of before. A broker that loses the leadership of its partitions for a
// while answers by rules that the oracle takes for impossible, as nobody tells it of that.
func (o *Options) steady(ctx context.Context, b broker.Broker, before broker.CoordinatorEpochs) bool {
	if o.coordinator == nil {
		return true
	}
	within, cancel := context.WithTimeout(ctx, o.Patience)
	defer cancel()
	after, err := o.coordinator.read(within, b)
	return err == nil && slices.Equal(before, after)
}
