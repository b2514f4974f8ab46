package steps

import (
	"context"
	"errors"
	"slices"
	"testing"

	"github.com/onceproof/onceproof/harness/broker"
)

// gone is a broker that breaks off while a topic is being made.
type gone struct{ broker.Broker }

func (gone) CreateTopic(context.Context, string, int32) error { return errors.New("interrupted") }

// A topic whose making was interrupted may be there all the same: it has to be taken away at the end.
func TestTopicOfAnInterruptedCreationIsRemembered(t *testing.T) {
	w := NewWorld()
	w.Broker, w.Suffix = gone{}, "run"
	if err := w.createTopic(t.Context(), "t", 1); err == nil {
		t.Fatal("the topic is made though the broker broke off")
	}
	if !slices.Equal(w.Topics(), []string{"t.run"}) {
		t.Fatalf("topics to take away: %v, want t.run", w.Topics())
	}
}
