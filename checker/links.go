package checker

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"io"
	"os"
	"sort"
)

const (
	ordinalBits = 24
	maxOrdinal  = 1<<ordinalBits - 1
	// noParent is the parent of an initial state.
	noParent = 1<<(64-ordinalBits) - 1
	// linkBlockBytes is read to find a link.
	linkBlockBytes = 1 << 12
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
// so that a link is written as the small difference to the one before it: two bytes as a rule. Blocks start afresh, so that a link
// is found without reading all.
type links struct {
	blocks [][]byte
	// firsts are the numbers of the first states of blocks.
	firsts []uint64
	last   uint64
	count  uint64
	// file, if not nil, takes the blocks that are full; err is the first error of writing it.
	file *os.File
	err  error
}

func (l *links) append(k link) {
	last := len(l.blocks) - 1
	if last < 0 || cap(l.blocks[last])-len(l.blocks[last]) < linkBytes {
		l.startBlock()
		last++
	}
	l.blocks[last], l.last = appendLink(l.blocks[last], l.last, k)
	l.count++
}

// appendLink writes a link as the difference to the one before it. The first one follows 0.
func appendLink(b []byte, last uint64, k link) ([]byte, uint64) {
	parent := after(k.parent())
	b = binary.AppendUvarint(b, parent-last)
	return binary.AppendUvarint(b, uint64(k.ordinal())), parent
}

// readLink is the inverse of appendLink.
func readLink(r io.ByteReader, last uint64) (k link, parent uint64, err error) {
	more, err := binary.ReadUvarint(r)
	if err != nil {
		return 0, 0, err
	}
	ordinal, err := binary.ReadUvarint(r)
	if err != nil {
		return 0, 0, err
	}
	parent = last + more
	if ordinal > maxOrdinal || parent > noParent {
		return 0, 0, fmt.Errorf("state %d has no step %d", parent, ordinal)
	}
	return newLink((parent-1)&noParent, int(ordinal)), parent, nil
}

// after puts initial states, which have no parent, before those that have one.
func after(parent uint64) uint64 { return (parent + 1) & noParent }

func (l *links) startBlock() {
	block := make([]byte, 0, linkBlockBytes)
	if last := len(l.blocks) - 1; last >= 0 && l.file != nil {
		if _, err := l.file.WriteAt(l.blocks[last][:linkBlockBytes], int64(last)*linkBlockBytes); err == nil {
			block, l.blocks[last] = l.blocks[last][:0], nil
		} else if l.err == nil {
			l.err = err
		}
	}
	l.blocks = append(l.blocks, block)
	l.firsts = append(l.firsts, l.count)
	l.last = 0
}

// block gives the encoded links of a block.
func (l *links) block(i int) []byte {
	if b := l.blocks[i]; b != nil {
		return b
	}
	b := make([]byte, linkBlockBytes)
	if _, err := l.file.ReadAt(b, int64(i)*linkBlockBytes); err != nil {
		panic(fmt.Sprintf("checker: the links of traces cannot be read any more: %v", err))
	}
	return b
}

func (l *links) of(state uint64) link {
	i := sort.Search(len(l.firsts), func(i int) bool { return l.firsts[i] > state }) - 1
	r := bytes.NewReader(l.block(i))
	var k link
	parent := uint64(0)
	for range state - l.firsts[i] + 1 {
		var err error
		if k, parent, err = readLink(r, parent); err != nil {
			panic(fmt.Sprintf("checker: the links of traces are not what was written: %v", err))
		}
	}
	return k
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
