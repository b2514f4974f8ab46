package broker

import (
	"context"
	"fmt"

	"github.com/onceproof/onceproof/harness/wire"
)

// Options are what the target does not say.
type Options struct {
	// Wire is how to connect; TLS and SASL are meant for a broker at an
	// address.
	Wire wire.Options
	// Spec makes the reference broker, which is known to the caller only.
	Spec func(ctx context.Context, t Target) (Broker, error)
}

// Open starts the broker, or finds it, and returns when it is ready for
// transactions. The caller closes it.
func Open(ctx context.Context, t Target, opts Options) (Broker, error) {
	switch t.Kind {
	case Spec:
		if opts.Spec == nil {
			return nil, fmt.Errorf("broker spec: expected a constructor of the reference broker, got none: %w", ErrUnsupported)
		}
		return opts.Spec(ctx, t)
	case Kfake:
		return openKfake(ctx, opts.Wire)
	case Docker:
		return openDocker(ctx, t, opts.Wire)
	case Address:
		return openAddress(ctx, t, opts.Wire)
	}
	return nil, fmt.Errorf("expected a target made by Parse, got kind %q\n%s", t.Kind, known)
}

// address is a broker that someone else runs.
type address struct {
	server
}

// openAddress asks for the versions, so that a wrong address is noticed at
// once. It leaves no trace on the broker.
func openAddress(ctx context.Context, t Target, opts wire.Options) (*address, error) {
	a := &address{server{name: t.Address, addr: t.Address, opts: opts}}
	if _, err := a.Versions(ctx); err != nil {
		return nil, fmt.Errorf("no broker answers at %s: %w", t.Address, err)
	}
	return a, nil
}

func (a *address) Crash(context.Context) error {
	return fmt.Errorf("can't crash %s, a broker that someone else runs: %w", a.name, ErrUnsupported)
}

func (a *address) Restart(context.Context) error {
	return fmt.Errorf("can't restart %s, a broker that someone else runs: %w", a.name, ErrUnsupported)
}

func (a *address) Close(context.Context) error { return nil }
