package spec

// admRules are the rules of "Describe, list and repair".
var admRules = map[Rule]ruleRow{
	ADM01: {"ADM-01", "", "", ""},
	ADM02: {"ADM-02", "", "", ""},
	ADM03: {"ADM-03", "", "", ""},
	ADM04: {"ADM-04", "", "", ""},
	ADM05: {"ADM-05", "", "", ""},
	ADM06: {"ADM-06", "", "", ""},
	ADM07: {"ADM-07", "", "", ""},
	ADM08: {"ADM-08", "", "", ""},
	ADM09: {"ADM-09", "", "", ""},
}
