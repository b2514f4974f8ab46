package main

import (
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"text/tabwriter"
)

// writeJSON writes one object.
func writeJSON(w io.Writer, v any) error {
	e := json.NewEncoder(w)
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	return e.Encode(v)
}

// table is text in columns.
type table struct {
	text strings.Builder
	tabs *tabwriter.Writer
}

func newTable(head ...string) *table {
	t := &table{}
	t.tabs = tabwriter.NewWriter(&t.text, 0, 0, 2, ' ', 0)
	if len(head) > 0 {
		t.row(head...)
	}
	return t
}

func (t *table) row(cells ...string) {
	fmt.Fprintln(t.tabs, strings.Join(cells, "\t")) // a Builder gives no errors
}

// writeTo writes the table, without blanks at the ends of lines.
func (t *table) writeTo(w io.Writer) {
	t.tabs.Flush()
	for line := range strings.Lines(t.text.String()) {
		fmt.Fprintln(w, strings.TrimRight(line, " \n"))
	}
}

// thousands writes a number as people read it: 2,902,525.
func thousands(n uint64) string {
	text := fmt.Sprint(n)
	for i := len(text) - 3; i > 0; i -= 3 {
		text = text[:i] + "," + text[i:]
	}
	return text
}
