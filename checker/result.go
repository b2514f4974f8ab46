package checker

// Verdict is how a search ended.
type Verdict string

const (
	// VerdictHolds: everything was searched and nothing fell.
	VerdictHolds Verdict = "holds"
	// VerdictViolated: something fell, in whatever was searched.
	VerdictViolated Verdict = "violated"
	// VerdictNotExhausted: a bound on states or depth was reached first.
	VerdictNotExhausted Verdict = "not exhausted"
	// VerdictInterrupted: the context was cancelled.
	VerdictInterrupted Verdict = "interrupted"
)

// PropertyVerdict is what a search says of one property.
type PropertyVerdict string

const (
	// PropertyHolds: nothing contradicts it in the whole state space.
	PropertyHolds PropertyVerdict = "holds"
	// PropertyFalls: there is a violation.
	PropertyFalls PropertyVerdict = "falls"
	// PropertyVacuous: its premise holds nowhere in the whole state space.
	PropertyVacuous PropertyVerdict = "vacuous"
	// PropertyUndecided: nothing contradicts it in what was searched, which is not everything.
	PropertyUndecided PropertyVerdict = "undecided"
)

// Kind is the kind of a property.
type Kind string

// The kinds of properties.
const (
	KindInvariant Kind = "invariant"
	KindStep      Kind = "step"
	KindWitness   Kind = "witness"
	KindCanReach  Kind = "can reach"
	KindDeadlock  Kind = "deadlock"
)

// Result is what a search found. As JSON its field names are stable. All but Seconds, PeakRSSBytes and Workers is the same for
// any number of workers, unless the search was interrupted.
type Result[A any] struct {
	Model   Identity `json:"model"`
	Verdict Verdict  `json:"verdict"`
	// Distinct counts states, Generated the initial states and all steps from expanded states.
	Distinct  uint64 `json:"distinct"`
	Generated uint64 `json:"generated"`
	// Depth is the number of levels, that of the initial states included.
	Depth   int     `json:"depth"`
	Seconds float64 `json:"seconds"`
	// PeakRSSBytes is the most memory that the process ever held, for whatever it did; 0 where the system does not say.
	PeakRSSBytes uint64 `json:"peak_rss_bytes"`
	Workers      int    `json:"workers"`
	// Symmetry says that one state of each orbit was searched: Distinct counts orbits.
	Symmetry bool `json:"symmetry,omitempty"`
	// Exact says that states were told apart by all their bytes: none was missed.
	Exact bool `json:"exact,omitempty"`
	// Collisions counts, with Exact, the pairs of different states that have the same fingerprint. A level that
	// was not searched to its end, for a violation or a bound on states, does not count.
	Collisions uint64 `json:"collisions,omitempty"`
	// CollisionsExpected is the expected number of states missed because their fingerprint was that of another; 0 with Exact.
	CollisionsExpected float64            `json:"collisions_expected"`
	Properties         []PropertyResult   `json:"properties"`
	Actions            []ActionCoverage   `json:"actions,omitempty"`
	Decisions          []DecisionCoverage `json:"decisions,omitempty"`
	Budgets            []BudgetCoverage   `json:"budgets,omitempty"`
	// Violations come in the order of the lengths of their traces, at most one for each property.
	Violations []Violation[A] `json:"violations,omitempty"`
}

// PropertyResult is the verdict on one property.
type PropertyResult struct {
	Name    string          `json:"name"`
	Kind    Kind            `json:"kind"`
	Verdict PropertyVerdict `json:"verdict"`
	// Applied counts the states (for step properties: the steps) where the premise was true.
	Applied uint64 `json:"applied,omitempty"`
	// Length is the number of steps to the violation or, for a witness, to the state that shows it; -1 without.
	Length int `json:"length"`
}

// ActionCoverage counts the steps taken by actions of a kind.
type ActionCoverage struct {
	Kind  string `json:"kind"`
	Steps uint64 `json:"steps"`
}

// DecisionCoverage counts the steps that a rule decided with an outcome.
type DecisionCoverage struct {
	Decision
	Steps uint64 `json:"steps"`
}

// BudgetCoverage counts the steps that are missing because a budget was used up.
type BudgetCoverage struct {
	Name string `json:"name"`
	Hits uint64 `json:"hits"`
}

// Violation is a property that fell, with the shortest path on which it does.
type Violation[A any] struct {
	Property string `json:"property"`
	Kind     Kind   `json:"kind"`
	// Length is the number of steps of the trace. A witness that was not reached has none.
	Length int       `json:"length"`
	Trace  *Trace[A] `json:"trace,omitempty"`
}
