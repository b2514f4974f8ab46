package explore

import (
	"fmt"
	"strings"

	"github.com/onceproof/onceproof/spec"
)

// actorNames, read only, are those of the actors of a walk.
var actorNames = [...]string{"A", "B", "C"}

// request is a request that a walk may send: how a line writes it, and what kind it is.
type request struct {
	actor *actor
	api   spec.API
	text  string // "EndTxn(commit, one epoch earlier)"
	kind  string // "EndTxn v5"
	class string // "EndTxn v5 commit, one epoch earlier"
	ends  bool
	quiet bool // no answer is due
	// recovers says that it is an InitProducerId with an identity: what a coordinator remembers of it, a crash may take.
	recovers bool
}

// said collects what a request says.
type said struct{ inText, inClass []string }

// both puts the same words into line and class.
func (s *said) both(words string) {
	s.inText, s.inClass = append(s.inText, words), append(s.inClass, words)
}

func (s *said) text(format string, args ...any) {
	s.inText = append(s.inText, fmt.Sprintf(format, args...))
}

func (s *said) request(a *actor, api spec.API, version int16) request {
	kind := fmt.Sprintf("%v v%d", api, version)
	class := kind
	if a.txn == "" {
		class += " without transactional id"
	}
	if len(s.inClass) > 0 {
		class += " " + strings.Join(s.inClass, ", ")
	}
	return request{actor: a, api: api, kind: kind, class: class, text: fmt.Sprintf("%v(%s)", api, strings.Join(s.inText, ", "))}
}

// propose makes some request of some actor.
func (w *walk) propose() request {
	a := w.actors[w.rng.IntN(len(w.actors))]
	switch n := w.rng.IntN(100); {
	case n < 13:
		return w.initProducerID(a)
	case n < 33 && a.txn != "":
		return w.addPartitions(a)
	case n < 68 || a.txn == "" && n < 94:
		return w.produce(a)
	case n < 94:
		return w.endTxn(a)
	default:
		return w.marker(a)
	}
}

// natural is what a client would send next, without anything odd in it.
func (w *walk) natural(a *actor) request {
	var s said
	version := func(v4, v5 int16) int16 {
		if a.v5 {
			return v5
		}
		return v4
	}
	if id, _ := w.world.Identity(a.name); id == spec.NoProducer || a.refused && w.chance(40) {
		return s.request(a, spec.InitProducerID, version(4, 5))
	}
	open := w.state(a.txn) == spec.Ongoing.String() || w.state(a.txn) == moving && w.chance(50)
	partition := w.rng.IntN(w.Partitions)
	switch {
	case a.txn != "" && open && w.chance(35):
		if w.chance(70) {
			s.both("commit")
		} else {
			s.both("abort")
		}
		s.text("version %d", version(4, 5))
		r := s.request(a, spec.EndTxn, version(4, 5))
		r.ends = true
		return r
	case a.txn != "" && !a.v5 && (!open || w.chance(15)):
		s.text("t-%d", partition)
		return s.request(a, spec.AddPartitionsToTxn, 3)
	}
	w.values++
	s.text(`"v%d" to t-%d`, w.values, partition)
	s.text("version %d", version(11, 12))
	return s.request(a, spec.Produce, version(11, 12))
}

// identity says, now and then, another identity than the actor's own.
func (w *walk) identity(a *actor, s *said) {
	if len(w.actors) > 1 && w.chance(5) {
		other := w.actors[w.rng.IntN(len(w.actors))]
		if other != a {
			s.inText = append(s.inText, "the identity of "+other.name)
			s.inClass = append(s.inClass, "the identity of another")
		}
	}
	switch n := w.rng.IntN(100); {
	case n < 7:
		s.both("one epoch earlier")
	case n < 12:
		s.both("one epoch later")
	}
}

// noTxn says, rarely, that the transactional id is missing.
func (w *walk) noTxn(s *said) {
	if w.chance(1) {
		s.both("an empty transactional id")
	}
}

func (w *walk) initProducerID(a *actor) request {
	var s said
	version := int16(4)
	if a.v5 {
		version = 5
	}
	if w.chance(40) {
		if id, _ := w.world.Identity(a.name); id != spec.NoProducer {
			s.both("its identity")
			w.identity(a, &s)
		}
	}
	switch n := w.rng.IntN(100); {
	case n < 2:
		s.both("timeout 0")
	case n < 4:
		s.both("timeout 900001")
	case n < 5:
		s.both("an empty transactional id")
	case n < 6:
		s.both("a null transactional id")
	}
	r := s.request(a, spec.InitProducerID, version)
	r.recovers = strings.Contains(r.class, "its identity")
	return r
}

func (w *walk) addPartitions(a *actor) request {
	var s said
	version := int16(3)
	s.inText = append(s.inText, w.partitions(&s))
	switch {
	case w.chance(20):
		version = 4
		s.both("verify only")
	case w.chance(4):
		version = 4
		s.text("version 4")
	}
	w.identity(a, &s)
	w.noTxn(&s)
	return s.request(a, spec.AddPartitionsToTxn, version)
}

// partitions names one partition, or more.
func (w *walk) partitions(s *said) string {
	first := w.rng.IntN(w.Partitions)
	switch {
	case w.chance(3):
		s.inClass = append(s.inClass, "with one that does not exist")
		return fmt.Sprintf("t-%d t-%d", first, w.Partitions)
	case w.Partitions > 1 && w.chance(15):
		return fmt.Sprintf("t-%d t-%d", first, (first+1)%w.Partitions)
	}
	return fmt.Sprintf("t-%d", first)
}

func (w *walk) produce(a *actor) request {
	var s said
	version := int16(11)
	if a.v5 != w.chance(10) {
		version = 12
	}
	values := ""
	for range 1 + w.rng.IntN(2)*w.rng.IntN(2) {
		w.values++
		values += fmt.Sprintf(`"v%d" `, w.values)
	}
	partition := w.rng.IntN(w.Partitions)
	if w.chance(1) {
		partition = w.Partitions
		s.inClass = append(s.inClass, "to a partition that does not exist")
	}
	if version == 11 && w.chance(4) {
		version = int16(9 + w.rng.IntN(2))
	}
	s.text("%sto t-%d", values, partition)
	s.text("version %d", version)
	switch n := w.rng.IntN(100); {
	case n < 12:
		s.both("one sequence earlier")
	case n < 20:
		s.both("one sequence later")
	}
	w.identity(a, &s)
	quiet := false
	switch n := w.rng.IntN(100); {
	case n < 3 && a.txn != "":
		s.both("without the transactional flag")
	case n < 4 && a.txn == "":
		s.both("the transactional flag")
	case n < 6:
		s.both("a null transactional id")
	case n < 8:
		s.both("acks 1")
	case n < 9:
		s.both("acks 0")
		quiet = true
	case n < 10:
		s.both("acks 2")
	}
	r := s.request(a, spec.Produce, version)
	r.quiet = quiet
	return r
}

func (w *walk) endTxn(a *actor) request {
	var s said
	version := int16(4)
	if a.v5 != w.chance(10) {
		version = 5
	}
	if w.chance(50) {
		s.both("commit")
	} else {
		s.both("abort")
	}
	s.text("version %d", version)
	w.identity(a, &s)
	w.noTxn(&s)
	r := s.request(a, spec.EndTxn, version)
	r.ends = true
	return r
}

// marker is a marker by hand. One of transaction version 2 is what the coordinator sends for Produce v12 and EndTxn v5.
func (w *walk) marker(a *actor) request {
	var s said
	version := int16(1)
	if w.chance(50) {
		s.both("commit")
	} else {
		s.both("abort")
	}
	s.text("t-%d", w.rng.IntN(w.Partitions))
	if w.chance(40) && w.versions.Has(spec.WriteTxnMarkers.Key(), 2) {
		version = 2
		s.both(fmt.Sprintf("transaction version %d", 2*w.rng.IntN(2)))
	}
	switch n := w.rng.IntN(100); {
	case n < 10:
		s.both("one epoch earlier")
	case n < 35:
		s.both("one epoch later")
	case n < 38:
		s.text("epoch 30000")
		s.inClass = append(s.inClass, "a much later epoch")
	}
	if w.chance(15) {
		s.both("coordinator epoch 1000")
	}
	return s.request(a, spec.WriteTxnMarkers, version)
}

// unsendable says why a request is not to be sent to this broker, or "".
func (w *walk) unsendable(r *request) string {
	version := versionOf(r.class)
	if !w.versions.Has(r.api.Key(), version) {
		return fmt.Sprintf("%v v%d: the broker does not offer it", r.api, version)
	}
	if w.level() == 0 && breaksAtLevel0(r, version) {
		return fmt.Sprintf("%v v%d: it breaks the transactional id at transaction.version 0 (ADD-28)", r.api, version)
	}
	return ""
}

func breaksAtLevel0(r *request, version int16) bool {
	switch r.api {
	case spec.Produce:
		return version >= 12 && r.actor.txn != ""
	case spec.EndTxn:
		return version >= 5
	case spec.AddPartitionsToTxn:
		return version >= 4 && !strings.Contains(r.class, "verify only")
	}
	return false
}

func versionOf(class string) (version int16) {
	_, rest, _ := strings.Cut(class, " v")
	_, _ = fmt.Sscan(rest, &version) // every class has one
	return version
}
