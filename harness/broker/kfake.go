package broker

import (
	"context"
	"fmt"

	"github.com/twmb/franz-go/pkg/kfake"
	"github.com/twmb/franz-go/pkg/kmsg"

	"github.com/onceproof/onceproof/harness/wire"
)

// embedded is kfake, a fake of Kafka in this process. It is a system under
// test like any other; it differs from Kafka in many ways.
type embedded struct {
	server
	cluster *kfake.Cluster
	keys    map[int16]Range
}

func openKfake(ctx context.Context, opts wire.Options) (*embedded, error) {
	cluster, err := kfake.NewCluster(kfake.NumBrokers(1))
	if err != nil {
		return nil, fmt.Errorf("kfake: could not start: %w", err)
	}
	opts.TLS, opts.SASL = nil, nil // meant for a broker at an address
	k := &embedded{server: server{name: string(Kfake), addr: cluster.ListenAddrs()[0], opts: opts}, cluster: cluster}
	v, err := k.Versions(ctx)
	if err != nil {
		cluster.Close()
		return nil, fmt.Errorf("kfake: does not answer: %w", err)
	}
	k.keys = v.Keys
	return k, nil
}

// Dial guards the connection: kfake panics, and this process with it, at an
// API key that it does not have.
func (k *embedded) Dial(ctx context.Context) (Conn, error) {
	c, err := wire.Dial(ctx, k.addr, k.opts)
	if err != nil {
		return nil, err
	}
	return &knownKeys{Conn: c, keys: k.keys}, nil
}

func (k *embedded) Crash(context.Context) error {
	return fmt.Errorf("can't crash kfake, which runs in this process: %w", ErrUnsupported)
}

func (k *embedded) Restart(context.Context) error {
	return fmt.Errorf("can't restart kfake, which keeps nothing: %w", ErrUnsupported)
}

func (k *embedded) Close(context.Context) error {
	k.cluster.Close()
	return nil
}

// knownKeys is a connection that refuses API keys the broker does not list.
type knownKeys struct {
	*wire.Conn
	keys map[int16]Range
}

func (c *knownKeys) Send(ctx context.Context, req kmsg.Request) (*wire.Exchange, error) {
	if err := c.check(req); err != nil {
		return nil, err
	}
	return c.Conn.Send(ctx, req)
}

func (c *knownKeys) Do(ctx context.Context, req kmsg.Request) (*wire.Exchange, error) {
	if err := c.check(req); err != nil {
		return nil, err
	}
	return c.Conn.Do(ctx, req)
}

func (c *knownKeys) check(req kmsg.Request) error {
	if _, ok := c.keys[req.Key()]; !ok {
		return fmt.Errorf("%s: expected an API that the broker lists, got key %d, which would end it: %w", wire.Describe(req), req.Key(), ErrUnsupported)
	}
	return nil
}
