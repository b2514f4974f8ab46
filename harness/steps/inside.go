package steps

import (
	"context"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/onceproof/onceproof/harness/broker"
	"github.com/onceproof/onceproof/harness/broker/between"
)

// underWay is how long a request is given to get as far as it can inside the broker, where nothing outside shows it.
const underWay = time.Second

// inside plays the lines "inside the broker, …" on a broker that asks its coordinator, and sends its markers, through a
// proxy. What goes from a partition's leader to the coordinator and back, and from the coordinator to the leader and back,
// are two chains. A chain is held from the first line that says that something of it is held, and goes on line by line. One
// without such a line happens by itself; its question, or marker, has arrived when the answer to it goes by, which is waited for
// at the line: what follows must not come before.
//
// A hold has to be there before what it holds. It is placed before the request from outside that stands last before its
// line, and the next one of the chain before the one before it is let go.
type inside struct {
	proxy  *between.Proxy
	named  func(topic string) string // on the broker
	chains map[chainOf]*chain
	starts map[int][]*chain // by line, counted from 1
	holds  []*between.Hold
}

type chainOf struct {
	asks bool // otherwise it is the markers'
	at   string
}

// chain is what is to arrive, one after the other.
type chain struct {
	at     partition
	events []arrival
	hold   *between.Hold // of the first event
	// seen says that the first event is an answer by which is seen that what it answers has arrived, which no line holds.
	seen bool
}

// arrival is something that arrives, or is held until it does.
type arrival struct {
	of     chainOf
	answer bool
	held   bool
	code   string // what an answer says; "" is anything
	unsaid bool   // no line is about it
}

// insideLines are the lines that are known. Groups are the partition and the answer's code.
func insideLines() []insideLine {
	line := func(pattern string, asks, answer, held bool) insideLine {
		return insideLine{regexp.MustCompile("^" + pattern), arrival{of: chainOf{asks: asks}, answer: answer, held: held}}
	}
	return []insideLine{
		line(`the question of (\S+)'s leader is held$()`, true, false, true),
		line(`the coordinator receives the leader's question: (?:add|may the batch in) (\S+),()`, true, false, false),
		line(`the coordinator's reply to (\S+)'s leader is held$()`, true, true, true),
		line(`(\S+)'s leader receives the coordinator's reply: (\w+)$`, true, true, false),
		line(`the marker for (\S+) is held$()`, false, false, true),
		line(`(\S+)'s leader receives the marker ()`, false, false, false),
		line(`the answer to the marker for (\S+) is held$()`, false, true, true),
		line(`the coordinator receives the answer to the marker for (\S+): (\w+)$`, false, true, false),
	}
}

type insideLine struct {
	pattern *regexp.Regexp
	arrival arrival
}

func parseInside(text string) (arrival, bool) {
	for _, l := range insideLines() {
		if m := l.pattern.FindStringSubmatch(text); m != nil {
			a := l.arrival
			a.of.at, a.code = m[1], m[2]
			return a, true
		}
	}
	return arrival{}, false
}

// insideTheBroker begins a line about what no client can bring about.
const insideTheBroker = "inside the broker, "

// handOn gives what plays such lines; nil where the scenario has none, or nothing in the broker can be held.
func handOn(b broker.Broker, named func(string) string, lines []string) *inside {
	if !slices.ContainsFunc(lines, func(line string) bool { return strings.HasPrefix(line, insideTheBroker) }) {
		return nil
	}
	proxy, err := broker.Between(b)
	if err != nil {
		return nil
	}
	return newInside(proxy, named, lines)
}

// newInside reads the lines of a scenario, its steps in order without their keywords.
func newInside(proxy *between.Proxy, named func(string) string, lines []string) *inside {
	in := &inside{proxy: proxy, named: named, chains: map[chainOf]*chain{}, starts: map[int][]*chain{}}
	request := 1 // the line of the last request
	for i, line := range lines {
		what, within := strings.CutPrefix(line, insideTheBroker)
		if !within {
			if asksFor(line) {
				request = i + 1
			}
			continue
		}
		if a, known := parseInside(what); known {
			in.add(a, request)
		}
	}
	return in
}

// asksFor reports whether a line sends something to the broker that may set it in motion.
func asksFor(line string) bool {
	return regexp.MustCompile(`^\w+ (?:produces|writes|adds|ends|sends) |is under way as "|^".+" arrives$`).MatchString(line)
}

// add takes in a line; request is the one that sets in motion what it is about.
func (in *inside) add(a arrival, request int) {
	c := in.chains[a.of]
	at, err := parsePartition(a.of.at)
	if err != nil || c == nil && !a.held && a.answer {
		return // nothing shows that it has arrived
	}
	if c == nil {
		c = &chain{at: at, events: []arrival{a}}
		if !a.held {
			c.seen, c.events[0] = true, arrival{of: a.of, answer: true, held: true, unsaid: true}
		}
		in.chains[a.of] = c
		in.starts[request] = append(in.starts[request], c)
		return
	}
	if last := &c.events[len(c.events)-1]; last.held && last.answer == a.answer {
		*last = a // what was held arrives
		return
	}
	c.events = append(c.events, a)
}

// before places what has to be there before a line.
func (in *inside) before(line int) {
	for _, c := range in.starts[line] {
		in.place(c)
	}
}

// place holds the first event of a chain that is to come.
func (in *inside) place(c *chain) {
	e := c.events[0]
	match, hold := between.AsksAbout, in.proxy.HoldRequest
	if !e.of.asks {
		match = between.MarksIn
	}
	switch {
	case e.unsaid:
		hold = in.proxy.WatchAnswer
	case e.answer:
		hold = in.proxy.HoldAnswer
	}
	c.hold = hold(match(in.named(c.at.topic), c.at.index))
	in.holds = append(in.holds, c.hold)
}

// does plays a line.
func (in *inside) does(ctx context.Context, what string) error {
	switch what {
	case "everything else goes on":
		in.letGo()
		return nil
	case "the append of the coordinator is acknowledged":
		time.Sleep(underWay) // it can't be held; what depends on it shows in the next answer
		return nil
	}
	a, known := parseInside(what)
	if !known {
		return unjudged(nil, "there is no hand on this: %s", what)
	}
	c := in.chains[a.of]
	if c == nil {
		return nil // it happens by itself
	}
	if len(c.events) == 0 {
		return unjudged(nil, "nothing is held any more: %s", what)
	}
	m, err := c.hold.Caught(ctx)
	if err != nil {
		return unjudged(err, "it did not come to this: %s", what)
	}
	if a.held {
		return nil
	}
	if e := &c.events[0]; e.answer != a.answer {
		if !c.seen {
			return unjudged(nil, "another of its kind is held before it: %s", what)
		}
		if e.unsaid {
			in.arrives(c)
		}
		return nil
	}
	if code, ok := m.Code(in.named(c.at.topic), c.at.index); a.code != "" && (!ok || codeName(code) != a.code) {
		return unjudged(nil, "it went another way inside the broker, where %s came: %s", codeName(code), what)
	}
	in.arrives(c)
	return nil
}

// arrives lets the first event of a chain go.
func (in *inside) arrives(c *chain) {
	arriving, before := c.hold, c.events[0]
	c.seen = false
	if c.events = c.events[1:]; len(c.events) > 0 {
		if before.answer && before.of.asks && !c.events[0].answer {
			time.Sleep(underWay) // the next question waits in the leader for the answer to the one before, or is about to
		}
		in.place(c)
	}
	arriving.Release()
}

// letGo lets everything go that this scenario holds.
func (in *inside) letGo() {
	for _, h := range in.holds {
		h.Release()
	}
	in.holds = nil
	clear(in.chains)
}

// within plays a line about the inside of the broker.
func (w *World) within(ctx context.Context, what string) error {
	if w.inside == nil {
		return unjudged(nil, "a tester has no hand on what goes on inside the broker: %s", what)
	}
	ctx, cancel := context.WithTimeout(ctx, w.Patience)
	defer cancel()
	return w.inside.does(ctx, what)
}
