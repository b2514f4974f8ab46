package broker

import (
	"context"
	"fmt"
	"net"
	"strconv"

	"github.com/moby/moby/client"

	"github.com/onceproof/onceproof/harness/broker/between"
)

// interBroker is where a broker's listener for brokers is.
type interBroker struct {
	advertised string // HOST:PORT for brokers, this one included
	port       uint16 // of 127.0.0.1 at which it is published; 0: it is not
}

// Between is the proxy through which a broker asks its coordinator and sends
// its markers, also as the only node. ErrUnsupported where it is not in a
// container of ours that was opened with inside=1 or Options.Between.
func Between(b Broker) (*between.Proxy, error) {
	c, ok := b.(*contained)
	if !ok || c.between == nil {
		return nil, fmt.Errorf("%s: nothing stands between it and its coordinator: %w", b.Name(), ErrUnsupported)
	}
	return c.between, nil
}

// startBetween listens where the container's network meets this machine, its
// gateway, which is where the broker is then told to be found.
func (b *contained) startBetween(ctx context.Context) (interBroker, error) {
	gateway, err := b.gateway(ctx)
	if err != nil {
		return interBroker{}, err
	}
	port, err := freePort()
	if err != nil {
		return interBroker{}, err
	}
	target := net.JoinHostPort("127.0.0.1", strconv.Itoa(int(port)))
	if b.between, err = between.Listen(net.JoinHostPort(gateway, "0"), target); err != nil {
		return interBroker{}, fmt.Errorf("the gateway of a container's network is not an address of this machine, as it is where the engine runs natively: %w: %w", ErrUnsupported, err)
	}
	return interBroker{b.between.Addr(), port}, nil
}

func (b *contained) gateway(ctx context.Context) (string, error) {
	n, err := b.engine.NetworkInspect(ctx, b.network.ID, client.NetworkInspectOptions{})
	if err != nil {
		return "", fmt.Errorf("network: %w", err)
	}
	for _, c := range n.Network.IPAM.Config {
		if c.Gateway.IsValid() {
			return c.Gateway.String(), nil
		}
	}
	return "", fmt.Errorf("network %s: expected a gateway, got none: %w", b.network.Name, ErrUnsupported)
}

func (b *contained) closeBetween() {
	if b.between != nil {
		_ = b.between.Close() // its listener; nobody needs it any more
		b.between = nil
	}
}
