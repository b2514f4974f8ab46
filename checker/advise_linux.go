package checker

import "syscall"

// Advice that package syscall has no names for.
const (
	madvHugepage      = 14
	madvPopulateWrite = 23 // Linux 5.14
)

// hugeBytes is the size from which huge pages are asked for, in which far lookups cost less.
const hugeBytes = 4 << 20

// advise has memory made ready at once: a page that is read before it is written is otherwise made twice, the second time with
// all processors interrupted. A system that does not take the advice is slower and nothing else.
func advise(b []byte) {
	if len(b) >= hugeBytes {
		syscall.Madvise(b, madvHugepage)
	}
	syscall.Madvise(b, madvPopulateWrite)
}
