package conform

import (
	"fmt"
	"io"
	"strings"
	"sync"

	"github.com/onceproof/onceproof/harness/script"
)

// printer prints scenarios as they end, in the order of the suite, each in one piece: one that ends early waits for those
// before it.
type printer struct {
	mu       sync.Mutex
	out      io.Writer
	progress io.Writer // gets one line that is rewritten; nil for none
	order    []string  // names, in the order in which they are printed
	ended    map[string]*ScenarioResult
	running  []string
	next     int
	done     int
	found    int    // violations
	feature  string // that of the scenario printed last
}

func newPrinter(out, progress io.Writer, suite []Scenario) *printer {
	p := &printer{out: out, progress: progress, ended: map[string]*ScenarioResult{}}
	for _, s := range suite {
		p.order = append(p.order, s.Name)
	}
	return p
}

// begin tells that a scenario is being played.
func (p *printer) begin(name string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.running = append(p.running, name)
	p.tell()
}

// end takes what came of a scenario.
func (p *printer) end(res *ScenarioResult) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.ended[res.Name] = res
	p.done++
	if res.Verdict == Violates {
		p.found++
	}
	for i, name := range p.running {
		if name == res.Name {
			p.running = append(p.running[:i], p.running[i+1:]...)
			break
		}
	}
	p.clear()
	for p.next < len(p.order) && p.ended[p.order[p.next]] != nil {
		p.print(p.ended[p.order[p.next]])
		p.next++
	}
	p.tell()
}

// rest prints what waits for scenarios that were not played.
func (p *printer) rest() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.clear()
	for ; p.next < len(p.order); p.next++ {
		if res := p.ended[p.order[p.next]]; res != nil {
			p.print(res)
		}
	}
}

// tell says how far the run is, on a terminal.
func (p *printer) tell() {
	if p.progress == nil || len(p.running) == 0 {
		return
	}
	violations := "no violation"
	if p.found > 0 {
		violations = plural(p.found, "violation")
	}
	line := []rune(fmt.Sprintf("%d of %d scenarios, %s so far; now: %s", p.done, len(p.order), violations, p.running[0]))
	fmt.Fprintf(p.progress, "\r\x1b[K%s", string(line[:min(len(line), progressWidth)]))
}

// progressWidth is how wide the line of progress may be: a wider one would not be rewritten in place.
const progressWidth = 79

func plural(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return fmt.Sprintf("%d %ss", n, what)
}

// clear takes the line of progress away.
func (p *printer) clear() {
	if p.progress != nil {
		fmt.Fprint(p.progress, "\r\x1b[K")
	}
}

// print prints a scenario as Gherkin, with what came of it.
func (p *printer) print(res *ScenarioResult) {
	var b strings.Builder
	if res.File != p.feature {
		p.feature = res.File
		fmt.Fprintf(&b, "Feature: %s\n\n", res.Feature)
	}
	fmt.Fprintf(&b, "  Scenario: %s # features/%s:%d\n", res.Name, res.File, res.Line)
	for i, st := range res.Steps {
		mark := ""
		switch line := i + 1; {
		case res.played.line > 0 && line > res.played.line:
			mark = " # not played"
		case line == res.played.line:
			mark = " # here"
		}
		fmt.Fprintf(&b, "    %s %s%s\n", st.Keyword, st.Text, mark)
		printTable(&b, st)
	}
	fmt.Fprintf(&b, "    # %s in %.2f s", res.Verdict, res.Duration.Seconds())
	if res.Reason != "" {
		fmt.Fprintf(&b, ": %s", res.Reason)
	}
	b.WriteString("\n\n")
	_, _ = io.WriteString(p.out, b.String()) // whoever reads may have had enough; the result is kept
}

func printTable(b *strings.Builder, st script.Step) {
	for _, row := range st.Table {
		fmt.Fprintf(b, "      | %s |\n", strings.Join(row, " | "))
	}
}
