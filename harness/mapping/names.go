// Package mapping translates between the values on the wire (package kmsg) and
// those of package spec, in both directions: what the harness sends becomes a
// request of the spec, what a broker answers becomes something that can be
// compared with an answer of the spec, and the other way round for a broker
// that is the spec itself.
//
// The spec numbers what the wire names. [Names] holds that binding for
// transactional ids, partitions and contents of batches. Producer ids, epochs,
// sequences and offsets are the same numbers on both sides.
package mapping

import (
	"errors"
	"fmt"
	"maps"
	"slices"
)

// ErrOutside is in the chain of an error that says that the spec does not
// model a request. What a broker answers to it can't be judged.
var ErrOutside = errors.New("outside what the spec models")

// MaxPartitions is how many partitions the spec can tell apart, the unknown
// ones included; MaxTxns how many transactional ids.
const (
	MaxPartitions = 64
	MaxTxns       = 127
)

// Partition is a partition by its name on the wire.
type Partition struct {
	Topic string
	Index int32
}

func (p Partition) String() string { return fmt.Sprintf("%s-%d", p.Topic, p.Index) }

// Names binds names on the wire to the numbers of the spec, each on first
// sight. It serves one goroutine.
type Names struct {
	txns       []string
	txnNumbers map[string]int8
	parts      map[Partition]int8
	byNumber   [MaxPartitions]*Partition
	known      int8 // partitions 0 to known-1 exist, or existed
	unknown    int8 // those from here on are asked for and do not exist
	data       map[string]int32
	contents   []string
}

// NewNames returns names without any binding.
func NewNames() *Names {
	return &Names{txnNumbers: map[string]int8{}, parts: map[Partition]int8{}, unknown: MaxPartitions, data: map[string]int32{}}
}

// Clone returns names with the same bindings; each goes on by itself.
func (n *Names) Clone() *Names {
	c := *n // byNumber points at names that never change
	c.txns, c.contents = slices.Clone(n.txns), slices.Clone(n.contents)
	c.txnNumbers, c.parts, c.data = maps.Clone(n.txnNumbers), maps.Clone(n.parts), maps.Clone(n.data)
	return &c
}

// Txns returns how many transactional ids are bound; the spec needs that many.
func (n *Names) Txns() int { return len(n.txns) }

// Partitions returns how many partitions exist; the spec needs that many
// leaders.
func (n *Names) Partitions() int { return int(n.known) }

// AddTopic binds the partitions of a topic that was created. It returns the
// number of the first one; the others follow.
func (n *Names) AddTopic(topic string, partitions int32) (first int, err error) {
	if partitions < 1 || int(n.known)+int(partitions) > int(n.unknown) {
		return 0, fmt.Errorf("topic %q: expected at most %d partitions in all, got %d more: %w", topic, n.unknown, partitions, ErrOutside)
	}
	first = int(n.known)
	for i := range partitions {
		n.Rebind(topic, i, int(n.known))
		n.known++
	}
	return first, nil
}

// Rebind gives a partition that exists another name, as when its topic was
// deleted and another one created in its place.
func (n *Names) Rebind(topic string, index int32, number int) {
	p := Partition{topic, index}
	if old := n.byNumber[number]; old != nil {
		delete(n.parts, *old)
	}
	n.parts[p], n.byNumber[number] = int8(number), &p
}

// DropTopic forgets the names of a topic's partitions and returns their numbers.
func (n *Names) DropTopic(topic string) []int {
	var dropped []int
	for number := range n.known {
		if p := n.byNumber[number]; p != nil && p.Topic == topic {
			delete(n.parts, *p)
			n.byNumber[number] = nil
			dropped = append(dropped, int(number))
		}
	}
	return dropped
}

// Partition returns the number of a partition. One that does not exist has a
// number too, beyond those that do; exists tells.
func (n *Names) Partition(topic string, index int32) (number int8, exists bool, err error) {
	p := Partition{topic, index}
	if number, ok := n.parts[p]; ok {
		return number, number < n.known, nil
	}
	if n.unknown-1 <= n.known {
		return 0, false, fmt.Errorf("%v: expected at most %d partitions in all: %w", p, MaxPartitions, ErrOutside)
	}
	n.unknown--
	n.parts[p], n.byNumber[n.unknown] = n.unknown, &p
	return n.unknown, false, nil
}

// PartitionName returns the name of a numbered partition.
func (n *Names) PartitionName(number int) Partition {
	if number < 0 || number >= MaxPartitions || n.byNumber[number] == nil {
		return Partition{Topic: fmt.Sprintf("partition %d", number), Index: -1}
	}
	return *n.byNumber[number]
}

// Txn returns the number of a transactional id that is not empty.
func (n *Names) Txn(id string) (int8, error) {
	if number, ok := n.txnNumbers[id]; ok {
		return number, nil
	}
	if len(n.txns) >= MaxTxns {
		return 0, fmt.Errorf("transactional id %q: expected at most %d: %w", id, MaxTxns, ErrOutside)
	}
	number := int8(len(n.txns))
	n.txns = append(n.txns, id)
	n.txnNumbers[id] = number
	return number, nil
}

// LookupTxn returns the number of a transactional id if it is bound.
func (n *Names) LookupTxn(id string) (number int8, ok bool) {
	number, ok = n.txnNumbers[id]
	return number, ok
}

// TxnName returns the transactional id of a number.
func (n *Names) TxnName(number int8) string { return n.txns[number] }

// Data returns the number of a batch's contents. Equal contents have equal
// numbers; 0 is given to none.
func (n *Names) Data(contents string) int32 {
	if number, ok := n.data[contents]; ok {
		return number
	}
	n.contents = append(n.contents, contents)
	number := int32(len(n.contents))
	n.data[contents] = number
	return number
}

// Contents returns the contents of a number that Data gave.
func (n *Names) Contents(number int32) string {
	if number < 1 || int(number) > len(n.contents) {
		return ""
	}
	return n.contents[number-1]
}
