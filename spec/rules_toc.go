package spec

// tocRules are the rules of "TxnOffsetCommit".
var tocRules = map[Rule]ruleRow{
	TOC01: {"TOC-01", "", "", ""},
	TOC02: {"TOC-02", "", "", ""},
	TOC03: {"TOC-03", "", "", ""},
	TOC04: {"TOC-04", "", "", ""},
	TOC05: {"TOC-05", "", "", ""},
	TOC06: {"TOC-06", "", "", ""},
	TOC07: {"TOC-07", "", "", ""},
	TOC08: {"TOC-08", "", "", ""},
	TOC09: {"TOC-09", "", "", ""},
	TOC10: {"TOC-10", "", "", ""},
	TOC11: {"TOC-11", "", "", ""},
	TOC12: {"TOC-12", "", "", ""},
	TOC13: {"TOC-13", "", "", ""},
	TOC14: {"TOC-14", "", "", ""},
	TOC15: {"TOC-15", "", "", ""},
	TOC16: {"TOC-16", "", "", ""},
	TOC17: {"TOC-17", "", "", ""},
	TOC18: {"TOC-18", "", "", ""},
	TOC19: {"TOC-19", "", "", ""},
	TOC20: {"TOC-20", "", "", ""},
}
