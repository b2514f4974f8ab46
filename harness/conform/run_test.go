package conform_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/twmb/franz-go/pkg/kfake"
	"github.com/twmb/franz-go/pkg/kmsg"
	"github.com/twmb/franz-go/pkg/kversion"

	"github.com/onceproof/onceproof/harness/broker"
	"github.com/onceproof/onceproof/harness/conform"
	"github.com/onceproof/onceproof/harness/steps"
	"github.com/onceproof/onceproof/harness/wire"
	"github.com/onceproof/onceproof/spec"
)

func TestWhatIsNotUnderstoodIsAnErrorThatListsWhatIsKnown(t *testing.T) {
	for _, c := range []struct {
		o    conform.Options
		want string
	}{
		{conform.Options{Broker: "spec", Tags: "@IDEM-15 and @IDEM-16"}, "joined by &&"},
		{conform.Options{Broker: "spec", Tags: "not @tv0"}, "expected terms"},
		{conform.Options{Broker: "spec", Tags: "@nothing"}, "no scenario has the tags"},
		{conform.Options{Broker: "spec,tv=2", Tags: "@ADD-28"}, "transaction.version 2"},
		{conform.Options{Broker: "spec", Release: "0.1"}, "known: 4.4.0"},
		{conform.Options{Broker: "spec,tv=3"}, "tv=0, tv=1 or tv=2"},
		{conform.Options{Broker: "nonsense"}, "HOST:PORT"},
		{conform.Options{Broker: "spec", Profile: "missing.json"}, "missing.json"},
	} {
		_, err := conform.Run(t.Context(), c.o)
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%+v: expected an error with %q, got %v", c.o, c.want, err)
		}
	}
}

func TestAProfileMustBeTrueToTheSuite(t *testing.T) {
	for text, want := range map[string]string{
		`{"broker":"x","deviations":[{"scenario":"none such","rules":["IDEM-15"],"reason":"r"}]}`:                                            "name of a scenario",
		`{"broker":"x","deviations":[{"scenario":"A gap is refused until it is filled, and leaves no trace","rules":["IDEM-15"]}]}`:          "reason",
		`{"broker":"x","deviations":[{"scenario":"A gap is refused until it is filled, and leaves no trace","rules":["X-1"],"reason":"r"}]}`: "no rule",
		`{"broken":1}`: "unknown field",
	} {
		file := filepath.Join(t.TempDir(), "profile.json")
		if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
		if _, err := conform.ReadProfile(file); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: expected an error with %q, got %v", text, want, err)
		}
	}
}

// What is listed and no longer shows is reported, and is a failure where the profile has to be exact.
func TestADeviationThatNoLongerShowsIsReported(t *testing.T) {
	file := filepath.Join(t.TempDir(), "profile.json")
	text := `{"broker":"spec","deviations":[{"scenario":"A gap is refused until it is filled, and leaves no trace","rules":["IDEM-23"],"reason":"once it did"}]}`
	if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	r := run(t, conform.Options{Broker: "spec", Profile: file, Strict: true, Tags: "@IDEM-23"})
	if len(r.Stale) != 1 || r.ExitCode() != 1 || !strings.Contains(r.Summary(), "not seen") {
		t.Errorf("expected the deviation to be reported and exit code 1, got exit code %d and\n%s", r.ExitCode(), r.Summary())
	}
}

// A broker that isn't there is no verdict.
func TestABrokerThatIsNotThereIsNotJudged(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	address := l.Addr().String()
	l.Close()
	if _, err := conform.Run(t.Context(), conform.Options{Broker: address}); err == nil || !strings.Contains(err.Error(), address) {
		t.Errorf("expected an error that names %s, got %v", address, err)
	}
}

// A run that is stopped says what is known so far, and that it was stopped.
func TestAStoppedRunSaysWhatIsKnown(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	o := onSpec(2, spec.AllReleases()[0].Fixes, 1)
	inner, opened := o.Spec, 0
	o.Spec = func(ctx context.Context, t broker.Target) (broker.Broker, error) {
		if opened++; opened == 10 {
			cancel()
		}
		return inner(ctx, t)
	}
	r, err := conform.Run(ctx, o)
	if err != nil {
		t.Fatal(err)
	}
	if r.Stopped != "interrupted" || r.ExitCode() == 0 || r.Count(conform.NotJudged) == 0 || r.Count(conform.Conforms) == 0 {
		t.Errorf("expected some verdicts, and the others not judged, got exit code %d and\n%s", r.ExitCode(), r.Summary())
	}
}

func TestTheListNamesEveryScenario(t *testing.T) {
	all, err := conform.Suite()
	if err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	if _, err := conform.Run(t.Context(), conform.Options{List: true, Out: &out}); err != nil {
		t.Fatal(err)
	}
	if n := strings.Count(out.String(), "\n"); n != len(all) {
		t.Errorf("expected %d lines, got %d", len(all), n)
	}
}

// A report can be judged without the run: what was sent, what came, what was allowed and by which rule, and every byte.
func TestAViolationIsReportedWithItsSourceAndItsWireHistory(t *testing.T) {
	dir := t.TempDir()
	var out bytes.Buffer
	r, err := conform.Run(t.Context(), conform.Options{Broker: "kfake", Tags: "@IDEM-18", ReportDir: dir, JSON: true, Out: &out})
	if err != nil {
		t.Fatal(err)
	}
	var printed conform.Result
	if err := json.Unmarshal(out.Bytes(), &printed); err != nil || printed.Count(conform.Violates) != 1 {
		t.Errorf("expected one JSON object with a violation, got %v and\n%s", err, out.String())
	}
	if len(r.Reports) != 4 {
		t.Fatalf("expected a bundle of four files, got %v", r.Reports)
	}
	markdown, err := os.ReadFile(r.Reports[0])
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"## What was exchanged", "## What was allowed", "ProducerAppendInfo", "Produce v", "onceproof replay violation-"} {
		if !strings.Contains(string(markdown), want) {
			t.Errorf("expected %q in the report, got\n%s", want, markdown)
		}
	}
	for _, file := range []string{"junit.xml", "cucumber.json"} {
		if info, err := os.Stat(filepath.Join(dir, file)); err != nil || info.Size() == 0 {
			t.Errorf("expected %s, got %v", file, err)
		}
	}
}

// What can't be written does not take back a verdict, and is no success.
func TestAReportThatCannotBeWrittenIsSaid(t *testing.T) {
	for _, test := range []struct {
		broker, tags, broken, with string
		code                       int
	}{
		{"kfake", "@IDEM-18", "violation-only-a-batch-with-the-same-first-and-last-sequence-is-a-duplicate", os.DevNull, 1},
		{"spec", "@END-20", "cucumber.json", os.DevNull, 2},
		{"spec", "@END-20", "junit.xml", "/dev/full", 2},
	} {
		dir := t.TempDir()
		if err := os.Symlink(test.with, filepath.Join(dir, test.broken)); err != nil {
			t.Fatal(err)
		}
		var out bytes.Buffer
		r, err := conform.Run(t.Context(), conform.Options{Broker: test.broker, Tags: test.tags, ReportDir: dir, Out: &out})
		if err != nil {
			t.Fatal(err)
		}
		if r.ExitCode() != test.code || !strings.Contains(out.String(), "a report could not be written: ") || !strings.Contains(out.String(), test.broken) {
			t.Errorf("%s: expected exit code %d, the summary, and the file, got %d and\n%s", test.broken, test.code, r.ExitCode(), r.Summary())
		}
	}
}

// A server that takes connections and never answers is not judged, within the deadline.
func TestAServerThatNeverAnswersIsNotJudged(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	go func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			defer c.Close()
		}
	}()
	start := time.Now()
	_, err = conform.Run(t.Context(), conform.Options{Broker: l.Addr().String(), Wire: wire.Options{Timeout: 200 * time.Millisecond}})
	if err == nil || !errors.Is(err, wire.ErrTimeout) || time.Since(start) > 5*time.Second {
		t.Errorf("expected a timeout after 0.2 s, got %v after %v", err, time.Since(start))
	}
}

// A broker that goes away in the middle has its verdicts until then, and no others; the rest does not wait for it.
func TestABrokerThatGoesAwayIsJudgedUntilThen(t *testing.T) {
	cluster, err := kfake.NewCluster(kfake.NumBrokers(1))
	if err != nil {
		t.Fatal(err)
	}
	defer cluster.Close()
	started := 0
	o := conform.Options{Broker: cluster.ListenAddrs()[0], Patience: time.Second, Parallel: 1, Tags: "@INIT-03,@IDEM-14,@IDEM-16,@IDEM-35"}
	o.Oracle = func(release spec.Release, version int8, strict bool) steps.Oracle {
		if started++; started == 3 {
			cluster.Close()
		}
		return blind{}
	}
	start := time.Now()
	r, err := conform.Run(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	judged := r.Count(conform.Conforms) + r.Count(conform.Violates)
	if judged != 2 || judged+r.Count(conform.NotJudged) != len(r.Scenarios) || len(r.Scenarios) < 5 {
		t.Errorf("expected two scenarios judged and the others not, got:\n%s", r.Summary())
	}
	if time.Since(start) > 10*time.Second {
		t.Errorf("expected the run to end soon, it took %v", time.Since(start))
	}
}

// blind is an oracle that sees nothing.
type blind struct{}

func (blind) Sent(uint16, kmsg.Request, time.Time) error      { return nil }
func (blind) Answered(uint16, kmsg.Response, time.Time) error { return nil }
func (blind) Lost(uint16)                                     {}
func (blind) Overdue(uint16) error                            { return nil }
func (blind) Settled() error                                  { return nil }
func (blind) Restarted(bool)                                  {}
func (blind) TopicCreated(string, int32)                      {}

// An older broker is judged by what it has, and what it lacks is named.
func TestAMissingVersionIsNamedAndNotJudged(t *testing.T) {
	for _, c := range []struct {
		versions *kversion.Versions
		exit     int
		want     string
	}{
		{kversion.V3_8_0(), 0, "1 conform"},
		{kversion.V2_4_0(), 2, "the broker offers InitProducerID v0 to v2, not v4"},
	} {
		cluster, err := kfake.NewCluster(kfake.NumBrokers(1), kfake.MaxVersions(c.versions))
		if err != nil {
			t.Fatal(err)
		}
		defer cluster.Close()
		o := conform.Options{Broker: cluster.ListenAddrs()[0], Patience: time.Second, Tags: "@IDEM-14 && ~@IDEM-47"}
		o.Oracle = func(spec.Release, int8, bool) steps.Oracle { return blind{} }
		r, err := conform.Run(t.Context(), o)
		if err != nil {
			t.Fatal(err)
		}
		if r.ExitCode() != c.exit || !strings.Contains(r.Summary(), c.want) {
			t.Errorf("expected exit code %d and %q, got %d and\n%s", c.exit, c.want, r.ExitCode(), r.Summary())
		}
	}
}
