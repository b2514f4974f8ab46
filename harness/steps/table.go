package steps

import (
	"fmt"
	"strings"

	"github.com/cucumber/godog"
)

// table is a table of a feature, by column name.
type table struct {
	columns []string
	rows    []map[string]string
}

func readTable(t *godog.Table, known ...string) (table, error) {
	var out table
	if t == nil || len(t.Rows) < 1 {
		return out, fmt.Errorf("expected a table")
	}
	for _, c := range t.Rows[0].Cells {
		found := false
		for _, k := range known {
			found = found || k == c.Value
		}
		if !found {
			return out, fmt.Errorf("expected one of the columns %s, got %q", strings.Join(known, ", "), c.Value)
		}
		out.columns = append(out.columns, c.Value)
	}
	for _, r := range t.Rows[1:] {
		row := map[string]string{}
		for i, c := range r.Cells {
			row[out.columns[i]] = c.Value
		}
		out.rows = append(out.rows, row)
	}
	return out, nil
}

// compare checks what came, row by row, against the table. matches decides a cell and says what came there.
func (t *table) compare(what string, n int, matches func(row int, column, want string) (got string, err error)) error {
	for i := range min(n, len(t.rows)) {
		for _, column := range t.columns {
			want := t.rows[i][column]
			got, err := matches(i, column, want)
			if err != nil {
				if _, ok := err.(*Violation); ok {
					return mismatch(fmt.Sprintf("%s, row %d, %s: %s", what, i+1, column, want), got)
				}
				return err
			}
		}
	}
	if n != len(t.rows) {
		return mismatch(fmt.Sprintf("%s: %d rows", what, len(t.rows)), fmt.Sprintf("%d", n))
	}
	return nil
}
