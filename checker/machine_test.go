package checker_test

import (
	"errors"
	"fmt"
	"slices"

	"github.com/onceproof/onceproof/checker"
	"pgregory.net/rapid"
)

// machine is a random model of processes that all follow the same rules and share a variable. Nothing tells one process from
// another, unless favoured: then the first, and it alone, may take the first rule.
type machine struct {
	processes, locals, shares int
	rules                     []rule
	starts                    []whole
	favoured                  bool
}

// whole is a state of all processes.
type whole struct {
	Local  []uint8
	Shared uint8
}

// rule is a step of one process, or of two that meet.
type rule struct {
	from, to uint8
	// meets: another process takes part, and goes from there to there.
	meets                bool
	partnerFrom, partner uint8
	// shared: what the variable has to be, and what it becomes; whatever is any value, or no change.
	shared, becomes uint8
	// budget: the step is left out where the variable would become too large, and the model says so.
	budget bool
}

// act is a rule taken by a process, perhaps with another.
type act struct{ Rule, Process, With uint8 }

const whatever = 255

func (m machine) Init(e *checker.Emitter[whole, act]) {
	for _, s := range m.starts {
		m.Copy(e.From(act{}), &s)
	}
}

func (m machine) Next(s *whole, e *checker.Emitter[whole, act]) {
	for i, r := range m.rules {
		if r.shared != whatever && r.shared != s.Shared {
			continue
		}
		for p, local := range s.Local {
			if local != r.from || m.favoured && i == 0 && p != 0 {
				continue
			}
			if !r.meets {
				m.take(e, act{uint8(i), uint8(p), 0}, r)
				continue
			}
			for q, other := range s.Local {
				if q != p && other == r.partnerFrom {
					m.take(e, act{uint8(i), uint8(p), uint8(q)}, r)
				}
			}
		}
	}
}

func (m machine) take(e *checker.Emitter[whole, act], a act, r rule) {
	n := e.From(a)
	n.Local[a.Process] = r.to
	if r.meets {
		n.Local[a.With] = r.partner
	}
	if r.becomes != whatever {
		n.Shared = r.becomes
	}
	if r.budget && int(n.Shared) == m.shares-1 {
		e.Drop()
		e.BudgetHit(0)
	}
}

func (machine) Copy(dst, src *whole) {
	dst.Local, dst.Shared = append(dst.Local[:0], src.Local...), src.Shared
}

func (machine) Encode(b []byte, s *whole) []byte { return append(append(b, s.Local...), s.Shared) }

func (m machine) Decode(s *whole, b []byte) error {
	if len(b) != m.processes+1 {
		return errors.New("expected a byte for each process and one more")
	}
	s.Local, s.Shared = append(s.Local[:0], b[:m.processes]...), b[m.processes]
	return nil
}

// alikeMachine is a machine of whose states many share a fingerprint.
type alikeMachine struct{ machine }

func (alikeMachine) Encode(b []byte, s *whole) []byte {
	return checker.Alike(b, machine{}.Encode(nil, s), 3)
}

func (m alikeMachine) Decode(s *whole, b []byte) error { return m.machine.Decode(s, checker.Unlike(b)) }

// Canonical sorts the processes that are alike.
func (m machine) Canonical(s *whole) {
	if m.favoured {
		slices.Sort(s.Local[1:])
		return
	}
	slices.Sort(s.Local)
}

func (m machine) Identity() checker.Identity {
	return checker.Identity{Name: "machine", Bounds: []checker.Bound{{Name: "rules", Value: fmt.Sprint(m)}}}
}

func (machine) Budgets() []string { return []string{"shared"} }

func randomMachine(t *rapid.T) machine {
	// Small numbers are drawn more often than large ones, and most small machines stand still at once.
	least := 1
	if rapid.Bool().Draw(t, "large") {
		least = 3
	}
	m := machine{
		processes: rapid.IntRange(least, 4).Draw(t, "processes"),
		locals:    rapid.IntRange(least, 4).Draw(t, "locals"),
		shares:    rapid.IntRange(1, 3).Draw(t, "shares"),
		favoured:  rapid.Bool().Draw(t, "favoured"),
	}
	local := rapid.Uint8Range(0, uint8(m.locals-1))
	shared := rapid.Uint8Range(0, uint8(m.shares-1))
	maybe := rapid.OneOf(rapid.Just(uint8(whatever)), shared)
	m.rules = rapid.SliceOfN(rapid.Custom(func(t *rapid.T) rule {
		return rule{
			from:        local.Draw(t, "from"),
			to:          local.Draw(t, "to"),
			meets:       rapid.Bool().Draw(t, "meets"),
			partnerFrom: local.Draw(t, "partner from"),
			partner:     local.Draw(t, "partner to"),
			shared:      maybe.Draw(t, "shared"),
			becomes:     maybe.Draw(t, "becomes"),
			budget:      rapid.IntRange(0, 5).Draw(t, "budget") == 0,
		}
	}), 3*least-3, 9).Draw(t, "rules")
	m.starts = rapid.SliceOfN(rapid.Custom(func(t *rapid.T) whole {
		return whole{rapid.SliceOfN(local, m.processes, m.processes).Draw(t, "local"), shared.Draw(t, "shared")}
	}), 1, 3).Draw(t, "starts")
	return m
}

// count says how many processes are at a place. It is the same for all members of an orbit.
func (s *whole) count(local uint8) (n int) {
	for _, l := range s.Local {
		if l == local {
			n++
		}
	}
	return n
}

// randomProperties are some of each kind. None knows a process by its number.
func randomProperties(t *rapid.T, m machine) checker.Properties[whole, act] {
	local := rapid.Uint8Range(0, uint8(m.locals-1)).Draw(t, "place")
	shared := rapid.Uint8Range(0, uint8(m.shares-1)).Draw(t, "value")
	most := rapid.IntRange(0, m.processes).Draw(t, "most")
	helpful := rapid.Uint8Range(0, 9).Draw(t, "helpful rules")
	crowded := func(s *whole) bool { return s.count(local) > most }
	p := checker.Properties[whole, act]{
		Invariants: []checker.Invariant[whole]{
			{Name: "room", Check: func(s *whole) checker.Outcome { return checker.Require(!crowded(s)) }},
			{Name: "room while", Check: func(s *whole) checker.Outcome { return checker.Implies(s.Shared == shared, !crowded(s)) }},
		},
		Steps: []checker.StepProperty[whole, act]{
			{Name: "keeps", Check: func(old *whole, a act, new *whole) checker.Outcome {
				return checker.Implies(a.Rule >= helpful, new.count(local) >= old.count(local))
			}},
		},
		Witnesses: []checker.Witness[whole]{{Name: "crowded", Reached: crowded}},
		CanReach: []checker.CanReach[whole, act]{
			{Name: "can crowd", Goal: crowded},
			{Name: "can crowd by", Goal: crowded, By: func(a act) bool { return a.Rule < helpful }},
		},
	}
	if rapid.Bool().Draw(t, "may stop") {
		p.MayStop = func(s *whole) bool { return s.Shared == shared }
	}
	return p
}
