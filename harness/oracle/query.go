package oracle

import (
	"fmt"
	"slices"
	"strings"

	"github.com/twmb/franz-go/pkg/kmsg"

	"github.com/onceproof/onceproof/harness/mapping"
	"github.com/onceproof/onceproof/harness/wire"
	"github.com/onceproof/onceproof/spec"
)

type queryKind uint8

const (
	fetchLog queryKind = iota
	latestOffset
	activeProducers
	describeTxn
	listTxns
	fetchState
	ignored
)

// query is one part of a reading request: what it asks of one partition or of
// one transactional id. It takes place at one moment.
type query struct {
	kind      queryKind
	name      mapping.Partition
	partition int
	exists    bool
	offset    int64
	isolation spec.Isolation
	earliest  bool
	txn       spec.TxnID
	id        string
	states    []string // of ListTransactions
	producers []int64
}

// rule is what answers the query.
func (q *query) rule() spec.Rule {
	switch q.kind {
	case fetchLog:
		return spec.READ01
	case latestOffset:
		return spec.READ12
	case activeProducers:
		return spec.ADM01
	case describeTxn:
		return spec.ADM02
	case listTxns:
		return spec.ADM04
	}
	return spec.SM01
}

// shown is what came to a query.
type shown struct {
	code      spec.Code
	high, lso int64
	logStart  int64
	aborted   []spec.AbortedTxn // nil for null
	batches   []wire.RecordBatch
	contents  []string // of the batches
	cut       bool     // the broker has cut the last batch
	offset    int64
	producers []spec.ProducerView
	metadata  spec.Metadata // of DescribeTransactions
	status    string
	started   int64 // of DescribeTransactions: when the transaction began
	listed    map[spec.TxnID]listedTxn
	unknown   []string // of ListTransactions: the states that it does not know
	records   map[spec.TxnID][]wire.TxnRecord
	whole     bool // of __transaction_state: from its beginning to its end
}

type listedTxn struct {
	producer int64
	status   string
}

func (s *shown) String() string {
	if s.code != spec.None {
		return s.code.String()
	}
	var parts []string
	switch {
	case s.status != "":
		parts = append(parts, fmt.Sprintf("%s, producer %d, epoch %d, timeout %d ms, partitions %b", s.status, s.metadata.ProducerID, s.metadata.Epoch, s.metadata.TimeoutMs, s.metadata.Partitions))
	case s.listed != nil:
		parts = append(parts, fmt.Sprintf("%d transactional ids", len(s.listed)))
	case s.records != nil:
		parts = append(parts, "records of the transaction log")
	case s.producers != nil:
		parts = append(parts, fmt.Sprintf("%+v", s.producers))
	case s.high >= 0:
		parts = append(parts, fmt.Sprintf("high watermark %d, last stable offset %d, %d batches, aborted %v", s.high, s.lso, len(s.batches), s.aborted))
	default:
		parts = append(parts, fmt.Sprintf("offset %d", s.offset))
	}
	return strings.Join(parts, "; ")
}

// stateTopic is what is known of __transaction_state.
type stateTopic struct{ partitions int32 }

const stateTopicName = "__transaction_state"

// learn reads the number of its partitions from a Metadata answer.
func (t *stateTopic) learn(resp kmsg.Response) {
	m, ok := resp.(*kmsg.MetadataResponse)
	if !ok {
		return
	}
	for i := range m.Topics {
		if topic := &m.Topics[i]; topic.Topic != nil && *topic.Topic == stateTopicName && topic.ErrorCode == 0 {
			t.partitions = int32(len(topic.Partitions))
		}
	}
}

// queries cuts a reading request into its parts, in the order in which a broker
// serves them.
func (o *Oracle) queries(req kmsg.Request) (qs []query, err error) {
	switch req := req.(type) {
	case *kmsg.FetchRequest:
		return o.fetchQueries(req)
	case *kmsg.ListOffsetsRequest:
		for _, t := range req.Topics {
			for _, p := range t.Partitions {
				q := query{kind: latestOffset, isolation: spec.Isolation(req.IsolationLevel), earliest: p.Timestamp == -2}
				if p.Timestamp != -1 && p.Timestamp != -2 || req.Version < 1 {
					q.kind = ignored
				}
				if err := o.place(&q, t.Topic, p.Partition); err != nil {
					return nil, err
				}
				qs = append(qs, q)
			}
		}
	case *kmsg.DescribeProducersRequest:
		for _, t := range req.Topics {
			for _, p := range t.Partitions {
				q := query{kind: activeProducers}
				if err := o.place(&q, t.Topic, p); err != nil {
					return nil, err
				}
				qs = append(qs, q)
			}
		}
	case *kmsg.DescribeTransactionsRequest:
		for _, id := range req.TransactionalIDs {
			q := query{kind: describeTxn, txn: spec.EmptyTxnID, id: id}
			if id != "" {
				number, err := o.names.Txn(id)
				if err != nil {
					return nil, err
				}
				q.txn = spec.TxnID(number)
			}
			qs = append(qs, q)
		}
	case *kmsg.ListTransactionsRequest:
		q := query{kind: listTxns, states: req.StateFilters, producers: req.ProducerIDFilters}
		if req.Version >= 1 && req.DurationFilterMillis >= 0 || req.Version >= 2 && req.TransactionalIDPattern != nil {
			q.kind = ignored
		}
		qs = append(qs, q)
	}
	return qs, nil
}

// place sets the partition that a query is about.
func (o *Oracle) place(q *query, topic string, partition int32) error {
	q.name = mapping.Partition{Topic: topic, Index: partition}
	if strings.HasPrefix(topic, "__") {
		q.kind = ignored
		return nil
	}
	number, exists, err := o.names.Partition(topic, partition)
	q.partition, q.exists = int(number), exists
	return err
}

func (o *Oracle) fetchQueries(req *kmsg.FetchRequest) (qs []query, err error) {
	for _, t := range req.Topics {
		for _, p := range t.Partitions {
			q := query{kind: fetchLog, name: mapping.Partition{Topic: t.Topic, Index: p.Partition}, isolation: spec.Isolation(req.IsolationLevel), offset: p.FetchOffset}
			switch {
			case t.Topic == stateTopicName:
				q.kind, q.partition = fetchState, int(p.Partition)
			case req.Version < 4 || req.Version > 12 || p.CurrentLeaderEpoch > 0:
				q.kind = ignored
			default:
				if err := o.place(&q, t.Topic, p.Partition); err != nil {
					return nil, err
				}
			}
			qs = append(qs, q)
		}
	}
	return qs, nil
}

// sight is what a query sees of a state.
func (q *query) sight(s *spec.State) sight {
	var out spec.State
	switch q.kind {
	case fetchLog, latestOffset, activeProducers:
		if !q.exists {
			break
		}
		out.Leaders = make([]spec.Leader, len(s.Leaders))
		l := &s.Leaders[q.partition]
		if q.kind == activeProducers {
			out.Leaders[q.partition] = spec.Leader{Producers: l.Producers}
			break
		}
		out.Leaders[q.partition] = spec.Leader{Log: l.Log, Producers: l.Producers, Aborted: l.Aborted}
		keepMarking(&out, s, q.partition)
	case describeTxn, listTxns, fetchState:
		out.Coordinator.Up, out.Coordinator.Txns = s.Coordinator.Up, slices.Clone(s.Coordinator.Txns)
		for i := range out.Coordinator.Txns {
			t := &out.Coordinator.Txns[i]
			t.Pending = spec.Pending{Phase: t.Pending.Phase} // an append may not be seen yet
			if q.kind != fetchState {
				t.Pending.Phase = spec.Idle
			}
			if q.kind != fetchState {
				t.Log = nil
			}
			if q.kind == describeTxn && i != int(q.txn) {
				*t = spec.Txn{}
			}
		}
	}
	return newSight(&out)
}

func newSight(s *spec.State) sight {
	parts := sums{txns: make([]txnSum, len(s.Coordinator.Txns)), leaders: make([]leaderSum, len(s.Leaders))}
	parts.updateAll(s)
	sum, _ := (&node{s: *s, parts: parts}).total(nil, 0, nil)
	return sight{s, sum}
}
