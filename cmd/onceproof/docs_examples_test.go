package main

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/onceproof/onceproof/checker"
	"github.com/onceproof/onceproof/checker/examples/diehard"
)

// exampleRow is a row of fixtures/checker-examples.json.
type exampleRow struct {
	Example   string            `json:"example"`
	Bounds    map[string]int    `json:"bounds"`
	Distinct  uint64            `json:"distinct"`
	Generated uint64            `json:"generated"`
	Depth     int               `json:"depth"`
	Source    map[string]string `json:"source"`
	Orbits    *struct {
		Distinct uint64 `json:"distinct"`
	} `json:"orbits"`
}

// examplesTable lists the examples of the checker with their numbers; one that is published is bold.
func examplesTable(t *testing.T) string {
	b, err := os.ReadFile(root + "fixtures/checker-examples.json")
	if err != nil {
		t.Fatal(err)
	}
	var file struct{ Rows []exampleRow }
	if err := json.Unmarshal(b, &file); err != nil {
		t.Fatal(err)
	}
	var rows [][]string
	for _, r := range file.Rows {
		var bounds []string
		for _, name := range slices.Sorted(maps.Keys(r.Bounds)) {
			bounds = append(bounds, fmt.Sprintf("%s=%d", name, r.Bounds[name]))
		}
		number := func(name string, n uint64) string {
			if strings.HasSuffix(strings.Split(r.Source[name], ";")[0], "not published") {
				return thousands(n)
			}
			return "**" + thousands(n) + "**"
		}
		orbits := ""
		if r.Orbits != nil {
			orbits = thousands(r.Orbits.Distinct)
		}
		rows = append(rows, []string{
			"`" + r.Example + "`", strings.Join(bounds, " "),
			number("distinct", r.Distinct), number("generated", r.Generated), number("depth", uint64(r.Depth)), orbits,
		})
	}
	return markdown([]string{"example", "bounds", "distinct states", "generated", "depth", "orbits"}, rows)
}

// diehardModel is the part of an example that says what can happen, as it stands in its file.
func diehardModel(t *testing.T) string {
	b, err := os.ReadFile(root + "checker/examples/diehard/diehard.go")
	if err != nil {
		t.Fatal(err)
	}
	_, after, begins := strings.Cut(string(b), "// State is")
	code, _, ends := strings.Cut(after, "// Identity names")
	if !begins || !ends {
		t.Fatal("expected State before Identity in the file of the example")
	}
	return "```go\n// State is" + strings.TrimRight(code, "\n") + "\n```\n"
}

// diehardTrace is what the checker says of it.
func diehardTrace(t *testing.T) string {
	r, err := checker.Check(context.Background(), diehard.Model{}, diehard.Properties(), checker.Options{})
	if err != nil {
		t.Fatal(err)
	}
	var b strings.Builder
	r.Violations[0].Trace.WriteText(&b)
	return "```\n" + b.String() + "```\n"
}
