package broker_test

import (
	"context"
	"errors"
	"reflect"
	"strings"
	"testing"

	"github.com/onceproof/onceproof/harness/broker"
)

func TestParse(t *testing.T) {
	for text, want := range map[string]broker.Target{
		"kfake":                            {Kind: broker.Kfake},
		"spec":                             {Kind: broker.Spec},
		"spec,tv=1,release=4.0.0":          {Kind: broker.Spec, TransactionVersion: new(int16(1)), Release: "4.0.0"},
		"spec,fix-off=A,fix-off=B":         {Kind: broker.Spec, FixOff: []string{"A", "B"}},
		"docker:onceproof/kafka:4.4.0":     {Kind: broker.Docker, Image: "onceproof/kafka:4.4.0", Nodes: 1},
		"docker:r.example:5000/k@sha256:0": {Kind: broker.Docker, Image: "r.example:5000/k@sha256:0", Nodes: 1},
		"docker:k,tv=0,nodes=1":            {Kind: broker.Docker, Image: "k", Nodes: 1, TransactionVersion: new(int16(0))},
		"localhost:9092":                   {Kind: broker.Address, Address: "localhost:9092"},
		"[::1]:9092":                       {Kind: broker.Address, Address: "[::1]:9092"},
	} {
		want.Text = text
		got, err := broker.Parse(text)
		if err != nil || !reflect.DeepEqual(got, want) {
			t.Errorf("%s: expected %+v, got %+v, %v", text, want, got, err)
		}
	}
}

func TestParseSaysWhatIsWrongAndWhatIsKnown(t *testing.T) {
	for text, says := range map[string]string{
		"":                    "got nothing",
		"kafka":               `"kafka" is neither`,
		"localhost":           "neither a name known here nor HOST:PORT",
		"localhost:":          "port from 1 to 65535",
		"localhost:0":         "port from 1 to 65535",
		"localhost:99999":     "port from 1 to 65535",
		":9092":               "port from 1 to 65535",
		"localhost:9092,tv=2": "not ours",
		"localhost:9092,x=2":  "takes no options",
		"kfake,tv=2":          "kfake takes no options",
		"docker":              "expected an image",
		"docker:":             "expected an image",
		"docker:k,tv=two":     "expected tv=0, tv=1 or tv=2, got tv=two",
		"docker:k,tv=-1":      "got tv=-1",
		"docker:k,tv":         "NAME=VALUE",
		"docker:k,":           "NAME=VALUE",
		"docker:k,nodes=3":    "expected nodes=1",
		"docker:k,fix-off=A":  "options tv, nodes",
		"spec,nodes=1":        "options tv, release, fix-off",
	} {
		_, err := broker.Parse(text)
		if err == nil || !strings.Contains(err.Error(), says) || !strings.Contains(err.Error(), "HOST:PORT  ") {
			t.Errorf("%q: expected an error with %q and the list of brokers, got %v", text, says, err)
		}
	}
}

// The reference broker is the caller's; the package only passes it on.
func TestOpenOfTheSpecificationAsksTheCaller(t *testing.T) {
	target, err := broker.Parse("spec,tv=1")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := broker.Open(t.Context(), target, broker.Options{}); !errors.Is(err, broker.ErrUnsupported) {
		t.Errorf("without a constructor: expected ErrUnsupported, got %v", err)
	}
	mine := errors.New("mine")
	_, err = broker.Open(t.Context(), target, broker.Options{Spec: func(_ context.Context, got broker.Target) (broker.Broker, error) {
		if *got.TransactionVersion != 1 {
			t.Errorf("expected the target, got %+v", got)
		}
		return nil, mine
	}})
	if !errors.Is(err, mine) {
		t.Errorf("expected the constructor's own error, got %v", err)
	}
}

func TestOpenFailsWhereNothingIs(t *testing.T) {
	t.Setenv("DOCKER_HOST", "tcp://192.0.2.1:2375")
	for text, says := range map[string]string{
		"127.0.0.1:1":  "no broker answers at 127.0.0.1:1",
		"docker:image": "expected a local Docker engine",
	} {
		target, err := broker.Parse(text)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := broker.Open(t.Context(), target, broker.Options{}); err == nil || !strings.Contains(err.Error(), says) {
			t.Errorf("%s: expected an error with %q, got %v", text, says, err)
		}
	}
}

func TestCoordinatorPartition(t *testing.T) {
	for id, want := range map[string]int32{
		"u12-txn":            23, // seen in Kafka's log
		"":                   0,
		"polygenelubricants": 0,            // hash −2147483648
		"a":                  97 % 50,      // hash 97
		"\U0001F600":         1772899 % 50, // hash of two UTF-16 units
	} {
		if got := broker.CoordinatorPartition(id, 50); got != want {
			t.Errorf("%q: expected partition %d, got %d", id, want, got)
		}
	}
}
