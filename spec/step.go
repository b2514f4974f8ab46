package spec

import "fmt"

// StepKind is a kind of hidden step. The caller may forbid some.
type StepKind uint8

// The hidden steps, in the order in which Steps lists them.
const (
	Handle         StepKind = iota // a request that arrived is handled
	Deliver                        // a message between coordinator and leader arrives
	Apply                          // an append to the coordinator's log is acknowledged and applied (COORD-09)
	Reload                         // a crashed coordinator has loaded its log (FO-11)
	BlockArrives                   // a block of producer ids arrives (INIT-07)
	TimeOut                        // a transaction is older than its timeout (TMO-02)
	ResendMarker                   // the coordinator stops waiting for a marker's answer and sends it again (MARK-33)
	Crash                          // the coordinator crashes; what it appended is kept
	CrashLosing                    // the coordinator crashes; the appends not acknowledged yet are lost
	BlockExhausted                 // the producer ids at hand are used up and the next block has not come (INIT-07)
	RestartLeaders                 // the leaders crash and load their logs again (FO-03)
	SendMarkers                    // a decision that was applied alone is completed (see ApplyAlone)
	NumStepKinds
)

func (k StepKind) String() string {
	return [...]string{"handle", "deliver", "apply", "reload", "block arrives", "time out", "resend marker", "crash",
		"crash losing", "block exhausted", "restart leaders", "send markers"}[k]
}

// StepKinds is a set of kinds.
type StepKinds uint16

// Kinds returns the set of the given kinds.
func Kinds(ks ...StepKind) StepKinds {
	var set StepKinds
	for _, k := range ks {
		set |= 1 << k
	}
	return set
}

// Has reports whether k is in the set.
func (ks StepKinds) Has(k StepKind) bool { return ks>>k&1 == 1 }

// Quiet are the kinds that go on by themselves in a healthy broker: no fault and no clock.
const Quiet = StepKinds(1<<Handle | 1<<Deliver | 1<<Apply | 1<<Reload | 1<<BlockArrives | 1<<SendMarkers)

// Step is one enabled hidden step. Index is into State.Inbox (Handle), State.Net (Deliver, ResendMarker) or
// Coordinator.Txns (Apply, TimeOut, SendMarkers).
type Step struct {
	Kind  StepKind
	Index int8
}

// Decision is what a step did: which rules decided, and what came of it.
type Decision struct {
	Step    Step
	Request Origin // the request the step goes back to; API NoAPI is the broker's own doing
	Txn     TxnID
	// Answered says that a request got its answer in this step: Code, on Conn (0 if nobody waits any more). ProducerID and
	// Epoch are the identity in it.
	Answered   bool
	Conn       Conn
	Code       Code
	ProducerID int64
	Epoch      int16
	// Logged is the status of the record appended to the coordinator's log in this step, or NoStatus; Applied that of the
	// record applied to its memory.
	Logged, Applied Status
	// Appended says that a batch or marker was appended to Partition; it is the last one in its log.
	Appended  bool
	Partition int8
	// Message is the code in a message between roles that the step sent as a reply, None if it sent none.
	Message Code
	rules   [8]Rule
	n       int8
}

// Rules returns the rules that decided, in the order in which they were applied.
func (d *Decision) Rules() []Rule { return d.rules[:d.n] }

// By reports whether r is among the rules that decided.
func (d *Decision) By(r Rule) bool {
	for _, x := range d.Rules() {
		if x == r {
			return true
		}
	}
	return false
}

func (d *Decision) by(rules ...Rule) {
	for _, r := range rules {
		if int(d.n) < len(d.rules) && !d.By(r) {
			d.rules[d.n] = r
			d.n++
		}
	}
}

// Steps appends to dst the steps of the given kinds that are enabled in s, in a fixed order, and returns it. Equal
// messages give one step.
func (sp *Spec) Steps(dst []Step, s *State, kinds StepKinds) []Step {
	if kinds.Has(Handle) {
		for i := range s.Inbox {
			dst = append(dst, Step{Handle, int8(i)})
		}
	}
	if kinds.Has(Deliver) {
		for i := range s.Net {
			if (i == 0 || s.Net[i] != s.Net[i-1]) && sp.deliverable(s, &s.Net[i]) {
				dst = append(dst, Step{Deliver, int8(i)})
			}
		}
	}
	c := &s.Coordinator
	for i := range c.Txns {
		t := &c.Txns[i]
		if c.Up && t.Pending.Phase == Appending && kinds.Has(Apply) {
			dst = append(dst, Step{Apply, int8(i)})
		}
		if c.Up && t.Memory.Status.Prepared() && t.Pending.Phase == Idle && kinds.Has(SendMarkers) {
			dst = append(dst, Step{SendMarkers, int8(i)})
		}
		if c.Up && t.Known && t.Memory.Status == Ongoing && t.Pending.Phase == Idle && kinds.Has(TimeOut) {
			dst = append(dst, Step{TimeOut, int8(i)})
		}
	}
	if !c.Up && kinds.Has(Reload) {
		dst = append(dst, Step{Reload, 0})
	}
	if !s.Allocator.Ready && kinds.Has(BlockArrives) {
		dst = append(dst, Step{BlockArrives, 0})
	}
	if kinds.Has(ResendMarker) && c.Up {
		for i := range s.Net {
			if m := &s.Net[i]; m.Waited && (i == 0 || *m != s.Net[i-1]) {
				dst = append(dst, Step{ResendMarker, int8(i)})
			}
		}
	}
	if c.Up && kinds.Has(Crash) {
		dst = append(dst, Step{Crash, 0})
	}
	if c.Up && kinds.Has(CrashLosing) && c.appending() {
		dst = append(dst, Step{CrashLosing, 0})
	}
	if s.Allocator.Ready && kinds.Has(BlockExhausted) {
		dst = append(dst, Step{BlockExhausted, 0})
	}
	if kinds.Has(RestartLeaders) {
		dst = append(dst, Step{RestartLeaders, 0})
	}
	return dst
}

// deliverable says whether the receiver is there: a coordinator that is down takes no marker reply; a leader's question
// is answered for it (COORD-05).
func (sp *Spec) deliverable(s *State, m *Message) bool {
	return m.Kind != MarkerReply || s.Coordinator.Up
}

// Take does one enabled step.
func (sp *Spec) Take(s *State, st Step) (d Decision) {
	d = Decision{Step: st, Txn: NullTxnID, Logged: NoStatus, Applied: NoStatus, Partition: -1, ProducerID: NoProducer, Epoch: NoEpoch}
	switch st.Kind {
	case Handle:
		a := s.Inbox[st.Index]
		s.Inbox = append(s.Inbox[:st.Index], s.Inbox[st.Index+1:]...)
		sp.handle(s, &d, a.Conn, &a.Request)
	case Deliver:
		m := s.receive(int(st.Index))
		switch m.Kind {
		case Ask:
			sp.answerLeader(s, &d, &m)
		case Reply:
			sp.replyArrives(s, &d, &m)
		case Marker:
			sp.markerArrives(s, &d, &m)
		case MarkerReply:
			sp.markerAcknowledged(s, &d, &m)
		}
	case Apply:
		sp.apply(s, &d, TxnID(st.Index))
	case TimeOut:
		sp.timeOut(s, &d, TxnID(st.Index))
	case ResendMarker:
		sp.resendMarker(s, &d, int(st.Index))
	case Crash, CrashLosing:
		sp.crash(s, &d, st.Kind == CrashLosing)
	case Reload:
		sp.reload(s, &d)
	case BlockArrives:
		d.by(INIT07)
		s.Allocator.Ready = true
	case BlockExhausted:
		d.by(INIT07)
		s.Allocator.Ready = false
	case RestartLeaders:
		sp.restartLeaders(s, &d)
	case SendMarkers:
		d.Txn = TxnID(st.Index)
		sp.sendMarkers(s, &d, d.Txn)
	default:
		panic(fmt.Sprintf("spec: no step of kind %d", st.Kind))
	}
	return d
}

func (sp *Spec) handle(s *State, d *Decision, conn Conn, r *Request) {
	d.Request = Origin{API: r.API, Version: r.Version, Ref: r.Ref}
	d.Txn = r.Txn
	switch r.API {
	case InitProducerID:
		sp.initProducerID(s, d, conn, r)
	case AddPartitionsToTxn:
		sp.addPartitionsToTxn(s, d, conn, r)
	case Produce:
		sp.produce(s, d, conn, r)
	case EndTxn:
		sp.endTxn(s, d, conn, r)
	case WriteTxnMarkers:
		sp.writeTxnMarkers(s, d, conn, r)
	default:
		panic(fmt.Sprintf("spec: no request %d", r.API))
	}
}
