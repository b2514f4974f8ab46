package reference

import (
	"time"

	"github.com/twmb/franz-go/pkg/kmsg"

	"github.com/onceproof/onceproof/spec"
)

// Mutation is one way in which a broker may be wrong. Each hook is nil or
// changes one thing at its place.
type Mutation struct {
	Name  string
	About string // what is wrong with it, in a line
	// Rules are those that a violation by it may name.
	Rules []spec.Rule

	// request changes a request on its arrival.
	request func(b *Broker, r *spec.Request)
	// answer changes an answer that a step gave.
	answer func(b *Broker, r *spec.Request, a *spec.Answer, d *spec.Decision)
	// step changes the state after a step.
	step func(b *Broker, before *spec.State, d *spec.Decision)
	// hold keeps a message under way for ever.
	hold func(b *Broker, m *spec.Message) bool
	// timeout changes how old a transaction may become.
	timeout func(time.Duration) time.Duration

	// record changes a record of the transaction log, or leaves it out.
	record func(b *Broker, r *stateRecord) bool

	fetched   func(b *Broker, partition int, isolation spec.Isolation, f *spec.Fetched)
	latest    func(b *Broker, partition int, isolation spec.Isolation, offset int64) int64
	producers func(b *Broker, partition int, views []spec.ProducerView) []spec.ProducerView
	described func(b *Broker, m *spec.Metadata)
	listed    func(resp *kmsg.ListTransactionsResponse)

	// reply changes what goes over the wire, whatever the request.
	reply func(b *Broker, req kmsg.Request, resp kmsg.Response)
	// strays answers a request that has no answer (acks=0); lenient leaves the
	// connection open where an error has to end it.
	strays, lenient bool
}

// Mutate makes the broker wrong in one way.
func (b *Broker) Mutate(m Mutation) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.mut = &m
	b.name = "spec, mutant " + m.Name
}
