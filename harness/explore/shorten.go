package explore

import (
	"context"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/onceproof/onceproof/harness/script"
	"github.com/onceproof/onceproof/harness/steps"
)

// attempts is after how many plays a script is short enough; repeats how often the shortest is played once more.
const (
	attempts = 1000
	repeats  = 5
)

// shortenNew shortens the failures that are new and not known.
func (r *Result) shortenNew(ctx context.Context) error {
	fresh := r.fresh
	r.fresh = nil
	for _, f := range fresh {
		if f.Known {
			continue
		}
		s := shortener{Options: &r.Options, failure: f, tried: map[string]bool{}}
		if err := s.run(ctx); err != nil {
			return err
		}
		if s.shown == nil && f.Of > 0 && f.Failed == 0 && slowest(f.History) > standstill {
			r.Failures = slices.DeleteFunc(r.Failures, func(x *Failure) bool { return x == f })
			r.Ended["the broker stood still meanwhile, and what it answered then it did not answer again"]++
		}
	}
	return nil
}

// standstill is after how long without an answer a broker is taken for one that stood still. Apache Kafka fences a broker
// after 9 s, or broker.session.timeout.ms, and gives up on requests between its parts: what it answers then is due to that.
const standstill = 2 * time.Second

// slowest is how long the answer was waited for that took longest.
func slowest(history []steps.Event) (d time.Duration) {
	for i := range history {
		if x := history[i].Exchange; x != nil && x.Response != nil {
			d = max(d, x.Received.Sub(x.Sent))
		}
	}
	return d
}

// shortener looks for the shortest script that is still the same deviation.
type shortener struct {
	*Options
	failure *Failure
	best    *script.Script
	shown   *script.Outcome // of best, nil while that is the walk itself
	names   string          // the suffix of the names in shown
	tried   map[string]bool
	plays   int
}

func (s *shortener) run(ctx context.Context) error {
	s.best = s.failure.Found
	err := s.shorten(ctx)
	s.failure.Script, s.failure.Length = s.best, Moves(s.best)
	if s.shown != nil {
		s.failure.Violation, s.failure.History, s.failure.Suffix = s.shown.Violation, s.shown.History, s.names
	}
	if err != nil {
		return err
	}
	return s.repeat(ctx)
}

// shorten looks for the shortest as long as there is a shorter one.
func (s *shortener) shorten(ctx context.Context) error {
	for again := true; again && ctx.Err() == nil; {
		again = false
		for _, candidates := range []func(*script.Script) []*script.Script{without, simpler, straighter} {
			shorter, err := s.improve(ctx, candidates)
			if err != nil {
				return err
			}
			again = again || shorter
		}
	}
	return nil
}

// improve takes the first candidate that still fails, as often as there is one.
func (s *shortener) improve(ctx context.Context, candidates func(*script.Script) []*script.Script) (improved bool, err error) {
	for found := true; found; {
		found = false
		for _, c := range candidates(s.best) {
			key := c.Gherkin()
			if s.tried[key] || s.plays >= attempts || ctx.Err() != nil {
				continue
			}
			s.tried[key] = true
			out, err := s.fails(ctx, c)
			if err != nil {
				return improved, err
			}
			if out == nil {
				continue
			}
			c.Steps = c.Steps[:out.ViolatedAt+1]
			s.best, s.shown, s.names, found, improved = c, out, s.suffix(), true, true
			break
		}
	}
	return improved, nil
}

// fails plays a script and gives the outcome if it fails in the same way, else nil.
func (s *shortener) fails(ctx context.Context, c *script.Script) (*script.Outcome, error) {
	s.plays++
	// A script that lacks a step may wait for what never comes.
	within, cancel := context.WithTimeout(ctx, 3*s.failure.took+time.Second)
	defer cancel()
	out, err := s.play(within, c, s.suffix())
	if err != nil && within.Err() != nil && ctx.Err() == nil {
		return nil, nil // a broker that stands still for a while answers the next play
	}
	if err != nil || out.Kind != script.Reproduced || out.Violation == nil {
		return nil, err
	}
	if c.Fails {
		out.Violation.Rules = s.failure.Violation.Rules // the line has none of its own
	}
	if SignatureOf(out.Violation, s.suffix()) != s.failure.Signature {
		return nil, nil
	}
	return &out, nil
}

// suffix makes the names of the play at hand its own.
func (s *shortener) suffix() string {
	return fmt.Sprintf("%s%ds%d", s.Suffix, s.failure.Walk, s.plays)
}

// repeat plays the shortest script a few times more, and takes down what was seen the last time that it failed.
func (s *shortener) repeat(ctx context.Context) error {
	f := s.failure
	for range repeats {
		out, err := s.fails(ctx, s.best)
		if err != nil {
			return err
		}
		f.Of++
		if out == nil {
			continue
		}
		f.Failed++
		f.Violation, f.History, f.Suffix = out.Violation, out.History, s.suffix()
	}
	return nil
}

// without are the scripts that lack some steps: half of them, a quarter, down to each single one, and all that speak of
// one label.
func without(s *script.Script) []*script.Script {
	var out []*script.Script
	drop := func(gone func(i int) bool) {
		c := s.Clone()
		c.Steps = c.Steps[:0]
		for i, st := range s.Steps {
			if !gone(i) {
				c.Steps = append(c.Steps, st)
			}
		}
		if len(c.Steps) > 0 && len(c.Steps) < len(s.Steps) {
			out = append(out, c)
		}
	}
	for size := len(s.Steps) / 2; size >= 1; size /= 2 {
		for at := len(s.Steps) - size; at >= 0; at -= size {
			drop(func(i int) bool { return i >= at && i < at+size && s.Steps[i].Keyword != script.Given })
		}
	}
	for _, label := range labels(s) {
		drop(func(i int) bool { return strings.Contains(s.Steps[i].Text, `"`+label+`"`) })
	}
	for i := range s.Steps { // a producer that nobody needs
		drop(func(j int) bool { return i == j })
	}
	return out
}

var (
	labelled = regexp.MustCompile(`(?:is held as|is under way as) "([^"]+)"`)
	awaited  = regexp.MustCompile(`^(\w+)'s (.+) is (?:held|under way) as "([^"]+)"$`)
	given    = regexp.MustCompile(`^producer (\w+) `)
)

// labels are those of requests that are held or under way.
func labels(s *script.Script) []string {
	var out []string
	for _, st := range s.Steps {
		if m := labelled.FindStringSubmatch(st.Text); m != nil {
			out = append(out, m[1])
		}
	}
	return out
}

// rewrites, read only, make a line simpler.
var rewrites = []struct {
	from *regexp.Regexp
	to   string
}{
	{regexp.MustCompile(`, one (?:epoch|sequence) (?:earlier|later)`), ""},
	{regexp.MustCompile(`, the identity of \w+`), ""},
	{regexp.MustCompile(`, (?:acks -?\d+|a null transactional id|an empty transactional id|timeout \d+|without the transactional flag|the transactional flag|verify only|coordinator epoch \d+)`), ""},
	{regexp.MustCompile(`, epoch 30000`), ", one epoch later"},
	{regexp.MustCompile(`, version \d+`), ""},
	{regexp.MustCompile(` and timeout \d+ ms$`), ""},
	{regexp.MustCompile(` and the answer is lost$`), " once"},
	{regexp.MustCompile(`^the request is sent again on another connection$`), "the request is sent again"},
	{regexp.MustCompile(`(t-\d+) t-\d+`), "$1"},
	{regexp.MustCompile(`t-[1-9]\d*`), "t-0"},
	{regexp.MustCompile(`("v\d+") "v\d+"`), "$1"},
	{regexp.MustCompile(`with transactional id "y"`), `with transactional id "x"`},
	{regexp.MustCompile(`InitProducerId\(its identity\)`), "InitProducerId()"},
	{regexp.MustCompile(`topic "t" with [2-9] partitions`), `topic "t" with 1 partition`},
	{regexp.MustCompile(`InitProducerId\(\) once$`), "InitProducerId() until it is granted"},
}

// simpler are the scripts that say something in a simpler way.
func simpler(s *script.Script) []*script.Script {
	var out []*script.Script
	change := func(i int, text string) {
		if text != s.Steps[i].Text {
			c := s.Clone()
			c.Steps[i].Text = text
			out = append(out, c)
		}
	}
	for i, st := range s.Steps {
		for _, r := range rewrites {
			change(i, r.from.ReplaceAllString(st.Text, r.to))
		}
		if m := awaited.FindStringSubmatch(st.Text); m != nil {
			out = append(out, atOnce(s, i, m)...)
		}
	}
	return append(out, fewerActors(s)...)
}

// ordinary, read only, are the steps of a client that does nothing odd; %s is its name.
var ordinary = []string{
	`%s sends InitProducerId() until it is granted`, `%s sends AddPartitionsToTxn(t-0) once`, `%s sends Produce("m" to t-0) once`,
	`%s sends EndTxn(commit) once`, `%s sends EndTxn(abort) once`, `%s sends WriteTxnMarkers(abort, t-0) once`,
}

// straighter are the scripts in which one ordinary step stands in for two or three: it may bring about as well what they do.
func straighter(s *script.Script) []*script.Script {
	var out []*script.Script
	first := slices.IndexFunc(s.Steps, func(st script.Step) bool { return st.Keyword != script.Given })
	if first < 0 {
		return nil
	}
	for size := 3; size >= 2; size-- {
		for at := first; at+size < len(s.Steps); at++ {
			for _, st := range s.Steps[:first] {
				m := given.FindStringSubmatch(st.Text)
				if m == nil {
					continue
				}
				for _, text := range ordinary {
					c := s.Clone()
					c.Steps = slices.Replace(c.Steps, at, at+size, script.Step{Keyword: script.When, Text: fmt.Sprintf(text, m[1])})
					out = append(out, c)
				}
			}
		}
	}
	return out
}

// atOnce sends a request that was held, or under way, where it was made, or where it arrived.
func atOnce(s *script.Script, i int, m []string) []*script.Script {
	var out []*script.Script
	later := slices.IndexFunc(s.Steps, func(st script.Step) bool { return strings.HasPrefix(st.Text, `"`+m[3]+`" `) })
	if later < 0 {
		return nil
	}
	for _, at := range []int{i, later} {
		c := s.Clone()
		c.Steps[at].Text = fmt.Sprintf("%s sends %s once", m[1], m[2])
		gone := i + later - at
		c.Steps = slices.Delete(c.Steps, gone, gone+1)
		out = append(out, c)
	}
	return out
}

// fewerActors lets one producer do what another did.
func fewerActors(s *script.Script) []*script.Script {
	var names []string
	for _, st := range s.Steps {
		if m := given.FindStringSubmatch(st.Text); m != nil {
			names = append(names, m[1])
		}
	}
	var out []*script.Script
	for _, gone := range names {
		for _, stays := range names {
			if gone == stays {
				continue
			}
			c := s.Clone()
			c.Steps = c.Steps[:0]
			word := regexp.MustCompile(`^` + gone + `\b|\bidentity of ` + gone + `\b`)
			for _, st := range s.Steps {
				if strings.HasPrefix(st.Text, "producer "+gone+" ") {
					continue
				}
				st.Text = word.ReplaceAllStringFunc(st.Text, func(m string) string { return strings.TrimSuffix(m, gone) + stays })
				c.Steps = append(c.Steps, st)
			}
			out = append(out, c)
		}
	}
	return out
}
