package spec

import (
	"fmt"
	"math/bits"
	"strings"
)

// Fixes is a set of switches. A switch that is on makes the spec follow the protocol with that fix; each is used in one
// or two guards.
type Fixes uint32

// The switches. Those named by a JIRA issue are on from the release that has the fix; the last four are our own, for
// flaws that no report names, and off in every release of Apache Kafka.
const (
	Fix6119 Fixes = 1 << iota
	Fix14402
	Fix14884
	Fix15591
	Fix18202
	Fix18464
	Fix19446
	Fix19690
	Fix19999
	Fix20357
	Fix20785
	Fix21181
	FixINIT31
	FixINIT41
	FixIDEM35
	FixIDEM43
	numFixes = iota
)

// AllFixes are all switches.
const AllFixes Fixes = 1<<numFixes - 1

// Has reports whether all of f are on.
func (fs Fixes) Has(f Fixes) bool { return fs&f == f }

// Fix describes one switch.
type Fix struct {
	Fix   Fixes
	ID    string // as given on the command line: "KAFKA-19446", "INIT-31"
	Title string // what goes wrong without it
	Rule  Rule   // the rule whose guard it switches
	Since string // first release of Apache Kafka with it; "" if there is none
}

var fixes = [...]Fix{
	{Fix: Fix6119, ID: "KAFKA-6119", Title: "a transaction that timed out is aborted without a new epoch: late requests of its producer still pass", Rule: TMO05, Since: "1.0.0"},
	{Fix: Fix14402, ID: "KAFKA-14402", Title: "a batch is appended without asking the coordinator: it opens a transaction that nobody ends", Rule: VER01, Since: "3.6.0"},
	{Fix: Fix14884, ID: "KAFKA-14884", Title: "a verified batch is appended though its transaction ended meanwhile", Rule: IDEM41, Since: "3.6.0"},
	{Fix: Fix15591, ID: "KAFKA-15591", Title: "a first sequence other than 0 is taken on a partition that was never written: an earlier batch is lost", Rule: IDEM34, Since: "4.5.0"},
	{Fix: Fix18202, ID: "KAFKA-18202", Title: "Produce v12: a first sequence other than 0 is taken from a producer without state", Rule: IDEM33, Since: "4.1.0"},
	{Fix: Fix18464, ID: "KAFKA-18464", Title: "EndTxn v5 looks at the epoch before the transition in progress: the owner is fenced by its own commit", Rule: END29, Since: "4.0.0"},
	{Fix: Fix19446, ID: "KAFKA-19446", Title: "a marker at the entry's epoch is taken at TV2: a late copy ends the next transaction (KIP-1228)", Rule: MARK07, Since: "4.2.0"},
	{Fix: Fix19690, ID: "KAFKA-19690", Title: "the guard is tested before the epoch: a timed-out producer hears INVALID_TXN_STATE", Rule: IDEM42, Since: "4.1.1"},
	{Fix: Fix19999, ID: "KAFKA-19999", Title: "a repeated marker is refused at TV2: after a crash the transaction stays in Prepare for ever", Rule: MARK08, Since: "4.2.0"},
	{Fix: Fix20357, ID: "KAFKA-20357", Title: "the last epoch is not in the log: after a crash a repeated InitProducerId fences its own producer", Rule: INIT29, Since: "4.5.0"},
	{Fix: Fix20785, ID: "KAFKA-20785", Title: "EndTxn(commit) after a timeout hears INVALID_TXN_STATE", Rule: END30, Since: "4.5.0"},
	{Fix: Fix21181, ID: "KAFKA-21181", Title: "an empty commit is refused without a write, also by a coordinator that has lost its leadership", Rule: END31, Since: "4.5.0"},
	{Fix: FixINIT31, ID: "INIT-31", Title: "a fenced producer's InitProducerId with its stale epoch aborts the owner's open transaction", Rule: INIT31},
	{Fix: FixINIT41, ID: "INIT-41", Title: "between a successor's two InitProducerId the old producer still ends, and goes on", Rule: INIT41},
	{Fix: FixIDEM35, ID: "IDEM-35", Title: "a duplicate or a refused batch leaves its sequence in memory: the owner's next batch is out of order", Rule: IDEM35},
	{Fix: FixIDEM43, ID: "IDEM-43", Title: "a late append of an older epoch voids the verification of the current one", Rule: IDEM43},
}

// AllFixInfo returns every switch, in the order of the constants.
func AllFixInfo() []Fix { return fixes[:] }

// Info returns the description of the single switch f.
func (fs Fixes) Info() Fix { return fixes[bits.TrailingZeros32(uint32(fs))] }

// IDs returns the ids of the switches in the set.
func (fs Fixes) IDs() []string {
	var ids []string
	for _, f := range fixes {
		if fs.Has(f.Fix) {
			ids = append(ids, f.ID)
		}
	}
	return ids
}

// ParseFix returns the switch of an id such as "KAFKA-19446", "19446" or "INIT-31". KIP-1228 is KAFKA-19446.
func ParseFix(id string) (Fixes, error) {
	name := strings.ToUpper(strings.TrimSpace(id))
	if name == "KIP-1228" {
		name = "KAFKA-19446"
	}
	for _, f := range fixes {
		if name == f.ID || "KAFKA-"+name == f.ID {
			return f.Fix, nil
		}
	}
	return 0, fmt.Errorf("no fix %q; known: %s", id, strings.Join(AllFixes.IDs(), ", "))
}

// Release is a release of Apache Kafka as a set of switches: that exact release, its flaws included.
type Release struct {
	Name  string
	Fixes Fixes
	About string
}

// Releases of Apache Kafka, the newest released one first.
var releases = [...]Release{
	{Name: "4.4.0", Fixes: Fix6119 | Fix14402 | Fix14884 | Fix18202 | Fix18464 | Fix19446 | Fix19690 | Fix19999,
		About: "as measured on running brokers"},
	{Name: "trunk", Fixes: Fix6119 | Fix14402 | Fix14884 | Fix15591 | Fix18202 | Fix18464 | Fix19446 | Fix19690 | Fix19999 | Fix20357 | Fix20785 | Fix21181,
		About: "4.5 development, as read; not measured"},
}

// AllReleases returns the known releases; the first is the default.
func AllReleases() []Release { return releases[:] }

// ParseRelease returns the release of a name.
func ParseRelease(name string) (Release, error) {
	var known []string
	for _, r := range releases {
		if r.Name == name {
			return r, nil
		}
		known = append(known, r.Name)
	}
	return Release{}, fmt.Errorf("no release %q; known: %s", name, strings.Join(known, ", "))
}
