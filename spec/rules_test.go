package spec

import (
	"go/ast"
	"go/parser"
	"go/token"
	"regexp"
	"strings"
	"testing"
)

// longest is how long a statement may be: it is one line of a report and one cell of a table.
const longest = 210

func TestEveryRuleSaysWhatItIsAndWhereItComesFrom(t *testing.T) {
	ids := regexp.MustCompile(`^[A-Z]+-[0-9]{2}$`)
	for _, r := range AllRules() {
		i := r.Info()
		if !ids.MatchString(i.ID) {
			t.Errorf("rule %d after %v: id %q, want a family and two digits", r, r-1, i.ID)
		}
		if i.Statement == "" || i.Source == "" || i.Versions == "" || i.Section == "" {
			t.Errorf("%v: a field is empty: %+v", r, i)
		}
		if n := len(i.Statement); n > longest || strings.Contains(i.Statement, "\n") {
			t.Errorf("%v: the statement has %d characters, want one line of at most %d", r, n, longest)
		}
	}
}

// A row under the id of another rule, a constant whose name is not its id, an id used twice: each breaks the order here.
func TestIDsAreTheNamesOfTheConstantsInTheirOrder(t *testing.T) {
	names := namesOfConstants(t, "rules_ids.go")
	if names[0] != "NoRule" || names[len(names)-1] != "NumRules" || len(names) != int(NumRules)+1 {
		t.Fatalf("%d constants from %s to %s, want %d from NoRule to NumRules", len(names), names[0], names[len(names)-1], NumRules+1)
	}
	if len(AllRules()) != 277 {
		t.Errorf("%d rules, want 277", len(AllRules()))
	}
	families := map[string]bool{}
	previous := ""
	for _, r := range AllRules() {
		id := r.String()
		if name := strings.Replace(id, "-", "", 1); name != names[r] {
			t.Errorf("constant %s has the id %s", names[r], id)
		}
		family, _, _ := strings.Cut(id, "-")
		switch {
		case strings.HasPrefix(previous, family+"-"):
			if id <= previous {
				t.Errorf("%s stands after %s, want rising numbers", id, previous)
			}
		case families[family]:
			t.Errorf("%s stands after %s, apart from its family", id, previous)
		}
		families[family], previous = true, id
	}
}

// namesOfConstants returns the constants that the file declares, in order.
func namesOfConstants(t *testing.T, path string) (names []string) {
	t.Helper()
	file, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.SkipObjectResolution)
	if err != nil {
		t.Fatal(err)
	}
	ast.Inspect(file, func(n ast.Node) bool {
		if v, ok := n.(*ast.ValueSpec); ok {
			names = append(names, v.Names[0].Name)
		}
		return true
	})
	return names
}

func TestParseRuleReadsWhatStringWrites(t *testing.T) {
	for _, want := range AllRules() {
		for _, id := range []string{want.String(), strings.ToLower(want.String())} {
			if r, err := ParseRule(id); r != want || err != nil {
				t.Errorf("ParseRule(%q) = %v, %v, want %v", id, r, err, want)
			}
		}
	}
}

func TestAnUnknownIDIsAnsweredWithTheNearest(t *testing.T) {
	for _, c := range []struct{ id, want string }{
		{"IDEM-50", `no rule "IDEM-50": the nearest are IDEM-47, IDEM-48, IDEM-49`},
		{"end-15", `no rule "end-15": the nearest are END-12, END-13, END-14`},
		{"ADD-16", `no rule "ADD-16": the nearest are ADD-11, ADD-12, ADD-20`},
		{"LSO-1", `no rule "LSO-1": the nearest are LSO-01, LSO-02, LSO-03`},
		{"MARK", `no rule "MARK": the ids of MARK go from MARK-01 to MARK-44`},
		{"CLI-01", `no rule "CLI-01": an id is a family and a number, as in IDEM-15; ` +
			`the families are IDEM, INIT, COORD, ADD, END, MARK, VER, TOC, TMO, LSO, READ, ADM, SM, FO`},
	} {
		r, err := ParseRule(c.id)
		if r != NoRule || err == nil || err.Error() != c.want {
			t.Errorf("ParseRule(%q) = %v, %v\nwant the error: %s", c.id, r, err, c.want)
		}
	}
	if _, err := ParseRule(""); err == nil || !strings.Contains(err.Error(), "the families are") {
		t.Errorf("ParseRule of nothing: %v, want the families", err)
	}
}

func TestNoRuleIsNothing(t *testing.T) {
	for _, r := range []Rule{NoRule, NumRules, NumRules + 1} {
		if r.String() != "" || r.Info() != (RuleInfo{}) {
			t.Errorf("rule %d: %+v, want nothing", uint16(r), r.Info())
		}
	}
}
