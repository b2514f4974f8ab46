package world

import (
	"context"
	"fmt"
	"os"
	"testing"

	"github.com/onceproof/onceproof/checker"
	"github.com/onceproof/onceproof/spec"
)

func TestScratch(t *testing.T) {
	style, tv := TV2Style, int8(2)
	if os.Getenv("STYLE") == "1" {
		style, tv = TV1Style, 1
	}
	c := base(style, tv)
	for _, b := range c.bounds() {
		if v := os.Getenv("B_" + b.name); v != "" {
			fmt.Sscan(v, b.at)
		}
	}
	if v := os.Getenv("OFF"); v != "" {
		f, err := spec.ParseFix(v)
		if err != nil {
			t.Fatal(err)
		}
		c.Rules.Fixes &^= f
	}
	c.Name = "scratch"
	m, err := New(c)
	if err != nil {
		t.Fatal(err)
	}
	p := m.Properties()
	if only := os.Getenv("PROP"); only != "" {
		q := p
		q.Invariants, q.Steps, q.CanReach = nil, nil, nil
		for _, x := range p.Invariants {
			if x.Name == only {
				q.Invariants = append(q.Invariants, x)
			}
		}
		for _, x := range p.Steps {
			if x.Name == only {
				q.Steps = append(q.Steps, x)
			}
		}
		for _, x := range p.CanReach {
			if x.Name == only {
				q.CanReach = append(q.CanReach, x)
			}
		}
		p = q
	}
	r, err := checker.Check(context.Background(), m, p, checker.Options{KeepGoing: os.Getenv("KEEP") != ""})
	if err != nil {
		t.Fatal(err)
	}
	fmt.Println(r.Verdict, "distinct", r.Distinct, "generated", r.Generated, "depth", r.Depth, "seconds", r.Seconds, "rss MB", r.PeakRSSBytes>>20)
	for _, p := range r.Properties {
		fmt.Println("  ", p.Name, p.Verdict, p.Applied, p.Length)
	}
	for _, b := range r.Budgets {
		fmt.Println("  budget", b)
	}
	for _, a := range r.Actions {
		if a.Steps == 0 {
			fmt.Println("  never", a.Kind)
		}
	}
	for _, v := range r.Violations {
		if os.Getenv("TRACE") != "" {
			fmt.Println(v.Trace)
		}
	}
}
