package bundle

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/twmb/franz-go/pkg/kmsg"

	"github.com/onceproof/onceproof/harness/mapping"
	"github.com/onceproof/onceproof/harness/script"
	"github.com/onceproof/onceproof/harness/steps"
	"github.com/onceproof/onceproof/harness/wire"
)

// entry is one line of the exchange: a request with its answer, or something else that was done.
type entry struct {
	number int
	// event is its index in the history, -1 for a line of the script with which nothing went over the wire.
	event           int
	line            int
	who             string
	request, answer string
	note            string // in place of a request
	times           int    // how often it was sent, with the same answer
	remark          string // what is special about it
	// answeredAfter is the number of the entry that was sent before the answer came, 0 if it came at once.
	answeredAfter int
	sent, came    time.Time
}

// entries are the exchange, without what made the topics.
func (f *Finding) entries(n *names) []entry {
	var out []entry
	line := 0
	for i := range f.History {
		e := &f.History[i]
		for ; line < e.Line; line++ {
			out = f.quietLine(out, line)
		}
		if e.Setup {
			continue
		}
		x := f.entry(n, i)
		if last := len(out) - 1; last >= 0 && x.repeats(&out[last]) {
			out[last].times++
			out[last].event, out[last].came = i, x.came
			continue
		}
		out = append(out, x)
	}
	for ; line <= len(f.Script.Steps); line++ {
		out = f.quietLine(out, line)
	}
	for i := range out {
		out[i].number = i + 1
	}
	for i := range out {
		out[i].overtaken(out)
		if i+1 < len(out) && out[i].line == out[i+1].line {
			out[i].remark = "" // it is about the last request of its line
		}
	}
	return out
}

func (x *entry) repeats(y *entry) bool {
	return x.note == "" && y.note == "" && x.line == y.line && x.who == y.who && x.request == y.request && x.answer == y.answer
}

// overtaken finds what was sent while the answer was outstanding.
func (x *entry) overtaken(all []entry) {
	for i := x.number; i < len(all) && !x.came.IsZero(); i++ {
		if y := &all[i]; !y.sent.IsZero() && y.sent.Before(x.came) {
			x.answeredAfter = y.number
		}
	}
}

// quietLine adds a line of the script, counted from 1, with which nothing went over the wire, such as that a request is
// held. What only says what is there, or has to be, is left out.
func (f *Finding) quietLine(out []entry, line int) []entry {
	if line < 1 || line > len(f.Script.Steps) || f.keyword(line) != script.When {
		return out
	}
	for i := range f.History {
		if f.History[i].Line == line {
			return out
		}
	}
	return append(out, entry{event: -1, line: line, note: f.Script.Steps[line-1].Text})
}

// keyword is that of a line, counted from 1, an And being that of the line before.
func (f *Finding) keyword(line int) string {
	for i := line - 1; i >= 0; i-- {
		if k := f.Script.Steps[i].Keyword; k != script.And {
			return k
		}
	}
	return script.And
}

func (f *Finding) entry(n *names, i int) entry {
	e := &f.History[i]
	if e.Exchange == nil {
		return entry{event: i, line: e.Line, note: n.read(e.Note)}
	}
	x := entry{
		event: i, line: e.Line, who: who(e), times: 1, sent: e.Exchange.Sent, came: e.Exchange.Received,
		request: n.read(mapping.Describe(e.Exchange.Request)),
	}
	switch {
	case e.Exchange.Response != nil:
		if x.answer = n.read(steps.RenderResponse(e.Exchange.Response)); x.answer == "" {
			x.answer = "an answer with nothing in it"
		}
	case !wire.HasResponse(e.Exchange.Request):
		x.answer = notDue
	default:
		x.answer = noAnswer
	}
	if x.remark = f.remark(e.Line); x.answer == noAnswer && f.ignored(e.Line) {
		x.answer = notRead
	}
	return x
}

// What stands in place of an answer that did not come.
const (
	noAnswer = "no answer"
	notDue   = "no answer is due (acks=0)"
	notRead  = "its answer is not waited for"
)

var underWay = regexp.MustCompile(` is under way as ("[^"]+")$`)

// ignored reports whether a line sends a request whose answer no later line asks for.
func (f *Finding) ignored(line int) bool {
	if line < 1 || line > len(f.Script.Steps) {
		return false
	}
	m := underWay.FindStringSubmatch(f.Script.Steps[line-1].Text)
	return m != nil && !slices.ContainsFunc(f.Script.Steps[line:], func(st script.Step) bool { return strings.HasPrefix(st.Text, m[1]) })
}

// remark is the text of a line that says more than what is sent.
func (f *Finding) remark(line int) string {
	if line < 1 || line > len(f.Script.Steps) {
		return ""
	}
	text := f.Script.Steps[line-1].Text
	for _, special := range []string{`" arrives`, "again", "is lost", "is closed", "is under way", "is held"} {
		if strings.Contains(text, special) {
			return text
		}
	}
	return ""
}

// who sends a request: its actor, or, where that is no client's, the one whose part the tester plays.
func who(e *steps.Event) string {
	switch r := e.Exchange.Request.(type) {
	case *kmsg.WriteTxnMarkersRequest:
		return "tester as coordinator"
	case *kmsg.AddPartitionsToTxnRequest:
		if r.Version >= 4 {
			return "tester as leader"
		}
	case *kmsg.FetchRequest, *kmsg.ListOffsetsRequest:
		return "consumer"
	case *kmsg.DescribeProducersRequest, *kmsg.DescribeTransactionsRequest, *kmsg.ListTransactionsRequest:
		return "admin"
	}
	if e.Actor != "" {
		return "producer " + e.Actor
	}
	return "tester"
}

// shows is the index of the event at which the violation showed, -1 if at none.
func (f *Finding) shows() int {
	judged := 0
	for i := range f.History {
		if e := &f.History[i]; e.Exchange != nil && !e.Setup {
			if judged++; judged == f.Violation.Exchange {
				return i
			}
		}
	}
	return -1
}

// text is a request, with how often it was sent.
func (x *entry) text() string {
	if x.times > 1 {
		return fmt.Sprintf("%s (%d times)", x.request, x.times)
	}
	return x.request
}
