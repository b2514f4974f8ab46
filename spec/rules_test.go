package spec

import (
	"cmp"
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

// The constants are numbered in the order of the families and, within one, of the ids: so two constants can't share an
// id, and a row can't stand under the id of another.
func TestIDsFollowTheConstants(t *testing.T) {
	firstOf := map[string]Rule{}
	for _, r := range AllRules() {
		family, number, _ := strings.Cut(r.String(), "-")
		if _, ok := firstOf[family]; !ok {
			firstOf[family] = r
			continue
		}
		before, last, _ := strings.Cut((r - 1).String(), "-")
		if before != family {
			t.Errorf("%v stands after %v, apart from its family, which begins at constant %d", r, r-1, firstOf[family])
		} else if cmp.Compare(last, number) >= 0 {
			t.Errorf("%v stands after %v, want rising numbers", r, r-1)
		}
		if r.Info().Section != firstOf[family].Info().Section {
			t.Errorf("%v: section %q, want that of its family, %q", r, r.Info().Section, firstOf[family].Info().Section)
		}
	}
	// The name of a constant can't be read back; these stand at both ends of every family.
	for r, id := range map[Rule]string{
		IDEM01: "IDEM-01", IDEM15: "IDEM-15", IDEM49: "IDEM-49", INIT01: "INIT-01", INIT20: "INIT-20", INIT41: "INIT-41",
		COORD01: "COORD-01", COORD12: "COORD-12", ADD01: "ADD-01", ADD20: "ADD-20", ADD29: "ADD-29",
		END01: "END-01", END10: "END-10", END20: "END-20", END31: "END-31", MARK01: "MARK-01", MARK30: "MARK-30", MARK44: "MARK-44",
		VER01: "VER-01", VER10: "VER-10", TOC01: "TOC-01", TOC20: "TOC-20", TMO01: "TMO-01", TMO10: "TMO-10",
		LSO01: "LSO-01", LSO07: "LSO-07", READ01: "READ-01", READ17: "READ-17", ADM01: "ADM-01", ADM09: "ADM-09",
		SM01: "SM-01", SM09: "SM-09", FO01: "FO-01", FO19: "FO-19",
	} {
		if r.String() != id {
			t.Errorf("rule %d is %q, want %q", r, r, id)
		}
	}
	if n := len(AllRules()); n != int(NumRules)-1 || n != 277 {
		t.Errorf("%d rules, NumRules %d, want 277 and 278", n, NumRules)
	}
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
		{"IDEM-50", `no rule "IDEM-50": the nearest are IDEM-47 IDEM-48 IDEM-49`},
		{"end-15", `no rule "end-15": the nearest are END-12 END-13 END-14`},
		{"ADD-16", `no rule "ADD-16": the nearest are ADD-12 ADD-20 ADD-21`},
		{"LSO-1", `no rule "LSO-1": the nearest are LSO-01 LSO-02 LSO-03`},
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
