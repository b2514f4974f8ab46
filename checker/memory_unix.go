//go:build unix

package checker

import (
	"syscall"
	"unsafe"
)

// mappedWords is the size from which memory is taken from the system: less is not worth a call.
const mappedWords = 1 << 13

// allocate gives n words that are 0, for deallocate to give back at once.
func allocate(n int) []uint64 {
	if n < mappedWords {
		return make([]uint64, n)
	}
	b, err := syscall.Mmap(-1, 0, n*8, syscall.PROT_READ|syscall.PROT_WRITE, syscall.MAP_ANON|syscall.MAP_PRIVATE)
	if err != nil {
		panic("checker: no memory for the set of states: " + err.Error())
	}
	advise(b)
	return unsafe.Slice((*uint64)(unsafe.Pointer(unsafe.SliceData(b))), n)
}

func deallocate(words []uint64) {
	if len(words) < mappedWords {
		return
	}
	b := unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(words))), len(words)*8)
	if err := syscall.Munmap(b); err != nil {
		panic("checker: giving back memory: " + err.Error())
	}
}
