package broker_test

import (
	"errors"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kfake"
	"github.com/twmb/franz-go/pkg/kmsg"

	"github.com/onceproof/onceproof/harness/broker"
)

func TestKfakeCommitsAndAborts(t *testing.T) {
	commitAndAbort(t, open(t, "kfake"), "smoke", true)
}

// An API key that kfake does not have would end this process.
func TestKfakeIsNotSentUnknownKeys(t *testing.T) {
	b := open(t, "kfake")
	v, err := b.Versions(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	c := dial(t, b)
	tried := 0
	for key := range int16(kmsg.MaxKey) + 1 {
		req := kmsg.RequestForKey(key)
		if _, has := v.Keys[key]; has || req == nil {
			continue
		}
		if _, err := c.Do(t.Context(), req); !errors.Is(err, broker.ErrUnsupported) {
			t.Errorf("%s: expected ErrUnsupported, got %v", kmsg.NameForKey(key), err)
		}
		if _, err := c.Send(t.Context(), req); !errors.Is(err, broker.ErrUnsupported) {
			t.Errorf("%s: expected ErrUnsupported, got %v", kmsg.NameForKey(key), err)
		}
		tried++
	}
	if tried == 0 {
		t.Error("expected keys that kfake lacks, found none")
	}
}

func TestABrokerAtAnAddress(t *testing.T) {
	k := open(t, "kfake")
	c := dial(t, k).(interface{ Addr() string })
	b := open(t, c.Addr())
	commitAndAbort(t, b, "elsewhere", true)
	for name, err := range map[string]error{"crash": b.Crash(t.Context()), "restart": b.Restart(t.Context())} {
		if !errors.Is(err, broker.ErrUnsupported) {
			t.Errorf("%s: expected ErrUnsupported, got %v", name, err)
		}
	}
	if err := b.DeleteTopic(t.Context(), "elsewhere-topic"); err != nil {
		t.Error(err)
	}
	if err := b.DeleteTopic(t.Context(), "elsewhere-topic"); err != nil {
		t.Errorf("deleting it again: expected no error, got %v", err)
	}
}

// A broker at an address may never have been asked for a coordinator: then it has none yet, and is waited for.
func TestABrokerAtAnAddressIsMadeACoordinator(t *testing.T) {
	cluster, err := kfake.NewCluster(kfake.NumBrokers(1))
	if err != nil {
		t.Fatal(err)
	}
	defer cluster.Close()
	var asked atomic.Int32
	cluster.ControlKey(int16(kmsg.FindCoordinator), func(req kmsg.Request) (kmsg.Response, error, bool) {
		cluster.KeepControl()
		if asked.Add(1) > 2 {
			return nil, nil, false
		}
		resp := req.ResponseKind().(*kmsg.FindCoordinatorResponse)
		resp.ErrorCode = kerr.CoordinatorNotAvailable.Code
		return resp, nil, true
	})
	b, err := broker.Open(t.Context(), broker.Target{Kind: broker.Address, Address: cluster.ListenAddrs()[0]}, broker.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer b.Close(t.Context())
	if n := asked.Load(); n != 3 {
		t.Errorf("expected to ask for the coordinator until there is one, asked %d times", n)
	}
}

// One broker of several sends requests away that others have to answer, which is no violation.
func TestOneBrokerOfSeveralIsNotJudged(t *testing.T) {
	cluster, err := kfake.NewCluster(kfake.NumBrokers(3))
	if err != nil {
		t.Fatal(err)
	}
	defer cluster.Close()
	_, err = broker.Open(t.Context(), broker.Target{Kind: broker.Address, Address: cluster.ListenAddrs()[0]}, broker.Options{})
	if !errors.Is(err, broker.ErrUnsupported) || !strings.Contains(err.Error(), "got one of 3") {
		t.Errorf("expected to hear that the broker is one of 3, got %v", err)
	}
}
