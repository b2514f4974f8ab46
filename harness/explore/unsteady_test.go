package explore_test

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/twmb/franz-go/pkg/kmsg"

	"github.com/onceproof/onceproof/harness/broker"
	"github.com/onceproof/onceproof/harness/explore"
	"github.com/onceproof/onceproof/harness/reference"
	"github.com/onceproof/onceproof/harness/wire"
	"github.com/onceproof/onceproof/spec"
)

func right() spec.Fixes { return spec.AllReleases()[0].Fixes }

// onKafka is the reference broker.
func onKafka() *reference.Broker {
	return reference.New(spec.Rules{TransactionVersion: 2, Fixes: right()}, 1)
}

// mutated is the reference broker, wrong in a way that walks see soon.
func mutated(t *testing.T) *reference.Broker {
	t.Helper()
	b := onKafka()
	for _, m := range reference.Mutants() {
		if m.Name == "describe-epoch" {
			b.Mutate(m)
			return b
		}
	}
	t.Fatal("expected the mutant describe-epoch, got none")
	return nil
}

// unsteady is a broker that stands still, is elected anew, or can't be reached.
type unsteady struct {
	broker.Broker
	versions func(ctx context.Context) error
	epoch    func() int32
	describe func(*kmsg.DescribeTransactionsResponse) // what is done before one is answered
}

// Now is the time by the reference broker's own clock, which runs fast while it is polled.
func (u *unsteady) Now() time.Time { return u.Broker.(*reference.Broker).Now() }

func (u *unsteady) Versions(ctx context.Context) (broker.Versions, error) {
	if u.versions != nil {
		if err := u.versions(ctx); err != nil {
			return broker.Versions{}, err
		}
	}
	return u.Broker.Versions(ctx)
}

func (u *unsteady) Dial(ctx context.Context) (broker.Conn, error) {
	c, err := u.Broker.Dial(ctx)
	return &elected{c, u}, err
}

// elected is a connection on which answers are another's.
type elected struct {
	broker.Conn
	*unsteady
}

func (e *elected) Do(ctx context.Context, req kmsg.Request) (*wire.Exchange, error) {
	x, err := e.Conn.Do(ctx, req)
	e.change(x, err)
	return x, err
}

func (e *elected) Receive(ctx context.Context) (*wire.Exchange, error) {
	x, err := e.Conn.Receive(ctx)
	e.change(x, err)
	return x, err
}

func (e *elected) change(x *wire.Exchange, err error) {
	if err != nil {
		return
	}
	if d, ok := x.Response.(*kmsg.DescribeTransactionsResponse); ok && e.describe != nil {
		e.describe(d)
		x.Received = time.Now()
	}
	if m, ok := x.Response.(*kmsg.MetadataResponse); ok && e.epoch != nil {
		n := e.epoch()
		for i := range m.Topics {
			for j := range m.Topics[i].Partitions {
				m.Topics[i].Partitions[j].LeaderEpoch = n
			}
		}
	}
}

// shared explores a broker that all walks share.
func shared(b broker.Broker, exchanges int) explore.Options {
	o := onSpec(2, right(), nil)
	o.Exchanges, o.Alone, o.Patience = exchanges, false, 20*time.Second
	o.Open = func(context.Context) (broker.Broker, func([]string), error) { return b, func([]string) {}, nil }
	return o
}

// A broker that was restarted before has a coordinator of another epoch than a fresh one, by which markers by hand are
// refused.
func TestABrokerThatWasRestartedBeforeConforms(t *testing.T) {
	t.Parallel()
	o := shared(nil, 3000)
	o.Open = func(ctx context.Context) (broker.Broker, func([]string), error) { // the reference broker has room for one walk's topics
		b := onKafka()
		return b, func([]string) {}, errors.Join(b.Restart(ctx), b.Restart(ctx))
	}
	r, err := explore.Run(t.Context(), o)
	if err != nil || r.Stopped != "" {
		t.Fatalf("expected a run to the end, got %q (%v)", r.Stopped, err)
	}
	for _, f := range r.Failures {
		t.Errorf("%v\n%s", f.Violation, f.Script.Gherkin())
	}
	for reason, n := range r.Ended {
		t.Errorf("%d walks ended without a verdict: %s", n, reason)
	}
}

// While its coordinators are elected anew a broker is not judged: the oracle knows nothing of that.
func TestNoViolationWhileCoordinatorsAreElected(t *testing.T) {
	t.Parallel()
	epoch := int32(0)
	r, err := explore.Run(t.Context(), shared(&unsteady{Broker: mutated(t)}, 100))
	if err != nil || len(r.Failures) == 0 {
		t.Fatalf("expected that the walks find what is wrong, got %v (%v)", r.Failures, err)
	}
	r, err = explore.Run(t.Context(), shared(&unsteady{Broker: mutated(t), epoch: func() int32 { epoch++; return epoch }}, 100))
	if err != nil || len(r.Failures) > 0 {
		t.Fatalf("expected no violation, got %v (%v)", r.Failures, err)
	}
	for reason := range r.Ended {
		if strings.Contains(reason, "elected anew") {
			return
		}
	}
	t.Errorf("expected a walk that ended without a verdict, got %v", r.Ended)
}

// What is shown of the shortest scenario is what it did, also where it did it only once.
func TestTheHistoryIsThatOfTheShortest(t *testing.T) {
	t.Parallel()
	const wrong = 8 + 12 // a round, and some plays of shortening
	opened := 0
	o := onSpec(2, right(), nil)
	o.Exchanges = 100
	o.Open = func(context.Context) (broker.Broker, func([]string), error) {
		if opened++; opened <= wrong {
			return mutated(t), func([]string) {}, nil
		}
		return onKafka(), func([]string) {}, nil
	}
	r, err := explore.Run(t.Context(), o)
	if err != nil || len(r.Failures) == 0 {
		t.Fatalf("expected a deviation, got %v (%v)", r.Failures, err)
	}
	for _, f := range r.Failures {
		if f.Failed != 0 || f.Of == 0 || len(f.Script.Steps) >= len(f.Found.Steps) {
			t.Fatalf("expected a shorter scenario that fails no more, got %d of %d, %d lines of %d", f.Failed, f.Of, len(f.Script.Steps), len(f.Found.Steps))
		}
		for _, e := range f.History {
			if e.Line > len(f.Script.Steps) {
				t.Fatalf("expected events of the %d lines of the script, got one of line %d", len(f.Script.Steps), e.Line)
			}
		}
	}
}

// A broker that stands still while a scenario is shortened does not end the run.
func TestABrokerThatStandsStillForAWhile(t *testing.T) {
	t.Parallel()
	asked := 0
	b := &unsteady{Broker: mutated(t), versions: func(ctx context.Context) error {
		if asked++; asked != 8+3 {
			return nil
		}
		<-ctx.Done()
		return ctx.Err()
	}}
	r, err := explore.Run(t.Context(), shared(b, 100))
	if err != nil || len(r.Failures) == 0 || r.Failures[0].Failed != 5 {
		t.Errorf("expected a deviation that fails 5 times of 5, got %v (%v)", r.Failures, err)
	}
}

// What is answered once, after a standstill, is no violation; without a standstill it is one.
func TestWhatIsAnsweredAfterAStandstill(t *testing.T) {
	t.Parallel()
	for _, still := range []time.Duration{0, 2100 * time.Millisecond} {
		answered := 0
		describe := func(d *kmsg.DescribeTransactionsResponse) {
			if t := &d.TransactionStates[0]; t.ErrorCode == 0 {
				if answered++; answered == 1 {
					time.Sleep(still)
					t.ProducerEpoch++
				}
			}
		}
		o := shared(nil, 400)
		o.Open = func(context.Context) (broker.Broker, func([]string), error) {
			return &unsteady{Broker: onKafka(), describe: describe}, func([]string) {}, nil
		}
		r, err := explore.Run(t.Context(), o)
		if err != nil || (len(r.Failures) > 0) != (still == 0) || (len(r.Ended) > 0) == (still == 0) {
			t.Errorf("after %v: expected a violation only without a standstill, got %d, ended %v (%v)\n%s", still, len(r.Failures), r.Ended, err, r.Summary())
			for _, f := range r.Failures {
				t.Log(f.Script.Gherkin())
			}
		}
	}
}

func TestARunThatEnds(t *testing.T) {
	t.Parallel()
	away := errors.New("connection refused")
	for _, test := range []struct {
		name    string
		open    func(cancel func(), opened int) error
		stopped string
		err     error
	}{
		{"interrupted", func(cancel func(), opened int) error { cancel(); return context.Canceled }, "interrupted", nil},
		{"gone", func(_ func(), opened int) error { return away }, "", away},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			opened := 0
			o := onSpec(2, right(), nil)
			o.Open = func(context.Context) (broker.Broker, func([]string), error) {
				if opened++; opened > 11 {
					return nil, nil, test.open(cancel, opened)
				}
				return onKafka(), func([]string) {}, nil
			}
			r, err := explore.Run(ctx, o)
			if !errors.Is(err, test.err) || r.Stopped != test.stopped {
				t.Errorf("expected %q (%v), got %q (%v)", test.stopped, test.err, r.Stopped, err)
			}
			if r.Walks != 11 {
				t.Errorf("expected the 11 walks that had a broker, got %d", r.Walks)
			}
		})
	}
}

// A broker with which no walk gets anywhere ends the run instead of keeping it.
func TestNoWalkGetsAnywhere(t *testing.T) {
	t.Parallel()
	o := shared(&deaf{onKafka()}, 1_000_000)
	o.Alone = true
	r, err := explore.Run(t.Context(), o)
	if err != nil || !strings.Contains(r.Stopped, "no walk of a round got anywhere: ") || !strings.Contains(r.Stopped, "not now") {
		t.Errorf("expected that the run stops and says why, got %q (%v)", r.Stopped, err)
	}
}

// deaf is a broker that tells its versions and serves nothing.
type deaf struct{ broker.Broker }

func (d *deaf) Dial(context.Context) (broker.Conn, error) { return nil, errors.New("not now") }
