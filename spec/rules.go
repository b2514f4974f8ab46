package spec

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// Rule is the id of one rule of the protocol: what a broker does under one condition. It is what a decision of the spec,
// a tag of a scenario and a violation have in common. The zero value is no rule.
type Rule uint16

// The rules, by family. The number of a rule is its name and never changes; the numbers of a family have gaps.
const (
	NoRule Rule = iota

	// Idempotent produce.
	IDEM01
	IDEM02
	IDEM03
	IDEM04
	IDEM05
	IDEM06
	IDEM07
	IDEM08
	IDEM09
	IDEM10
	IDEM11
	IDEM12
	IDEM13
	IDEM14
	IDEM15
	IDEM16
	IDEM17
	IDEM18
	IDEM19
	IDEM20
	IDEM21
	IDEM22
	IDEM23
	IDEM24
	IDEM25
	IDEM26
	IDEM27
	IDEM28
	IDEM29
	IDEM30
	IDEM31
	IDEM32
	IDEM33
	IDEM34
	IDEM35
	IDEM36
	IDEM37
	IDEM38
	IDEM39
	IDEM40
	IDEM41
	IDEM42
	IDEM43
	IDEM44
	IDEM45
	IDEM46
	IDEM47
	IDEM48
	IDEM49

	// InitProducerId.
	INIT01
	INIT02
	INIT03
	INIT04
	INIT05
	INIT06
	INIT07
	INIT08
	INIT09
	INIT10
	INIT11
	INIT20
	INIT21
	INIT22
	INIT23
	INIT24
	INIT25
	INIT26
	INIT27
	INIT28
	INIT29
	INIT30
	INIT31
	INIT32
	INIT33
	INIT34
	INIT35
	INIT36
	INIT37
	INIT38
	INIT39
	INIT40
	INIT41

	// Transaction coordinator.
	COORD01
	COORD02
	COORD03
	COORD04
	COORD05
	COORD06
	COORD07
	COORD08
	COORD09
	COORD10
	COORD11
	COORD12

	// Adding partitions and offsets.
	ADD01
	ADD02
	ADD03
	ADD04
	ADD05
	ADD06
	ADD07
	ADD08
	ADD09
	ADD10
	ADD11
	ADD12
	ADD20
	ADD21
	ADD22
	ADD23
	ADD24
	ADD25
	ADD26
	ADD27
	ADD28
	ADD29

	// EndTxn.
	END01
	END02
	END03
	END04
	END05
	END06
	END07
	END08
	END10
	END11
	END12
	END13
	END14
	END20
	END21
	END22
	END23
	END24
	END25
	END26
	END27
	END28
	END29
	END30
	END31

	// Markers.
	MARK01
	MARK02
	MARK03
	MARK04
	MARK05
	MARK06
	MARK07
	MARK08
	MARK09
	MARK10
	MARK11
	MARK12
	MARK13
	MARK14
	MARK15
	MARK16
	MARK17
	MARK18
	MARK19
	MARK20
	MARK30
	MARK31
	MARK32
	MARK33
	MARK34
	MARK35
	MARK36
	MARK37
	MARK38
	MARK39
	MARK40
	MARK41
	MARK42
	MARK43
	MARK44

	// Transaction verification.
	VER01
	VER02
	VER03
	VER04
	VER05
	VER06
	VER07
	VER08
	VER09
	VER10

	// TxnOffsetCommit.
	TOC01
	TOC02
	TOC03
	TOC04
	TOC05
	TOC06
	TOC07
	TOC08
	TOC09
	TOC10
	TOC11
	TOC12
	TOC13
	TOC14
	TOC15
	TOC16
	TOC17
	TOC18
	TOC19
	TOC20

	// Timeouts and expiry.
	TMO01
	TMO02
	TMO03
	TMO04
	TMO05
	TMO06
	TMO07
	TMO08
	TMO09
	TMO10

	// Last stable offset.
	LSO01
	LSO02
	LSO03
	LSO04
	LSO05
	LSO06
	LSO07

	// Read path.
	READ01
	READ02
	READ03
	READ04
	READ05
	READ06
	READ07
	READ08
	READ09
	READ10
	READ11
	READ12
	READ13
	READ14
	READ15
	READ16
	READ17

	// Describe, list and repair.
	ADM01
	ADM02
	ADM03
	ADM04
	ADM05
	ADM06
	ADM07
	ADM08
	ADM09

	// Coordinator state machine.
	SM01
	SM02
	SM03
	SM04
	SM05
	SM06
	SM07
	SM08
	SM09

	// Failover.
	FO01
	FO02
	FO03
	FO04
	FO05
	FO06
	FO07
	FO08
	FO09
	FO10
	FO11
	FO12
	FO13
	FO14
	FO15
	FO16
	FO17
	FO18
	FO19

	NumRules // one past the last rule
)

// RuleInfo says what a rule is and where it comes from.
type RuleInfo struct {
	ID        string // "IDEM-15"
	Statement string // one line: condition -> outcome
	Source    string // KIP, JIRA, and the Kafka class and method that decide it
	Versions  string // what it holds for: "all", a range of releases (">=4.2"), of the transaction version ("TV2"), of the request ("v3+")
	Section   string // "Idempotent produce"
}

// ruleRow is a rule as the tables of the families write it: id, statement, source, versions.
type ruleRow struct{ id, statement, source, versions string }

// ruleTable is read-only.
var ruleTable = func() (t [NumRules]RuleInfo) {
	for _, f := range []struct {
		section string
		rules   map[Rule]ruleRow
	}{
		{"Idempotent produce", idemRules},
		{"InitProducerId", initRules},
		{"Transaction coordinator", coordRules},
		{"Adding partitions and offsets", addRules},
		{"EndTxn", endRules},
		{"Markers", markRules},
		{"Transaction verification", verRules},
		{"TxnOffsetCommit", tocRules},
		{"Timeouts and expiry", tmoRules},
		{"Last stable offset", lsoRules},
		{"Read path", readRules},
		{"Describe, list and repair", admRules},
		{"Coordinator state machine", smRules},
		{"Failover", foRules},
	} {
		for r, row := range f.rules {
			t[r] = RuleInfo{row.id, row.statement, row.source, row.versions, f.section}
		}
	}
	return t
}()

// Info returns what the table says of r. It is the zero RuleInfo for NoRule.
func (r Rule) Info() RuleInfo {
	if r >= NumRules {
		return RuleInfo{}
	}
	return ruleTable[r]
}

// String returns the id of r, "IDEM-15", and nothing for NoRule.
func (r Rule) String() string { return r.Info().ID }

// AllRules returns every rule in the order of the table.
func AllRules() []Rule {
	all := make([]Rule, 0, NumRules-1)
	for r := NoRule + 1; r < NumRules; r++ {
		all = append(all, r)
	}
	return all
}

// ParseRule returns the rule with the given id, in upper or lower case. The error for an id that is none names the
// nearest ids of its family, or the families.
func ParseRule(id string) (Rule, error) {
	want := strings.ToUpper(id)
	family, number, _ := strings.Cut(want, "-")
	var families []string
	var same []Rule
	for _, r := range AllRules() {
		have, _, _ := strings.Cut(r.String(), "-")
		switch {
		case r.String() == want:
			return r, nil
		case have == family:
			same = append(same, r)
		}
		if !slices.Contains(families, have) {
			families = append(families, have)
		}
	}
	if len(same) == 0 {
		return NoRule, fmt.Errorf("no rule %q: an id is a family and a number, as in %v; the families are %s",
			id, IDEM15, strings.Join(families, ", "))
	}
	n, err := strconv.Atoi(number)
	if err != nil {
		return NoRule, fmt.Errorf("no rule %q: the ids of %s go from %v to %v", id, family, same[0], same[len(same)-1])
	}
	slices.SortStableFunc(same, func(a, b Rule) int { return a.distance(n) - b.distance(n) })
	near := same[:min(3, len(same))]
	slices.Sort(near)
	return NoRule, fmt.Errorf("no rule %q: the nearest are %s", id, strings.Trim(fmt.Sprint(near), "[]"))
}

// distance is how far the number of r is from n.
func (r Rule) distance(n int) int {
	_, number, _ := strings.Cut(r.String(), "-")
	have, _ := strconv.Atoi(number) // every id ends in a number
	return max(have-n, n-have)
}
