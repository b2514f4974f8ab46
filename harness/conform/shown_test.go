package conform_test

import (
	"context"
	"fmt"
	"os"
	"slices"
	"sort"
	"testing"

	"github.com/onceproof/onceproof/harness/broker"
	"github.com/onceproof/onceproof/harness/conform"
	"github.com/onceproof/onceproof/harness/reference"
	"github.com/onceproof/onceproof/spec"
)

func TestDumpShown(t *testing.T) {
	if os.Getenv("DUMP") == "" {
		t.Skip()
	}
	stable := map[string]map[spec.Rule]int{}
	const seeds = 4
	for seed := uint64(1); seed <= seeds; seed++ {
		union := map[string]map[spec.Rule]bool{}
		for tv := range int8(3) {
			o := conform.Options{Broker: fmt.Sprintf("spec,tv=%d", tv), Strict: true}
			o.Spec = func(_ context.Context, tg broker.Target) (broker.Broker, error) {
				return reference.New(spec.Rules{TransactionVersion: tv, Fixes: spec.AllReleases()[0].Fixes}, seed), nil
			}
			r, err := conform.Run(t.Context(), o)
			if err != nil {
				t.Fatal(err)
			}
			for _, s := range r.Scenarios {
				if union[s.Name] == nil {
					union[s.Name] = map[spec.Rule]bool{}
				}
				for _, x := range s.Shown {
					union[s.Name][x] = true
				}
			}
		}
		for n, u := range union {
			if stable[n] == nil {
				stable[n] = map[spec.Rule]int{}
			}
			for x := range u {
				stable[n][x]++
			}
		}
	}
	f, _ := os.Create("/tmp/shown.txt")
	var names []string
	for n := range stable {
		names = append(names, n)
	}
	sort.Strings(names)
	all := map[spec.Rule]int{}
	for _, n := range names {
		var rs []spec.Rule
		for x, c := range stable[n] {
			if c == seeds {
				rs = append(rs, x)
				all[x]++
			}
		}
		slices.Sort(rs)
		fmt.Fprintf(f, "%s\t%v\n", n, rs)
	}
	fmt.Println(len(all), "rules shown")
	for x := range all {
		_ = x
	}
	for _, x := range spec.AllRules() {
		if all[x] > 0 {
			fmt.Print(x, ":", all[x], " ")
		}
	}
	fmt.Println()
}
