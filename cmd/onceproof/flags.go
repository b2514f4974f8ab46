package main

import (
	"flag"
	"fmt"
	"io"
	"strings"
)

// parseInterleaved reads flags wherever they stand and returns the other arguments. What follows "--" is no flag.
func parseInterleaved(fs *flag.FlagSet, args []string) ([]string, error) {
	var rest []string
	for {
		if err := fs.Parse(args); err != nil {
			return nil, err
		}
		left := fs.Args()
		if len(left) == 0 {
			return rest, nil
		}
		if n := len(args) - len(left); n > 0 && args[n-1] == "--" {
			return append(rest, left...), nil
		}
		rest, args = append(rest, left[0]), left[1:]
	}
}

// list is a flag that takes values separated by commas, and may be given more than once.
type list []string

func (l *list) String() string { return strings.Join(*l, ",") }

// Set adds the values.
func (l *list) Set(text string) error {
	for _, v := range strings.Split(text, ",") {
		if v = strings.TrimSpace(v); v == "" {
			return fmt.Errorf("expected values separated by commas, got %q", text)
		}
		*l = append(*l, v)
	}
	return nil
}

// writeUsage is what --help prints.
func (c *command) writeUsage(w io.Writer, fs *flag.FlagSet) {
	fmt.Fprintf(w, "onceproof %s: %s\n\nUsage:\n  %s\n", c.name, c.about, strings.TrimRight("onceproof "+c.name+" "+c.args, " "))
	if c.details != "" {
		fmt.Fprintf(w, "\n%s\n", c.details)
	}
	fmt.Fprint(w, "\nFlags:\n")
	t := newTable()
	fs.VisitAll(func(f *flag.Flag) {
		value, about := flag.UnquoteUsage(f)
		t.row(strings.TrimRight("  --"+f.Name+" "+value, " "), about)
	})
	t.writeTo(w)
	fmt.Fprint(w, "\nExamples:\n")
	for _, x := range c.examples {
		fmt.Fprintf(w, "  %s\n", x)
	}
	fmt.Fprint(w, "\nExit codes: 0 conforms or holds, 1 a violation, 2 could not be judged or bad usage.\n")
}
