package conform_test

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/onceproof/onceproof/harness/broker"
	"github.com/onceproof/onceproof/harness/conform"
	"github.com/onceproof/onceproof/harness/reference"
	"github.com/onceproof/onceproof/spec"
)

// A field that the profile lists is judged as if it were right, and counted; what lies behind it comes to light. One that
// is listed and never wrong is reported.
func TestAFieldThatIsToleratedHidesNothing(t *testing.T) {
	file := filepath.Join(t.TempDir(), "profile.json")
	text := `{"broker":"spec","deviations":[],"fields":[{"field":"produce-error-offset","rules":["IDEM-23"],"reason":"r"},
		{"field":"fetch-aborted-null","rules":["READ-02"],"reason":"r"}]}`
	if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		mutant   string
		violates bool
	}{{"refusal-with-offset", false}, {"produce-gap", true}} {
		o := onSpec(2, spec.AllReleases()[0].Fixes, 1)
		healthy := o.Spec
		o.Profile = file
		o.Spec = func(ctx context.Context, target broker.Target) (broker.Broker, error) {
			b, err := healthy(ctx, target)
			for _, m := range reference.Mutants() {
				if m.Name == c.mutant {
					b.(*reference.Broker).Mutate(m)
				}
			}
			return b, err
		}
		r := run(t, o)
		if violates := r.Count(conform.Violates) > 0; violates != c.violates {
			t.Errorf("%s: expected violations %v, got\n%s", c.mutant, c.violates, r.Summary())
		}
		if seen := r.Tolerated[0].Answers > 0; seen == c.violates || len(r.StaleFields) == 0 || !strings.Contains(r.Summary(), "not seen: fetch-aborted-null") {
			t.Errorf("%s: expected the one field to be seen %v and the other to be reported, got %+v and\n%s", c.mutant, !c.violates, r.Tolerated, r.Summary())
		}
	}
	wrong := strings.Replace(text, "fetch-aborted-null", "fetch-records", 1)
	if err := os.WriteFile(file, []byte(wrong), 0o644); err != nil {
		t.Fatal(err)
	}
	if _, err := conform.ReadProfile(file); err == nil || !strings.Contains(err.Error(), "fetch-aborted-null") {
		t.Errorf("expected an error that lists the fields that can be tolerated, got %v", err)
	}
}
