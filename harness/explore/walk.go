package explore

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"time"

	"github.com/onceproof/onceproof/harness/broker"
	"github.com/onceproof/onceproof/harness/judge"
	"github.com/onceproof/onceproof/harness/mapping"
	"github.com/onceproof/onceproof/harness/script"
	"github.com/onceproof/onceproof/harness/steps"
	"github.com/onceproof/onceproof/spec"
)

// walk is one random walk: a script that is written while it is played.
type walk struct {
	*Options
	number   int
	rng      *rand.Rand
	before   map[attempt]int // what was tried before this round
	tried    map[attempt]int // in this walk
	world    *steps.World
	judge    judge.Judge
	versions broker.Versions
	suffix   string

	actors    []*actor
	held      []string           // labels of requests that are held
	flying    []flight           // requests whose answers are outstanding
	wanted    map[string]request // by label of those held
	last      *request           // the one sent last
	tampered  bool               // a marker by hand may have left a transaction without an end
	justEnded bool               // an EndTxn was the last thing
	values    int

	script    script.Script
	triples   []Triple
	exchanges int // in all, setting up included
	judged    int
	leftOut   map[string]int
	ended     string // why it ended early, without a verdict
	violation *steps.Violation
	took      time.Duration
}

// actor is a producer of a walk.
type actor struct {
	name    string
	txn     string // transactional id; "" for none
	v5      bool
	timeout int  // of its transactions, in milliseconds; 0 is the default, which does not pass during a walk
	refused bool // the last answer to it was one that ends a client
}

// flight is a request whose answer is outstanding.
type flight struct {
	label   string
	request request
	state   string // when it was sent
}

// config is what a walk plays with.
type config struct {
	steps.Config
	judge  judge.Judge
	epochs broker.CoordinatorEpochs // of the broker that is shared, when it began
}

func (o *Options) config(ctx context.Context, b broker.Broker, suffix string, company bool) (config, error) {
	within, cancel := context.WithTimeout(ctx, o.Patience)
	defer cancel()
	v, err := b.Versions(within)
	if err != nil {
		return config{}, fmt.Errorf("%s: %w", b.Name(), err)
	}
	create := judge.New
	if company {
		create = judge.InCompany
	}
	j := create(o.Release, int8(v.TransactionVersion), o.Strict)
	epochs, err := o.coordinator.read(within, b)
	if err != nil {
		return config{}, fmt.Errorf("%s: %w", b.Name(), err)
	}
	if epoch, known := epochs.Of("x."+suffix, "y."+suffix); known {
		j.CoordinatorAt(epoch)
	}
	return config{judge: j, epochs: epochs, Config: steps.Config{Broker: b, Versions: v, Oracle: j, Suffix: suffix, Release: o.Release, Strict: o.Strict, Patience: o.Patience, Correct: o.Correct}}, nil
}

// walk goes one walk.
func (o *Options) walk(ctx context.Context, number int, before map[attempt]int) (*walk, error) {
	b, done, err := o.Open(ctx)
	if err != nil {
		return nil, err
	}
	suffix := fmt.Sprintf("%s%d", o.Suffix, number)
	c, err := o.config(ctx, b, suffix, o.Parallel > 1 && !o.Alone)
	if err != nil {
		done(nil)
		return nil, err
	}
	begun := time.Now()
	w := &walk{Options: o, number: number, rng: rand.New(rand.NewPCG(o.Seed, uint64(number))), before: before, tried: map[attempt]int{},
		world: steps.NewWorld(), judge: c.judge, versions: c.Versions, suffix: suffix, wanted: map[string]request{}, leftOut: map[string]int{}}
	w.script.Name = fmt.Sprintf("walk %d of seed %d", number, o.Seed)
	w.world.Start(c.Config)
	if _, known := c.epochs.Of("x."+suffix, "y."+suffix); !known && len(c.epochs) > 0 {
		w.ended = "the transactional ids of the walk have coordinators of different epochs"
	} else {
		w.begin(ctx)
	}
	for w.exchanges < w.Length && w.going(ctx) {
		w.next(ctx)
	}
	w.finish(ctx)
	w.world.Close()
	if w.violation != nil && !o.steady(ctx, b, c.epochs) {
		w.violation, w.ended = nil, "the broker's coordinators were elected anew meanwhile, as when it stands still for longer than its session timeout"
	}
	if ctx.Err() != nil && w.ended != "" {
		w.ended = stopped // whatever the step that it cut off says
	}
	w.took = time.Since(begun)
	done(w.world.Topics())
	return w, nil
}

// stopped is why walks end when the run is interrupted.
const stopped = "the run was stopped"

// told reports whether the walk says anything about the broker.
func (w *walk) told() bool { return w.ended == "" || w.violation != nil || len(w.triples) > 0 }

// going reports whether the walk is not at an end.
func (w *walk) going(ctx context.Context) bool {
	if ctx.Err() != nil && w.ended == "" {
		w.ended = stopped
	}
	return w.ended == "" && w.violation == nil
}

// begin introduces topic and producers.
func (w *walk) begin(ctx context.Context) {
	plural := "s"
	if w.Partitions == 1 {
		plural = ""
	}
	w.do(ctx, script.Given, `topic "t" with %d partition%s`, w.Partitions, plural)
	for i := range w.Actors {
		a := &actor{name: actorNames[i], txn: "x", v5: w.level() > 0 && w.chance(70)}
		if w.level() < 2 {
			a.v5 = a.v5 && w.chance(50)
		}
		switch {
		case i > 0 && w.chance(40):
			a.txn = "y"
		case i > 0 && w.chance(15):
			a.txn = ""
		}
		if a.txn != "" && w.chance(20) {
			a.timeout = 300 + 100*w.rng.IntN(5)
		}
		w.actors = append(w.actors, a)
		w.do(ctx, script.Given, "%s", a.introduction())
	}
}

func (a *actor) introduction() string {
	style := "v4"
	if a.v5 {
		style = "v5"
	}
	if a.txn == "" {
		return fmt.Sprintf(`producer %s (%s style) without transactional id`, a.name, style)
	}
	text := fmt.Sprintf(`producer %s (%s style) with transactional id "%s"`, a.name, style, a.txn)
	if a.timeout > 0 {
		text += fmt.Sprintf(" and timeout %d ms", a.timeout)
	}
	return text
}

// finish reads what is there in the end: the logs tell of what no answer told.
func (w *walk) finish(ctx context.Context) {
	for len(w.flying) > 0 && w.going(ctx) {
		w.land(ctx, 0)
	}
	for p := range w.Partitions {
		for _, isolation := range []string{"read_uncommitted", "read_committed"} {
			if w.going(ctx) {
				w.do(ctx, script.When, "t-%d is fetched %s", p, isolation)
			}
		}
	}
}

func (w *walk) level() int16 { return w.versions.TransactionVersion }

func (w *walk) chance(percent int) bool { return w.rng.IntN(100) < percent }

// do plays a line and takes down what came. It returns the codes of the answers to what the line sent.
func (w *walk) do(ctx context.Context, keyword, format string, args ...any) []string {
	w.script.Add(keyword, format, args...)
	text := w.script.Steps[len(w.script.Steps)-1].Text
	before := len(w.world.History())
	err := w.world.Play(ctx, text, nil)
	var codes []string
	for _, e := range w.world.History()[before:] {
		if e.Exchange == nil {
			continue
		}
		w.exchanges++
		if !e.Setup {
			w.judged++
		}
		if e.Exchange.Response != nil && mapping.Modelled(e.Exchange.Request) {
			if code, ok := steps.AnswerCode(e.Exchange.Response); ok {
				codes = append(codes, code)
			}
		}
	}
	w.heard(err, text)
	return codes
}

// heard ends the walk where a line came to an error.
func (w *walk) heard(err error, text string) {
	if err == nil {
		return
	}
	v, unjudged := steps.Classify(err)
	switch {
	case unjudged != nil && errors.Is(err, steps.ErrUnknownLine):
		panic(err) // the explorer writes no such line
	case unjudged != nil:
		w.ended = unjudged.Error()
	case v.ByOracle:
		w.violation = v
	case strings.HasSuffix(text, timesOut):
		v.Rules = []spec.Rule{spec.TMO02} // the oracle lets a transaction be open for as long as it likes
		w.violation, w.script.Fails = v, true
	default:
		w.ended = "waited in vain: " + kindOf(v.Error())
	}
}

// state is the coordinator's state of a transactional id, as far as it can be known.
func (w *walk) state(txn string) string {
	if txn == "" {
		return "no transactional id"
	}
	return stateOf(w.judge.Statuses(txn + "." + w.suffix))
}

// fatal, read only, are answers after which a client begins anew.
var fatal = [...]string{"PRODUCER_FENCED", "INVALID_PRODUCER_EPOCH", "INVALID_TXN_STATE", "INVALID_PRODUCER_ID_MAPPING",
	"OUT_OF_ORDER_SEQUENCE_NUMBER", "TRANSACTIONAL_ID_AUTHORIZATION_FAILED"}

// seen takes down what was answered to a request.
func (w *walk) seen(r *request, state string, codes []string) {
	w.tried[attempt{r.class, state}]++
	for _, code := range codes {
		r.actor.refused = slices.Contains(fatal[:], code)
		w.triples = append(w.triples, Triple{r.kind, state, code})
	}
}
