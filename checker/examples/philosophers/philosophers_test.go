package philosophers_test

import (
	"context"
	"fmt"
	"os"
	"testing"

	"github.com/onceproof/onceproof/checker"
	"github.com/onceproof/onceproof/checker/examples/philosophers"
)

func Example() {
	r, err := checker.Check(context.Background(), philosophers.Model{Seats: 2}, philosophers.Properties(), checker.Options{})
	if err != nil {
		fmt.Println(err)
		return
	}
	r.Violations[0].Trace.WriteText(os.Stdout)
	// Output:
	// no deadlock falls after 4 steps
	// Every state has an enabled step or is a proper end.
	// model philosophers (version 1) with seats=2
	//
	//    0. initial state
	//         philosopher 0  state thinks
	//         philosopher 1  state thinks
	//    1. philosopher 0: gets hungry
	//         philosopher 0  state thinks → is hungry
	//    2. philosopher 0: takes the left fork
	//         philosopher 0  state is hungry → holds the left fork
	//    3. philosopher 1: gets hungry
	//         philosopher 1  state thinks → is hungry
	//    4. philosopher 1: takes the left fork
	//         philosopher 1  state is hungry → holds the left fork
	//
	// No step is enabled in the last state, which is not a proper end.
}

// Everybody gets hungry and takes one fork: two steps each, and no way is shorter.
func TestDeadlockIsAsNearAsItCanBe(t *testing.T) {
	for seats := 2; seats <= 6; seats++ {
		r, err := checker.Check(context.Background(), philosophers.Model{Seats: seats}, philosophers.Properties(), checker.Options{})
		if err != nil {
			t.Fatal(err)
		}
		if r.Verdict != checker.VerdictViolated || r.Violations[0].Kind != checker.KindDeadlock || r.Violations[0].Length != 2*seats {
			t.Errorf("%d seats: expected a deadlock after %d steps, got %s: %+v", seats, 2*seats, r.Verdict, r.Violations)
		}
	}
}

func TestForksInOrderPreventDeadlock(t *testing.T) {
	for seats := 2; seats <= 6; seats++ {
		m := philosophers.Model{Seats: seats, InOrder: true}
		r, err := checker.Check(context.Background(), m, philosophers.Properties(), checker.Options{})
		if err != nil {
			t.Fatal(err)
		}
		if r.Verdict != checker.VerdictHolds {
			t.Errorf("%d seats: expected to hold, got %s: %+v", seats, r.Verdict, r.Violations)
		}
	}
}

// With a fork to be held by the hand to its left, by the one to its right or by none, the states around the table are the
// closed walks of length n on the matrix (3 2; 2 1), whose trace is the Lucas number L(3n).
func TestNumberOfStatesIsALucasNumber(t *testing.T) {
	l := []uint64{2, 1}
	for seats := 2; seats <= 8 && (seats <= 6 || !testing.Short()); seats++ {
		for len(l) <= 3*seats {
			l = append(l, l[len(l)-1]+l[len(l)-2])
		}
		r, err := checker.Check(context.Background(), philosophers.Model{Seats: seats}, philosophers.Properties(), checker.Options{KeepGoing: true})
		if err != nil {
			t.Fatal(err)
		}
		if r.Distinct != l[3*seats] {
			t.Errorf("%d seats: expected %d states, got %d", seats, l[3*seats], r.Distinct)
		}
	}
}
