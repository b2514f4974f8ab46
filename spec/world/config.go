package world

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/onceproof/onceproof/checker"
	"github.com/onceproof/onceproof/spec"
)

// Style is how a client uses the protocol.
type Style uint8

// The styles of the real producers.
const (
	// TV1Style is the producer at transaction.version 0 and 1: AddPartitionsToTxn v3, Produce v11, EndTxn v4.
	TV1Style Style = 1
	// TV2Style is the producer at transaction.version 2: Produce v12, EndTxn v5 (KIP-890 part 2).
	TV2Style Style = 2
	// Idempotent is a producer without transactional id.
	Idempotent Style = 3
)

func (st Style) String() string { return [...]string{"", "TV1-style", "TV2-style", "idempotent"}[st] }

// Config bounds a closed model.
type Config struct {
	Name  string
	About string
	Rules spec.Rules
	Style Style
	// Incarnations of the producer: one transactional id, of which each may start at any time and none knows of the others.
	Incarnations int
	// Transactions in all, and by one incarnation.
	Transactions, Each int
	// Partitions, and batches of a transaction to the first and to each further one.
	Partitions, Batches, Further int
	InFlight                     int // batches of one incarnation under way at once
	// Budgets of faults: a client that stops waiting and resends or gives up; a coordinator that stops waiting for a
	// marker's answer and resends; a transaction that times out; a crash of the coordinator.
	ClientFaults, MarkerFaults, Timeouts, Crashes int
	// Prior, if 1, is a record of another producer in every partition before anything begins.
	Prior int
	// GiveUpAdd, if 1, lets a TV1-style client give up on AddPartitionsToTxn too, a client fault like others. As far as it
	// knows nothing was added, so that it sends no EndTxn (CLI-06), and asks for a new epoch with its identity at once (CLI-21).
	GiveUpAdd int
	// Beyond, if 1, leaves out the steps that are the known flaws of the requests up to Produce v11 and EndTxn v4, so that
	// nothing else hides behind them (see known).
	Beyond int
	// Quick, if 1, makes the broker quick: whatever goes on inside by itself happens before anything comes from outside (see
	// busy). What falls then falls in a run that a tester can place from outside, who is the network.
	Quick int
	// Holds is how many partitions a tester may hold a transaction in Prepare at (see hold).
	Holds int
}

// bounds are the parameters that a user may set, by name.
func (c *Config) bounds() []struct {
	name string
	at   *int
} {
	return []struct {
		name string
		at   *int
	}{
		{"incarnations", &c.Incarnations}, {"transactions", &c.Transactions}, {"each", &c.Each},
		{"partitions", &c.Partitions}, {"batches", &c.Batches}, {"further", &c.Further}, {"in-flight", &c.InFlight},
		{"client-faults", &c.ClientFaults}, {"marker-faults", &c.MarkerFaults}, {"timeouts", &c.Timeouts}, {"crashes", &c.Crashes},
		{"cached-batches", &c.Rules.Limits.CachedBatches}, {"prior", &c.Prior}, {"give-up-add", &c.GiveUpAdd}, {"beyond-known", &c.Beyond},
		{"quick", &c.Quick}, {"holds", &c.Holds},
	}
}

// BoundNames returns the names that SetBound takes.
func BoundNames() []string {
	var names []string
	for _, b := range new(Config).bounds() {
		names = append(names, b.name)
	}
	return names
}

// limits of the state's arrays.
const (
	maxClients = 3
	maxBatches = 6 // of one transaction
	maxTxns    = 6
)

// SetBound changes one bound. Check says whether the result can be explored.
func (c *Config) SetBound(name string, value int) error {
	for _, b := range c.bounds() {
		if b.name == name {
			*b.at = value
			return nil
		}
	}
	return fmt.Errorf("no bound %q; known: %v", name, BoundNames())
}

// Check says what is wrong with the bounds.
func (c *Config) Check() error {
	between := func(name string, v, least, most int) error {
		if v < least || v > most {
			return fmt.Errorf("bound %s is %d, must be %d to %d", name, v, least, most)
		}
		return nil
	}
	for _, err := range []error{
		between("incarnations", c.Incarnations, 1, maxClients),
		between("transactions", c.Transactions, 1, maxTxns),
		between("each", c.Each, 1, maxTxns),
		between("partitions", c.Partitions, 1, 4),
		between("batches", c.Batches, 1, maxBatches),
		between("further", c.Further, 1, maxBatches),
		between("batches in all", c.batches(), 1, maxBatches),
		between("in-flight", c.InFlight, 1, spec.CachedBatches),
		between("client-faults", c.ClientFaults, 0, 4),
		between("marker-faults", c.MarkerFaults, 0, 4),
		between("timeouts", c.Timeouts, 0, 4),
		between("crashes", c.Crashes, 0, 4),
		between("prior", c.Prior, 0, 1),
		between("give-up-add", c.GiveUpAdd, 0, 1),
		between("beyond-known", c.Beyond, 0, 1),
		between("quick", c.Quick, 0, 1),
		between("holds", c.Holds, 0, c.Partitions),
		between("cached-batches", c.Rules.Limits.CachedBatches, 1, spec.CachedBatches),
	} {
		if err != nil {
			return err
		}
	}
	return nil
}

// batches is the number of batches of one transaction.
func (c *Config) batches() int { return c.Batches + (c.Partitions-1)*c.Further }

// partition is the partition that batch i of a transaction goes to. Batches go round the partitions.
func (c *Config) partition(i int) int {
	for turn := 0; ; turn++ {
		for p := range c.Partitions {
			n := c.Batches
			if p > 0 {
				n = c.Further
			}
			if turn < n {
				if i == 0 {
					return p
				}
				i--
			}
		}
	}
}

// Identity names the model for traces and checkpoints.
func (c *Config) Identity() checker.Identity {
	id := checker.Identity{Name: c.Name, Version: modelVersion}
	add := func(name, value string) { id.Bounds = append(id.Bounds, checker.Bound{Name: name, Value: value}) }
	add("style", c.Style.String())
	add("transaction.version", strconv.Itoa(int(c.Rules.TransactionVersion)))
	add("fixes", fmt.Sprint(c.Rules.Fixes.IDs()))
	for _, b := range c.bounds() {
		add(b.name, strconv.Itoa(*b.at))
	}
	return id
}

// Bounds are the bounds that differ from the smallest model, in one line.
func (c *Config) Bounds() string {
	var out []string
	least := base("", "", c.Style)
	for i, b := range c.bounds() {
		if v := *b.at; v != *least.bounds()[i].at {
			out = append(out, fmt.Sprintf("%s=%d", b.name, v))
		}
	}
	return strings.Join(out, " ")
}
