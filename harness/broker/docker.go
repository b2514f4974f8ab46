package broker

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/netip"
	"strconv"
	"strings"
	"time"

	"github.com/moby/moby/api/types/container"
	mobynet "github.com/moby/moby/api/types/network"
	"github.com/moby/moby/client"
	"github.com/testcontainers/testcontainers-go"
	tclog "github.com/testcontainers/testcontainers-go/log"
	"github.com/testcontainers/testcontainers-go/network"

	"github.com/onceproof/onceproof/harness/broker/between"
)

const (
	// startLimit bounds a start: one node takes 3 s on a quiet machine.
	startLimit = 90 * time.Second
	// readyTimeout bounds each question to a broker that is starting.
	readyTimeout = 5 * time.Second
	// removeLimit bounds the removal, which happens also when the caller's
	// context is done.
	removeLimit = 30 * time.Second
	// portAttempts is how often another port is tried when the one that was
	// free is taken by the time the container starts.
	portAttempts = 3
)

// contained is Apache Kafka in a container of its own, on a network of its
// own, at a port of 127.0.0.1 that stays the same through restarts.
type contained struct {
	server
	engine    *testcontainers.DockerClient
	container testcontainers.Container
	network   *testcontainers.DockerNetwork
	between   *between.Proxy // nil where nobody asked for it
}

// openDocker starts a container of an image that takes its configuration as
// apache/kafka does, sets transaction.version and waits until it is ready.
func openDocker(ctx context.Context, t Target, o Options) (*contained, error) {
	ctx, cancel := startContext(ctx)
	defer cancel()
	if err := prepareEnvironment(); err != nil {
		return nil, err
	}
	engine, err := testcontainers.NewDockerClientWithOpts(ctx)
	if err != nil {
		return nil, fmt.Errorf("%s: expected a Docker engine, got: %w; start one, or choose another --broker", t.Text, err)
	}
	opts := o.Wire
	opts.TLS, opts.SASL = nil, nil // meant for a broker at an address
	b := &contained{server: server{name: t.Text, opts: opts}, engine: engine}
	if err := b.start(ctx, t, o.Between || t.Inside); err != nil {
		if !errors.Is(err, ErrUnsupported) { // the broker is well, and its log of no interest
			err = fmt.Errorf("%w%s", err, b.lastLog(ctx))
		}
		err = fmt.Errorf("%s: %w", t.Text, err)
		if clean := b.Close(ctx); clean != nil {
			err = fmt.Errorf("%w; and could not clean up: %w", err, clean)
		}
		return nil, err
	}
	return b, nil
}

func (b *contained) start(ctx context.Context, t Target, between bool) error {
	owner := currentOwner()
	if err := removeLeftovers(ctx, b.engine, owner); err != nil {
		return fmt.Errorf("removing what earlier runs left: %w", err)
	}
	var err error
	labels := owner.labels()
	if b.network, err = network.New(ctx, network.WithLabels(labels)); err != nil {
		return fmt.Errorf("network: %w", err)
	}
	if err := b.startContainer(ctx, t.Image, labels, between); err != nil {
		return err
	}
	asked := b.starting()
	if err := asked.answers(ctx); err != nil {
		return err
	}
	if t.TransactionVersion != nil {
		if err := b.setTransactionVersion(ctx, *t.TransactionVersion); err != nil {
			return err
		}
	}
	return asked.takesTransactions(ctx)
}

// starting is the same broker, asked with short timeouts.
func (b *contained) starting() *starting {
	return &starting{server{name: b.name, addr: b.addr, opts: startOptions(b.opts)}, b.alive}
}

// alive gives an error if the container is known to have ended.
func (b *contained) alive(ctx context.Context) error {
	state, err := b.engine.ContainerInspect(ctx, b.container.GetContainerID(), client.ContainerInspectOptions{})
	if err != nil || state.Container.State.Running {
		return nil
	}
	return fmt.Errorf("expected a running broker, its container ended with exit code %d", state.Container.State.ExitCode)
}

func (b *contained) setTransactionVersion(ctx context.Context, level int16) error {
	_, err := dialed(ctx, &b.server, func(ctx context.Context, c Conn) (struct{}, error) {
		return struct{}{}, setTransactionVersion(ctx, c, level)
	})
	return err
}

func (b *contained) startContainer(ctx context.Context, image string, labels map[string]string, between bool) error {
	var last error
	for range portAttempts {
		port, err := freePort()
		if err != nil {
			return err
		}
		b.addr = net.JoinHostPort("127.0.0.1", strconv.Itoa(int(port)))
		inter := interBroker{advertised: "k1:19092"}
		if between {
			if inter, err = b.startBetween(ctx); err != nil {
				return err
			}
		}
		b.container, err = testcontainers.GenericContainer(ctx, testcontainers.GenericContainerRequest{
			ContainerRequest: containerRequest(image, port, inter, b.network.Name, labels),
			Started:          true,
			Logger:           tclog.NewNoopLogger(),
		})
		if err == nil {
			return nil
		}
		last = fmt.Errorf("container of %s: %w; is the image there? (make kafka-image builds onceproof/kafka)", image, err)
		if !strings.Contains(err.Error(), "port is already allocated") && !strings.Contains(err.Error(), "address already in use") {
			break
		}
		if err := b.removeContainer(ctx); err != nil {
			return err
		}
	}
	return last
}

func containerRequest(image string, port uint16, inter interBroker, network string, labels map[string]string) testcontainers.ContainerRequest {
	ports := mobynet.PortMap{mobynet.MustParsePort("9092/tcp"): binding(port)}
	exposed := []string{"9092/tcp"}
	if inter.port != 0 {
		ports[mobynet.MustParsePort("19092/tcp")] = binding(inter.port)
		exposed = append(exposed, "19092/tcp")
	}
	return testcontainers.ContainerRequest{
		Image:          image,
		Env:            singleNode(port, inter.advertised),
		ExposedPorts:   exposed,
		Labels:         labels,
		Networks:       []string{network},
		NetworkAliases: map[string][]string{network: {"k1"}},
		HostConfigModifier: func(h *container.HostConfig) {
			h.PortBindings = ports
		},
	}
}

func binding(port uint16) []mobynet.PortBinding {
	return []mobynet.PortBinding{{HostIP: netip.MustParseAddr("127.0.0.1"), HostPort: strconv.Itoa(int(port))}}
}

// singleNode is the configuration of the only node of a cluster. The short
// clean-up interval makes transactions time out soon after their timeout. A node
// that crashed may register again when its session has ended, 9 s by default.
// The two sizes at the end save 128 MB of heap and 20 MB of disk per partition.
func singleNode(port uint16, internal string) map[string]string {
	return map[string]string{
		"KAFKA_NODE_ID":                                                     "1",
		"KAFKA_PROCESS_ROLES":                                               "broker,controller",
		"CLUSTER_ID":                                                        "5L6g3nShT-eMCtK--X86sw",
		"KAFKA_CONTROLLER_QUORUM_VOTERS":                                    "1@k1:9093",
		"KAFKA_CONTROLLER_LISTENER_NAMES":                                   "CONTROLLER",
		"KAFKA_LISTENERS":                                                   "HOST://:9092,INTERNAL://:19092,CONTROLLER://:9093",
		"KAFKA_ADVERTISED_LISTENERS":                                        fmt.Sprintf("HOST://127.0.0.1:%d,INTERNAL://%s", port, internal),
		"KAFKA_LISTENER_SECURITY_PROTOCOL_MAP":                              "HOST:PLAINTEXT,INTERNAL:PLAINTEXT,CONTROLLER:PLAINTEXT",
		"KAFKA_INTER_BROKER_LISTENER_NAME":                                  "INTERNAL",
		"KAFKA_LOG_DIRS":                                                    "/var/lib/kafka/data",
		"KAFKA_OFFSETS_TOPIC_REPLICATION_FACTOR":                            "1",
		"KAFKA_OFFSETS_TOPIC_NUM_PARTITIONS":                                "4",
		"KAFKA_TRANSACTION_STATE_LOG_REPLICATION_FACTOR":                    "1",
		"KAFKA_TRANSACTION_STATE_LOG_MIN_ISR":                               "1",
		"KAFKA_GROUP_INITIAL_REBALANCE_DELAY_MS":                            "0",
		"KAFKA_TRANSACTION_ABORT_TIMED_OUT_TRANSACTION_CLEANUP_INTERVAL_MS": "500",
		"KAFKA_BROKER_SESSION_TIMEOUT_MS":                                   "3000",
		"KAFKA_BROKER_HEARTBEAT_INTERVAL_MS":                                "500",
		"KAFKA_LOG_CLEANER_DEDUPE_BUFFER_SIZE":                              "2097152",
		"KAFKA_LOG_INDEX_SIZE_MAX_BYTES":                                    "65536",
	}
}

// freePort finds a port of 127.0.0.1 that nobody listens on at the moment.
func freePort() (uint16, error) {
	l, err := net.Listen("tcp4", "127.0.0.1:0")
	if err != nil {
		return 0, fmt.Errorf("looking for a free port: %w", err)
	}
	defer l.Close()
	return l.Addr().(*net.TCPAddr).AddrPort().Port(), nil
}

// Crash kills the process, so that nothing is flushed or handed over.
func (b *contained) Crash(ctx context.Context) error {
	id := b.container.GetContainerID()
	return b.again(ctx, "crash", func(ctx context.Context) error {
		_, err := b.engine.ContainerKill(ctx, id, client.ContainerKillOptions{Signal: "SIGKILL"})
		return err
	})
}

// Restart lets the broker shut down first.
func (b *contained) Restart(ctx context.Context) error {
	return b.again(ctx, "restart", func(ctx context.Context) error {
		return b.container.Stop(ctx, new(30*time.Second))
	})
}

// again ends the broker, starts it and waits until it is ready.
func (b *contained) again(ctx context.Context, what string, end func(context.Context) error) error {
	ctx, cancel := startContext(ctx)
	defer cancel()
	if err := end(ctx); err != nil {
		return fmt.Errorf("%s of %s: %w", what, b.name, err)
	}
	if err := b.startKilled(ctx); err != nil {
		return fmt.Errorf("start after the %s of %s: %w", what, b.name, err)
	}
	if err := b.starting().takesTransactions(ctx); err != nil {
		return fmt.Errorf("%s of %s: %w%s", what, b.name, err, b.lastLog(ctx))
	}
	return nil
}

// startKilled starts the container, which the engine may, for a moment after
// a kill, still hold for running.
func (b *contained) startKilled(ctx context.Context) error {
	id := b.container.GetContainerID()
	return poll(ctx, "the container to start", func(ctx context.Context) error {
		state, err := b.engine.ContainerInspect(ctx, id, client.ContainerInspectOptions{})
		if err != nil {
			return err
		}
		if state.Container.State.Running {
			return fmt.Errorf("it still runs")
		}
		_, err = b.engine.ContainerStart(ctx, id, client.ContainerStartOptions{})
		return err
	})
}

// Close removes container and network.
func (b *contained) Close(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), removeLimit)
	defer cancel()
	defer b.engine.Close()
	defer b.closeBetween()
	if err := b.removeContainer(ctx); err != nil {
		return fmt.Errorf("%s: removing the container: %w", b.name, err)
	}
	if b.network == nil {
		return nil
	}
	if _, err := b.engine.NetworkRemove(ctx, b.network.ID, client.NetworkRemoveOptions{}); err != nil {
		return fmt.Errorf("%s: removing the network: %w", b.name, err)
	}
	return nil
}

func (b *contained) removeContainer(ctx context.Context) error {
	if b.container == nil {
		return nil
	}
	b.closeBetween()
	err := removeContainer(ctx, b.engine, b.container.GetContainerID())
	b.container = nil
	return err
}

// lastLog gives the end of the container's log, for an error.
func (b *contained) lastLog(ctx context.Context) string {
	if b.container == nil {
		return ""
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), readyTimeout)
	defer cancel()
	logs, err := b.container.Logs(ctx)
	if err != nil {
		return ""
	}
	defer logs.Close()
	text, err := io.ReadAll(io.LimitReader(logs, 4<<20))
	if err != nil || len(text) == 0 {
		return ""
	}
	lines := strings.Split(strings.TrimSpace(string(text)), "\n")
	return "\nthe broker's log ends:\n" + strings.Join(lines[max(0, len(lines)-15):], "\n")
}
