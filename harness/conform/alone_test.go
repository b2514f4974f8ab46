package conform_test

import (
	"regexp"
	"slices"
	"testing"

	"github.com/onceproof/onceproof/harness/conform"
)

// oldProduce is a line that sends Produce up to v10.
var oldProduce = regexp.MustCompile(`(?i)produces? .*version (\d|10)\b|Produce\(.*version (\d|10)\b`)

// A leader's question about a batch of Produce up to v10 may go out together with that of another scenario on the same
// broker, which then hears INVALID_TXN_STATE for TRANSACTION_ABORTABLE, or the other way round (ADD-23): such a scenario
// is played alone.
func TestOldProducersAreAlone(t *testing.T) {
	all, err := conform.Suite()
	if err != nil {
		t.Fatal(err)
	}
	seen := 0
	for _, s := range all {
		for _, st := range s.Steps {
			if !oldProduce.MatchString(st.Text) {
				continue
			}
			seen++
			if !slices.Contains(s.Tags, "@alone") {
				t.Errorf("%s:%d: %q sends an old Produce (%s): expected it to be tagged @alone", s.File, s.Line, s.Name, st.Text)
			}
		}
	}
	if seen == 0 {
		t.Error("expected a scenario that sends Produce v10, got none")
	}
}
