package brokertest

import (
	"bufio"
	"io"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// endLimit is how long a program may take to end when its standard input has ended.
const endLimit = 10 * time.Second

// Program builds the command of a Go module of its own, such as a broker whose version this project does not use, runs
// it until the test ends, and gives the address, HOST:PORT, that it prints on its first line. It has to end when its
// standard input does, so that it does not outlive a test that is killed.
func Program(t *testing.T, module string) (addr string) {
	t.Helper()
	file := filepath.Join(t.TempDir(), filepath.Base(module))
	if out, err := exec.CommandContext(t.Context(), "go", "build", "-C", module, "-o", file, ".").CombinedOutput(); err != nil {
		t.Fatalf("go build -C %s: %v\n%s", module, err, out)
	}
	cmd := exec.Command(file)
	cmd.Stderr = os.Stderr
	stdin, stdout := pipes(t, cmd)
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { end(t, cmd, stdin) })
	line, err := bufio.NewReader(stdout).ReadString('\n')
	addr = strings.TrimSpace(line)
	if _, _, split := net.SplitHostPort(addr); err != nil || split != nil {
		t.Fatalf("%s: expected HOST:PORT on its first line, got %q (%v)", module, line, err)
	}
	return addr
}

func pipes(t *testing.T, cmd *exec.Cmd) (io.WriteCloser, io.ReadCloser) {
	t.Helper()
	stdin, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	stdout, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	return stdin, stdout
}

func end(t *testing.T, cmd *exec.Cmd, stdin io.Closer) {
	_ = stdin.Close() // a program that has ended already has closed it
	timer := time.AfterFunc(endLimit, func() { _ = cmd.Process.Kill() })
	defer timer.Stop()
	if err := cmd.Wait(); err != nil {
		t.Errorf("%s: expected that it ends well when its input ends, got: %v", cmd.Path, err)
	}
}
