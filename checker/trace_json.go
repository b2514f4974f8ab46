package checker

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
)

// TraceFormat is the version of the JSON form of traces. It changes when an old reader would misread a new trace.
const TraceFormat = 1

// traceFile is a trace as it is written. The action of a step is as encoding/json gives it.
type traceFile[A any] struct {
	Format int `json:"format"`
	Trace[A]
}

// WriteJSON writes the trace so that ReadTrace can read it back.
func (t *Trace[A]) WriteJSON(w io.Writer) error {
	e := json.NewEncoder(w)
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	return e.Encode(traceFile[A]{TraceFormat, *t})
}

// ReadTrace reads a trace of the model m. The error says what was expected and what came if the file is cut off, is no
// trace, has another format, or is of another model, of another version of it or with other bounds.
func ReadTrace[S, A any](r io.Reader, m Model[S, A]) (*Trace[A], error) {
	data, err := io.ReadAll(r)
	if err != nil {
		return nil, fmt.Errorf("checker: reading a trace: %w", err)
	}
	// The head is read first: the steps of another format or model need not be of a shape that can be read.
	var head struct {
		Format int      `json:"format"`
		Model  Identity `json:"model"`
		Length int      `json:"length"`
	}
	if err := decodeJSON(data, &head); err != nil {
		return nil, err
	}
	if err := checkHead(head.Format, head.Model, identity(m)); err != nil {
		return nil, err
	}
	var file traceFile[A]
	if err := decodeJSON(data, &file); err != nil {
		return nil, err
	}
	if len(file.Steps) != head.Length {
		return nil, fmt.Errorf("checker: reading a trace: expected %d steps, got %d", head.Length, len(file.Steps))
	}
	for i, s := range file.Steps {
		if s.Number != i+1 {
			return nil, fmt.Errorf("checker: reading a trace: expected step %d, got %d", i+1, s.Number)
		}
	}
	return &file.Trace, nil
}

// checkHead says whether a trace is in this format and of the model that is wanted.
func checkHead(format int, model, want Identity) error {
	if format != TraceFormat {
		return fmt.Errorf("checker: reading a trace: expected format %d, got %d", TraceFormat, format)
	}
	if !want.equal(model) {
		return fmt.Errorf("checker: reading a trace: expected one of model %s, got one of %s", want, model)
	}
	return nil
}

func decodeJSON(data []byte, v any) error {
	err := json.Unmarshal(data, v)
	if err == nil {
		return nil
	}
	var syntax *json.SyntaxError
	if len(bytes.TrimSpace(data)) == 0 {
		return errors.New("checker: reading a trace: the file is empty")
	}
	if errors.As(err, &syntax) && syntax.Offset >= int64(len(data)) {
		return fmt.Errorf("checker: reading a trace: the file is cut off after %d bytes", len(data))
	}
	return fmt.Errorf("checker: reading a trace: %w", err)
}

func (i Identity) equal(j Identity) bool {
	return i.Name == j.Name && i.Version == j.Version && slices.Equal(i.Bounds, j.Bounds)
}
