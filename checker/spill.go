package checker

import "fmt"

// spill moves the last block, which is full, to the file. A block of more than the usual size stays in memory.
func (f *frontier) spill() {
	last := len(f.blocks) - 1
	if f.file == nil || last < 0 {
		return
	}
	block := f.blocks[last]
	f.sizes = append(f.sizes, uint32(len(block)))
	if cap(block) != blockBytes {
		return
	}
	if _, err := f.file.WriteAt(block, int64(last)*blockBytes); err != nil {
		if f.err == nil {
			f.err = err
		}
		return // the block is still in memory
	}
	f.pool.put(block)
	f.blocks[last] = nil
}

// part is a block from an offset on, at least as far as a chunk goes in it.
func (f *frontier) part(block, offset uint32, chunk int) []byte {
	if b := f.blocks[block]; b != nil {
		return b[offset:]
	}
	end := f.sizes[block]
	if chunk+1 < len(f.starts) && f.starts[chunk+1].block == block {
		end = f.starts[chunk+1].offset
	}
	part := make([]byte, end-offset)
	if _, err := f.file.ReadAt(part, int64(block)*blockBytes+int64(offset)); err != nil {
		panic(fmt.Sprintf("checker: the frontier cannot be read any more: %v", err))
	}
	return part
}

func (f *frontier) emptyFile() {
	f.sizes = f.sizes[:0]
	if f.file == nil {
		return
	}
	if err := f.file.Truncate(0); err != nil && f.err == nil {
		f.err = err
	}
}
