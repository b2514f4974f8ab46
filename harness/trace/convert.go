// Package trace turns a counterexample of the checker into a scenario in the language of the features, which plays it on a
// broker.
//
// The tester is the network (package steps): he has a request arrive late, twice, or without its answer being read, lets a
// transaction time out, kills the broker; he stands in for a late copy of the coordinator's marker (WriteTxnMarkers v2
// with the transaction's version and the coordinator's epoch), and holds a transaction in Prepare (MARK-34). Each request
// of the counterexample is a line, and each answer that its broker gave another. On a broker with the flaw every line
// holds; on one without it a line differs. What happens inside a broker while something comes from outside can't be placed;
// such a step is written as "inside the broker, …".
package trace

import (
	"errors"
	"fmt"
	"slices"

	"github.com/onceproof/onceproof/checker"
	"github.com/onceproof/onceproof/harness/script"
	"github.com/onceproof/onceproof/harness/steps"
	"github.com/onceproof/onceproof/spec"
	"github.com/onceproof/onceproof/spec/world"
)

// The tags of what is generated. Inside is that of a scenario with a step that can't be placed.
const (
	Tag = "@trace"
	// Restart is that of a scenario which needs a hand on the broker.
	Restart = "@restart"
	Inside  = "@inside"
)

// scenario is a script while it is made.
type scenario struct {
	script.Script
	model   *world.Model
	batches int // of one transaction
	ms      []moment
	clients []*client
	labels  map[int]string // of the request that arrives at a moment, if it is held or under way
	used    map[string]bool
	landing map[int]int // by the moment of an answer that comes later: that of the request

	requests  int             // that the tester sends
	stands    map[string]bool // for what the tester stands in: "hold", "early", "marker"
	steps     int             // of the counterexample; what follows is the broker coming to rest
	inside    bool            // there is a line of what can't be placed
	broken    bool            // things inside the broker are out of the order of a quick one
	announced []string
	decided   bool // a decision is not known to be complete
	resent    []spec.Message
	markers   map[int8]string // labels of the markers held, by partition
}

// Script turns a counterexample into a scenario. Its name is that of the property and the model.
func Script(t *checker.Trace[world.Action]) (*script.Script, error) {
	s, err := convert(t)
	if err != nil {
		return nil, err
	}
	s.Name = t.Model.Name
	if t.Property != "" {
		s.Name = fmt.Sprintf("%s falls in %s", t.Property, t.Model.Name)
		s.About = append([]string{t.Doc}, s.About...)
	}
	return &s.Script, nil
}

func convert(t *checker.Trace[world.Action]) (*scenario, error) {
	m, err := world.Rebuild(t.Model)
	if err != nil {
		return nil, err
	}
	if m.Style == world.Idempotent {
		return nil, errors.New("expected a counterexample with a transactional id: a producer without one has no scenario yet")
	}
	if t, err = beforeAppends(m, t); err != nil {
		return nil, err
	}
	ms, err := moments(m, t)
	if err != nil {
		return nil, err
	}
	s := &scenario{model: m, batches: m.Batches + (m.Partitions-1)*m.Further, ms: ms, labels: map[int]string{}, used: map[string]bool{},
		landing: map[int]int{}, markers: map[int8]string{}, stands: map[string]bool{}}
	s.steps = len(t.Steps)
	for i := range m.Incarnations {
		s.clients = append(s.clients, newClient(i))
	}
	s.setUp()
	for i := range ms {
		s.play(i)
	}
	s.evidence(t.Property)
	s.Tags = []string{Tag, fmt.Sprintf("@tv%d", m.Rules.TransactionVersion)}
	if s.inside {
		s.Tags = append(s.Tags, Inside)
	}
	if slices.ContainsFunc(s.Steps, func(st script.Step) bool { return steps.RestartsBroker(st.Text) }) {
		s.Tags = append(s.Tags, Restart)
	}
	s.explain(t)
	return s, nil
}

// explain says what a reader can't see in the lines.
func (s *scenario) explain(t *checker.Trace[world.Action]) {
	if t.Property != "" {
		s.About = append(s.About, fmt.Sprintf("%s falls after %d steps of the checker's.", t.Property, t.Length))
	}
	if s.inside && s.model.Quick == 0 {
		s.About = append(s.About, "What goes on inside the broker can't be placed from outside; with --bound quick=1 the checker looks for what can.")
	}
	if s.stands["hold"] {
		s.About = append(s.About, "A marker of the tester's, far ahead in epoch, makes the partition refuse the coordinator's: the transaction stays in Prepare (MARK-34).")
	}
	if s.stands["early"] {
		s.About = append(s.About, "The coordinator's marker is written, its answer is lost, and it sends the marker again. The tester stands in for the first copy, early: to the leader it is the same.")
	}
	if s.stands["marker"] {
		s.About = append(s.About, "The coordinator had no answer to its marker in time and sent it again (MARK-33). The tester stands in for the first copy, which is late.")
	}
}

// setUp are the lines before anything happens.
func (s *scenario) setUp() {
	s.Add(script.Given, `topic "t" with %d partition%s`, s.model.Partitions, map[bool]string{true: "s"}[s.model.Partitions > 1])
	style, timeout := "v4", ""
	if s.model.Style == world.TV2Style {
		style = "v5"
	}
	if slices.ContainsFunc(s.ms, func(m moment) bool { return m.action.Kind == world.Internal && m.action.Step.Kind == spec.TimeOut }) {
		timeout = " and timeout 2000 ms"
	}
	for i, c := range s.clients {
		if s.acts(i) {
			s.Add(script.Given, `producer %s (%s style) with transactional id "id"%s`, c.name, style, timeout)
		}
	}
	if s.model.Prior == 0 {
		return
	}
	s.Add(script.Given, "producer Z without transactional id")
	for p := range s.model.Partitions {
		s.requests++
		s.Add(script.When, `Z produces "z" to t-%d with sequence -1, producer id -1, epoch -1`, p)
		s.Add(script.Then, "the answer is NONE at offset 0")
	}
}

// acts reports whether a request of the client arrives.
func (s *scenario) acts(client int) bool {
	return slices.ContainsFunc(s.ms, func(m moment) bool { return m.action.Kind == world.Arrive && s.clientOf(&m) == client })
}

// clientOf is the number of the client whose request a moment is about.
func (s *scenario) clientOf(m *moment) int { return int(m.action.Request.Ref) - 1 }

// play writes the lines of a moment.
func (s *scenario) play(i int) {
	m := &s.ms[i]
	if m.outside() {
		s.overtake(m)
		s.holdMarkers(i)
		s.sendEarly(i)
	}
	switch m.action.Kind {
	case world.StopWaiting, world.GiveUp:
		s.holdCopy(i)
	case world.Arrive:
		s.arrive(i)
	case world.Hold:
		s.stands["hold"] = true
		s.requests++
		s.waitForCompletion(m)
		s.Add(script.When, "%s sends WriteTxnMarkers(abort, t-%d, epoch %d%s)", s.clients[s.holder(&m.action.Request)].name, m.action.Request.Partition,
			m.action.Request.Epoch, s.coordinatorEpoch(m, m.action.Request.Partition))
		s.Add(script.Then, "the answer is %s", m.decision.Code.Name())
	case world.Internal:
		s.internal(i)
	}
	if d := m.decision; d != nil && d.Logged.Prepared() {
		s.decided = true
	}
	if s.broken && len(s.going(m)) == 0 {
		s.broken, s.announced = false, nil
	}
}

// going is what the broker has to do by itself after a moment.
func (s *scenario) going(m *moment) []spec.Step {
	return world.Going(nil, spec.New(s.model.Rules), m.after)
}

// holder is a client that has the producer id of a marker, the first that is asked for it.
func (s *scenario) holder(r *spec.Request) int {
	return max(0, slices.IndexFunc(s.clients, func(c *client) bool { return c.id == r.ProducerID }))
}

// holdCopy keeps a request for later whose client waits for it no longer, if it arrives later at all.
func (s *scenario) holdCopy(i int) {
	m := &s.ms[i]
	r := m.action.Request
	for k := i + 1; k < len(s.ms); k++ {
		if x := &s.ms[k].action; x.Kind != world.Arrive || x.Conn != 0 || x.Request != r || s.labels[k] != "" {
			continue
		}
		if !s.prompt(k, answerTo(s.ms, k)) {
			return // it is sent when it arrives, and stays under way
		}
		s.labels[k] = s.label("late ", &r)
		c := s.clients[s.clientOf(m)]
		s.Add(script.When, "%s's %s is held as %q", c.name, s.call(c, &r), s.labels[k])
		return
	}
}

// label is a name for a request that is held or under way.
func (s *scenario) label(prefix string, r *spec.Request) string {
	name := prefix + map[spec.API]string{spec.Produce: "batch", spec.AddPartitionsToTxn: "add", spec.EndTxn: "EndTxn",
		spec.InitProducerID: "InitProducerId", spec.WriteTxnMarkers: "marker"}[r.API]
	base := name
	for n := 2; s.used[name]; n++ {
		name = fmt.Sprintf("%s %d", base, n)
	}
	s.used[name] = true
	return name
}

// arrive writes a request and its answer.
func (s *scenario) arrive(i int) {
	m := &s.ms[i]
	r := &m.action.Request
	c := s.clients[s.clientOf(m)]
	a := answerTo(s.ms, i)
	s.requests++
	late := s.labels[i]
	switch {
	case !s.prompt(i, a):
		s.labels[i] = s.label("", r)
		s.Add(script.When, "%s's %s is under way as %q", c.name, s.call(c, r), s.labels[i])
		if a.at >= 0 {
			s.landing[a.at] = i
		}
		return
	case late != "":
		s.waitForCompletion(m)
		s.Add(script.When, "%q arrives", late)
		s.answers(c, r, &a, false)
		return
	case s.lost(i, a.at):
		s.waitForCompletion(m)
		s.Add(script.When, "%s sends %s and the answer is lost", c.name, s.call(c, r))
		s.answers(c, r, &a, false)
		return
	case a.code.Retriable(), m.unended() && r.API != spec.Produce:
		s.waitForCompletion(m)
		s.Add(script.When, "%s sends %s once", c.name, s.call(c, r))
	default:
		s.Add(script.When, "%s", s.patient(c, r, &a))
	}
	s.answers(c, r, &a, true)
}

// answers writes an answer; read says that its client goes on with it.
func (s *scenario) answers(c *client, r *spec.Request, a *answer, read bool) {
	if read && r.API == spec.InitProducerID && a.code == spec.None {
		s.Add(script.Then, "%s is granted producer id P%d at epoch %d", c.name, a.producerID, a.epoch)
	} else {
		s.Add(script.Then, "the answer is %s", a.says(r))
	}
	if read {
		c.learn(r, a)
	}
}

// prompt reports whether the answer comes before anything else from outside, and in broken order before anything else at all.
func (s *scenario) prompt(i int, a answer) bool {
	if a.at < 0 {
		return false
	}
	overtaken := s.broken || len(s.ms[i].overtakes) > 0
	for k := i + 1; k <= a.at; k++ {
		m := &s.ms[k]
		if m.outside() || overtaken && m.action.Kind == world.Internal && k < a.at {
			return false
		}
	}
	return true
}

// lost reports whether the client of the request at moment i never reads the answer that comes at moment at.
func (s *scenario) lost(i, at int) bool {
	r := &s.ms[i].action.Request
	slot := 0
	if r.API == spec.Produce {
		_, batch := world.BatchOf(r)
		slot = batch + 1
	}
	for k := at + 1; k < len(s.ms); k++ {
		a := &s.ms[k].action
		mine := int(a.Client) == int(r.Ref)-1 && int(a.Slot) == slot
		switch {
		case a.Kind == world.Receive && mine:
			return false
		case (a.Kind == world.StopWaiting || a.Kind == world.GiveUp || a.Kind == world.SendAgain) && mine:
			return true
		}
	}
	return false
}

// waitForCompletion has the broker complete, before moment m, what it has decided: what follows is not sent again while the
// broker asks for patience.
func (s *scenario) waitForCompletion(m *moment) {
	if !s.decided || s.broken {
		return
	}
	switch m.before.Broker.Coordinator.Txns[0].Memory.Status {
	case spec.Empty, spec.CompleteCommit, spec.CompleteAbort:
		s.Add(script.When, `the transaction of "id" completes`)
	}
	s.decided = false
}

// unended reports whether the coordinator has a decision that nothing completes, as where the tester holds it: a client that
// asks again while it is told to would ask for ever.
func (m *moment) unended() bool {
	return m.before.Broker.Coordinator.Txns[0].Pending.Phase == spec.Cancelled
}
