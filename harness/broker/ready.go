package broker

import (
	"context"

	"github.com/twmb/franz-go/pkg/kmsg"

	"github.com/onceproof/onceproof/harness/wire"
)

// readyTransactionalID is the id that asks a broker whether it takes
// transactions. It stays on the broker in state Empty, one producer id used up.
const readyTransactionalID = "onceproof-ready"

// starting is a broker that is not ready yet.
type starting struct {
	server
	// alive gives an error once the broker has ended, when waiting is no use.
	alive func(context.Context) error
}

// answers waits until the broker answers ApiVersions.
func (s *starting) answers(ctx context.Context) error {
	return s.await(ctx, "an answer", func(ctx context.Context, c Conn) error {
		_, err := ReadVersions(ctx, c)
		return err
	})
}

// takesTransactions waits until the broker takes transactions: the coordinator
// exists, has loaded what it owns, and gives out a producer id. No log line
// says that, so it is asked.
func (s *starting) takesTransactions(ctx context.Context) error {
	return s.await(ctx, "a producer id", takesTransactions)
}

// await asks, on a new connection each time, until there is no error.
func (s *starting) await(ctx context.Context, awaited string, ask func(context.Context, Conn) error) error {
	return poll(ctx, awaited, func(ctx context.Context) error {
		_, err := dialed(ctx, &s.server, func(ctx context.Context, c Conn) (struct{}, error) {
			return struct{}{}, ask(ctx, c)
		})
		if err == nil {
			return nil
		}
		if dead := s.alive(ctx); dead != nil {
			return final{dead}
		}
		return err
	})
}

func takesTransactions(ctx context.Context, c Conn) error {
	// FindCoordinator creates __transaction_state; InitProducerId alone would
	// be answered NOT_COORDINATOR for ever.
	find := kmsg.NewPtrFindCoordinatorRequest()
	find.Version, find.CoordinatorType, find.CoordinatorKey = 3, 1, readyTransactionalID
	x, err := c.Do(ctx, find)
	if err != nil {
		return err
	}
	found := x.Response.(*kmsg.FindCoordinatorResponse)
	if err := answered("FindCoordinator", found.ErrorCode, found.ErrorMessage); err != nil {
		return err
	}
	init := kmsg.NewPtrInitProducerIDRequest()
	init.Version, init.TransactionalID, init.TransactionTimeoutMillis = 3, new(readyTransactionalID), 60_000
	init.ProducerID, init.ProducerEpoch = -1, -1
	if x, err = c.Do(ctx, init); err != nil {
		return err
	}
	if err := answered("InitProducerId", x.Response.(*kmsg.InitProducerIDResponse).ErrorCode, nil); err != nil {
		return err
	}
	return allLoaded(ctx, c)
}

// allLoaded asks for the list of transactions, which a coordinator refuses as
// long as any of its partitions is loading.
func allLoaded(ctx context.Context, c Conn) error {
	v, err := ReadVersions(ctx, c)
	if err != nil {
		return err
	}
	list := kmsg.NewPtrListTransactionsRequest()
	if !v.Has(list.Key(), 0) {
		return nil
	}
	list.Version = 0
	x, err := c.Do(ctx, list)
	if err != nil {
		return err
	}
	return answered("ListTransactions", x.Response.(*kmsg.ListTransactionsResponse).ErrorCode, nil)
}

// startContext gives a start its deadline where the caller has set none.
func startContext(ctx context.Context) (context.Context, context.CancelFunc) {
	if _, ok := ctx.Deadline(); ok {
		return ctx, func() {}
	}
	return context.WithTimeout(ctx, startLimit)
}

// startOptions are those of the connections that ask a starting broker: a
// request that hangs must not eat the whole wait.
func startOptions(o wire.Options) wire.Options {
	o.DialTimeout, o.Timeout = readyTimeout, readyTimeout
	return o
}
