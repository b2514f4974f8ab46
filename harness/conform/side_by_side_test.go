package conform_test

import (
	"bytes"
	"encoding/json"
	"encoding/xml"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/onceproof/onceproof/harness/conform"
)

// Scenarios that are played side by side are printed in the order of the suite, each in one piece, and every report has
// each of them once.
func TestSideBySideEachScenarioIsPrintedWhole(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	var out, progress bytes.Buffer
	r, err := conform.Run(t.Context(), conform.Options{Broker: "kfake", Profile: kfakeProfile, Tags: "@IDEM-15,@MARK-13,@END-30,@READ-01,@INIT-31",
		Parallel: 6, Out: &out, Progress: &progress, ReportDir: dir})
	if err != nil {
		t.Fatal(err)
	}
	var want []string
	for _, s := range r.Scenarios {
		want = append(want, s.Name)
	}
	if len(want) < 10 {
		t.Fatalf("expected some scenarios, got %d", len(want))
	}
	var printed []string
	blocks := strings.Split(out.String(), "  Scenario: ")[1:]
	for i, block := range blocks {
		name, _, _ := strings.Cut(block, " # features/")
		printed = append(printed, name)
		if i >= len(r.Scenarios) {
			break
		}
		at := 0
		for _, st := range r.Scenarios[i].Steps {
			next := strings.Index(block[at:], st.Text)
			if next < 0 {
				t.Errorf("%q: expected its line %q, got\n%s", name, st.Text, block)
				break
			}
			at += next
		}
		if verdict := fmt.Sprintf("    # %s in ", r.Scenarios[i].Verdict); strings.Count(block, verdict) != 1 {
			t.Errorf("%q: expected %q once, got\n%s", name, verdict, block)
		}
	}
	if !slices.Equal(printed, want) {
		t.Errorf("expected the scenarios in the order of the suite, got\n%s", strings.Join(printed, "\n"))
	}
	if junit := junitNames(t, filepath.Join(dir, "junit.xml")); !sameNames(junit, want) {
		t.Errorf("expected each scenario once in junit.xml, got %v", junit)
	}
	if cucumber := cucumberNames(t, filepath.Join(dir, "cucumber.json")); !sameNames(cucumber, want) {
		t.Errorf("expected each scenario once in cucumber.json, got %v", cucumber)
	}
	last := fmt.Sprintf("%d of %d scenarios", len(want)-1, len(want))
	if !strings.Contains(progress.String(), last) || !regexp.MustCompile(`\r\x1b\[K$`).MatchString(progress.String()) {
		t.Errorf("expected progress up to %q, and the line taken away in the end, got %q", last, progress.String())
	}
}

func sameNames(have, want []string) bool {
	have, want = slices.Sorted(slices.Values(have)), slices.Sorted(slices.Values(want))
	return slices.Equal(have, want)
}

func junitNames(t *testing.T, file string) (names []string) {
	t.Helper()
	var report struct {
		Suites []struct {
			Cases []struct {
				Name string `xml:"name,attr"`
			} `xml:"testcase"`
		} `xml:"testsuite"`
	}
	text, err := os.ReadFile(file)
	if err == nil {
		err = xml.Unmarshal(text, &report)
	}
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range report.Suites {
		for _, c := range s.Cases {
			names = append(names, c.Name)
		}
	}
	return names
}

func cucumberNames(t *testing.T, file string) (names []string) {
	t.Helper()
	var features []struct {
		Elements []struct {
			Name string `json:"name"`
		} `json:"elements"`
	}
	text, err := os.ReadFile(file)
	if err == nil {
		err = json.Unmarshal(text, &features)
	}
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range features {
		for _, e := range f.Elements {
			names = append(names, e.Name)
		}
	}
	return names
}

// What is played one at a time and side by side ends in the same verdicts.
func TestSideBySideChangesNoVerdict(t *testing.T) {
	t.Parallel()
	tags := "@IDEM-15,@END-14,@ADD-04,@LSO-01"
	one := run(t, conform.Options{Broker: "kfake", Profile: kfakeProfile, Tags: tags, Parallel: 1})
	many := run(t, conform.Options{Broker: "kfake", Profile: kfakeProfile, Tags: tags, Parallel: 8})
	for i := range one.Scenarios {
		if x, y := &one.Scenarios[i], &many.Scenarios[i]; x.Name != y.Name || x.Verdict != y.Verdict {
			t.Errorf("expected %q: %v, got %q: %v", x.Name, x.Verdict, y.Name, y.Verdict)
		}
	}
}
