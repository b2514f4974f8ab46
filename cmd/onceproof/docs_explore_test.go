package main

import (
	"fmt"
	"strings"
	"testing"

	"github.com/onceproof/onceproof/fixtures"
)

// triplesTable says how many triples there are, and how many were seen on Apache Kafka.
func triplesTable(t *testing.T) string {
	all, err := fixtures.Triples()
	if err != nil {
		t.Fatal(err)
	}
	kafka, err := fixtures.ExploredOnKafka()
	if err != nil {
		t.Fatal(err)
	}
	var rows [][]string
	for level := int16(2); level >= 0; level-- {
		row := []string{fmt.Sprint(level), fmt.Sprint(len(all[level])), "", "", "", "", ""}
		for _, k := range kafka {
			if k.Level == level {
				row = append(row[:2], fmt.Sprint(k.Triples), fmt.Sprint(k.Beyond), thousands(uint64(k.Exchanges)), fmt.Sprintf("%.0f", k.PerSecond),
					fmt.Sprintf("%.1f %%, p99 %.2f ms, largest belief %d", 100*k.OracleShare, float64(k.OracleP99)/1e6, k.LargestBelief))
			}
		}
		rows = append(rows, row)
	}
	return markdown([]string{"transaction.version", "triples on the specification", "on Apache Kafka 4.4.0", "of them not on the specification", "exchanges", "a second", "the oracle's share"}, rows)
}

// exploredTable says what exploration found on brokers that are wrong, and what it missed.
func exploredTable(t *testing.T) string {
	e, err := fixtures.Explored()
	if err != nil {
		t.Fatal(err)
	}
	var b strings.Builder
	count := map[string][2]int{}
	var rows [][]string
	for _, h := range e.Found {
		n := count[h.Kind]
		n[0]++
		count[h.Kind] = n
		rows = append(rows, []string{h.Name, h.Kind, fmt.Sprint(h.Level), fmt.Sprint(h.Seed), h.Rule, fmt.Sprint(h.Exchanges), fmt.Sprint(h.Length), fmt.Sprint(h.Shortest)})
	}
	var missed []string
	for _, m := range e.Missed {
		n := count[m.Kind]
		n[1]++
		count[m.Kind] = n
		missed = append(missed, m.Name)
	}
	for _, kind := range []string{"mutant", "fix off", "fix on"} {
		n := count[kind]
		fmt.Fprintf(&b, "- %s: %d of %d found within %d exchanges, named by a right rule\n", kind, n[0], n[0]+n[1], e.Within)
	}
	fmt.Fprintf(&b, "\nNot found: %s.\n\n", strings.Join(missed, ", "))
	b.WriteString(markdown([]string{"what is wrong", "kind", "transaction.version", "seed", "rule", "exchanges", "shortened to", "none below"}, rows))
	return b.String()
}
