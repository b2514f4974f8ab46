package spec

// tmoRules are the rules of "Timeouts and expiry".
var tmoRules = map[Rule]ruleRow{
	TMO01: {"TMO-01", "", "", ""},
	TMO02: {"TMO-02", "", "", ""},
	TMO03: {"TMO-03", "", "", ""},
	TMO04: {"TMO-04", "", "", ""},
	TMO05: {"TMO-05", "", "", ""},
	TMO06: {"TMO-06", "", "", ""},
	TMO07: {"TMO-07", "", "", ""},
	TMO08: {"TMO-08", "", "", ""},
	TMO09: {"TMO-09", "", "", ""},
	TMO10: {"TMO-10", "", "", ""},
}
