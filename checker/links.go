package checker

import (
	"encoding/binary"
	"fmt"
)

const (
	ordinalBits = 24
	maxOrdinal  = 1<<ordinalBits - 1
	// noParent is the parent of an initial state.
	noParent = 1<<(64-ordinalBits) - 1
	// linkGroup is the number of links that are read to find one.
	linkGroup      = 64
	linkBlockBytes = 1 << 16
	// linkBytes is the most that a link takes.
	linkBytes = 2 * binary.MaxVarintLen64
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

// links holds, for each state by number, the step by which it was met first. States are numbered in the order of their parents,
// so that a link is written as the small difference to the one before it: two bytes as a rule. Groups start afresh, each in one
// block, so that a link is found without reading all.
type links struct {
	blocks [][]byte
	// groups says where each starts, as block * linkBlockBytes + offset.
	groups []uint64
	last   uint64
	count  uint64
}

func (l *links) append(k link) {
	if l.count%linkGroup == 0 {
		l.startGroup()
	}
	block := &l.blocks[len(l.blocks)-1]
	parent := after(k.parent())
	b := binary.AppendUvarint(*block, parent-l.last)
	*block = binary.AppendUvarint(b, uint64(k.ordinal()))
	l.last = parent
	l.count++
}

// after puts initial states, which have no parent, before those that have one.
func after(parent uint64) uint64 { return (parent + 1) & noParent }

func (l *links) startGroup() {
	last := len(l.blocks) - 1
	if last < 0 || cap(l.blocks[last])-len(l.blocks[last]) < linkGroup*linkBytes {
		l.blocks = append(l.blocks, make([]byte, 0, linkBlockBytes))
		last++
	}
	l.groups = append(l.groups, uint64(last*linkBlockBytes+len(l.blocks[last])))
	l.last = 0
}

func (l *links) of(state uint64) link {
	at := l.groups[state/linkGroup]
	b := l.blocks[at/linkBlockBytes][at%linkBlockBytes:]
	parent, ordinal := uint64(0), uint64(0)
	for range state%linkGroup + 1 {
		more, n := binary.Uvarint(b)
		b = b[n:]
		parent += more
		ordinal, n = binary.Uvarint(b)
		b = b[n:]
	}
	return newLink((parent-1)&noParent, int(ordinal))
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
