package spec

// readRules are the rules of "Read path".
var readRules = map[Rule]ruleRow{
	READ01: {"READ-01", "", "", ""},
	READ02: {"READ-02", "", "", ""},
	READ03: {"READ-03", "", "", ""},
	READ04: {"READ-04", "", "", ""},
	READ05: {"READ-05", "", "", ""},
	READ06: {"READ-06", "", "", ""},
	READ07: {"READ-07", "", "", ""},
	READ08: {"READ-08", "", "", ""},
	READ09: {"READ-09", "", "", ""},
	READ10: {"READ-10", "", "", ""},
	READ11: {"READ-11", "", "", ""},
	READ12: {"READ-12", "", "", ""},
	READ13: {"READ-13", "", "", ""},
	READ14: {"READ-14", "", "", ""},
	READ15: {"READ-15", "", "", ""},
	READ16: {"READ-16", "", "", ""},
	READ17: {"READ-17", "", "", ""},
}
