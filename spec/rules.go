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
		{"Coordinator ownership", coordRules},
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
	same = same[:min(3, len(same))]
	slices.Sort(same)
	var near []string
	for _, r := range same {
		near = append(near, r.String())
	}
	return NoRule, fmt.Errorf("no rule %q: the nearest are %s", id, strings.Join(near, ", "))
}

// distance is how far the number of r is from n.
func (r Rule) distance(n int) int {
	_, number, _ := strings.Cut(r.String(), "-")
	have, _ := strconv.Atoi(number) // every id ends in a number
	return max(have-n, n-have)
}
