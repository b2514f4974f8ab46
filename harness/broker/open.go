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
	// Between puts a proxy on the way from the broker to itself, where the
	// broker is in a container of ours; Between gives it.
	Between bool
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
		return openDocker(ctx, t, opts)
	case Address:
		return openAddress(ctx, t, opts.Wire)
	}
	return nil, fmt.Errorf("expected a target made by Parse, got kind %q\n%s", t.Kind, known)
}
