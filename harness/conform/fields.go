package conform

import (
	"fmt"
	"slices"
	"strings"

	"github.com/twmb/franz-go/pkg/kmsg"

	"github.com/onceproof/onceproof/spec"
)

// Field is a field of an answer in which a broker may be known to deviate without any effect on what it does. Where a
// profile lists it, the answer is judged as if the field were right, so that one such field does not hide what lies
// behind it. What has an effect on the broker's state can't be tolerated so.
type Field struct {
	Name  string
	About string
	// correct sets the field right and says in how many places it was wrong. It sees nothing but request and answer.
	correct func(req kmsg.Request, resp kmsg.Response) int
}

// Fields are the fields that a profile may name.
func Fields() []Field {
	return []Field{
		{"produce-error-offset", "Produce: the base offset of a refused batch is -1", correctErrorOffset},
		{"produce-log-start", "Produce: the start of the log is in the answer for a batch that is stored, duplicates too", correctLogStart},
		{"refusal-identity", "InitProducerId, EndTxn v5: a refusal has producer id and epoch -1", correctIdentity},
		{"fetch-aborted-null", "Fetch: the aborted list of a successful answer at read_committed is never null", correctAbortedNull},
		{"fetch-marker-value", "Fetch: a marker has a value of 6 bytes", correctMarkerValue},
	}
}

func correctErrorOffset(_ kmsg.Request, resp kmsg.Response) (wrong int) {
	r, ok := resp.(*kmsg.ProduceResponse)
	if !ok {
		return 0
	}
	for i := range r.Topics {
		for j := range r.Topics[i].Partitions {
			if p := &r.Topics[i].Partitions[j]; p.ErrorCode != 0 && p.BaseOffset != spec.NoOffset {
				p.BaseOffset = spec.NoOffset
				wrong++
			}
		}
	}
	return wrong
}

func correctLogStart(_ kmsg.Request, resp kmsg.Response) (wrong int) {
	r, ok := resp.(*kmsg.ProduceResponse)
	if !ok || r.Version < 5 {
		return 0
	}
	for i := range r.Topics {
		for j := range r.Topics[i].Partitions {
			if p := &r.Topics[i].Partitions[j]; p.ErrorCode == 0 && p.LogStartOffset < 0 {
				p.LogStartOffset = 0
				wrong++
			}
		}
	}
	return wrong
}

func correctIdentity(_ kmsg.Request, resp kmsg.Response) (wrong int) {
	set := func(code int16, id *int64, epoch *int16) {
		if code != 0 && (*id != spec.NoProducer || *epoch != spec.NoEpoch) {
			*id, *epoch = spec.NoProducer, spec.NoEpoch
			wrong++
		}
	}
	switch r := resp.(type) {
	case *kmsg.InitProducerIDResponse:
		set(r.ErrorCode, &r.ProducerID, &r.ProducerEpoch)
	case *kmsg.EndTxnResponse:
		set(r.ErrorCode, &r.ProducerID, &r.ProducerEpoch)
	}
	return wrong
}

func correctAbortedNull(req kmsg.Request, resp kmsg.Response) (wrong int) {
	r, ok := resp.(*kmsg.FetchResponse)
	if q, asked := req.(*kmsg.FetchRequest); !ok || !asked || spec.Isolation(q.IsolationLevel) != spec.ReadCommitted {
		return 0
	}
	for i := range r.Topics {
		for j := range r.Topics[i].Partitions {
			if p := &r.Topics[i].Partitions[j]; p.ErrorCode == 0 && p.AbortedTransactions == nil {
				p.AbortedTransactions = []kmsg.FetchResponseTopicPartitionAbortedTransaction{}
				wrong++
			}
		}
	}
	return wrong
}

func findField(name string) (Field, error) {
	var names []string
	for _, f := range Fields() {
		if f.Name == name {
			return f, nil
		}
		names = append(names, f.Name)
	}
	return Field{}, fmt.Errorf("expected a field that can be tolerated (%s), got %q", strings.Join(names, ", "), name)
}

// FieldDeviation is a field in which a broker is known to deviate.
type FieldDeviation struct {
	Field  string   `json:"field"`
	Rules  []string `json:"rules"`
	Reason string   `json:"reason"`
	// Answers is in how many answers of a run it was seen.
	Answers int `json:"answers,omitempty"`
}

// correct sets right what the profile tolerates in an answer, and gives the names of the fields that were wrong.
func (r *run) correct(req kmsg.Request, resp kmsg.Response) []string {
	r.mu.Lock() // scenarios and walks go side by side
	defer r.mu.Unlock()
	var wrong []string
	for i := range r.result.Tolerated {
		d := &r.result.Tolerated[i]
		if f, err := findField(d.Field); err == nil && f.correct(req, resp) > 0 {
			d.Answers++
			wrong = append(wrong, d.Field)
		}
	}
	return wrong
}

// Correct sets right what a profile tolerates in an answer, as [steps.Config] takes it; nil where it tolerates nothing.
func (p *Profile) Correct() func(req kmsg.Request, resp kmsg.Response) []string {
	if p == nil || len(p.Fields) == 0 {
		return nil
	}
	r := &run{result: Result{Tolerated: slices.Clone(p.Fields)}}
	return r.correct
}

// staleFields are those that the profile lists and that the whole suite did not show.
func (r *run) staleFields() []FieldDeviation {
	if r.Tags != "" || r.FailFast || r.result.Stopped != "" {
		return nil
	}
	return slices.DeleteFunc(slices.Clone(r.result.Tolerated), func(d FieldDeviation) bool { return d.Answers > 0 })
}
