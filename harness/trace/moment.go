package trace

import (
	"fmt"
	"strings"

	"github.com/onceproof/onceproof/checker"
	"github.com/onceproof/onceproof/spec"
	"github.com/onceproof/onceproof/spec/world"
)

// moment is a step of a counterexample with the states on both sides of it.
type moment struct {
	action   world.Action
	before   *world.State
	after    *spec.State
	decision *spec.Decision // nil where the broker did nothing
	// overtakes is what goes on inside the broker by itself and has not happened when this comes from outside.
	overtakes []spec.Step
	text      string // who does what, in the checker's words
}

// moments replays a counterexample. Behind its last step everything follows that the broker does by itself, so that
// answers and logs can be read.
func moments(m *world.Model, t *checker.Trace[world.Action]) ([]moment, error) {
	var states []*world.State
	_, err := checker.Replay(m, t, func(_ int, s *world.State) {
		c := &world.State{}
		m.Copy(c, s)
		states = append(states, c)
	})
	if err != nil {
		return nil, err
	}
	rules := m.Rules
	sp := spec.New(rules)
	var out []moment
	for i, st := range t.Steps {
		before := states[i]
		out = append(out, moment{action: st.Action, before: before, after: &states[i+1].Broker, decision: decide(sp, before, st.Action),
			overtakes: m.Overtaken(before, st.Action), text: inWords(m, st.Action)})
	}
	last := states[len(states)-1]
	for range maxSettling {
		going := world.Going(nil, sp, &last.Broker)
		if len(going) == 0 {
			return out, nil
		}
		a := world.Action{Kind: world.Internal, Step: going[0]}
		if going[0].Kind == spec.Deliver {
			a.Message = last.Broker.Net[going[0].Index]
		}
		next := &world.State{}
		m.Copy(next, last)
		d := sp.Take(&next.Broker, going[0])
		out = append(out, moment{action: a, before: last, after: &next.Broker, decision: &d, text: inWords(m, a)})
		last = next
	}
	return nil, fmt.Errorf("the broker does not come to rest in %d steps", maxSettling)
}

// inWords is a sentence: who does what.
func inWords(m *world.Model, a world.Action) string {
	actor, text := m.DescribeAction(a)
	if partition, ok := strings.CutPrefix(actor, "partition "); ok {
		return partition + "'s leader " + text
	}
	if a.Kind == world.Internal && a.Step.Kind == spec.Apply {
		return "the append of the coordinator is acknowledged"
	}
	return "the " + actor + " " + text
}

// maxSettling is far more than any broker of a model has to do by itself.
const maxSettling = 200

// decide is what the broker does in a step, nil if it does nothing.
func decide(sp *spec.Spec, before *world.State, a world.Action) *spec.Decision {
	var b spec.State
	b.Copy(&before.Broker)
	step := a.Step
	switch a.Kind {
	case world.Arrive, world.Hold:
		sp.Submit(&b, a.Conn, a.Request)
		step = spec.Step{Kind: spec.Handle}
	case world.Internal:
	default:
		return nil
	}
	d := sp.Take(&b, step)
	return &d
}

// late reports whether a copy of a marker arrives whose answer nobody waits for.
func (m *moment) late() bool {
	return m.action.Kind == world.Internal && m.action.Step.Kind == spec.Deliver && m.action.Message.Kind == spec.Marker && !m.action.Message.Waited
}

// early reports whether it is the first of two copies, and is to be placed before the request that makes the coordinator
// send them.
func (m *moment) early() bool { return m.late() && world.Early(&m.before.Broker, m.action.Step) }

// outside reports whether the moment is one that a tester brings about.
func (m *moment) outside() bool {
	switch m.action.Kind {
	case world.Arrive, world.Hold:
		return true
	case world.Internal:
		k := m.action.Step.Kind
		return m.late() && !m.early() || k == spec.TimeOut || k == spec.Crash || k == spec.CrashLosing
	}
	return false
}

// answer is what a request is answered.
type answer struct {
	at         int // the moment, -1 for never
	code       spec.Code
	producerID int64
	epoch      int16
	offset     int64
}

// answerTo finds the answer to the request that arrives at moment i: at once, when the coordinator's append is
// acknowledged, or when the leader hears from the coordinator.
func answerTo(ms []moment, i int) answer {
	r := &ms[i].action.Request
	for k := i; k < len(ms); k++ {
		d := ms[k].decision
		if d == nil || !d.Answered || !answers(&ms[k], r, k == i) {
			continue
		}
		a := answer{at: k, code: d.Code, producerID: d.ProducerID, epoch: d.Epoch, offset: spec.NoOffset}
		if r.API == spec.Produce && d.Code == spec.None {
			a.offset = offsetOf(&ms[k].after.Leaders[r.Partition], r)
		}
		return a
	}
	return answer{at: -1}
}

// answers reports whether a moment with an answer answers the request; itself says that it is the one of its arrival.
func answers(m *moment, r *spec.Request, itself bool) bool {
	if itself {
		return true
	}
	if m.action.Kind != world.Internal {
		return false
	}
	d := m.decision
	switch m.action.Step.Kind {
	case spec.Apply:
		return d.Request.API == r.API && d.Request.Ref == r.Ref
	case spec.Deliver:
		if r.API != spec.Produce || m.action.Message.Kind != spec.Reply {
			return false
		}
		for _, w := range m.before.Broker.Leaders[r.Partition].Waiting {
			if w.Slot == m.action.Message.Slot {
				return w.Request == *r
			}
		}
	}
	return false
}

// offsetOf is where a batch lies, NoOffset if nowhere.
func offsetOf(l *spec.Leader, r *spec.Request) int64 {
	var offset int64
	for i := range l.Log {
		b := &l.Log[i]
		if b.Kind == spec.Data && b.ProducerID == r.ProducerID && b.Epoch == r.Epoch && b.Data == r.Data {
			return offset
		}
		offset += int64(b.Count)
	}
	return spec.NoOffset
}
