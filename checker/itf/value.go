package itf

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
)

// Value is a value as it stands in a file: text, truth, an integer, a list, a record, a tuple, a set or a map.
type Value json.RawMessage

// MarshalJSON is the value itself.
func (v Value) MarshalJSON() ([]byte, error) { return v, nil }

// String is a text as a value.
func String(s string) Value {
	b, err := plain(s)
	if err != nil { // encoding/json makes valid text of any string
		return Value(`""`)
	}
	return b
}

// Int is an integer as a value, given in decimal: readers limit plain JSON numbers to 53 bits.
func Int(decimal string) Value { return Value(`{"#bigint":"` + decimal + `"}`) }

// Integer reports whether a text is an integer in its one decimal form.
func Integer(s string) bool {
	digits := strings.TrimPrefix(s, "-")
	if digits == "" || digits[0] == '0' && s != "0" {
		return false
	}
	return strings.IndexFunc(digits, func(r rune) bool { return r < '0' || r > '9' }) < 0
}

// List is a list of values.
func List(values ...Value) Value {
	var b bytes.Buffer
	b.WriteString("[")
	for i, v := range values {
		if i > 0 {
			b.WriteString(",")
		}
		b.Write(v)
	}
	b.WriteString("]")
	return b.Bytes()
}

// Field is a part of a record.
type Field struct {
	Name  string
	Value Value
}

// Record is a record, its fields in the order given.
func Record(fields ...Field) Value {
	var b bytes.Buffer
	b.WriteString("{")
	for i, f := range fields {
		if i > 0 {
			b.WriteString(",")
		}
		b.Write(String(f.Name))
		b.WriteString(":")
		b.Write(f.Value)
	}
	b.WriteString("}")
	return b.Bytes()
}

// Text gives the text that a value is, if it is one.
func (v Value) Text() (string, bool) {
	var s *string
	if json.Unmarshal(v, &s) != nil || s == nil {
		return "", false
	}
	return *s, true
}

// Equal compares two values: the order of fields does not count, nor how an integer is written.
func (v Value) Equal(w Value) bool {
	a, errA := v.canonical()
	b, errB := w.canonical()
	return errA == nil && errB == nil && a == b
}

func (v Value) canonical() (string, error) {
	x, err := decode(v)
	if err != nil {
		return "", err
	}
	b, err := json.Marshal(normal(x)) // sorts the fields
	return string(b), err
}

// normal makes every integer a big one.
func normal(x any) any {
	switch x := x.(type) {
	case json.Number:
		return map[string]any{"#bigint": x.String()}
	case []any:
		for i := range x {
			x[i] = normal(x[i])
		}
	case map[string]any:
		for name := range x {
			x[name] = normal(x[name])
		}
	}
	return x
}

func decode(v []byte) (any, error) {
	var x any
	d := json.NewDecoder(bytes.NewReader(v))
	d.UseNumber()
	err := d.Decode(&x)
	return x, err
}

// valid says what is no value of the format.
func valid(v []byte) error {
	x, err := decode(v)
	if err != nil {
		return err
	}
	return kind(x)
}

func kind(x any) error {
	switch x := x.(type) {
	case string, bool:
		return nil
	case json.Number:
		if strings.ContainsAny(x.String(), ".eE") {
			return fmt.Errorf("expected an integer, got %s", x)
		}
		return nil
	case []any:
		for _, e := range x {
			if err := kind(e); err != nil {
				return err
			}
		}
		return nil
	case map[string]any:
		return object(x)
	}
	return errors.New("expected a value, got null")
}

// object is a record, or one of the forms that a name with # marks.
func object(x map[string]any) error {
	for _, name := range slices.Sorted(maps.Keys(x)) {
		v := x[name]
		if !strings.HasPrefix(name, "#") {
			if err := kind(v); err != nil {
				return err
			}
			continue
		}
		if len(x) != 1 {
			return fmt.Errorf("expected %s alone, got %d fields", name, len(x))
		}
		return special(name, v)
	}
	return nil
}

func special(name string, v any) error {
	switch name {
	case "#bigint":
		digits, ok := v.(string)
		if !ok || digits != "-0" && !Integer(digits) {
			return fmt.Errorf("expected an integer in #bigint, got %v", v)
		}
		return nil
	case "#unserializable":
		if _, ok := v.(string); !ok {
			return fmt.Errorf("expected a text in #unserializable, got %v", v)
		}
		return nil
	}
	list, ok := v.([]any)
	if !ok {
		return fmt.Errorf("expected a list in %s, got %v", name, v)
	}
	switch name {
	case "#tup", "#set":
		return kind(list)
	case "#map":
		for _, pair := range list {
			if p, ok := pair.([]any); !ok || len(p) != 2 {
				return fmt.Errorf("expected pairs in #map, got %v", pair)
			}
		}
		return kind(list)
	}
	return fmt.Errorf("expected a value, got %s", name)
}

// Names makes names for variables and fields that every reader takes: letters, digits and underscores. Two that would
// become the same are told apart.
type Names struct{ taken map[string]bool }

// New is a name that was not given before.
func (n *Names) New(text string) string {
	name := strings.Map(func(r rune) rune {
		switch {
		case r >= 'a' && r <= 'z', r >= 'A' && r <= 'Z', r >= '0' && r <= '9', r == '_':
			return r
		}
		return '_'
	}, text)
	if name == "" || name[0] >= '0' && name[0] <= '9' {
		name = "_" + name
	}
	if n.taken == nil {
		n.taken = make(map[string]bool)
	}
	base := name
	for i := 2; n.taken[name]; i++ {
		name = fmt.Sprintf("%s_%d", base, i)
	}
	n.taken[name] = true
	return name
}
