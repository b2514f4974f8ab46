//go:build unix && !linux

package checker

func advise([]byte) {}
