package bundle

import (
	"strings"
	"testing"
	"time"

	"github.com/twmb/franz-go/pkg/kmsg"

	"github.com/onceproof/onceproof/harness/script"
	"github.com/onceproof/onceproof/harness/steps"
	"github.com/onceproof/onceproof/harness/wire"
	"github.com/onceproof/onceproof/spec"
)

// A batch can be transactional or not whatever the request says: where the two differ the reader is told.
func TestABatchAndItsRequestDiffer(t *testing.T) {
	n := (&Finding{Suffix: "r1"}).names()
	for _, test := range []struct{ text, want string }{
		{"Produce v12 t.r1-0 producer 7, epoch 1, sequence 0..0, transactional, x.r1", `Produce v12 t-0 producer 7, epoch 1, sequence 0, transactional id "x"`},
		{"Produce v12 t.r1-0 producer 7, epoch 1, sequence 0..0, x.r1", `Produce v12 t-0 producer 7, epoch 1, sequence 0, a batch that is not transactional, transactional id "x"`},
		{"Produce v12 t.r1-0 producer 7, epoch 1, sequence 0..1, transactional", "Produce v12 t-0 producer 7, epoch 1, sequence 0..1, transactional though the request has no transactional id"},
		{"Produce v12 t.r1-0 producer 7, epoch 1, sequence 0..0", "Produce v12 t-0 producer 7, epoch 1, sequence 0"},
		{"Produce v11 t.r1-0 producer 7, epoch 1, sequence 0..0, transactional, t.r1-1 producer 7, epoch 1, sequence 0..0, x.r1, acks 0",
			`Produce v11 t-0 producer 7, epoch 1, sequence 0, t-1 producer 7, epoch 1, sequence 0, a batch that is not transactional, transactional id "x", acks 0`},
		{"DescribeProducers v0 t.r1[1]", "DescribeProducers v0 t-1"},
	} {
		if got := n.read(test.text); got != test.want {
			t.Errorf("%s: expected\n%s, got\n%s", test.text, test.want, got)
		}
	}
}

// A violation in one line has the names of the report, wherever they stand in it.
func TestAViolationIsReadWhole(t *testing.T) {
	f := &Finding{Suffix: "r1"}
	v := &steps.Violation{Sent: "Produce v12 t.r1-0 producer 7, epoch 1, sequence 0..0, transactional, x.r1", Came: "aborted list null true", Allowed: []steps.Allowed{{Outcome: "NONE"}}}
	want := `sent Produce v12 t-0 producer 7, epoch 1, sequence 0, transactional id "x"; expected NONE; got no list of aborted transactions (null)`
	if got := f.Read(v.Error()); got != want {
		t.Errorf("expected\n%s, got\n%s", want, got)
	}
}

func TestWhatTheOracleSaysIsSaidPlainly(t *testing.T) {
	for text, want := range map[string]string{
		"coordinator epoch of producer P0 -1":                 "coordinator epoch -1 of producer P0",
		"expected 0 as the start of the log of t-0, got -1":   "log start offset -1 for t-0",
		"at offset 1 a COMMIT marker of producer P0, epoch 0": "at offset 1 a COMMIT marker of producer P0, epoch 0",
		"INVALID_PRODUCER_EPOCH, base offset 0":               "INVALID_PRODUCER_EPOCH, base offset 0",
	} {
		if got := plain(text); got != want {
			t.Errorf("%s: expected %q, got %q", text, want, got)
		}
	}
}

// A title names what there is room for, and counts the rest.
func TestATitleIsNotCutInAWord(t *testing.T) {
	long := strings.Repeat("x", 40)
	for _, test := range []struct {
		of   []string
		want string
	}{
		{[]string{"NONE"}, "NONE"},
		{[]string{"NONE", "PRODUCER_FENCED"}, "NONE or PRODUCER_FENCED"},
		{[]string{long, "NONE", long}, long + " or NONE or 1 other answer"},
		{[]string{long, long, long}, long + " or 2 other answers"},
		{[]string{strings.Repeat("x", 80), "NONE"}, strings.Repeat("x", 69) + "… or 1 other answer"},
	} {
		if got := oneOf(test.of); got != test.want {
			t.Errorf("%v: expected %q, got %q", test.of, test.want, got)
		}
	}
}

func TestVersionsInWords(t *testing.T) {
	for versions, want := range map[string]string{
		"all": "all releases", "TV2, >=4.2": "transaction.version 2, Apache Kafka 4.2 and later", "v5+, 4.0-4.4": "v5 of the request and above, Apache Kafka 4.0 to 4.4",
		"v0-4": "v0 to v4 of the request", ">=3.6, KRaft": "Apache Kafka 3.6 and later, KRaft", "4.4": "Apache Kafka 4.4",
	} {
		if got := holds(versions); got != want {
			t.Errorf("%s: expected %q, got %q", versions, want, got)
		}
	}
	if got := holdsFor("<4.0"); !strings.Contains(got, "that of Apache Kafka before 4.0") {
		t.Errorf("expected whose rule it is, got %q", got)
	}
}

// What shows the violation stands beside the answer where the answer does not say it; an answer that nobody waits for is
// not said to be missing; and what is special about a line stands beside the request that it is about.
func TestTheExchangeSaysWhatMatters(t *testing.T) {
	s := &script.Script{}
	s.Add(script.When, `A's Produce("v1" to t-0) is under way as "f1"`)
	s.Add(script.When, `t-0 is fetched read_committed`)
	init, produce, fetch := kmsg.NewPtrInitProducerIDRequest(), kmsg.NewPtrProduceRequest(), kmsg.NewPtrFetchRequest()
	produce.Acks = -1
	now := time.Now()
	exchange := func(line int, req kmsg.Request, resp kmsg.Response) steps.Event {
		return steps.Event{Line: line, Actor: "A", Exchange: &wire.Exchange{Request: req, Response: resp, Sent: now, Received: now}}
	}
	f := &Finding{
		Script: s, Suffix: "r1", Broker: "kfake", Release: "4.4.0",
		History:   []steps.Event{exchange(1, init, init.ResponseKind()), exchange(1, produce, nil), exchange(2, fetch, fetch.ResponseKind())},
		Violation: &steps.Violation{Sent: "Fetch v12", Came: "aborted list null true", Allowed: []steps.Allowed{{Outcome: "aborted list null false"}}, Rules: []spec.Rule{spec.READ02}, Exchange: 3},
	}
	text := f.Markdown("folder")
	for _, want := range []string{
		"`InitProducerId v0 no transactional id, timeout 0 ms` → `NONE, producer -1, epoch 0`\n",
		"→ `its answer is not waited for` (*A's Produce(\"v1\" to t-0) is under way as \"f1\"*)\n", "A request that is under way was sent on",
		" **← here: no list of aborted transactions (null)**\n", "got no list of aborted transactions (null)<br/>allowed: a list of aborted transactions",
		"--broker docker:onceproof/kafka:4.4.0,tv=0",
	} {
		if !strings.Contains(text, want) {
			t.Errorf("expected %q in\n%s", want, text)
		}
	}
	s.Add(script.When, `"f1" is answered`)
	if text := f.Markdown("folder"); !strings.Contains(text, "→ `no answer` (*") {
		t.Errorf("expected that an answer is missing that is waited for, got\n%s", text)
	}
}
