package checker

import (
	"bufio"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
)

// memoryLeft is how much memory the process can still take before the kernel ends it: what the host has available or what its
// control group (version 2) still allows, whichever is less. It reports false where that is not known.
func memoryLeft() (bytes uint64, ok bool) {
	kib, ok := numberIn("/proc/meminfo", "MemAvailable:")
	left := kib << 10
	group := "/sys/fs/cgroup"
	if b, err := os.ReadFile("/proc/self/cgroup"); err == nil {
		if path, own := strings.CutPrefix(strings.TrimSpace(string(b)), "0::"); own {
			if dir := filepath.Join(group, path); isDir(dir) {
				group = dir
			}
		}
	}
	b, err := os.ReadFile(filepath.Join(group, "memory.max"))
	if err != nil {
		return left, ok
	}
	most, err := strconv.ParseUint(strings.TrimSpace(string(b)), 10, 64)
	if err != nil {
		return left, ok // "max"
	}
	// The cache of files is given up before the process is ended.
	used, known := numberIn(filepath.Join(group, "memory.stat"), "anon")
	if !known {
		return left, ok
	}
	if allowed := most - min(most, used); !ok || allowed < left {
		return allowed, true
	}
	return left, ok
}

func isDir(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.IsDir()
}

// numberIn is the number that follows a name at the start of a line.
func numberIn(file, name string) (n uint64, ok bool) {
	f, err := os.Open(file)
	if err != nil {
		return 0, false
	}
	defer f.Close()
	for lines := bufio.NewScanner(f); lines.Scan(); {
		words := strings.Fields(lines.Text())
		if len(words) >= 2 && words[0] == name {
			_, err := fmt.Sscan(words[1], &n)
			return n, err == nil
		}
	}
	return 0, false
}
