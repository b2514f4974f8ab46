package oracle

import (
	"fmt"
	"slices"

	"github.com/onceproof/onceproof/spec"
)

// difference is the first thing in which a state differs from what came.
type difference struct {
	rule           spec.Rule
	expected, came string
	agreed         int // how much agreed before it; the state with the most is nearest
}

func differs(rule spec.Rule, agreed int, what string, expected, came any) *difference {
	return &difference{rule: rule, agreed: agreed, expected: fmt.Sprintf("%s %v", what, expected), came: fmt.Sprintf("%s %v", what, came)}
}

// comparison compares one state with what came to one query.
type comparison struct {
	b      *belief
	node   *node
	q      *query
	s      *spec.State // of the moment of the read
	came   *shown
	before []bounds // of the states that the read may have begun in
	epochs attempt
	binds  [][2]int64 // placeholders that turn out to be producer ids
}

// compare returns the first difference, or nil.
func (m *comparison) compare() *difference {
	switch m.q.kind {
	case fetchLog:
		return m.fetched()
	case latestOffset:
		return m.offset()
	case activeProducers:
		return m.producers()
	case describeTxn:
		return m.described()
	case listTxns:
		return m.listed()
	}
	return m.stateRecords()
}

// bind binds the placeholders of the state.
func (m *comparison) bind() {
	for _, bind := range m.binds {
		m.node.bind(bind[0], bind[1])
	}
}

// sameProducer compares a producer id of the state with one that came.
func (m *comparison) sameProducer(have, came int64) bool {
	if have < placeholder {
		return have == came
	}
	for _, bind := range m.binds {
		if bind[0] == have {
			return bind[1] == came
		}
		if bind[1] == came {
			return false
		}
	}
	if !m.b.bindable(m.node, came) {
		return false
	}
	m.binds = append(m.binds, [2]int64{have, came})
	return true
}

func (m *comparison) offset() *difference {
	if !m.q.exists {
		return m.code(spec.UnknownTopicPartition, spec.READ12)
	}
	if d := m.code(spec.None, spec.READ12); d != nil {
		return d
	}
	want := int64(0)
	if !m.q.earliest {
		want = m.s.Leaders[m.q.partition].Latest(m.q.isolation)
	}
	if want == m.came.offset {
		return nil
	}
	if m.q.isolation == spec.ReadCommitted && !m.q.earliest {
		if stable, ok := m.lagging(); ok && stable == m.came.offset {
			return nil
		}
	}
	rule := spec.READ12
	if m.q.isolation == spec.ReadCommitted && !m.q.earliest {
		rule = spec.LSO01
	}
	return differs(rule, 0, "offset", want, m.came.offset)
}

func (m *comparison) code(want spec.Code, rule spec.Rule) *difference {
	if m.came.code == want {
		return nil
	}
	return differs(rule, 0, "error", want, m.came.code)
}

func (m *comparison) producers() *difference {
	if !m.q.exists {
		return m.code(spec.UnknownTopicPartition, spec.ADM01)
	}
	if d := m.code(spec.None, spec.ADM01); d != nil {
		return d
	}
	want := m.s.Leaders[m.q.partition].DescribeProducers()
	came := map[int64]spec.ProducerView{}
	for _, p := range m.came.producers {
		came[p.ID] = p
	}
	for i, w := range want {
		c, ok := came[w.ID]
		switch {
		case !ok:
			return differs(spec.ADM01, i, fmt.Sprintf("producer %d", w.ID), "known", "not known")
		case w.Epoch != c.Epoch:
			return differs(spec.MARK13, i, fmt.Sprintf("epoch of producer %d", w.ID), w.Epoch, c.Epoch)
		case w.LastSequence != c.LastSequence:
			return differs(spec.ADM01, i, fmt.Sprintf("last sequence of producer %d", w.ID), w.LastSequence, c.LastSequence)
		case w.TxnStart != c.TxnStart:
			return differs(spec.ADM01, i, fmt.Sprintf("start of the open transaction of producer %d", w.ID), w.TxnStart, c.TxnStart)
		case !m.epochs.same(w.CoordinatorEpoch, c.CoordinatorEpoch):
			return differs(spec.MARK13, i, fmt.Sprintf("coordinator epoch of producer %d", w.ID), m.epochText(w.CoordinatorEpoch), c.CoordinatorEpoch)
		}
	}
	if len(came) != len(want) {
		return differs(spec.ADM01, len(want), "number of producers", len(want), len(came))
	}
	return nil
}

// epochText is an epoch of the state as people know it.
func (m *comparison) epochText(internal int32) string {
	if internal < 0 {
		return fmt.Sprint(internal)
	}
	base, seen := m.epochs.e.base(internal >> generationShift)
	if !seen {
		return "of a later load"
	}
	return fmt.Sprint(base + internal&(1<<generationShift-1))
}

func (m *comparison) described() *difference {
	want, code := m.s.DescribeTransaction(m.q.txn)
	if d := m.code(code, spec.ADM02); d != nil || code != spec.None {
		return d
	}
	came := &m.came.metadata
	switch {
	case want.Status.String() != m.came.status:
		return differs(spec.ADM02, 0, "state", want.Status, m.came.status)
	case !m.sameProducer(want.ProducerID, came.ProducerID):
		return differs(spec.ADM02, 1, "producer id", want.ProducerID, came.ProducerID)
	case want.Epoch != came.Epoch:
		return differs(spec.ADM02, 2, "producer epoch", want.Epoch, came.Epoch)
	case want.TimeoutMs != came.TimeoutMs:
		return differs(spec.INIT39, 3, "timeout", want.TimeoutMs, came.TimeoutMs)
	case want.Partitions != came.Partitions:
		return differs(spec.ADM02, 4, "partitions", m.partitions(want.Partitions), m.partitions(came.Partitions))
	case (want.Status == spec.Empty) != (m.came.started < 0):
		return differs(spec.ADM02, 5, "start", startOf(want.Status), m.came.started)
	}
	return nil
}

// startOf says what is known of the time at which a transaction began: there is
// none in Empty (SM-02).
func startOf(s spec.Status) string {
	if s == spec.Empty {
		return "-1"
	}
	return "a time"
}

func (m *comparison) partitions(ps spec.Partitions) string {
	out := "none"
	for p := range 64 {
		if ps.Has(p) {
			if out == "none" {
				out = m.b.names.PartitionName(p).String()
			} else {
				out += ", " + m.b.names.PartitionName(p).String()
			}
		}
	}
	return out
}

func (m *comparison) listed() *difference {
	if !m.s.Coordinator.Up {
		return m.code(spec.CoordinatorLoading, spec.ADM04)
	}
	if d := m.code(spec.None, spec.ADM04); d != nil {
		return d
	}
	unknown := slices.DeleteFunc(slices.Clone(m.q.states), func(s string) bool { return slices.Contains(stateNames, s) })
	if !slices.Equal(unknown, m.came.unknown) {
		return differs(spec.ADM04, 0, "states that are not known", unknown, m.came.unknown)
	}
	agreed := 0
	for id := range m.s.Coordinator.Txns {
		t := &m.s.Coordinator.Txns[id]
		name := m.b.names.TxnName(int8(id))
		c, ok := m.came.listed[spec.TxnID(id)]
		matches := t.Known && m.passes(t)
		switch {
		case matches && !ok:
			return differs(spec.ADM04, agreed, name, "listed", "not listed")
		case !matches && ok:
			return differs(spec.ADM04, agreed, name, "not listed", "listed as "+c.status)
		case !ok:
			continue
		case t.Memory.Status.String() != c.status:
			return differs(spec.ADM04, agreed, "state of "+name, t.Memory.Status, c.status)
		case !m.sameProducer(t.Memory.ProducerID, c.producer):
			return differs(spec.ADM04, agreed, "producer id of "+name, t.Memory.ProducerID, c.producer)
		}
		agreed++
	}
	return nil
}

// stateNames, read only, are the states by their names on the wire (ADM-03).
var stateNames = []string{"Empty", "Ongoing", "PrepareCommit", "PrepareAbort", "CompleteCommit", "CompleteAbort", "Dead", "PrepareEpochFence"}

// passes reports whether a transactional id passes the filters of the request.
func (m *comparison) passes(t *spec.Txn) bool {
	state, producer := len(m.q.states) == 0, len(m.q.producers) == 0
	for _, s := range m.q.states {
		state = state || s == t.Memory.Status.String()
	}
	for _, p := range m.q.producers {
		producer = producer || p == t.Memory.ProducerID
	}
	return state && producer
}
