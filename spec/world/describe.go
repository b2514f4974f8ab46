package world

import (
	"fmt"
	"strings"

	"github.com/onceproof/onceproof/checker"
	"github.com/onceproof/onceproof/spec"
)

func clientName(i int) string { return "producer " + string(rune('A'+i)) }

func partitionName(p int) string { return fmt.Sprintf("partition t-%d", p) }

// DescribeAction says who acts, and what is done, in the words of the protocol.
func (m *Model) DescribeAction(a Action) (actor, text string) {
	switch a.Kind {
	case Start:
		return clientName(int(a.Client)), "starts: sends InitProducerId"
	case Begin:
		if m.Style == TV1Style {
			return clientName(int(a.Client)), "begins a transaction: sends AddPartitionsToTxn"
		}
		return clientName(int(a.Client)), "begins a transaction: sends its first batches"
	case EndTransaction:
		return clientName(int(a.Client)), "sends EndTxn(" + outcome(a.Commit) + ")"
	case Arrive:
		waits := ""
		if a.Conn == 0 {
			waits = ", a copy whose answer nobody waits for"
		}
		return receiver(&a.Request), "receives " + DescribeRequest(&a.Request) + waits
	case Receive:
		return clientName(int(a.Client)), "receives the answer: " + DescribeAnswer(&a.Answer)
	case SendAgain:
		return clientName(int(a.Client)), "sends again what the crash lost: " + DescribeRequest(&a.Request)
	case StopWaiting:
		return clientName(int(a.Client)), "stops waiting and sends again: " + DescribeRequest(&a.Request)
	case GiveUp:
		return clientName(int(a.Client)), "gives up on " + DescribeRequest(&a.Request)
	case Hold:
		return "tester", fmt.Sprintf("makes t-%d refuse the transaction's marker: WriteTxnMarkers v%d, %s", a.Request.Partition, a.Request.Version,
			identity(a.Request.ProducerID, a.Request.Epoch))
	}
	return describeStep(&a)
}

func describeStep(a *Action) (actor, text string) {
	const coordinator = "coordinator"
	msg := &a.Message
	switch a.Step.Kind {
	case spec.Deliver:
		switch msg.Kind {
		case spec.Ask:
			verb := "may the batch in"
			if msg.Version >= 12 {
				verb = "add"
			}
			return coordinator, fmt.Sprintf("receives the leader's question: %s t-%d, producer P%d epoch %d", verb, msg.Partition, msg.ProducerID, msg.Epoch)
		case spec.Reply:
			return partitionName(int(msg.Partition)), "receives the coordinator's reply: " + msg.Code.Name()
		case spec.Marker:
			late := ""
			if !msg.Waited {
				late = ", a copy whose answer nobody waits for"
			}
			return partitionName(int(msg.Partition)), fmt.Sprintf("receives the marker %s, producer P%d epoch %d%s", strings.ToUpper(outcome(msg.Commit)), msg.ProducerID, msg.Epoch, late)
		}
		return coordinator, fmt.Sprintf("receives the answer to the marker for t-%d: %s", msg.Partition, msg.Code.Name())
	case spec.Apply:
		return coordinator, "its append is acknowledged"
	case spec.TimeOut:
		return coordinator, "times the transaction out"
	case spec.ResendMarker:
		return coordinator, fmt.Sprintf("waits no longer for t-%d and sends the marker again", msg.Partition)
	case spec.Crash:
		return coordinator, "crashes; its log is kept"
	case spec.CrashLosing:
		return coordinator, "crashes; the append that was not acknowledged is lost"
	case spec.Reload:
		return coordinator, "has loaded its log"
	}
	return "broker", a.Step.Kind.String()
}

func outcome(commit bool) string {
	if commit {
		return "commit"
	}
	return "abort"
}

func receiver(r *spec.Request) string {
	if r.API == spec.Produce {
		return partitionName(int(r.Partition))
	}
	return "coordinator"
}

func identity(pid int64, epoch int16) string {
	if pid == spec.NoProducer {
		return "no identity"
	}
	return fmt.Sprintf("P%d epoch %d", pid, epoch)
}

// DescribeRequest is a request in one line.
func DescribeRequest(r *spec.Request) string {
	from := ""
	if r.Ref > 0 {
		from = " of " + clientName(int(r.Ref)-1)
	}
	switch r.API {
	case spec.Produce:
		return fmt.Sprintf("Produce v%d%s to t-%d, %s, sequence %d", r.Version, from, r.Partition, identity(r.ProducerID, r.Epoch), r.Sequence)
	case spec.InitProducerID:
		return fmt.Sprintf("InitProducerId v%d%s with %s", r.Version, from, identity(r.ProducerID, r.Epoch))
	case spec.AddPartitionsToTxn:
		return fmt.Sprintf("AddPartitionsToTxn v%d%s, %s, %s", r.Version, from, identity(r.ProducerID, r.Epoch), partitions(r.Partitions))
	case spec.EndTxn:
		return fmt.Sprintf("EndTxn(%s) v%d%s, %s", outcome(r.Commit), r.Version, from, identity(r.ProducerID, r.Epoch))
	}
	return r.API.String()
}

func partitions(ps spec.Partitions) string {
	var names []string
	for p := range 64 {
		if ps.Has(p) {
			names = append(names, fmt.Sprintf("t-%d", p))
		}
	}
	if names == nil {
		return "no partition"
	}
	return strings.Join(names, " ")
}

// DescribeAnswer is an answer in one line.
func DescribeAnswer(a *spec.Answer) string {
	text := a.Code.Name()
	if a.ProducerID != spec.NoProducer && a.API != spec.Produce {
		text += ", " + identity(a.ProducerID, a.Epoch)
	}
	if a.API == spec.Produce && a.Code == spec.None {
		text += fmt.Sprintf(", offset %d", a.Offset)
	}
	return text
}

// DescribeState is the state as fields by actor.
func (m *Model) DescribeState(s *State) []checker.Field {
	var fs []checker.Field
	add := func(actor, name, format string, args ...any) {
		fs = append(fs, checker.Field{Actor: actor, Name: name, Value: fmt.Sprintf(format, args...)})
	}
	for i := range s.Clients {
		c := &s.Clients[i]
		add(clientName(i), "is", "%s", c.Phase)
		add(clientName(i), "identity", "%s", identity(c.ProducerID, c.Epoch))
		for b := range m.batches() {
			if c.Batches[b] != Unsent {
				add(clientName(i), fmt.Sprintf("batch %d", b), "%s", [...]string{"", "waiting", "waiting, foremost", "acknowledged", "failed"}[c.Batches[b]])
			}
		}
	}
	describeCoordinator(s, add)
	for p := range s.Broker.Leaders {
		describeLeader(p, &s.Broker.Leaders[p], add)
	}
	return fs
}

func describeCoordinator(s *State, add func(actor, name, format string, args ...any)) {
	c := &s.Broker.Coordinator
	const who = "coordinator"
	if !c.Up {
		add(who, "is", "down")
	}
	t := &c.Txns[0]
	if t.Known {
		mem := &t.Memory
		add(who, "state", "%s, %s, %s", mem.Status, identity(mem.ProducerID, mem.Epoch), partitions(mem.Partitions))
	}
	if n := len(t.Log); n > 0 {
		last := &t.Log[n-1]
		add(who, "last record", "%s, %s", last.Status, identity(last.ProducerID, last.Epoch))
	}
	switch t.Pending.Phase {
	case spec.Appending:
		add(who, "in progress", "append of %s", t.Pending.Next.Status)
	case spec.Completing:
		add(who, "in progress", "markers")
	case spec.Cancelled:
		add(who, "in progress", "markers, given up")
	case spec.Stuck:
		add(who, "in progress", "a record that could not be written")
	}
}

func describeLeader(p int, l *spec.Leader, add func(actor, name, format string, args ...any)) {
	who := partitionName(p)
	var log []string
	for i := range l.Log {
		b := &l.Log[i]
		switch b.Kind {
		case spec.CommitMarker:
			log = append(log, fmt.Sprintf("COMMIT(P%d,%d)", b.ProducerID, b.Epoch))
		case spec.AbortMarker:
			log = append(log, fmt.Sprintf("ABORT(P%d,%d)", b.ProducerID, b.Epoch))
		default:
			log = append(log, fmt.Sprintf("data(P%d,%d,seq %d)", b.ProducerID, b.Epoch, b.Sequence))
		}
	}
	add(who, "log", "%s", strings.Join(log, " "))
	add(who, "LSO", "%d", l.LastStable())
	for i := range l.Waiting {
		w := &l.Waiting[i]
		guard := "guard current"
		if !w.Guard {
			guard = "guard void"
		}
		add(who, "waiting", "%s, %s", DescribeRequest(&w.Request), guard)
	}
	for i := range l.Verifications {
		v := &l.Verifications[i]
		lowest := "nothing"
		if v.Lowest != spec.NoLowest {
			lowest = fmt.Sprint(v.Lowest)
		}
		add(who, "verification", "P%d epoch %d, lowest sequence %s", v.ID, v.Epoch, lowest)
	}
}
