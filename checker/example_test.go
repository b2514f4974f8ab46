package checker_test

import (
	"context"
	"fmt"
	"os"

	"github.com/onceproof/onceproof/checker"
	"github.com/onceproof/onceproof/checker/twophase"
)

// A transaction manager that does not wait for the last resource manager is found out.
func ExampleCheck() {
	broken := twophase.Model{RMs: 2, Hasty: true}
	r, err := checker.Check(context.Background(), broken, twophase.Properties(), checker.Options{})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(r.Verdict)
	r.Violations[0].Trace.WriteText(os.Stdout)
	// Output:
	// violated
	// Consistent falls after 5 steps
	// No resource manager has committed while another has aborted.
	// model twophase-hasty (version 1) with rms=2
	//
	//    0. initial state
	//         TM  state init, prepared {}
	//         RM 0  state working
	//         RM 1  state working
	//    1. RM 0: prepares
	//         RM 0  state working → prepared
	//    2. TM: learns that RM 0 is prepared
	//         TM  prepared {} → {0}
	//    3. TM: decides to commit
	//         TM  state init → committed
	//    4. RM 0: is told to commit
	//         RM 0  state prepared → committed
	//    5. RM 1: chooses to abort
	//         RM 1  state working → aborted
}
