package broker_test

import (
	"errors"
	"testing"

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
