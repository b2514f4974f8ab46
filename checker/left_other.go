//go:build !linux

package checker

// memoryLeft is not known here.
func memoryLeft() (bytes uint64, ok bool) { return 0, false }
