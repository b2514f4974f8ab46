package explore

import (
	"context"
	"fmt"
	"slices"

	"github.com/onceproof/onceproof/harness/oracle"
	"github.com/onceproof/onceproof/harness/script"
	"github.com/onceproof/onceproof/spec"
)

// proposals is among how many requests a walk chooses the one that is seen least.
const proposals = 6

// next takes the walk one line further.
func (w *walk) next(ctx context.Context) {
	afterEnd := w.justEnded
	w.justEnded = false
	if w.Crashes && (w.chance(2) || w.last != nil && w.last.recovers && w.chance(25)) {
		w.crash(ctx)
		return
	}
	switch n := w.rng.IntN(100); {
	case len(w.flying) > 0 && n < 35 || len(w.flying) > 1:
		w.land(ctx, w.rng.IntN(len(w.flying)))
	case len(w.held) > 0 && n < 45 && n >= 35:
		w.release(ctx)
	case afterEnd && n < 80:
		w.send(ctx, w.choose())
	case n < 52:
		w.look(ctx)
	case n < 56 && w.last != nil && !w.last.quiet:
		w.again(ctx)
	case n < 60:
		w.wait(ctx)
	default:
		w.send(ctx, w.choose())
	}
}

// choose picks a request: half of the time what a client would send next, so that transactions come about at all. Else, of
// a few, one is the more likely the less often it was sent in such a state.
func (w *walk) choose() request {
	if w.chance(50) {
		if r := w.natural(w.actors[w.rng.IntN(len(w.actors))]); w.unsendable(&r) == "" {
			return r
		}
	}
	var all []request
	for len(all) < proposals {
		r := w.propose()
		if why := w.unsendable(&r); why != "" {
			w.leftOut[why]++
			continue
		}
		all = append(all, r)
	}
	weights, sum := make([]float64, len(all)), 0.0
	for i := range all {
		key := attempt{all[i].class, w.state(all[i].actor.txn)}
		weights[i] = 1 / float64(1+w.before[key]+4*w.tried[key])
		sum += weights[i]
	}
	at := w.rng.Float64() * sum
	for i := range all {
		if at -= weights[i]; at < 0 {
			return all[i]
		}
	}
	return all[len(all)-1]
}

// send sends a request in one of the ways in which the network can carry it.
func (w *walk) send(ctx context.Context, r request) {
	state := w.state(r.actor.txn)
	if r.api == spec.WriteTxnMarkers {
		w.tampered = true
	}
	switch n := w.rng.IntN(100); {
	case r.quiet:
		w.values++
		w.do(ctx, script.When, `%s's %s is under way as "q%d"`, r.actor.name, r.text, w.values) // no answer is due
		w.seen(&r, state, nil)
	case n < 12 && len(w.flying) < 2 && r.api != spec.WriteTxnMarkers:
		w.values++
		label := fmt.Sprintf("f%d", w.values)
		w.do(ctx, script.When, `%s's %s is under way as "%s"`, r.actor.name, r.text, label)
		w.flying = append(w.flying, flight{label, r, state})
	case n < 18 && len(w.held) < 3:
		w.values++
		label := fmt.Sprintf("h%d", w.values)
		w.do(ctx, script.When, `%s's %s is held as "%s"`, r.actor.name, r.text, label)
		w.held, w.wanted[label] = append(w.held, label), r
	case n < 22:
		w.seen(&r, state, w.do(ctx, script.When, "%s sends %s and the answer is lost", r.actor.name, r.text))
		w.last = &r
		w.justEnded = r.ends
	default:
		how := " once"
		if r.api == spec.InitProducerID && w.chance(50) && !w.tampered && !w.openFor(r.actor) {
			how = "" // until it is taken
		}
		w.seen(&r, state, w.do(ctx, script.When, "%s sends %s%s", r.actor.name, r.text, how))
		w.last = &r
		w.justEnded = r.ends
	}
}

// openFor reports whether something is under way for the actor's transactional id that may keep it from being taken.
func (w *walk) openFor(a *actor) bool {
	return slices.ContainsFunc(w.flying, func(f flight) bool { return f.request.actor.txn == a.txn })
}

// land waits for the answer to a request that is under way.
func (w *walk) land(ctx context.Context, i int) {
	f := w.flying[i]
	w.flying = slices.Delete(w.flying, i, i+1)
	w.do(ctx, script.When, `"%s" is answered`, f.label)
	if code, ok := w.world.LastCode(); ok {
		w.seen(&f.request, f.state, []string{code})
	}
	w.last = &f.request
}

// release lets a request that was held arrive.
func (w *walk) release(ctx context.Context) {
	i := w.rng.IntN(len(w.held))
	label := w.held[i]
	w.held = slices.Delete(w.held, i, i+1)
	r := w.wanted[label]
	r.class += ", late"
	w.seen(&r, w.state(r.actor.txn), w.do(ctx, script.When, `"%s" arrives`, label))
	w.last = &r
}

// crash kills the broker and starts it again: what is under way has no answer.
func (w *walk) crash(ctx context.Context) {
	w.flying = nil
	w.do(ctx, script.When, "the broker crashes and comes back")
	if w.last != nil && !w.last.quiet && w.going(ctx) && w.chance(50) { // as a client does that heard nothing
		w.again(ctx)
	}
	w.last = nil
}

// again sends the last request once more, on another connection.
func (w *walk) again(ctx context.Context) {
	state := w.state(w.last.actor.txn)
	w.seen(w.last, state, w.do(ctx, script.When, "the request is sent again on another connection"))
}

// look asks for something that the oracle knows.
func (w *walk) look(ctx context.Context) {
	isolation := []string{"read_uncommitted", "read_committed"}[w.rng.IntN(2)]
	p := w.rng.IntN(w.Partitions)
	a := w.actors[w.rng.IntN(len(w.actors))]
	switch n := w.rng.IntN(100); {
	case n < 30:
		w.do(ctx, script.When, "t-%d is fetched %s", p, isolation)
	case n < 50:
		w.do(ctx, script.When, "the latest offset of t-%d is asked %s", p, isolation)
	case n < 80 && a.txn != "":
		w.do(ctx, script.When, `"%s" is described`, a.txn)
	default:
		w.do(ctx, script.When, "the producers of t-%d are described", p)
	}
}

// wait waits for what a broker does by itself: the end of a transaction, or its timeout.
func (w *walk) wait(ctx context.Context) {
	a := w.actors[w.rng.IntN(len(w.actors))]
	if a.txn == "" || w.tampered || len(w.flying) > 0 {
		return
	}
	state := w.state(a.txn)
	switch {
	case w.ending(a.txn):
		w.do(ctx, script.When, `the transaction of "%s" completes`, a.txn)
	case state == "Ongoing" && w.allShort(a.txn):
		w.do(ctx, script.When, `the transaction of "%s"%s`, a.txn, timesOut)
	}
}

// timesOut is what is said of a transaction whose timeout is waited for.
const timesOut = " times out"

// ending reports whether a transaction was ended for sure, and is perhaps not complete.
func (w *walk) ending(txn string) bool {
	held := w.judge.Statuses(txn + "." + w.suffix)
	prepared := slices.ContainsFunc(held, func(h oracle.Held) bool { return h.Status.Prepared() })
	return prepared && !slices.ContainsFunc(held, func(h oracle.Held) bool {
		return !h.Status.Prepared() && h.Status != spec.CompleteCommit && h.Status != spec.CompleteAbort
	})
}

// allShort reports whether every producer of a transactional id has a timeout that can be waited for.
func (w *walk) allShort(txn string) bool {
	return !slices.ContainsFunc(w.actors, func(a *actor) bool { return a.txn == txn && a.timeout == 0 })
}
