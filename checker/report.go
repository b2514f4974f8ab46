package checker

import (
	"fmt"
	"io"
	"strings"
	"text/tabwriter"
)

// WriteText writes the result for people: the size of the search, the verdict on each property, what was never taken, and the
// traces of the violations.
func (r *Result[A]) WriteText(w io.Writer) error {
	var b strings.Builder
	fmt.Fprintf(&b, "model %s: %s\n", r.Model, r.Verdict)
	upTo := ""
	if r.Symmetry {
		upTo = " up to symmetry"
	}
	fmt.Fprintf(&b, "%d distinct states%s, %d generated, depth %d, in %.1f s with %d %s",
		r.Distinct, upTo, r.Generated, r.Depth, r.Seconds, r.Workers, plural(r.Workers, "worker", "workers"))
	if r.PeakRSSBytes > 0 {
		fmt.Fprintf(&b, " and %d MiB", r.PeakRSSBytes>>20)
	}
	if r.Exact {
		fmt.Fprintf(&b, "\nstates missed: none, they were compared whole; collisions of fingerprints: %d\n\n", r.Collisions)
	} else {
		fmt.Fprintf(&b, "\nstates missed by collision of fingerprints: %.1e expected\n\n", r.CollisionsExpected)
	}
	r.writeProperties(&b)
	r.writeCoverage(&b)
	for _, v := range r.Violations {
		if v.Trace == nil {
			fmt.Fprintf(&b, "\n%s: no state shows it\n", v.Property)
			continue
		}
		fmt.Fprintf(&b, "\n%s", v.Trace)
	}
	_, err := io.WriteString(w, b.String())
	return err
}

func (r *Result[A]) writeProperties(b *strings.Builder) {
	t := tabwriter.NewWriter(b, 0, 0, 2, ' ', 0)
	fmt.Fprintln(t, "PROPERTY\tKIND\tVERDICT\tAPPLIED\tSTEPS")
	for _, p := range r.Properties {
		applied, length := "", ""
		if p.Kind == KindInvariant || p.Kind == KindStep {
			applied = fmt.Sprint(p.Applied)
		}
		if p.Length >= 0 {
			length = fmt.Sprint(p.Length)
		}
		fmt.Fprintf(t, "%s\t%s\t%s\t%s\t%s\n", p.Name, p.Kind, p.Verdict, applied, length)
	}
	t.Flush() // a Builder gives no errors
}

func (r *Result[A]) writeCoverage(b *strings.Builder) {
	t := tabwriter.NewWriter(b, 0, 0, 2, ' ', 0)
	if len(r.Actions) > 0 {
		fmt.Fprintln(t, "\nACTION\tSTEPS")
		for _, a := range r.Actions {
			fmt.Fprintf(t, "%s\t%s\n", a.Kind, countOrNever(a.Steps))
		}
	}
	if len(r.Decisions) > 0 {
		fmt.Fprintln(t, "\nRULE\tOUTCOME\tSTEPS")
		for _, d := range r.Decisions {
			fmt.Fprintf(t, "%s\t%s\t%s\n", d.Rule, d.Outcome, countOrNever(d.Steps))
		}
	}
	if len(r.Budgets) > 0 {
		fmt.Fprintln(t, "\nBUDGET\tSTEPS CUT OFF")
		for _, budget := range r.Budgets {
			fmt.Fprintf(t, "%s\t%d\n", budget.Name, budget.Hits)
		}
	}
	t.Flush()
}

func countOrNever(n uint64) string {
	if n == 0 {
		return "never"
	}
	return fmt.Sprint(n)
}
