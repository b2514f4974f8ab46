package broker

import (
	"context"

	"github.com/twmb/franz-go/pkg/kmsg"

	"github.com/onceproof/onceproof/harness/wire"
)

// readyTransactionalID is the id that asks a broker whether it takes
// transactions. It stays on the broker in state Empty, one producer id used up.
const readyTransactionalID = "onceproof-ready"

// awaitAnswer waits until a broker that starts answers ApiVersions.
func awaitAnswer(ctx context.Context, s *server) error {
	return poll(ctx, s.name+" to answer", func(ctx context.Context) error {
		_, err := s.Versions(ctx)
		return err
	})
}

// awaitTransactions waits until a broker takes transactions: the coordinator
// exists, has loaded what it owns, and gives out a producer id. No log line
// says that, so it is asked.
func awaitTransactions(ctx context.Context, s *server) error {
	return poll(ctx, s.name+" to take transactions", func(ctx context.Context) error {
		_, err := dialed(ctx, s, func(ctx context.Context, c Conn) (struct{}, error) {
			return struct{}{}, takesTransactions(ctx, c)
		})
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
