package main

import (
	"encoding/json"
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/onceproof/onceproof/spec/world"
)

// reduction is fixtures/reduction.json: what symmetry saves, and what a partial-order reduction would.
type reduction struct {
	Symmetry []struct {
		Command string `json:"command"`
		Verdict string `json:"verdict"`
		reductionSize
		Folded reductionSize `json:"symmetry"`
	} `json:"symmetry"`
	Alone []struct {
		Style    string `json:"style"`
		Bounds   string `json:"bounds"`
		Distinct uint64 `json:"distinct"`
		Reduced  uint64 `json:"reduced"`
		Local    uint64 `json:"local"`
		Blind    uint64 `json:"blind"`
	} `json:"one_step_alone"`
}

// reductionSize is how large a search was. Seconds are those of one processor.
type reductionSize struct {
	Distinct  uint64  `json:"distinct"`
	Generated uint64  `json:"generated"`
	Depth     int     `json:"depth"`
	Seconds   float64 `json:"seconds"`
}

func readReduction(t *testing.T) (r reduction) {
	t.Helper()
	b, err := os.ReadFile(root + "fixtures/reduction.json")
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(b, &r); err != nil {
		t.Fatal(err)
	}
	return r
}

func share(part, whole uint64) string {
	return fmt.Sprintf("%.3g %%", 100*float64(part)/float64(whole))
}

func symmetryTable(t *testing.T) string {
	var rows [][]string
	for _, r := range readReduction(t).Symmetry {
		rows = append(rows, []string{"`" + r.Command + "`", thousands(r.Distinct), thousands(r.Folded.Distinct), share(r.Folded.Distinct, r.Distinct),
			fmt.Sprintf("%.1f", r.Seconds), fmt.Sprintf("%.1f", r.Folded.Seconds), r.Verdict})
	}
	return markdown([]string{"command", "full", "with `--symmetry`", "share", "CPU seconds", "with it", "verdict"}, rows)
}

func aloneTable(t *testing.T) string {
	var rows [][]string
	for _, r := range readReduction(t).Alone {
		rows = append(rows, []string{r.Style, r.Bounds, thousands(r.Distinct), thousands(r.Reduced), share(r.Reduced, r.Distinct), thousands(r.Blind), thousands(r.Local)})
	}
	return markdown([]string{"style", "bounds", "full", "at best", "share", "if no property looked", "if only the state's own steps counted"}, rows)
}

// TestReductionIsAsRecorded holds the table to what is recorded of the same models elsewhere, and searches the small ones
// again.
func TestReductionIsAsRecorded(t *testing.T) {
	for _, r := range readReduction(t).Symmetry {
		name := strings.TrimPrefix(r.Command, "onceproof check ")
		for _, row := range recordedIn(t, world.TableModels) {
			if row.Name == name && (row.Distinct != r.Distinct || row.States != r.Generated || row.Depth != r.Depth) {
				t.Errorf("%s: %d states in fixtures/check.json, %d in fixtures/reduction.json", name, row.Distinct, r.Distinct)
			}
		}
		if r.Folded.Distinct > 10_000 {
			continue
		}
		_, out, _ := runCommand(t, append(strings.Fields(r.Command)[1:], "--symmetry", "--json")...)
		var found outcome
		if err := json.Unmarshal([]byte(out), &found); err != nil {
			t.Fatal(err)
		}
		if found.Distinct != r.Folded.Distinct || found.Generated != r.Folded.Generated || found.Depth != r.Folded.Depth || string(found.Verdict) != r.Verdict || !found.Symmetry {
			t.Errorf("%s --symmetry: %d states, %d generated, depth %d, %s; recorded are %d, %d, %d, %s", r.Command,
				found.Distinct, found.Generated, found.Depth, found.Verdict, r.Folded.Distinct, r.Folded.Generated, r.Folded.Depth, r.Verdict)
		}
	}
}
