package diehard_test

import (
	"context"
	"fmt"
	"os"

	"github.com/onceproof/onceproof/checker"
	"github.com/onceproof/onceproof/checker/examples/diehard"
)

func Example() {
	r, err := checker.Check(context.Background(), diehard.Model{}, diehard.Properties(), checker.Options{})
	if err != nil {
		fmt.Println(err)
		return
	}
	r.Violations[0].Trace.WriteText(os.Stdout)
	// Output:
	// NotSolved falls after 6 steps
	// The big jug never holds four gallons.
	// model diehard (version 1)
	//
	//    0. initial state
	//         small jug  gallons 0
	//         big jug  gallons 0
	//    1. hero: fills the big jug
	//         big jug  gallons 0 → 5
	//    2. hero: pours the big jug into the small one
	//         small jug  gallons 0 → 3
	//         big jug  gallons 5 → 2
	//    3. hero: empties the small jug
	//         small jug  gallons 3 → 0
	//    4. hero: pours the big jug into the small one
	//         small jug  gallons 0 → 2
	//         big jug  gallons 2 → 0
	//    5. hero: fills the big jug
	//         big jug  gallons 0 → 5
	//    6. hero: pours the big jug into the small one
	//         small jug  gallons 2 → 3
	//         big jug  gallons 5 → 4
}
