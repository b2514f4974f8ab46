package conform

import (
	"encoding/xml"
	"fmt"
	"path/filepath"

	"github.com/onceproof/onceproof/harness/bundle"
)

// JUnit, as build servers read it. What violates is a failure and what could not be judged an error, so that a page is red
// where the exit code is not 0; what is known, or was not run, is skipped with its reason.
type (
	junitReport struct {
		XMLName  xml.Name      `xml:"testsuites"`
		Name     string        `xml:"name,attr"`
		Tests    int           `xml:"tests,attr"`
		Failures int           `xml:"failures,attr"`
		Errors   int           `xml:"errors,attr"`
		Skipped  int           `xml:"skipped,attr"`
		Time     string        `xml:"time,attr"`
		Suites   []*junitSuite `xml:"testsuite"`
	}
	junitSuite struct {
		Name     string      `xml:"name,attr"`
		Tests    int         `xml:"tests,attr"`
		Failures int         `xml:"failures,attr"`
		Errors   int         `xml:"errors,attr"`
		Skipped  int         `xml:"skipped,attr"`
		Time     string      `xml:"time,attr"` // of its cases, which may go side by side
		Cases    []junitCase `xml:"testcase"`

		seconds float64
	}
	junitCase struct {
		Name      string      `xml:"name,attr"`
		Classname string      `xml:"classname,attr"`
		Time      string      `xml:"time,attr"`
		Failure   *junitCause `xml:"failure"`
		Error     *junitCause `xml:"error"`
		Skipped   *junitCause `xml:"skipped"`
	}
	junitCause struct {
		Message string `xml:"message,attr"`
		Text    string `xml:",chardata"`
	}
)

// writeJUnit writes junit.xml into the folder of the reports.
func writeJUnit(dir string, r *Result) error {
	report := junitReport{Name: "onceproof: " + r.Broker, Time: seconds(r.Duration.Seconds())}
	suites := map[string]*junitSuite{}
	for i := range r.Scenarios {
		s := &r.Scenarios[i]
		suite := suites[s.Feature]
		if suite == nil {
			suite = &junitSuite{Name: s.Feature}
			suites[s.Feature] = suite
			report.Suites = append(report.Suites, suite)
		}
		suite.add(s)
	}
	for _, suite := range report.Suites {
		suite.Time = seconds(suite.seconds)
		report.Tests, report.Failures = report.Tests+suite.Tests, report.Failures+suite.Failures
		report.Errors, report.Skipped = report.Errors+suite.Errors, report.Skipped+suite.Skipped
	}
	text, err := xml.MarshalIndent(&report, "", "  ")
	if err != nil {
		return err
	}
	return bundle.WriteWhole(filepath.Join(dir, "junit.xml"), append([]byte(xml.Header), append(text, '\n')...))
}

func (suite *junitSuite) add(s *ScenarioResult) {
	c := junitCase{Name: s.Name, Classname: s.File, Time: seconds(s.Duration.Seconds())}
	suite.Tests++
	suite.seconds += s.Duration.Seconds()
	at := ""
	if s.Step != "" {
		at = "at the line: " + s.Step
	}
	switch s.Verdict {
	case Violates:
		suite.Failures++
		c.Failure = &junitCause{s.Reason, at}
	case NotJudged:
		suite.Errors++
		c.Error = &junitCause{"could not be judged: " + s.Reason, at}
	case Known:
		suite.Skipped++
		c.Skipped = &junitCause{"known deviation: " + s.Reason, at}
	}
	suite.Cases = append(suite.Cases, c)
}

func seconds(s float64) string { return fmt.Sprintf("%.3f", s) }
