package checker_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/onceproof/onceproof/checker"
	"github.com/onceproof/onceproof/checker/twophase"
)

// What the environment tells the process that is killed: its folder, whether it resumes, and at which moment of its writing it
// ends itself (0 for never), and whether its memory is bounded.
const (
	killedDir    = "CHECKER_KILLED_DIR"
	killedResume = "CHECKER_KILLED_RESUME"
	killedAt     = "CHECKER_KILLED_AT"
	killedBound  = "CHECKER_KILLED_BOUND"
)

// findings are a result without what differs from run to run.
func findings[A any](t interface {
	Helper()
	Fatal(...any)
}, r *checker.Result[A]) string {
	t.Helper()
	same := *r
	same.Seconds, same.PeakRSSBytes, same.Workers = 0, 0, 0
	b, err := json.Marshal(same)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

// hasty is a search that finds a violation and goes on to the end.
func hasty(o checker.Options) (*checker.Result[twophase.Action], error) {
	o.KeepGoing = true
	return checker.Check(context.Background(), twophase.Model{RMs: 4, Hasty: true}, twophase.Properties(), o)
}

const beganNowhere = 3

// killed is the process that is killed.
func killed(t *testing.T, dir string) {
	o := checker.Options{WorkDir: dir, Resume: os.Getenv(killedResume) != "", Workers: 2}
	if os.Getenv(killedBound) != "" {
		o.Hold(100)
	}
	at, _ := strconv.Atoi(os.Getenv(killedAt))
	o.OnWritten(func(string) {
		if at--; at == 0 {
			self, err := os.FindProcess(os.Getpid())
			if err == nil {
				err = self.Kill()
			}
			if err != nil {
				panic(err)
			}
			select {}
		}
	})
	r, err := hasty(o)
	switch {
	case errors.Is(err, checker.ErrNoCheckpoint):
		os.Exit(beganNowhere)
	case err != nil:
		t.Fatal(err)
	}
	fmt.Println(findings(t, r))
}

// A process that is killed at any moment, and resumed, finds what it would have found undisturbed.
func TestKilledAndResumed(t *testing.T) {
	if dir := os.Getenv(killedDir); dir != "" {
		killed(t, dir)
		return
	}
	kills := 100
	if testing.Short() {
		kills = 10
	}
	undisturbed, err := hasty(checker.Options{Workers: 1})
	if err != nil {
		t.Fatal(err)
	}
	want := findings(t, undisturbed)
	if !strings.Contains(want, `"trace"`) {
		t.Fatalf("expected a violation with a trace, got %s", want)
	}
	random := rand.New(rand.NewPCG(1, 2))
	done, byTime, finished := 0, 0, 0
	for deadline := time.Now().Add(50 * time.Second); done < kills; {
		if time.Now().After(deadline) {
			t.Fatalf("expected %d kills in time, got %d", kills, done)
		}
		dir, bound := filepath.Join(t.TempDir(), "work"), ""
		if finished%2 == 1 {
			bound = "yes"
		}
		for resume := ""; ; {
			at, after := 1+random.IntN(40), time.Minute
			if random.IntN(2) == 0 {
				at, after = 0, 5*time.Millisecond+time.Duration(random.Int64N(int64(60*time.Millisecond)))
			}
			out, code := runKilled(t, dir, resume, bound, at, after)
			if code == 0 {
				if got, _, _ := strings.Cut(out, "\n"); got != want {
					t.Fatalf("expected after kills and resumes\n%s\ngot\n%s", want, got)
				}
				finished++
				break
			}
			if resume = "yes"; code == beganNowhere {
				resume = "" // it was killed before the first checkpoint
				continue
			}
			if code > 0 {
				t.Fatalf("expected the search to end or be killed, got exit code %d:\n%s", code, out)
			}
			if done++; at == 0 {
				byTime++
			}
		}
	}
	t.Logf("killed %d times, %d of them at a random moment and %d while files were written; %d searches came to their end", done, byTime, done-byTime, finished)
}

// runKilled gives what the process printed and its exit code, -1 if it was killed.
func runKilled(t *testing.T, dir, resume, bound string, at int, after time.Duration) (string, int) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), after)
	defer cancel()
	search := exec.CommandContext(ctx, os.Args[0], "-test.run=^TestKilledAndResumed$")
	search.Env = append(os.Environ(), killedDir+"="+dir, killedResume+"="+resume, killedBound+"="+bound, killedAt+"="+strconv.Itoa(at))
	out, err := search.Output()
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) && ctx.Err() == nil {
		t.Fatal(err)
	}
	return string(out), search.ProcessState.ExitCode()
}
