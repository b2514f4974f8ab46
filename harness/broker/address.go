package broker

import (
	"context"
	"fmt"

	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kmsg"

	"github.com/onceproof/onceproof/harness/wire"
)

// address is a broker that someone else runs.
type address struct {
	server
}

// openAddress asks for the versions, so that a wrong address is noticed at
// once, and returns when the broker is a coordinator. It leaves no trace but
// __transaction_state, where that was not there yet.
func openAddress(ctx context.Context, t Target, opts wire.Options) (*address, error) {
	a := &address{server{name: t.Address, addr: t.Address, opts: opts}}
	v, err := a.Versions(ctx)
	if err != nil {
		return nil, fmt.Errorf("no broker answers at %s: %w", t.Address, err)
	}
	_, err = dialed(ctx, &a.server, func(ctx context.Context, c Conn) (struct{}, error) {
		if err := isAlone(ctx, c, v); err != nil {
			return struct{}{}, err
		}
		return struct{}{}, isCoordinator(ctx, c, v)
	})
	if err != nil {
		return nil, fmt.Errorf("%s: %w", t.Address, err)
	}
	return a, nil
}

// isAlone refuses a broker that is one of several: it would send away half of
// the requests, as it should, and each would look like a violation.
func isAlone(ctx context.Context, c Conn, v Versions) error {
	req := kmsg.NewPtrMetadataRequest()
	var err error
	if req.Version, err = v.AtMost(req.Key(), 8); err != nil || req.Version < 1 {
		return nil // what it lacks, the scenarios say
	}
	req.Topics = []kmsg.MetadataRequestTopic{} // none; nil would be all
	x, err := c.Do(ctx, req)
	if err != nil {
		return err
	}
	if n := len(x.Response.(*kmsg.MetadataResponse).Brokers); n > 1 {
		return fmt.Errorf("expected a broker that leads every partition and is every coordinator, got one of %d: %w", n, ErrUnsupported)
	}
	return nil
}

// isCoordinator waits until the broker is the coordinator of transactional
// ids. Nobody may have asked for one yet: FindCoordinator is what creates
// __transaction_state, InitProducerId alone would be answered NOT_COORDINATOR
// for ever.
func isCoordinator(ctx context.Context, c Conn, v Versions) error {
	find := kmsg.NewPtrFindCoordinatorRequest()
	var err error
	if find.Version, err = v.AtMost(find.Key(), 3); err != nil || find.Version < 1 {
		return nil // what it lacks, the scenarios say
	}
	find.CoordinatorType, find.CoordinatorKey = 1, readyTransactionalID
	ctx, cancel := startContext(ctx)
	defer cancel()
	return poll(ctx, "a coordinator of transactional ids", func(ctx context.Context) error {
		x, err := c.Do(ctx, find)
		if err != nil {
			return final{err}
		}
		found := x.Response.(*kmsg.FindCoordinatorResponse)
		err = answered("FindCoordinator", found.ErrorCode, found.ErrorMessage)
		if err != nil && !kerr.IsRetriable(err) {
			return final{err}
		}
		if err != nil {
			return err
		}
		// Only loading is waited for; a refusal for another reason is not about it.
		if err := allLoaded(ctx, c); kerr.IsRetriable(err) {
			return err
		}
		return nil
	})
}

func (a *address) Crash(context.Context) error {
	return fmt.Errorf("can't crash %s, a broker that someone else runs: %w", a.name, ErrUnsupported)
}

func (a *address) Restart(context.Context) error {
	return fmt.Errorf("can't restart %s, a broker that someone else runs: %w", a.name, ErrUnsupported)
}

func (a *address) Close(context.Context) error { return nil }
