// Package explore finds scenarios by itself: random walks over the requests of the protocol, each with fresh ids, judged
// by the oracle at every exchange. A walk goes where little was seen so far. One that fails is cut to the shortest that
// still does.
package explore

import (
	"context"
	"fmt"
	"slices"
	"sync"
	"time"

	"github.com/twmb/franz-go/pkg/kmsg"

	"github.com/onceproof/onceproof/harness/broker"
	"github.com/onceproof/onceproof/harness/script"
	"github.com/onceproof/onceproof/spec"
)

// Options say what is explored, and how far.
type Options struct {
	// Exchanges is after how many that were judged the run ends; a walk that has begun is finished.
	Exchanges int
	Seed      uint64
	// Actors and Partitions of each walk: 1 to 3, and 1 to 4; 0 is 2 each.
	Actors, Partitions int
	// Length is the most exchanges of one walk, its setting up included; 0 is 40.
	Length int
	// Parallel is how many walks go on at a time; 0 is 1. What is found does not depend on it where the broker's answers
	// do not depend on time.
	Parallel int
	// Alone says that each walk has a broker of its own.
	Alone bool
	// Open gives a walk its broker. done is called when the walk has ended, with the topics that it made.
	Open func(ctx context.Context) (b broker.Broker, done func(topics []string), err error)
	// Release is judged by; Strict demands it exactly.
	Release spec.Release
	Strict  bool
	// Patience is how long an answer, or a state, is waited for.
	Patience time.Duration
	// Suffix makes the names of the run its own.
	Suffix string
	// Correct sets right what is tolerated in an answer (see [steps.Config]).
	Correct func(req kmsg.Request, resp kmsg.Response) []string
	// Known says of a deviation that it is a known one: it is not shortened. nil knows none.
	Known func(Signature) bool
	// Crashes lets a walk crash its broker, which is one of its own and can do that.
	Crashes bool
	// FirstOnly ends the run at the first deviation that is not known.
	FirstOnly bool
	// Progress, if not nil, is told after each round of walks.
	Progress func(*Result)

	coordinator *coordinator // of the broker that the walks share; nil where each has its own
}

// roundSize is how many walks choose by the same knowledge of what was seen: what they learn counts from the next round
// on, so that a run is the same however many of them go on at a time.
const roundSize = 8

// Run explores. The error says that no broker could be had; a run that was stopped gives what it has.
func Run(ctx context.Context, o Options) (*Result, error) {
	o.fill()
	r := &Result{Options: o, Triples: map[Triple]int{}, tried: map[attempt]int{}, LeftOut: map[string]int{}, Ended: map[string]int{}}
	begun := time.Now()
	for number := 0; r.Exchanges < o.Exchanges && ctx.Err() == nil && !r.enough(); number += roundSize {
		walks, err := o.round(ctx, number, r.tried)
		for _, w := range walks {
			r.add(w)
		}
		if err == nil {
			err = r.shortenNew(ctx)
		}
		r.Duration = time.Since(begun)
		if err != nil && ctx.Err() == nil {
			return r, err
		}
		if !slices.ContainsFunc(walks, (*walk).told) && ctx.Err() == nil {
			r.Stopped = "no walk of a round got anywhere: " + walks[0].ended
			break
		}
		if o.Progress != nil {
			o.Progress(r)
		}
	}
	if ctx.Err() != nil {
		r.Stopped = "interrupted"
	}
	r.Duration = time.Since(begun)
	return r, nil
}

func (o *Options) fill() {
	set := func(field *int, value int) {
		if *field == 0 {
			*field = value
		}
	}
	set(&o.Actors, 2)
	set(&o.Partitions, 2)
	set(&o.Length, 40)
	set(&o.Parallel, 1)
	if o.Patience == 0 {
		o.Patience = 20 * time.Second
	}
	if !o.Alone {
		o.coordinator = &coordinator{}
	}
	if o.Known == nil {
		o.Known = func(Signature) bool { return false }
	}
}

// Check says what is wrong with the options.
func (o *Options) Check() error {
	for _, c := range []struct {
		name             string
		value, low, high int
	}{{"explore", o.Exchanges, 1, 100_000_000}, {"actors", o.Actors, 0, len(actorNames)}, {"partitions", o.Partitions, 0, 4}} {
		if c.value < c.low || c.value > c.high {
			return fmt.Errorf("--%s: expected %d to %d, got %d", c.name, max(c.low, 1), c.high, c.value)
		}
	}
	return nil
}

// round lets walks go, Parallel at a time, and gives them in their order, those that had a broker. What was tried before
// does not change meanwhile.
func (o *Options) round(ctx context.Context, first int, tried map[attempt]int) ([]*walk, error) {
	walks, errs := make([]*walk, roundSize), make([]error, roundSize)
	slots := make(chan struct{}, o.Parallel)
	var wg sync.WaitGroup
	for i := range roundSize {
		wg.Go(func() {
			slots <- struct{}{}
			defer func() { <-slots }()
			walks[i], errs[i] = o.walk(ctx, first+i, tried)
		})
	}
	wg.Wait()
	walks = slices.DeleteFunc(walks, func(w *walk) bool { return w == nil })
	for _, err := range errs {
		if err != nil {
			return walks, err
		}
	}
	return walks, nil
}

// play plays a script on a broker of its own, or with names of its own.
func (o *Options) play(ctx context.Context, s *script.Script, suffix string) (script.Outcome, error) {
	b, done, err := o.Open(ctx)
	if err != nil {
		return script.Outcome{}, err
	}
	c, err := o.config(ctx, b, suffix, false)
	if err != nil {
		done(nil)
		return script.Outcome{}, err
	}
	out := script.Play(ctx, c.Config, s)
	if out.Violation != nil && !o.steady(ctx, b, c.epochs) {
		out = script.Outcome{Topics: out.Topics}
	}
	done(out.Topics)
	return out, nil
}

// enough reports whether the run is to end early.
func (r *Result) enough() bool {
	return r.FirstOnly && slices.ContainsFunc(r.Failures, func(f *Failure) bool { return !f.Known })
}
