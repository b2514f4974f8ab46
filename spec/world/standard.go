package world

import (
	"fmt"
	"strings"

	"github.com/onceproof/onceproof/spec"
)

// base is the smallest configuration; with sets what a named one has beside it.
func base(name, about string, style Style, with ...func(*Config)) Config {
	tv := int8(2)
	if style == TV1Style {
		tv = 1
	}
	c := Config{
		Name: name, About: about, Style: style,
		Rules:        spec.Rules{TransactionVersion: tv, Fixes: spec.AllFixes, Limits: spec.KafkaLimits},
		Incarnations: 1, Transactions: 1, Each: maxTxns, Partitions: 1, Batches: 1, Further: 1, InFlight: 1,
	}
	for _, set := range with {
		set(&c)
	}
	return c
}

func incarnations(n int) func(*Config) { return func(c *Config) { c.Incarnations = n } }
func transactions(n int) func(*Config) { return func(c *Config) { c.Transactions = n } }
func each(n int) func(*Config)         { return func(c *Config) { c.Each = n } }
func twoPartitions(c *Config)          { c.Partitions, c.InFlight = 2, 2 }
func batches(n, flight int) func(*Config) {
	return func(c *Config) { c.Batches, c.InFlight = n, flight }
}
func clientFaults(n int) func(*Config) { return func(c *Config) { c.ClientFaults = n } }
func markerFaults(n int) func(*Config) { return func(c *Config) { c.MarkerFaults = n } }
func timeouts(n int) func(*Config)     { return func(c *Config) { c.Timeouts = n } }
func crashes(n int) func(*Config)      { return func(c *Config) { c.Crashes = n } }
func prior(c *Config)                  { c.Prior = 1 }
func beyondKnown(c *Config)            { c.Beyond = 1 }
func smallCache(c *Config)             { c.Rules.Limits.CachedBatches = 2 }

// Models are the standard configurations, every fix on: nothing falls in them. Those with TV1-style requests leave the
// flaws out that these have on every release (see Flaws).
func Models() []Config {
	return []Config{
		base("faults-tv2", "two incarnations, two transactions; every kind of fault but a crash", TV2Style,
			incarnations(2), transactions(2), clientFaults(1), markerFaults(1), timeouts(1)),
		base("faults-tv1", "the same with TV1-style requests, their known flaws left out", TV1Style,
			incarnations(2), transactions(2), clientFaults(1), markerFaults(1), timeouts(1), beyondKnown),
		base("crash-tv2", "two incarnations, two transactions; the coordinator crashes once", TV2Style,
			incarnations(2), transactions(2), clientFaults(1), crashes(1)),
		base("crash-tv1", "the same with TV1-style requests, their known flaws left out", TV1Style,
			incarnations(2), transactions(2), clientFaults(1), crashes(1), beyondKnown),
		base("sequence-tv2", "three transactions one after another; late requests and markers, a timeout", TV2Style,
			transactions(3), clientFaults(1), markerFaults(1), timeouts(1)),
		base("partitions-tv2", "two partitions, two batches to one of them, three in flight", TV2Style,
			transactions(2), twoPartitions, batches(2, 3), clientFaults(1)),
		base("partitions-tv1", "the same with TV1-style requests, their known flaws left out", TV1Style,
			transactions(2), twoPartitions, batches(2, 3), clientFaults(1), beyondKnown),
		base("idempotent", "a producer without transactional id: three batches, two in flight, two remembered", Idempotent,
			batches(3, 2), clientFaults(1), smallCache),
	}
}

// FixRow is the configuration that shows what a fix is for: with the fix off, the property falls.
type FixRow struct {
	Fix      spec.Fixes
	Property string // "" if none falls in a model of one coordinator
	Why      string // why none falls
	Config
}

// FixRows has a row for every switch.
func FixRows() []FixRow {
	row := func(f spec.Fixes, property string, style Style, with ...func(*Config)) FixRow {
		id := f.Info().ID
		return FixRow{Fix: f, Property: property, Config: base("fix-"+strings.ToLower(strings.TrimPrefix(id, "KAFKA-")), id+": "+f.Info().Title, style, with...)}
	}
	stale := row(spec.Fix21181, "", TV2Style)
	stale.Why = "it takes a second coordinator that does not know that it was replaced"
	return []FixRow{
		row(spec.Fix6119, "FencedHearsFenced", TV1Style, timeouts(1)),
		row(spec.Fix14402, "CanStillEnd", TV1Style, clientFaults(1)),
		row(spec.Fix14884, "CanStillEnd", TV1Style, clientFaults(1)),
		row(spec.Fix15591, "InOrder", TV1Style, batches(2, 2)),
		row(spec.Fix18202, "InOrder", TV2Style, batches(2, 2), prior),
		row(spec.Fix18464, "OwnerNotRefused", TV2Style, transactions(2), clientFaults(1)),
		row(spec.Fix19446, "MarkerMatchesTransaction", TV2Style, transactions(2), markerFaults(1)),
		row(spec.Fix19690, "FencedHearsFenced", TV2Style, timeouts(1)),
		row(spec.Fix19999, "CanStillEnd", TV2Style, crashes(1)),
		row(spec.Fix20357, "OwnerNotRefused", TV1Style, clientFaults(1), crashes(1)),
		row(spec.Fix20785, "FencedHearsFenced", TV2Style, timeouts(1)),
		stale,
		row(spec.FixINIT31, "OwnerNotRefused", TV1Style, incarnations(2), transactions(2), each(1), clientFaults(1), beyondKnown),
		row(spec.FixINIT41, "FencedStaysFenced", TV2Style, incarnations(2)),
		row(spec.FixIDEM35, "OwnerNotRefused", TV1Style, transactions(2), clientFaults(1), beyondKnown),
		row(spec.FixIDEM43, "OwnerNotRefused", TV2Style, transactions(2), clientFaults(1)),
	}
}

// Off returns the row's configuration with its fix off.
func (r FixRow) Off() Config {
	c := r.Config
	c.Rules.Fixes &^= r.Fix
	return c
}

// Flaw is what falls with every fix on: no release has an answer to it but other requests.
type Flaw struct {
	ID       string
	Property string
	Config
}

// Flaws are those of TV1-style requests: nothing in them tells one transaction of an epoch from the next.
func Flaws() []Flaw {
	flaw := func(id, name, about, property string, with ...func(*Config)) Flaw {
		return Flaw{ID: id, Property: property, Config: base(name, about, TV1Style, with...)}
	}
	return []Flaw{
		flaw("KAFKA-17754", "late-end-txn", "a late copy of EndTxn ends the next transaction", "NoAbortedRead", transactions(2), clientFaults(1)),
		flaw("late marker", "late-marker", "a late copy of a marker ends the next transaction", "MarkerMatchesTransaction", transactions(2), markerFaults(1)),
		flaw("late abort marker", "late-abort-marker", "a late copy of an abort marker hides what the next transaction commits", "NoLostCommit", transactions(2), markerFaults(1)),
		flaw("late add", "late-add-partitions", "a late copy of AddPartitionsToTxn opens a transaction that its client has ended", "OwnerNotRefused", clientFaults(2)),
	}
}

// ReleaseRow is a configuration under the switches of a release, its flaws included: what falls on it as it is.
type ReleaseRow struct {
	Release  spec.Release
	Flaw     string
	Property string
	Config
}

// ReleaseRows shows every flaw of a release: the fixes that it lacks, and those of TV1-style requests.
func ReleaseRows(r spec.Release) []ReleaseRow {
	var rows []ReleaseRow
	for _, f := range FixRows() {
		if !r.Fixes.Has(f.Fix) && f.Property != "" {
			f.Config.Rules.Fixes = r.Fixes
			f.Config.Beyond = 0
			rows = append(rows, ReleaseRow{r, f.Fix.Info().ID, f.Property, f.Config})
		}
	}
	for _, f := range Flaws() {
		f.Config.Rules.Fixes = r.Fixes
		rows = append(rows, ReleaseRow{r, f.ID, f.Property, f.Config})
	}
	return rows
}

// Lookup returns the configuration of a name: a standard one, that of a fix (its fix on), or that of a flaw.
func Lookup(name string) (Config, error) {
	var known []string
	all := Models()
	for _, f := range FixRows() {
		all = append(all, f.Config)
	}
	for _, f := range Flaws() {
		all = append(all, f.Config)
	}
	for _, c := range all {
		if c.Name == name {
			return c, nil
		}
		known = append(known, c.Name)
	}
	return Config{}, fmt.Errorf("no model %q; known: %s", name, strings.Join(known, ", "))
}

// Named says whether a model of this name may have written a trace: one that Lookup finds, or that of a weakening.
func Named(name string) error {
	for _, w := range Weakenings() {
		if w.Config.Name == name {
			return nil
		}
	}
	_, err := Lookup(name)
	return err
}
