package conform_test

import (
	"encoding/xml"
	"os"
	"path/filepath"
	"testing"

	"github.com/onceproof/onceproof/harness/conform"
)

// A build server's page is red where the exit code is not 0, and tells a known deviation from both.
func TestJUnitTellsTheVerdictsApart(t *testing.T) {
	t.Parallel()
	for _, profile := range []string{"", kfakeProfile} {
		dir := t.TempDir()
		r := run(t, conform.Options{Broker: "kfake", Profile: profile, ReportDir: dir, Tags: "@END-20,@restart"})
		var report struct {
			Tests    int `xml:"tests,attr"`
			Failures int `xml:"failures,attr"`
			Errors   int `xml:"errors,attr"`
			Skipped  int `xml:"skipped,attr"`
			Suites   []struct {
				Cases []struct {
					Failure, Error, Skipped *struct {
						Message string `xml:"message,attr"`
					}
				} `xml:"testcase"`
			} `xml:"testsuite"`
		}
		text, err := os.ReadFile(filepath.Join(dir, "junit.xml"))
		if err == nil {
			err = xml.Unmarshal(text, &report)
		}
		if err != nil {
			t.Fatal(err)
		}
		if report.Tests != len(r.Scenarios) || report.Failures != r.Count(conform.Violates) || report.Errors != r.Count(conform.NotJudged) || report.Skipped != r.Count(conform.Known) {
			t.Errorf("expected what the summary says, got %+v and\n%s", report, r.Summary())
		}
		if report.Errors == 0 || (report.Failures == 0) != (profile != "") || (report.Skipped == 0) != (profile == "") {
			t.Errorf("expected each verdict in one of the runs, got %+v", report)
		}
	}
}
