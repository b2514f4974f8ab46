package broker

import (
	"fmt"
	"net"
	"slices"
	"strconv"
	"strings"
)

// Kind is how a broker is come by.
type Kind string

// The kinds of broker that --broker takes.
const (
	Spec    Kind = "spec"    // the specification itself, in this process
	Kfake   Kind = "kfake"   // the embedded Go fake
	Docker  Kind = "docker"  // Apache Kafka in a container
	Address Kind = "address" // a broker that runs already
)

const known = `a broker is one of
  spec[,tv=N][,release=R][,fix-off=ID]...   the specification itself
  kfake                                     the embedded fake
  docker:IMAGE[,tv=N][,nodes=1][,inside=1]  Apache Kafka in a container; inside=1: with a hand on what it asks itself
  HOST:PORT                                 a broker that runs already`

// Target is a parsed --broker.
type Target struct {
	Kind Kind
	// Text is what was parsed.
	Text string
	// Image of a container.
	Image string
	// Address is HOST:PORT.
	Address string
	// TransactionVersion is the level of the feature transaction.version to
	// run at; nil leaves what the broker comes with.
	TransactionVersion *int16
	// Nodes of a container cluster; only 1 so far.
	Nodes int
	// Inside puts a proxy on a container's way to itself, which a firewall of
	// this machine may not let it reach.
	Inside bool
	// Release and FixOff configure the specification.
	Release string
	FixOff  []string
}

// Parse reads the value of --broker. Its errors list what is known.
func Parse(text string) (Target, error) {
	fields := strings.Split(text, ",")
	t := Target{Text: text}
	allowed, err := t.parseKind(fields[0])
	if err != nil {
		return Target{}, fmt.Errorf("--broker %q: %w\n%s", text, err, known)
	}
	for _, field := range fields[1:] {
		if err := t.parseOption(field, allowed); err != nil {
			return Target{}, fmt.Errorf("--broker %q: %w\n%s", text, err, known)
		}
	}
	return t, nil
}

// parseKind reads what stands before the first comma and gives the options
// that may follow.
func (t *Target) parseKind(head string) (allowed []string, err error) {
	image, isDocker := strings.CutPrefix(head, "docker:")
	switch {
	case head == "":
		return nil, fmt.Errorf("expected a broker, got nothing")
	case head == "spec":
		t.Kind = Spec
		return []string{"tv", "release", "fix-off"}, nil
	case head == "kfake":
		t.Kind = Kfake
		return nil, nil
	case isDocker && image == "", head == "docker":
		return nil, fmt.Errorf("expected an image after docker:, got none")
	case isDocker:
		t.Kind, t.Image, t.Nodes = Docker, image, 1
		return []string{"tv", "nodes", "inside"}, nil
	}
	t.Kind, t.Address = Address, head
	host, port, err := net.SplitHostPort(head)
	if err != nil {
		return nil, fmt.Errorf("%q is neither a name known here nor HOST:PORT", head)
	}
	if n, err := strconv.ParseUint(port, 10, 16); err != nil || n == 0 || host == "" {
		return nil, fmt.Errorf("expected HOST:PORT with a port from 1 to 65535, got %q", head)
	}
	return nil, nil
}

func (t *Target) parseOption(field string, allowed []string) error {
	key, value, found := strings.Cut(field, "=")
	if !found || value == "" {
		return fmt.Errorf("expected an option as NAME=VALUE, got %q", field)
	}
	if !slices.Contains(allowed, key) {
		if key == "tv" && t.Kind == Address {
			return fmt.Errorf("tv= would change a cluster that is not ours; set transaction.version there, it is read from the broker")
		}
		if len(allowed) == 0 {
			return fmt.Errorf("%s takes no options, got %q", t.Kind, field)
		}
		return fmt.Errorf("%s takes the options %s, got %q", t.Kind, strings.Join(allowed, ", "), key)
	}
	switch key {
	case "tv":
		return t.parseTransactionVersion(value)
	case "nodes":
		if value != "1" {
			return fmt.Errorf("expected nodes=1, got nodes=%s: clusters of several nodes are not run yet", value)
		}
	case "inside":
		if value != "0" && value != "1" {
			return fmt.Errorf("expected inside=0 or inside=1, got inside=%s", value)
		}
		t.Inside = value == "1"
	case "release":
		t.Release = value
	case "fix-off":
		t.FixOff = append(t.FixOff, value)
	}
	return nil
}

func (t *Target) parseTransactionVersion(value string) error {
	n, err := strconv.ParseInt(value, 10, 16)
	if err != nil || n < 0 {
		return fmt.Errorf("expected tv=0, tv=1 or tv=2, got tv=%s", value)
	}
	t.TransactionVersion = new(int16(n))
	return nil
}
