package broker

import (
	"fmt"
	"os"
	"os/exec"
	"testing"
)

// Only what a process of this machine made, and only when that process is
// known to be gone, may be removed.
func TestWhoseContainersAreLeftovers(t *testing.T) {
	started, err := processStart(os.Getpid())
	if err != nil {
		t.Skip("without /proc no process is known to be dead: ", err)
	}
	dead := exec.Command("true")
	if err := dead.Run(); err != nil {
		t.Fatal(err)
	}
	self := currentOwner()
	parent, err := processStart(os.Getppid())
	if err != nil {
		t.Fatal(err)
	}
	for label, want := range map[string]bool{
		self.String(): false,
		fmt.Sprintf("%s/%d/%s", self.host, os.Getppid(), parent):      false,
		fmt.Sprintf("%s/%d/%s", self.host, os.Getppid(), "1"+parent):  true, // the number was given again
		fmt.Sprintf("%s/%d/%s", self.host, dead.Process.Pid, started): true,
		fmt.Sprintf("elsewhere/%d/%s", dead.Process.Pid, started):     false,
		fmt.Sprintf("%s/x/%s", self.host, started):                    false,
		"": false,
	} {
		if got := self.isDead(label); got != want {
			t.Errorf("%q: expected dead = %t, got %t", label, want, got)
		}
	}
}
