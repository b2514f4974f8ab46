package spec

// verRules are the rules of "Transaction verification".
var verRules = map[Rule]ruleRow{
	VER01: {"VER-01", "", "", ""},
	VER02: {"VER-02", "", "", ""},
	VER03: {"VER-03", "", "", ""},
	VER04: {"VER-04", "", "", ""},
	VER05: {"VER-05", "", "", ""},
	VER06: {"VER-06", "", "", ""},
	VER07: {"VER-07", "", "", ""},
	VER08: {"VER-08", "", "", ""},
	VER09: {"VER-09", "", "", ""},
	VER10: {"VER-10", "", "", ""},
}
