package spec

// addRules are the rules of "Adding partitions and offsets".
var addRules = map[Rule]ruleRow{
	ADD01: {"ADD-01", "", "", ""},
	ADD02: {"ADD-02", "", "", ""},
	ADD03: {"ADD-03", "", "", ""},
	ADD04: {"ADD-04", "", "", ""},
	ADD05: {"ADD-05", "", "", ""},
	ADD06: {"ADD-06", "", "", ""},
	ADD07: {"ADD-07", "", "", ""},
	ADD08: {"ADD-08", "", "", ""},
	ADD09: {"ADD-09", "", "", ""},
	ADD10: {"ADD-10", "", "", ""},
	ADD11: {"ADD-11", "", "", ""},
	ADD12: {"ADD-12", "", "", ""},
	ADD20: {"ADD-20", "", "", ""},
	ADD21: {"ADD-21", "", "", ""},
	ADD22: {"ADD-22", "", "", ""},
	ADD23: {"ADD-23", "", "", ""},
	ADD24: {"ADD-24", "", "", ""},
	ADD25: {"ADD-25", "", "", ""},
	ADD26: {"ADD-26", "", "", ""},
	ADD27: {"ADD-27", "", "", ""},
	ADD28: {"ADD-28", "", "", ""},
	ADD29: {"ADD-29", "", "", ""},
}
