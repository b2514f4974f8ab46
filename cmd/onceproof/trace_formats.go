package main

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/onceproof/onceproof/checker"
)

// traceFormats are the formats in which a trace is printed. The json and itf forms can be read back.
func traceFormats() []string { return []string{"text", "json", "itf", "mermaid"} }

// traceFormat says whether there is such a format.
func traceFormat(flag, format string) error {
	if !slices.Contains(traceFormats(), format) {
		return fmt.Errorf("expected %s %s, got %q", flag, strings.Join(traceFormats(), ", "), format)
	}
	return nil
}

// writeTraceAs writes a trace in one of the formats.
func writeTraceAs[A any](w io.Writer, t *checker.Trace[A], format string) error {
	switch format {
	case "json":
		return t.WriteJSON(w)
	case "itf":
		return t.WriteITF(w)
	case "mermaid":
		return t.WriteMermaid(w)
	}
	return t.WriteText(w)
}
