package spec

// smRules are the rules of "Coordinator state machine".
var smRules = map[Rule]ruleRow{
	SM01: {"SM-01", "", "", ""},
	SM02: {"SM-02", "", "", ""},
	SM03: {"SM-03", "", "", ""},
	SM04: {"SM-04", "", "", ""},
	SM05: {"SM-05", "", "", ""},
	SM06: {"SM-06", "", "", ""},
	SM07: {"SM-07", "", "", ""},
	SM08: {"SM-08", "", "", ""},
	SM09: {"SM-09", "", "", ""},
}
