package world

import (
	"encoding/json"
	"os"
	"slices"
	"testing"

	"github.com/onceproof/onceproof/checker"
)

// A partial-order reduction takes in some states one step alone, and leaves out the others: whatever else may happen before
// it commutes with it, and no property sees it. What that could save is measured here on the whole graph, so that it is the
// most that any declaration of which actions commute could save: no invariant and no goal changes by the step, no property of
// steps says anything of it, and it stays so, and commutes, on every way that does not take it.

// move is a step up to the place of a message in a bag.
type move struct {
	action Action
	state  string
	// seen says that a property sees the step.
	seen bool
}

// ample measures one model.
type ample struct {
	m     *Model
	props checker.Properties[State, Action]
	moves map[string][]move
}

func (a *ample) of(encoded string) []move {
	if known, ok := a.moves[encoded]; ok {
		return known
	}
	var s State
	if err := a.m.Decode(&s, []byte(encoded)); err != nil {
		panic(err)
	}
	var list []move
	checker.Successors(a.m, &s, func(act Action, n *State) {
		key := act
		key.Step.Index = 0
		list = append(list, move{key, string(a.m.Encode(nil, n)), a.sees(&s, act, n)})
	})
	a.moves[encoded] = list
	return list
}

func (a *ample) sees(old *State, act Action, n *State) bool {
	for _, p := range a.props.Steps {
		if p.Check(old, act, n) != checker.NotApplicable {
			return true
		}
	}
	for _, p := range a.props.Invariants {
		if p.Check(old) != p.Check(n) {
			return true
		}
	}
	for _, p := range a.props.CanReach {
		if p.Goal(old) != p.Goal(n) {
			return true
		}
	}
	return false
}

// commute says that one step may come before another or after it.
func (a *ample) commute(x, y move) bool {
	for _, after := range a.of(x.state) {
		if after.action != y.action {
			continue
		}
		for _, other := range a.of(y.state) {
			if other.action == x.action && other.state == after.state {
				return true
			}
		}
	}
	return false
}

// condition is what is asked of a step that is taken alone.
type condition struct {
	invisible bool // no property sees it
	always    bool // it commutes with what may come on every way without it, and not with the other steps of this state alone
}

// alone gives the first step that could be taken alone, -1 if there is none.
func (a *ample) alone(from string, c condition) int {
	for i, x := range a.of(from) {
		if a.independent(from, x.action, c) {
			return i
		}
	}
	return -1
}

// independent says that a step commutes with all that may happen before it.
func (a *ample) independent(from string, act Action, c condition) bool {
	seen := map[string]bool{from: true}
	for stack := []string{from}; len(stack) > 0; {
		s := stack[len(stack)-1]
		stack = stack[:len(stack)-1]
		moves := a.of(s)
		at := slices.IndexFunc(moves, func(x move) bool { return x.action == act })
		if at < 0 || moves[at].seen && c.invisible {
			return false
		}
		for j, y := range moves {
			switch {
			case j == at:
				continue
			case !a.commute(moves[at], y):
				return false
			case c.always && !seen[y.state]:
				seen[y.state] = true
				stack = append(stack, y.state)
			}
		}
	}
	return true
}

// reduced counts the states of a search that takes one step alone wherever that might do and leads to a new state.
func (a *ample) reduced(initial string, c condition) (states, alone uint64) {
	seen := map[string]bool{initial: true}
	for queue := []string{initial}; len(queue) > 0; queue = queue[1:] {
		moves := a.of(queue[0])
		if len(moves) > 1 {
			if i := a.alone(queue[0], c); i >= 0 && !seen[moves[i].state] {
				alone++
				moves = moves[i : i+1]
			}
		}
		for _, x := range moves {
			if !seen[x.state] {
				seen[x.state] = true
				queue = append(queue, x.state)
			}
		}
	}
	return uint64(len(seen)), alone
}

// measureAmple explores a configuration whole.
func measureAmple(t *testing.T, c Config) aloneRow {
	m, err := New(c)
	if err != nil {
		t.Fatal(err)
	}
	a := &ample{m, m.Properties(), map[string][]move{}}
	var first State
	checker.Initial(m, func(n *State) { m.Copy(&first, n) })
	initial := string(m.Encode(nil, &first))
	row := aloneRow{Style: c.Style.String(), Bounds: c.Bounds()}
	row.Reduced, row.Alone = a.reduced(initial, condition{invisible: true, always: true})
	row.Local, _ = a.reduced(initial, condition{invisible: true})
	row.Blind, _ = a.reduced(initial, condition{always: true})
	row.Distinct = explore(t, c, false).Distinct
	return row
}

// aloneRow is what is recorded of a configuration in fixtures/reduction.json.
type aloneRow struct {
	Style  string `json:"style"`
	Bounds string `json:"bounds"`
	// Distinct states, of which Reduced are left at best, one step being taken alone in Alone of these.
	Distinct uint64 `json:"distinct"`
	Reduced  uint64 `json:"reduced"`
	Alone    uint64 `json:"alone"`
	// Local are left if a step need commute with the other steps of its state only, which is unsound; Blind if no property
	// looked.
	Local uint64 `json:"local"`
	Blind uint64 `json:"blind"`
}

// amples are the configurations measured: each kind of fault, and several incarnations, partitions and batches.
func amples() []Config {
	return []Config{
		base("", "", TV2Style, incarnations(2), transactions(2)),
		base("", "", TV1Style, incarnations(2), transactions(2), each(1)),
		base("", "", TV2Style, incarnations(2), clientFaults(1)),
		base("", "", TV2Style, clientFaults(1), markerFaults(1), timeouts(1)),
		base("", "", TV2Style, incarnations(2), crashes(1)),
		base("", "", TV1Style, incarnations(2), crashes(1)),
		base("", "", TV2Style, twoPartitions),
		base("", "", Idempotent, batches(3, 2), clientFaults(1), smallCache),
	}
}

// TestAmple measures anew what a partial-order reduction would save: in no configuration a fifth of the states. Were it more,
// a reduction would be worth its declarations.
func TestAmple(t *testing.T) {
	b, err := os.ReadFile("../../fixtures/reduction.json")
	if err != nil {
		t.Fatal(err)
	}
	var recorded struct {
		Alone []aloneRow `json:"one_step_alone"`
	}
	if err := json.Unmarshal(b, &recorded); err != nil {
		t.Fatal(err)
	}
	configs := amples()
	if len(recorded.Alone) != len(configs) {
		t.Errorf("%d rows recorded, %d measured", len(recorded.Alone), len(configs))
	}
	for i, c := range configs {
		if testing.Short() && i < len(recorded.Alone) && recorded.Alone[i].Distinct > tiny {
			continue
		}
		row := measureAmple(t, c)
		if i >= len(recorded.Alone) || recorded.Alone[i] != row {
			line, _ := json.Marshal(row)
			t.Errorf("not as recorded in fixtures/reduction.json: %s", line)
		}
		if 5*row.Reduced < 4*row.Distinct {
			t.Errorf("%s %s: a partial-order reduction leaves %d of %d states: it pays here", row.Style, row.Bounds, row.Reduced, row.Distinct)
		}
	}
}
