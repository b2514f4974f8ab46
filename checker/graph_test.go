package checker_test

import (
	"encoding/binary"
	"errors"
	"fmt"

	"github.com/onceproof/onceproof/checker"
)

// node is a state of a graph.
type node struct{ N uint32 }

// edge is an action: the label of an edge.
type edge struct {
	Label uint8 `json:"label"`
}

// arrow is an edge to a node. One that is blocked is left out because a budget is used up.
type arrow struct {
	label   uint8
	to      uint32
	blocked bool
}

// graph is a model given edge by edge.
type graph struct {
	name    string
	initial []uint32
	arrows  func(n uint32) []arrow
}

// edges makes a graph whose only initial state is 0 from a list of edges, all with label 0.
func edges(pairs ...[2]uint32) graph {
	from := make(map[uint32][]arrow)
	for _, p := range pairs {
		from[p[0]] = append(from[p[0]], arrow{to: p[1]})
	}
	return graph{name: "edges", initial: []uint32{0}, arrows: func(n uint32) []arrow { return from[n] }}
}

// scrambled is a graph of many nodes without a pattern.
func scrambled(nodes uint32) graph {
	return graph{name: "scrambled", initial: []uint32{0, 1, 0}, arrows: func(n uint32) []arrow {
		var list []arrow
		x := n*2654435761 + 12345
		for i := range x >> 13 % 4 {
			x = x*1664525 + 1013904223
			list = append(list, arrow{label: uint8(i), to: x >> 3 % nodes, blocked: x>>7%5 == 0})
		}
		return append(list, arrow{label: 9, to: (n + 1) % nodes})
	}}
}

func (g graph) Init(e *checker.Emitter[node, edge]) {
	for _, n := range g.initial {
		e.From(edge{}).N = n
	}
}

func (g graph) Next(s *node, e *checker.Emitter[node, edge]) {
	for _, a := range g.arrows(s.N) {
		n := e.From(edge{a.label})
		n.N = a.to
		e.Decided(int(a.label & 1))
		if a.blocked {
			e.Drop()
			e.BudgetHit(int(a.label & 1))
		}
	}
}

func (graph) Copy(dst, src *node) { *dst = *src }

func (graph) Encode(b []byte, s *node) []byte { return binary.BigEndian.AppendUint32(b, s.N) }

func (graph) Decode(s *node, b []byte) error {
	if len(b) != 4 {
		return errors.New("expected 4 bytes")
	}
	s.N = binary.BigEndian.Uint32(b)
	return nil
}

// alikeGraph is a graph of whose nodes many share a fingerprint.
type alikeGraph struct{ graph }

func (alikeGraph) Encode(b []byte, s *node) []byte {
	return checker.Alike(b, graph{}.Encode(nil, s), 100)
}

func (g alikeGraph) Decode(s *node, b []byte) error { return g.graph.Decode(s, checker.Unlike(b)) }

func (g graph) Identity() checker.Identity {
	return checker.Identity{Name: g.name, Version: "1", Bounds: []checker.Bound{{Name: "initial", Value: fmt.Sprint(len(g.initial))}}}
}

func (graph) Decisions() []checker.Decision {
	return []checker.Decision{{Rule: "parity", Outcome: "even"}, {Rule: "parity", Outcome: "odd"}}
}

func (graph) Budgets() []string { return []string{"even", "odd"} }

func (graph) ActionKinds() []string { return []string{"0", "1", "2", "other"} }

func (graph) ActionKind(a edge) int { return int(min(a.Label, 3)) }

func (graph) DescribeState(s *node) []checker.Field {
	return []checker.Field{{Actor: "walker", Name: "at", Value: fmt.Sprint(s.N)}}
}

func (graph) DescribeAction(a edge) (actor, text string) {
	return "walker", fmt.Sprintf("follows %d", a.Label)
}

// anywhere lets every state stop.
func anywhere(*node) bool { return true }

func never(name string, n uint32) checker.Invariant[node] {
	return checker.Invariant[node]{Name: name, Check: func(s *node) checker.Outcome { return checker.Require(s.N != n) }}
}
