package steps

import (
	"context"
	"fmt"
	"strings"

	"github.com/onceproof/onceproof/harness/broker"
	"github.com/onceproof/onceproof/spec"
)

// defaultTimeout is the transaction timeout of the Java client (TMO-01).
const defaultTimeout = 60_000

// createTopic makes a topic of the scenario. A broker that offers CreateTopics is asked on a connection of the session.
func (w *World) createTopic(ctx context.Context, name string, partitions int32) error {
	w.asked = append(w.asked, w.named(name))
	err := w.makeTopic(ctx, w.named(name), partitions)
	if err != nil {
		if v, ok := err.(*Violation); ok {
			return v
		}
		return unjudged(err, "the topic could not be made")
	}
	w.topics[name] = partitions
	w.Oracle.TopicCreated(w.named(name), partitions)
	w.session.note(0, "topic %s with %d partitions is there", name, partitions)
	return nil
}

func (w *World) makeTopic(ctx context.Context, name string, partitions int32) error {
	const createTopics = 19
	if _, offered := w.Versions.Keys[createTopics]; !offered {
		return w.Broker.CreateTopic(ctx, name, partitions)
	}
	c, err := w.conn(ctx)
	if err != nil {
		return err
	}
	c.setup = true
	defer func() { c.setup = false }()
	return broker.CreateTopic(ctx, c, name, partitions)
}

// introduce gives a producer its name. Without a style it speaks as a client does that follows the broker's finalized
// transaction.version and what the broker offers (CLI-07).
func (w *World) introduce(name, style string, txn *string, timeout string) error {
	if _, twice := w.actors[name]; twice {
		return fmt.Errorf("there is a producer %s already", name)
	}
	a := &actor{name: name, txn: txn, timeout: defaultTimeout, v5: w.offersV5(), id: spec.NoProducer, epoch: spec.NoEpoch,
		next: map[partition]int32{}, added: map[partition]bool{}}
	if style != "" {
		a.v5 = style == "v5"
	}
	if timeout != "" {
		if _, err := fmt.Sscan(timeout, &a.timeout); err != nil {
			return err
		}
	}
	w.actors[name] = a
	return nil
}

// offersV5 reports whether an ordinary client would use Produce v12 and EndTxn v5.
func (w *World) offersV5() bool {
	v := &w.Versions
	return v.TransactionVersion >= 2 && v.Has(spec.Produce.Key(), 12) && v.Has(spec.EndTxn.Key(), 5)
}

// does sends a request of an actor until it is taken.
func (w *World) does(ctx context.Context, name string, api spec.API, text string) error {
	p, err := parsePhrase(api, text)
	if err != nil {
		return err
	}
	c, err := w.prepare(name, p)
	if err != nil {
		return err
	}
	return w.sendUntilTaken(ctx, c)
}

// writes produces in the way of the actor's style: a client that does not send Produce v12 adds the partition first.
func (w *World) writes(ctx context.Context, name, text string) error {
	a, err := w.actor(name)
	if err != nil {
		return err
	}
	p, err := parsePhrase(spec.Produce, text)
	if err != nil {
		return err
	}
	if !a.v5 && a.txn != nil {
		for _, at := range p.partitions {
			if a.added[at] {
				continue
			}
			if err := w.does(ctx, name, spec.AddPartitionsToTxn, at.String()); err != nil {
				return err
			}
			if w.last.answer.code != 0 {
				return mismatch("NONE to AddPartitionsToTxn", w.describe(w.last))
			}
		}
	}
	return w.does(ctx, name, spec.Produce, text)
}

// sends sends any request, in the way that the end of the line says.
func (w *World) sends(ctx context.Context, name, text, how string) error {
	c, err := w.request(name, text)
	if err != nil {
		return err
	}
	switch strings.TrimSpace(how) {
	case "once":
		return w.send(ctx, c)
	case "and the answer is lost":
		return w.lose(ctx, c)
	case "and the connection is closed":
		return w.expectClosed(ctx, c)
	}
	return w.sendUntilTaken(ctx, c)
}

// holds builds a request and keeps it for later.
func (w *World) holds(name, text, label string) error {
	c, err := w.request(name, text)
	if err != nil {
		return err
	}
	if _, taken := w.held[label]; taken {
		return fmt.Errorf("a request is held as %q already", label)
	}
	w.held[label] = c
	w.session.note(0, "%s's %s is held as %q", name, text, label)
	return nil
}

func (w *World) answers(text string) error { return w.expect(text) }

// granted checks that the last answer gave an actor this identity.
func (w *World) granted(name, producer string, epoch int16) error {
	if w.last == nil || w.last.actor.name != name || !w.last.answer.came {
		return fmt.Errorf("the last request is not one of %s", name)
	}
	return w.expect(fmt.Sprintf("NONE with %s at epoch %d", producer, epoch))
}

// expectAppendTime checks that a duplicate is answered with the time of the batch it repeats, and anything else with
// none (IDEM-18).
func (w *World) expectAppendTime(what string) error {
	c, err := w.answered()
	if err != nil {
		return err
	}
	want := int64(-1)
	if what == "the time of the batch" {
		if len(c.phrase.partitions) != 1 {
			return fmt.Errorf("the last request is no Produce to one partition")
		}
		want = w.times[stored{c.phrase.partitions[0], c.answer.offset}]
		w.showed(spec.IDEM18)
	}
	return same(fmt.Sprintf("%s (%d)", what, want), fmt.Sprint(c.answer.appendTime), c.answer.appendTime == want)
}

// answered is the last request, which has its answer.
func (w *World) answered() (*call, error) {
	switch {
	case w.last == nil:
		return nil, fmt.Errorf("nothing was sent yet")
	case !w.last.answer.came:
		return nil, fmt.Errorf("the last request has no answer: expected a line about what it did")
	}
	return w.last, nil
}

// expectFeature checks what ApiVersions says of transaction.version.
func (w *World) expectFeature(ctx context.Context, level int16, low, high string) error {
	v, err := w.Broker.Versions(ctx)
	if err != nil {
		return unjudged(err, "the broker does not say its versions")
	}
	got := fmt.Sprintf("%d, supported %v", v.TransactionVersion, v.SupportedTransactionVersions)
	if low == "" || v.SupportedTransactionVersions == nil {
		return same(fmt.Sprint(level), got, v.TransactionVersion == level)
	}
	r := *v.SupportedTransactionVersions
	return same(fmt.Sprintf("%d, supported %s to %s", level, low, high), got,
		v.TransactionVersion == level && fmt.Sprint(r.Min) == low && fmt.Sprint(r.Max) == high)
}
