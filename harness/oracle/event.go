package oracle

import (
	"time"

	"github.com/twmb/franz-go/pkg/kmsg"

	"github.com/onceproof/onceproof/harness/mapping"
	"github.com/onceproof/onceproof/harness/wire"
	"github.com/onceproof/onceproof/spec"
)

type eventKind uint8

const (
	sent eventKind = iota
	answered
	lost
	overdue
	settled
	restarted
	topicCreated
)

// event is something that happened, translated, so that it can be taken in
// again under other rules.
type event struct {
	kind  eventKind
	call  *call // sent, answered, lost, overdue
	at    time.Time
	clean bool
	text  string
	// txns and partitions are how many there are from here on.
	txns, partitions int

	// What came in an answer.
	came  string
	shape error          // the answer is none to that request
	seen  []mapping.Seen // to requests that change something
	shown []shown        // to each of the call's queries
}

// call is a request, in one of three forms: it changes something (requests),
// it reads (queries), or it is of no interest (neither).
type call struct {
	exchange int
	conn     ConnID
	text     string
	request  kmsg.Request
	at       time.Time // when it was sent
	requests []spec.Request
	silent   bool // no answer comes (acks=0)
	queries  []query
}

// translate finds out what the spec makes of a request.
func (o *Oracle) translate(c *call) error {
	if mapping.Modelled(c.request) {
		rs, err := o.names.Request(c.request)
		c.requests, c.silent = rs, !wire.HasResponse(c.request)
		return err
	}
	if changes(c.request) {
		return &NotJudged{mapping.Describe(c.request) + ": " + mapping.ErrOutside.Error()}
	}
	var err error
	c.queries, err = o.queries(c.request)
	return err
}

// changes reports whether a request that the spec does not model may change
// what the spec models.
func changes(req kmsg.Request) bool {
	switch kmsg.Key(req.Key()) {
	case kmsg.AddOffsetsToTxn, kmsg.TxnOffsetCommit, kmsg.DeleteRecords, kmsg.UpdateFeatures, kmsg.AlterPartitionAssignments, kmsg.ElectLeaders:
		return true
	}
	return false
}

// observe translates what came.
func (o *Oracle) observe(e *event, resp kmsg.Response) {
	switch c := e.call; {
	case len(c.requests) > 0:
		e.seen, e.shape = o.names.Observed(c.request, resp)
		for i, s := range e.seen {
			if i > 0 {
				e.came += "; "
			}
			e.came += s.String()
		}
	case len(c.queries) > 0:
		e.shown, e.shape = o.shown(c, resp)
		for i, s := range e.shown {
			if i > 0 {
				e.came += "; "
			}
			e.came += s.String()
		}
	default:
		o.state.learn(resp)
	}
	if e.shape != nil {
		e.came = e.shape.Error()
	}
}
