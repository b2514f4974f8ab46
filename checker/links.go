package checker

import "fmt"

const (
	ordinalBits = 24
	maxOrdinal  = 1<<ordinalBits - 1
	// noParent is the parent of an initial state.
	noParent      = 1<<(64-ordinalBits) - 1
	linkBlockBits = 16
)

// link names a step: the number of the state it starts from and which of that state's steps it is, counted from 0.
type link uint64

func newLink(parent uint64, ordinal int) link {
	if ordinal > maxOrdinal {
		panic(fmt.Sprintf("checker: state %d has more than %d steps", parent, maxOrdinal))
	}
	return link(parent<<ordinalBits | uint64(ordinal))
}

func (l link) parent() uint64 { return uint64(l >> ordinalBits) }
func (l link) ordinal() int   { return int(l & maxOrdinal) }

// links holds, for each state by number, the step by which it was met first. It grows by blocks, without copying.
type links struct {
	blocks [][]link
	count  uint64
}

func (l *links) append(k link) {
	at := l.count & (1<<linkBlockBits - 1)
	if at == 0 {
		l.blocks = append(l.blocks, make([]link, 1<<linkBlockBits))
	}
	l.blocks[l.count>>linkBlockBits][at] = k
	l.count++
}

func (l *links) of(state uint64) link {
	return l.blocks[state>>linkBlockBits][state&(1<<linkBlockBits-1)]
}

// path gives the ordinals that lead to a state: first which of the initial states, then a step each.
func (l *links) path(state uint64) []int {
	var path []int
	for state != noParent {
		k := l.of(state)
		path = append(path, k.ordinal())
		state = k.parent()
	}
	for i, j := 0, len(path)-1; i < j; i, j = i+1, j-1 {
		path[i], path[j] = path[j], path[i]
	}
	return path
}
