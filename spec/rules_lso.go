package spec

// lsoRules are the rules of "Last stable offset".
var lsoRules = map[Rule]ruleRow{
	LSO01: {"LSO-01", "", "", ""},
	LSO02: {"LSO-02", "", "", ""},
	LSO03: {"LSO-03", "", "", ""},
	LSO04: {"LSO-04", "", "", ""},
	LSO05: {"LSO-05", "", "", ""},
	LSO06: {"LSO-06", "", "", ""},
	LSO07: {"LSO-07", "", "", ""},
}
