package checker

import (
	"fmt"
	"io"
	"time"
)

// Progress is how far a search has come.
type Progress struct {
	Depth     int
	Distinct  uint64
	Generated uint64
	// Frontier is the number of states met but not yet expanded, as far as it is known.
	Frontier uint64
	Elapsed  time.Duration
	// Rate is in distinct states a second, since the start.
	Rate float64
}

// String is the progress in one line.
func (p Progress) String() string {
	return fmt.Sprintf("depth %d, %d distinct states (%.0f/s), %d generated, %d in the frontier, %.0f s",
		p.Depth, p.Distinct, p.Rate, p.Generated, p.Frontier, p.Elapsed.Seconds())
}

func (s *search[S, A]) report() {
	if s.options.Progress == nil {
		return
	}
	s.reported = time.Now()
	elapsed := s.reported.Sub(s.started)
	s.options.Progress(Progress{
		Depth:     s.depth,
		Distinct:  s.links.count,
		Generated: s.total.generated,
		Frontier:  s.next.states,
		Elapsed:   elapsed,
		Rate:      float64(s.links.count) / elapsed.Seconds(),
	})
}

func (s *search[S, A]) reportSometimes() {
	if s.options.Progress != nil && time.Since(s.reported) >= s.options.ProgressEvery {
		s.report()
	}
}

// ProgressPrinter shows progress: on a terminal as one line that is rewritten, elsewhere as plain lines some seconds apart.
type ProgressPrinter struct {
	w        io.Writer
	terminal bool
	every    time.Duration
	last     time.Duration
	width    int
}

// NewProgressPrinter prints to w, at most once in a period.
func NewProgressPrinter(w io.Writer, terminal bool, every time.Duration) *ProgressPrinter {
	return &ProgressPrinter{w: w, terminal: terminal, every: every}
}

// Print is for Options.Progress.
func (p *ProgressPrinter) Print(progress Progress) {
	if progress.Elapsed-p.last < p.every {
		return
	}
	p.last = progress.Elapsed
	line := progress.String()
	if !p.terminal {
		fmt.Fprintln(p.w, line)
		return
	}
	fmt.Fprintf(p.w, "\r%-*s", p.width, line)
	p.width = len(line)
}

// Clear ends the rewritten line, to be called when the search has ended.
func (p *ProgressPrinter) Clear() {
	if p.terminal && p.width > 0 {
		fmt.Fprintf(p.w, "\r%-*s\r", p.width, "")
		p.width = 0
	}
}
