package trace

import (
	"fmt"
	"slices"

	"github.com/onceproof/onceproof/harness/script"
	"github.com/onceproof/onceproof/spec"
)

// overtake says what stands still inside the broker while something comes from outside.
func (s *scenario) overtake(m *moment) {
	for _, st := range m.overtakes {
		what := standsStill(&m.before.Broker, st)
		if slices.Contains(s.announced, what) {
			continue
		}
		s.announced = append(s.announced, what)
		s.within("%s", what)
		s.broken = true
	}
}

// within writes a line that no tester can place.
func (s *scenario) within(format string, args ...any) {
	s.inside = true
	s.Add(script.When, "inside the broker, "+format, args...)
}

func standsStill(b *spec.State, st spec.Step) string {
	switch st.Kind {
	case spec.Apply:
		return "the append of the coordinator is not acknowledged yet"
	case spec.Reload:
		return "the coordinator still loads its log"
	case spec.Deliver:
		m := &b.Net[st.Index]
		switch m.Kind {
		case spec.Ask:
			return fmt.Sprintf("the question of t-%d's leader is held", m.Partition)
		case spec.Reply:
			return fmt.Sprintf("the coordinator's reply to t-%d's leader is held", m.Partition)
		case spec.Marker:
			return fmt.Sprintf("the marker for t-%d is held", m.Partition)
		}
		return fmt.Sprintf("the answer to the marker for t-%d is held", m.Partition)
	}
	return st.Kind.String() + " is held"
}

// internal writes what the broker does, where a tester brings it about or where it is out of order.
func (s *scenario) internal(i int) {
	m := &s.ms[i]
	switch k := m.action.Step.Kind; {
	case k == spec.TimeOut:
		s.Add(script.When, `the transaction of "id" times out`)
		s.decided = false
	case k == spec.Crash:
		s.waitForCompletion(m)
		s.Add(script.When, "the broker crashes and comes back")
		s.decided = m.before.Broker.Coordinator.Txns[0].Known
	case k == spec.CrashLosing:
		s.within("the coordinator crashes, and the append that was not acknowledged is lost")
	case k == spec.ResendMarker && m.action.Message.Kind == spec.Marker:
		s.resent = append(s.resent, m.action.Message)
	case m.early() && s.model.Quick == 1:
		// written before the request that it follows on
	case m.late():
		s.lateMarker(m)
	case s.broken && i >= s.steps:
		if i == s.steps {
			s.within("everything else goes on")
		}
	case s.broken && k != spec.Reload:
		s.within("%s", m.text)
	}
	if request, ok := s.landing[i]; ok {
		s.land(request)
	}
}

// land is the answer to a request that is under way.
func (s *scenario) land(i int) {
	m := &s.ms[i]
	c, r, a := s.clients[s.clientOf(m)], &m.action.Request, answerTo(s.ms, i)
	s.Add(script.When, "%q is answered", s.labels[i])
	s.Add(script.Then, "the answer is %s", a.says(r))
	c.learn(r, &a)
}

// holdMarkers has the tester make, before moment i, the late copies of the markers that the coordinator has sent again,
// once the marker itself is written: from then on DescribeProducers tells the coordinator's epoch.
func (s *scenario) holdMarkers(i int) {
	if len(s.ms[i].overtakes) > 0 {
		return
	}
	for _, msg := range s.resent {
		if _, held := s.markers[msg.Partition]; held || !s.arrivesLate(i, &msg) {
			continue
		}
		s.holdMarker(&s.ms[i], &msg)
	}
	s.resent = nil
}

// arrivesLate reports whether a copy of the marker arrives at moment i or later.
func (s *scenario) arrivesLate(i int, msg *spec.Message) bool {
	return slices.ContainsFunc(s.ms[i:], func(m moment) bool {
		return m.late() && m.action.Message.Number == msg.Number && m.action.Message.Partition == msg.Partition
	})
}

func (s *scenario) holdMarker(m *moment, msg *spec.Message) {
	epoch := s.coordinatorEpoch(m, msg.Partition)
	label := s.label("late ", &spec.Request{API: spec.WriteTxnMarkers})
	s.markers[msg.Partition] = label
	c := s.clients[s.holder(&spec.Request{ProducerID: msg.ProducerID})]
	s.Add(script.When, "%s's %s is held as %q", c.name, s.marker(msg, epoch), label)
}

// lateMarker has the late copy arrive.
func (s *scenario) lateMarker(m *moment) {
	msg := m.action.Message
	label, held := s.markers[msg.Partition]
	if !held {
		s.holdMarker(m, &msg)
		label = s.markers[msg.Partition]
	}
	delete(s.markers, msg.Partition)
	s.stands["marker"] = true
	s.requests++
	s.waitForCompletion(m)
	s.Add(script.When, "%q arrives", label)
	s.Add(script.Then, "the answer is %s", m.decision.Message.Name())
}

// sendEarly writes, before the request or the timeout of moment i, the first copies of markers that arrive before those that
// the coordinator waits for.
func (s *scenario) sendEarly(i int) {
	for k := i + 1; k < len(s.ms) && !s.ms[k].outside() && s.model.Quick == 1; k++ {
		if !s.ms[k].early() {
			continue
		}
		msg := s.ms[k].action.Message
		epoch := s.coordinatorEpoch(&s.ms[i], msg.Partition)
		s.stands["early"] = true
		s.requests++
		s.waitForCompletion(&s.ms[i])
		s.Add(script.When, "%s sends %s", s.clients[s.holder(&spec.Request{ProducerID: msg.ProducerID})].name, s.marker(&msg, epoch))
		s.Add(script.Then, "the answer is %s", s.ms[k].decision.Message.Name())
	}
}

// marker is a marker of the coordinator's as the tester sends it.
func (s *scenario) marker(msg *spec.Message, coordinatorEpoch string) string {
	own := ""
	if c := s.clients[s.holder(&spec.Request{ProducerID: msg.ProducerID})]; c.epoch != msg.Epoch {
		own = fmt.Sprintf(", epoch %d", msg.Epoch)
	}
	return fmt.Sprintf("WriteTxnMarkers(%s, t-%d%s, transaction version %d%s)", outcome(msg.Commit), msg.Partition, own, msg.TransactionVersion, coordinatorEpoch)
}

// coordinatorEpoch is what a tester's marker says of the coordinator's epoch. Where the coordinator has written a marker,
// DescribeProducers tells it; where none was, any will do.
func (s *scenario) coordinatorEpoch(m *moment, partition int8) string {
	var known *spec.Producer
	for i, p := range m.before.Broker.Leaders[partition].Producers {
		if p.CoordinatorEpoch >= 0 {
			known = &m.before.Broker.Leaders[partition].Producers[i]
		}
	}
	if known == nil {
		return ""
	}
	start := known.Open
	s.AddTable(script.Then, fmt.Sprintf("DescribeProducers of t-%d shows:", partition), [][]string{
		{"producer", "epoch", "coordinator epoch", "transaction start"},
		{fmt.Sprintf("P%d", known.ID), fmt.Sprint(known.Epoch), fmt.Sprintf("C%d", known.CoordinatorEpoch), fmt.Sprint(start)},
	})
	return fmt.Sprintf(", coordinator epoch C%d", known.CoordinatorEpoch)
}
