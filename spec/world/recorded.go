package world

import (
	"encoding/json"
	"fmt"
	"reflect"

	"github.com/onceproof/onceproof/fixtures"
)

// Recorded returns the rows that the whole check is expected to give, from fixtures/check.json.
func Recorded() ([]Row, error) {
	var rows []Row
	if err := json.Unmarshal(fixtures.Check, &rows); err != nil {
		return nil, fmt.Errorf("fixtures/check.json: %w", err)
	}
	return rows, nil
}

// Differs says how a row differs from the recorded one, or "".
func Differs(got, want Row) string {
	g, w := reflect.ValueOf(got), reflect.ValueOf(want)
	for i := range g.NumField() {
		f := g.Type().Field(i)
		if f.Tag.Get("json") == "-" || f.Name == "Seconds" {
			continue
		}
		if !reflect.DeepEqual(g.Field(i).Interface(), w.Field(i).Interface()) {
			return fmt.Sprintf("%s is %+v, recorded is %+v", f.Name, deref(g.Field(i)), deref(w.Field(i)))
		}
	}
	return ""
}

func deref(v reflect.Value) any {
	if v.Kind() == reflect.Pointer && !v.IsNil() {
		v = v.Elem()
	}
	return v.Interface()
}
