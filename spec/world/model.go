// Package world closes the protocol's broker side (package spec) with model clients, an unordered network, and budgets of
// faults, so that the checker can explore it; and states what users rely on as properties.
//
// A message is delivered at any time after it was sent, or never: not delivering is a loss already and needs no action of
// its own. The faults are a sender that stops waiting, and then resends or gives up, a timeout of the transaction, and a
// crash of the coordinator, which loses the requests under way to it and its answers.
package world

import (
	"github.com/onceproof/onceproof/checker"
	"github.com/onceproof/onceproof/spec"
)

// Model is a closed model for the checker.
type Model struct {
	Config
	sp *spec.Spec
	// helping leaves out what a search for a way to the end must not use: faults and new work. Timeouts are free.
	helping bool
	// weakened, if not nil, changes what the broker did in a step (see Weakening).
	weakened func(s *State, d *spec.Decision, req *spec.Request)
}

type emitter = checker.Emitter[State, Action]

// New returns the closed model of a configuration.
func New(c Config) (*Model, error) {
	if err := c.Check(); err != nil {
		return nil, err
	}
	c.Rules.CompactLog = true
	return &Model{Config: c, sp: spec.New(c.Rules)}, nil
}

// ActionKind is a kind of step of the closed model.
type ActionKind uint8

// The kinds of action.
const (
	Start          ActionKind = iota // an incarnation begins: InitProducerId
	Begin                            // a client begins a transaction
	EndTransaction                   // a client ends its transaction
	Arrive                           // a request arrives at the broker and is handled
	Receive                          // an answer arrives at its client, who goes on
	SendAgain                        // a client whose request was lost in a crash sends it again
	StopWaiting                      // fault: a client waits no longer and sends again; the first copy may still arrive
	GiveUp                           // fault: a client gives up on a batch, which may still arrive
	Hold                             // a tester makes a partition refuse the marker of the transaction that is open
	Internal                         // a step inside the broker
	NumActionKinds
)

var kindNames = [...]string{"start", "begin", "end", "arrive", "receive", "send again", "stop waiting", "give up", "hold"}

// Action is a step of the closed model. Which fields are set depends on its kind; Request, Answer and Message are what it
// is about, so that a trace can be read without the state.
type Action struct {
	Kind    ActionKind
	Client  int8
	Slot    int8
	Commit  bool
	Step    spec.Step
	Request spec.Request
	Conn    spec.Conn
	Answer  spec.Answer
	Message spec.Message
}

// Init emits the state in which nothing has happened.
func (m *Model) Init(e *emitter) {
	n := e.From(Action{})
	*n = State{}
	m.sp.Reset(&n.Broker, 1, m.Partitions)
	for i := range n.Broker.Leaders {
		for range m.Prior {
			n.Broker.Leaders[i].Log = []spec.Batch{{ProducerID: spec.NoProducer, Epoch: spec.NoEpoch, Sequence: spec.NoSequence, Count: 1}}
		}
	}
	n.Clients = make([]Client, m.Incarnations)
	for i := range n.Clients {
		n.Clients[i] = Client{ProducerID: spec.NoProducer, Epoch: spec.NoEpoch}
	}
	n.Budget = Budget{uint8(m.ClientFaults), uint8(m.MarkerFaults), uint8(m.Timeouts), uint8(m.Crashes)}
	n.Ghost = Ghost{Newest: -1, Owner: -1}
}

// Next emits every enabled step.
func (m *Model) Next(s *State, e *emitter) {
	if m.helping {
		m.helpingSteps(s, e)
		return
	}
	if m.busy(s) {
		m.internalSteps(s, e, allInternal)
		return
	}
	for i := range s.Clients {
		m.clientSteps(s, e, i)
	}
	for i := range s.Net {
		if (i == 0 || s.Net[i] != s.Net[i-1]) && !m.spared(s, &s.Net[i].Request) {
			m.arrive(s, e, i)
		}
	}
	m.hold(s, e)
	for i := range s.Broker.Answers {
		m.receive(s, e, i)
	}
	m.internalSteps(s, e, allInternal)
}

// arrive hands a request to the broker, which handles it at once: it could not tell a request that arrived from one under
// way.
func (m *Model) arrive(s *State, e *emitter, i int) {
	f := s.Net[i]
	n := e.From(Action{Kind: Arrive, Request: f.Request, Conn: f.Conn})
	n.Net = append(n.Net[:i], n.Net[i+1:]...)
	m.sp.Submit(&n.Broker, f.Conn, f.Request)
	d := m.sp.Take(&n.Broker, spec.Step{Kind: spec.Handle})
	m.observe(e, s, n, d, &f.Request)
}

// receive hands an answer to the client that waits for it.
func (m *Model) receive(s *State, e *emitter, i int) {
	a := s.Broker.Answers[i]
	client, slot := slotOf(a.Conn)
	n := e.From(Action{Kind: Receive, Client: int8(client), Slot: int8(slot), Answer: a})
	m.sp.Answer(&n.Broker, a.Conn)
	m.answered(n, client, slot, &a)
	n.Ghost.received(client, &n.Clients[client])
}

// allInternal are the broker's own steps.
const allInternal = spec.Quiet | 1<<spec.TimeOut | 1<<spec.ResendMarker | 1<<spec.Crash | 1<<spec.CrashLosing

// internalSteps are the broker's own steps of the given kinds: those that go on by themselves, and those that a budget pays for.
func (m *Model) internalSteps(s *State, e *emitter, kinds spec.StepKinds) {
	var buf [32]spec.Step
	for _, st := range m.placeable(s, m.sp.Steps(buf[:0], &s.Broker, kinds)) {
		budget, which := (*uint8)(nil), 0
		switch st.Kind {
		case spec.TimeOut:
			budget, which = &s.Budget.Timeout, budgetTimeout
		case spec.ResendMarker:
			budget, which = &s.Budget.Marker, budgetMarker
		case spec.Crash, spec.CrashLosing:
			budget, which = &s.Budget.Crash, budgetCrash
		}
		if budget != nil && *budget == 0 && !m.helping {
			e.BudgetHit(which)
			continue
		}
		a := Action{Kind: Internal, Step: st}
		if st.Kind == spec.Deliver || st.Kind == spec.ResendMarker {
			a.Message = s.Broker.Net[st.Index]
		}
		n := e.From(a)
		d := m.sp.Take(&n.Broker, st)
		if !m.helping {
			n.pay(st.Kind)
		}
		if st.Kind == spec.Crash || st.Kind == spec.CrashLosing {
			n.loseCoordinatorRequests()
		}
		if m.observe(e, s, n, d, nil); e.Enough() {
			return
		}
	}
}

func (s *State) pay(k spec.StepKind) {
	switch k {
	case spec.TimeOut:
		s.Budget.Timeout--
	case spec.ResendMarker:
		s.Budget.Marker--
	case spec.Crash, spec.CrashLosing:
		s.Budget.Crash--
	}
}

// loseCoordinatorRequests drops what is under way to a crashed coordinator.
func (s *State) loseCoordinatorRequests() {
	kept := s.Net[:0]
	for _, f := range s.Net {
		if f.Request.API == spec.Produce {
			kept = append(kept, f)
		}
	}
	s.Net = kept
}

// The budgets, by index into Budgets.
const (
	budgetClient = iota
	budgetMarker
	budgetTimeout
	budgetCrash
)

// Budgets names the budgets of faults.
func (*Model) Budgets() []string {
	return []string{"client-faults", "marker-faults", "timeouts", "crashes"}
}

// ActionKinds names the kinds of step: the clients', then the broker's own.
func (*Model) ActionKinds() []string {
	kinds := append([]string{}, kindNames[:]...)
	for k := range spec.NumStepKinds {
		kinds = append(kinds, k.String())
	}
	return kinds
}

// ActionKind is the index of an action's kind.
func (*Model) ActionKind(a Action) int {
	if a.Kind == Internal {
		return len(kindNames) + int(a.Step.Kind)
	}
	return int(a.Kind)
}

// Decisions lists the rules of the protocol, for coverage.
func (*Model) Decisions() []checker.Decision {
	var ds []checker.Decision
	for _, r := range spec.AllRules() {
		ds = append(ds, checker.Decision{Rule: r.String()})
	}
	return ds
}
