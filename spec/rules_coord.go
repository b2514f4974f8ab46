package spec

// coordRules are the rules of "Transaction coordinator".
var coordRules = map[Rule]ruleRow{
	COORD01: {"COORD-01", "", "", ""},
	COORD02: {"COORD-02", "", "", ""},
	COORD03: {"COORD-03", "", "", ""},
	COORD04: {"COORD-04", "", "", ""},
	COORD05: {"COORD-05", "", "", ""},
	COORD06: {"COORD-06", "", "", ""},
	COORD07: {"COORD-07", "", "", ""},
	COORD08: {"COORD-08", "", "", ""},
	COORD09: {"COORD-09", "", "", ""},
	COORD10: {"COORD-10", "", "", ""},
	COORD11: {"COORD-11", "", "", ""},
	COORD12: {"COORD-12", "", "", ""},
}
