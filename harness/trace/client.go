package trace

import (
	"fmt"
	"strings"

	"github.com/onceproof/onceproof/spec"
	"github.com/onceproof/onceproof/spec/world"
)

// client is a producer as the features' language keeps it: what a line leaves out is filled in from here, so that a line
// has to say only what differs (package steps, actor).
type client struct {
	name  string
	id    int64
	epoch int16
	next  map[int8]int32
}

func newClient(i int) *client {
	return &client{name: string(rune('A' + i)), id: spec.NoProducer, epoch: spec.NoEpoch, next: map[int8]int32{}}
}

// learn is what the producer takes from an answer that it reads.
func (c *client) learn(r *spec.Request, a *answer) {
	if a.code != spec.None {
		return
	}
	switch {
	case r.API == spec.InitProducerID, r.API == spec.EndTxn && a.producerID != spec.NoProducer:
		c.id, c.epoch, c.next = a.producerID, a.epoch, map[int8]int32{}
	case r.API == spec.Produce:
		c.next[r.Partition] = max(c.next[r.Partition], r.Sequence+r.Count)
	}
}

// request is a request as a line has it in parentheses, or behind a verb: what it is about, and what is not the client's own.
func (s *scenario) request(c *client, r *spec.Request) string {
	var parts []string
	own := c.id == r.ProducerID && c.epoch == r.Epoch
	switch r.API {
	case spec.InitProducerID:
		fresh := r.ProducerID == spec.NoProducer
		switch {
		case !fresh && own:
			parts = append(parts, "its identity")
		case !fresh:
			parts = append(parts, fmt.Sprintf("producer id P%d, epoch %d", r.ProducerID, r.Epoch))
		}
		own = true
	case spec.AddPartitionsToTxn:
		parts = append(parts, partitions(r.Partitions))
	case spec.Produce:
		parts = append(parts, fmt.Sprintf("%q to t-%d", s.value(r), r.Partition))
		if c.next[r.Partition] != r.Sequence {
			parts[0] += fmt.Sprintf(" with sequence %d", r.Sequence)
		}
	case spec.EndTxn:
		parts = append(parts, outcome(r.Commit))
	}
	if !own {
		if c.id != r.ProducerID {
			parts = append(parts, fmt.Sprintf("producer id P%d", r.ProducerID))
		}
		parts = append(parts, fmt.Sprintf("epoch %d", r.Epoch))
	}
	return strings.Join(parts, ", ")
}

// call is a request in the form NAME(what it says).
func (s *scenario) call(c *client, r *spec.Request) string {
	what := s.request(c, r)
	if what == "" {
		return r.API.String()
	}
	return fmt.Sprintf("%v(%s)", r.API, what)
}

// patient is the line of a client that asks again while it is told to.
func (s *scenario) patient(c *client, r *spec.Request, a *answer) string {
	what := s.request(c, r)
	own := c.id == r.ProducerID && c.epoch == r.Epoch
	switch {
	case r.API == spec.InitProducerID && a.code == spec.None:
		return fmt.Sprintf("%s sends %s until it is granted", c.name, s.call(c, r))
	case r.API == spec.AddPartitionsToTxn && own:
		return fmt.Sprintf("%s adds %s %s to the transaction", c.name, plural(r.Partitions), what)
	case r.API == spec.Produce:
		return fmt.Sprintf("%s produces %s", c.name, what)
	case r.API == spec.EndTxn && own:
		return fmt.Sprintf("%s ends the transaction with %s", c.name, what)
	}
	return fmt.Sprintf("%s sends %s", c.name, s.call(c, r))
}

// value is what a batch holds: letters in the order in which the batches of all transactions are numbered.
func (s *scenario) value(r *spec.Request) string {
	txn, batch := world.BatchOf(r)
	n := (txn-1)*s.batches + batch
	return string(rune('a' + n%26))
}

func partitions(ps spec.Partitions) string {
	var names []string
	for p := range 64 {
		if ps.Has(p) {
			names = append(names, fmt.Sprintf("t-%d", p))
		}
	}
	return strings.Join(names, " ")
}

func plural(ps spec.Partitions) string {
	if ps&(ps-1) != 0 {
		return "partitions"
	}
	return "partition"
}

func outcome(commit bool) string {
	if commit {
		return "commit"
	}
	return "abort"
}

// says is an answer as "the answer is …" has it.
func (a *answer) says(r *spec.Request) string {
	text := a.code.Name()
	if a.code != spec.None {
		return text
	}
	if r.API == spec.Produce {
		text += fmt.Sprintf(" at offset %d", a.offset)
	}
	if a.producerID != spec.NoProducer {
		text += fmt.Sprintf(" with P%d at epoch %d", a.producerID, a.epoch)
	}
	return text
}
