package world

import (
	"encoding/json"
	"fmt"
	"reflect"
	"slices"

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
		if reflect.DeepEqual(g.Field(i).Interface(), w.Field(i).Interface()) {
			continue
		}
		if f.Name == "Rules" {
			return fmt.Sprintf("rules that decide: new are %v, gone are %v", without(got.Rules, want.Rules), without(want.Rules, got.Rules))
		}
		return fmt.Sprintf("%s is %+v, recorded is %+v", f.Name, deref(g.Field(i)), deref(w.Field(i)))
	}
	return ""
}

// without returns what is in list and not in other.
func without(list, other []string) []string {
	return slices.DeleteFunc(slices.Clone(list), func(s string) bool { return slices.Contains(other, s) })
}

func deref(v reflect.Value) any {
	if v.Kind() == reflect.Pointer && !v.IsNil() {
		v = v.Elem()
	}
	return v.Interface()
}
