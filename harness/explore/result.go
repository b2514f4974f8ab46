package explore

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/onceproof/onceproof/harness/broker"
	"github.com/onceproof/onceproof/harness/script"
	"github.com/onceproof/onceproof/harness/steps"
)

// Signature is what makes two failing walks the same deviation: the rule that is broken, the request, and how the answer
// begins, ids and numbers aside.
type Signature struct {
	Rule    string `json:"rule"`
	Request string `json:"request"` // "EndTxn"
	Came    string `json:"came"`    // "NONE"
}

// Failure is a walk that found a violation, and the shortest that was found to show it.
type Failure struct {
	Signature Signature
	Known     bool
	// Walk is its number, Exchange how many exchanges the run had made when it failed.
	Walk, Exchange int
	// Found is the walk as it went, Script what is left of it, Length the exchanges of that.
	Found, Script *script.Script
	Length        int
	Violation     *steps.Violation
	History       []steps.Event
	// Suffix is what the names in History end with, Versions what the broker offers.
	Suffix   string
	Versions broker.Versions
	// Failed is how often Script failed of Of times that it was played.
	Failed, Of int
	took       time.Duration // the walk
	// Again is how often later walks found the same deviation.
	Again int
}

// Result is what a run came to.
type Result struct {
	Options
	Exchanges, Walks int
	Triples          map[Triple]int
	Failures         []*Failure
	// LeftOut counts requests that were not sent, by the reason.
	LeftOut map[string]int
	// Ended counts walks that ended early without a verdict, by the reason.
	Ended map[string]int
	// Spent is how long the oracle worked on each exchange.
	Spent         []time.Duration
	LargestBelief int
	// Waited is the time of all walks together.
	Waited   time.Duration
	Duration time.Duration
	Stopped  string

	tried map[attempt]int
	fresh []*Failure // not shortened yet
}

// add takes in a walk that has ended.
func (r *Result) add(w *walk) {
	if r.Exchanges >= r.Options.Exchanges && r.Options.Exchanges > 0 {
		return // the round went on beyond the end
	}
	r.Walks++
	for _, t := range w.triples {
		r.Triples[t]++
	}
	for a, n := range w.tried {
		r.tried[a] += n
	}
	for reason, n := range w.leftOut {
		r.LeftOut[reason] += n
	}
	if w.ended != "" {
		r.Ended[w.ended]++
	}
	r.Spent = append(r.Spent, w.judge.Spent()...)
	if _, largest := w.judge.Belief(); largest > r.LargestBelief {
		r.LargestBelief = largest
	}
	r.Exchanges += w.judged
	r.Waited += w.took
	if w.violation != nil {
		r.failed(w)
	}
}

func (r *Result) failed(w *walk) {
	sig := SignatureOf(w.violation, w.suffix)
	for _, f := range r.Failures {
		if f.Signature == sig {
			f.Again++
			return
		}
	}
	if !w.script.Fails {
		w.script.Breaks = sig.Rule
	}
	f := &Failure{Signature: sig, Known: r.Known(sig), Walk: w.number, Exchange: r.Exchanges, Found: &w.script, Script: &w.script,
		Violation: w.violation, History: w.world.History(), Length: Moves(&w.script),
		Suffix: w.suffix, Versions: w.versions, took: w.took}
	r.Failures = append(r.Failures, f)
	r.fresh = append(r.fresh, f)
}

// SignatureOf says what a violation is. The suffix is that of the names in it.
func SignatureOf(v *steps.Violation, suffix string) Signature {
	came, _, _ := strings.Cut(strings.ReplaceAll(v.Came, "."+suffix, ""), ",")
	request, _, _ := strings.Cut(v.Sent, " ")
	s := Signature{Request: request, Came: kindOf(came)}
	if len(v.Rules) > 0 {
		s.Rule = v.Rules[0].String()
	}
	return s
}

// Reason says what was expected and what came, ids and numbers aside.
func (f *Failure) Reason() string {
	kind := func(text string) string { return kindOf(strings.ReplaceAll(text, "."+f.Suffix, "")) }
	var allowed []string
	for _, a := range f.Violation.Allowed {
		if k := kind(a.Outcome); !slices.Contains(allowed, k) {
			allowed = append(allowed, k)
		}
	}
	return fmt.Sprintf("expected %s; got %s", strings.Join(allowed, ", or "), kind(f.Violation.Came))
}

// kindOf is an outcome up to its numbers.
func kindOf(text string) string {
	var b strings.Builder
	for i, r := range text {
		switch {
		case r < '0' || r > '9':
			b.WriteRune(r)
		case i == 0 || !strings.HasSuffix(b.String(), "#"):
			b.WriteByte('#')
		}
	}
	return b.String()
}

// Percentile is the oracle's time for an exchange below which the given share of them is.
func (r *Result) Percentile(share float64) time.Duration {
	if len(r.Spent) == 0 {
		return 0
	}
	sorted := slices.Clone(r.Spent)
	slices.Sort(sorted)
	return sorted[min(int(share*float64(len(sorted))), len(sorted)-1)]
}

// OracleTime is the time that the oracle worked in all.
func (r *Result) OracleTime() time.Duration {
	var sum time.Duration
	for _, d := range r.Spent {
		sum += d
	}
	return sum
}

// Sorted are the triples seen, in the order of their text.
func (r *Result) Sorted() []Triple {
	var out []Triple
	for t := range r.Triples {
		out = append(out, t)
	}
	slices.SortFunc(out, func(a, b Triple) int { return cmp.Compare(a.String(), b.String()) })
	return out
}

// Summary is the result in a few lines.
func (r *Result) Summary() string {
	var b strings.Builder
	fmt.Fprintf(&b, "explored %d exchanges in %d walks from seed %d in %.1f s: %.0f exchanges/s; %d distinct (request, state, answer)\n",
		r.Exchanges, r.Walks, r.Seed, r.Duration.Seconds(), float64(r.Exchanges)/max(r.Duration.Seconds(), 1e-9), len(r.Triples))
	share := 0.0
	if r.Waited > 0 {
		share = 100 * float64(r.OracleTime()) / float64(r.Waited)
	}
	fmt.Fprintf(&b, "  the oracle took %.1f %% of the time: median %v, p99 %v an exchange, largest belief %d\n",
		share, r.Percentile(0.5).Round(time.Microsecond), r.Percentile(0.99).Round(time.Microsecond), r.LargestBelief)
	for _, reason := range sortedKeys(r.LeftOut) {
		fmt.Fprintf(&b, "  left out %d times: %s\n", r.LeftOut[reason], reason)
	}
	for _, reason := range sortedKeys(r.Ended) {
		fmt.Fprintf(&b, "  ended without a verdict, %d walks: %s\n", r.Ended[reason], reason)
	}
	for _, f := range r.Failures {
		known := "violates"
		if f.Known {
			known = "known deviation"
		}
		fmt.Fprintf(&b, "  %s: %s: %v\n    after %d exchanges, %d exchanges when shortened, failed %d of %d times; found again %d times\n",
			known, f.Signature.Rule, f.Violation, f.Exchange, f.Length, f.Failed, f.Of, f.Again)
	}
	if r.Stopped != "" {
		fmt.Fprintf(&b, "  stopped: %s\n", r.Stopped)
	}
	return b.String()
}

func sortedKeys(m map[string]int) []string {
	var out []string
	for k := range m {
		out = append(out, k)
	}
	slices.Sort(out)
	return out
}
