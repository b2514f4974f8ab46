package conform

import (
	"strings"
	"testing"
)

// The command in a report chooses what all tags of the scenario would, and can be read.
func TestTheCommandOfAReportChoosesTheScenario(t *testing.T) {
	all, err := Suite()
	if err != nil {
		t.Fatal(err)
	}
	for i := range all {
		s := &all[i]
		tags := fewestTags(s, all)
		if len(tags) > 4 {
			t.Errorf("%q: expected a few tags, got %v", s.Name, tags)
		}
		for j := range all {
			if all[j].hasAll(tags) != all[j].hasAll(s.Tags) {
				t.Errorf("%q: %v do not choose what all its tags do: %q", s.Name, tags, all[j].Name)
			}
		}
	}
	r := &Result{Broker: "kfake", Release: "4.4.0", Strict: true, Profile: "kfake.json"}
	got := command(r, &ScenarioResult{Scenario: all[0]}, all)
	if want := "onceproof conform --broker kfake --release 4.4.0 --strict --profile kfake.json --tags \"@"; !strings.HasPrefix(got, want) {
		t.Errorf("expected %s..., got %s", want, got)
	}
}

// An answer that has nothing in it is said to be one.
func TestAReportSaysThatAnAnswerWasEmpty(t *testing.T) {
	if text := (&Report{Sent: "AddPartitionsToTxn v4"}).Markdown(); !strings.Contains(text, "an answer with nothing in it") {
		t.Errorf("expected to hear that the answer was empty, got\n%s", text)
	}
}
