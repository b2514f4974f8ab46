// Package broker starts, or finds, the broker that is put to the test, and
// gives connections to it: Apache Kafka in a container, the embedded kfake, a
// broker that runs at some address, or a reference broker that the caller
// brings along. The suites do not know which one they talk to.
package broker

import (
	"context"
	"errors"

	"github.com/twmb/franz-go/pkg/kmsg"

	"github.com/onceproof/onceproof/harness/wire"
)

// ErrUnsupported is in the chain of an error that says that this kind of
// broker can't do what was asked. It is no verdict on the broker.
var ErrUnsupported = errors.New("not supported by this broker")

// Conn is one client's connection. The API version is the one that is set in
// the request; nothing is retried. [wire.Conn] is the implementation on a
// wire, a broker in this process may have another.
type Conn interface {
	// Do sends and receives.
	Do(ctx context.Context, req kmsg.Request) (*wire.Exchange, error)
	// Send sends and leaves the answer outstanding, Receive waits for it.
	Send(ctx context.Context, req kmsg.Request) (*wire.Exchange, error)
	Receive(ctx context.Context) (*wire.Exchange, error)
	// Close ends the connection; an outstanding answer is lost.
	Close() error
}

// Broker is a running broker of one node, which leads every partition and is
// every coordinator.
type Broker interface {
	// Name is what selects it: "kfake", "docker:onceproof/kafka:4.4.0,tv=2",
	// "127.0.0.1:9092".
	Name() string
	// Dial opens a connection of a client of its own.
	Dial(ctx context.Context) (Conn, error)
	// Versions asks which API versions and features it has now.
	Versions(ctx context.Context) (Versions, error)
	// CreateTopic creates a topic and returns once its partitions take requests.
	CreateTopic(ctx context.Context, topic string, partitions int32) error
	// DeleteTopic deletes a topic; that it does not exist is no error.
	DeleteTopic(ctx context.Context, topic string) error
	// Crash kills the broker (SIGKILL), starts it again and waits until it is
	// ready. Restart stops it in an orderly way instead. Connections end with
	// both; the address stays. ErrUnsupported where the broker isn't ours.
	Crash(ctx context.Context) error
	Restart(ctx context.Context) error
	// Close ends the broker if Open started it, also after ctx is done.
	Close(ctx context.Context) error
}
