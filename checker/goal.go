package checker

import (
	"slices"
	"sync"
)

// goalSet holds the fingerprints of states from which a goal is known to be within reach. Workers share it: which states it
// holds at a moment depends on their timing, but not whether a state belongs.
type goalSet struct {
	locks [shards]sync.Mutex
	table *table
	// most, if not 0, is how many it holds: when there are more it forgets, which costs time and nothing else.
	most int
	// states, nil without Exact, are all those that were met on the way to a goal.
	states *table
}

func newGoalSet(exact bool) *goalSet {
	g := &goalSet{table: newTable(false)}
	if exact {
		g.states = newTable(true)
	}
	return g
}

func (g *goalSet) free() {
	g.table.free()
	if g.states != nil {
		g.states.free()
	}
}

// fingerprint is that of a state; with Exact it is a number that no other state has.
func (g *goalSet) fingerprint(state []byte) uint64 {
	fp := fingerprint(state)
	if g.states == nil {
		return fp
	}
	l := &g.locks[shardOf(fp)]
	l.Lock()
	defer l.Unlock()
	return g.states.number(fp, state)
}

func (g *goalSet) has(fp uint64) bool {
	l := &g.locks[shardOf(fp)]
	l.Lock()
	defer l.Unlock()
	return g.table.has(fp)
}

func (g *goalSet) insert(fp uint64) {
	l := &g.locks[shardOf(fp)]
	l.Lock()
	defer l.Unlock()
	if shard := &g.table.shards[shardOf(fp)]; g.most > 0 && shard.used > g.most/shards {
		shard.clear()
	}
	g.table.insert(fp, nil)
}

// goalSearch decides for one state after another whether a goal can be reached, by a depth-first search that ends at a goal
// or at a state known to be good; the whole way there is then known to be good. Before it a walk takes the first step of each
// Next alone: where that leads to a goal, a state costs a step or two.
type goalSearch[S, A any] struct {
	property    *CanReach[S, A]
	model       Model[S, A]
	good        *goalSet
	emitter     Emitter[S, A]
	interrupted func() bool

	visited map[uint64]struct{}
	nodes   []goalNode
	stack   []int
	bytes   []byte
	buf     []byte
	state   S
	// at is the node being expanded; found says that one of its successors is good.
	at    int
	found bool
	walk  walk[S]
}

// goalNode is a state met in the search, its bytes being bytes[start:end] until it is expanded.
type goalNode struct {
	fp         uint64
	parent     int
	start, end int
}

const manyVisited = 1 << 10

func newGoalSearch[S, A any](s *search[S, A], i int) *goalSearch[S, A] {
	g := &goalSearch[S, A]{
		property:    &s.properties.CanReach[i],
		model:       s.properties.CanReach[i].Model,
		good:        s.good[i],
		interrupted: s.interrupted.Load,
		visited:     make(map[uint64]struct{}),
	}
	if g.model == nil {
		g.model = s.model
	}
	g.emitter = Emitter[S, A]{model: g.model, sink: g, stepwise: true}
	return g
}

// unreachable says that no goal can be reached from a state. The answer means nothing once the search is interrupted.
func (g *goalSearch[S, A]) unreachable(from *S) bool {
	g.buf = g.model.Encode(g.buf[:0], from)
	fp := g.good.fingerprint(g.buf)
	if g.good.has(fp) {
		return false
	}
	if g.property.Goal(from) {
		g.good.insert(fp)
		return false
	}
	if g.walks(from, fp) {
		return false
	}
	if len(g.visited) > manyVisited {
		g.visited = make(map[uint64]struct{}) // clearing a map costs as much as the most it ever held
	}
	clear(g.visited)
	g.visited[fp] = struct{}{}
	g.nodes = append(g.nodes[:0], goalNode{fp: fp, parent: -1, end: len(g.buf)})
	g.bytes = append(g.bytes[:0], g.buf...)
	g.stack = append(g.stack[:0], 0)
	g.found = false
	for len(g.stack) > 0 && !g.found && !g.interrupted() {
		g.at = g.stack[len(g.stack)-1]
		g.stack = g.stack[:len(g.stack)-1]
		n := g.nodes[g.at]
		if err := g.model.Decode(&g.state, g.bytes[n.start:n.end]); err != nil {
			panic("checker: decoding a state on the way to " + g.property.Name + ": " + err.Error())
		}
		g.bytes = g.bytes[:n.start]
		pending := len(g.stack)
		g.emitter.next(&g.state)
		g.firstOnTop(pending, n.start)
	}
	if !g.found {
		return true
	}
	for at := g.at; at >= 0; at = g.nodes[at].parent {
		g.good.insert(g.nodes[at].fp)
	}
	return false
}

// firstOnTop turns the successors just pushed round, so that the steps that Next gives first are tried first. They are the
// stack from pending on, their bytes start at start.
func (g *goalSearch[S, A]) firstOnTop(pending, start int) {
	pushed := g.stack[pending:]
	slices.Reverse(pushed)
	g.buf = append(g.buf[:0], g.bytes[start:]...)
	at := start
	for _, i := range pushed {
		n := &g.nodes[i]
		length := copy(g.bytes[at:], g.buf[n.start-start:n.end-start])
		n.start, n.end = at, at+length
		at += length
	}
}

// within counts the states that can be reached from one from which no goal can, itself included.
func (g *goalSearch[S, A]) within(from *S) int {
	g.unreachable(from)
	return len(g.nodes)
}

func (g *goalSearch[S, A]) publish(a A, n *S, _ []int) {
	if g.found || g.property.By != nil && !g.property.By(a) {
		return
	}
	if g.walk.on {
		if !g.emitter.enough {
			g.emitter.enough = true
			g.stepTaken(n)
		}
		return
	}
	g.buf = g.model.Encode(g.buf[:0], n)
	fp := g.good.fingerprint(g.buf)
	if _, known := g.visited[fp]; known {
		return
	}
	if g.good.has(fp) {
		g.found, g.emitter.enough = true, true
		return
	}
	if g.property.Goal(n) {
		g.good.insert(fp)
		g.found, g.emitter.enough = true, true
		return
	}
	g.visited[fp] = struct{}{}
	start := len(g.bytes)
	g.bytes = append(g.bytes, g.buf...)
	g.nodes = append(g.nodes, goalNode{fp, g.at, start, len(g.bytes)})
	g.stack = append(g.stack, len(g.nodes)-1)
}
