package checker

import (
	"os"
	"sync/atomic"
)

// parts is how many parts a parted file has: enough that what belongs to one fits into a processor's cache, few enough that a
// block of each is held in memory. A fingerprint belongs to the part that its highest bits name.
const parts = 256

func partOf(fp uint64) int { return int(fp >> 56) }

// parted is a file of records that belong to parts. Each part has blocks of its own, of which the last is held in memory until
// it is full; a part is read and written without the others, by one worker at a time.
type parted struct {
	file   *os.File
	block  int // bytes; records fill it exactly
	blocks atomic.Int64
	parts  [parts]part
}

type part struct {
	full []uint32 // numbers of blocks
	last []byte
}

// add appends a record.
func (p *parted) add(to int, record []byte) error {
	t := &p.parts[to]
	if t.last == nil {
		t.last = make([]byte, 0, p.block)
	}
	t.last = append(t.last, record...)
	if len(t.last) < p.block {
		return nil
	}
	number := p.blocks.Add(1) - 1
	_, err := p.file.WriteAt(t.last, number*int64(p.block))
	t.full, t.last = append(t.full, uint32(number)), t.last[:0]
	return err
}

// bytes is how much a part holds.
func (p *parted) bytes(of int) int {
	t := &p.parts[of]
	return len(t.full)*p.block + len(t.last)
}

// each visits the records of a part in the order in which they were added, a block of them at a time, in a buffer of the size of
// a block.
func (p *parted) each(of int, buffer []byte, visit func(records []byte) error) error {
	t := &p.parts[of]
	for _, number := range t.full {
		if _, err := p.file.ReadAt(buffer, int64(number)*int64(p.block)); err != nil {
			return err
		}
		if err := visit(buffer); err != nil {
			return err
		}
	}
	return visit(t.last)
}

// empty gives back what the file takes.
func (p *parted) empty() error {
	for i := range p.parts {
		p.parts[i].full, p.parts[i].last = p.parts[i].full[:0], p.parts[i].last[:0]
	}
	p.blocks.Store(0)
	return p.file.Truncate(0)
}
