package checker

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"reflect"

	"github.com/onceproof/onceproof/checker/itf"
)

// TraceIdentity says of which model a file is a trace, whichever of the formats that can be read it is in.
func TraceIdentity(data []byte) (Identity, error) {
	if itf.Is(data) {
		return ITFIdentity(bytes.NewReader(data))
	}
	var head struct {
		Model Identity `json:"model"`
	}
	err := decodeJSON(data, &head)
	var other *json.UnmarshalTypeError
	if errors.As(err, &other) || err == nil && head.Model.Name == "" {
		return head.Model, errors.New("expected a trace as onceproof check writes it (docs/json.md), got other JSON: it names no model")
	}
	return head.Model, err
}

// ReadAndReplay reads a trace of the model m, in either of the formats that can be read, runs it again, and returns it as
// the model gives it now, which has to be as it was written.
func ReadAndReplay[S any, A comparable](data []byte, m Model[S, A]) (*Trace[A], error) {
	if itf.Is(data) {
		return ReadITF(bytes.NewReader(data), m)
	}
	t, err := ReadTrace(bytes.NewReader(data), m)
	if err != nil {
		return nil, err
	}
	again, err := Replay(m, t, nil)
	if err != nil {
		return nil, err
	}
	for i := range again.Steps {
		now, then := again.Steps[i], t.Steps[i]
		now.From, then.From = "", "" // for diagrams alone
		if !reflect.DeepEqual(now, then) {
			return nil, fmt.Errorf("step %d has another outcome here than when the trace was written: the rules have changed since", i+1)
		}
	}
	return again, nil
}
