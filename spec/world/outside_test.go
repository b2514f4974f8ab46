package world

import (
	"testing"
	"time"
)

func TestInnermostOwnerOfASample(t *testing.T) {
	const traces = `Type: cpu
-----------+-------------------------------------------------------
      10ms   runtime.memmove
             github.com/onceproof/onceproof/spec/world.(*Model).Copy
             github.com/onceproof/onceproof/checker.(*Emitter[...]).From
             github.com/onceproof/onceproof/spec/world.(*Model).Next
-----------+-------------------------------------------------------
     1.20s   runtime.memmove
             github.com/onceproof/onceproof/checker.(*batch).add (inline)
             github.com/onceproof/onceproof/spec/world.(*Model).Next
-----------+-------------------------------------------------------
      30ms   runtime.scanobject
`
	outside, all := outsideTheModel([]byte(traces))
	if outside != 1230*time.Millisecond || all != 1240*time.Millisecond {
		t.Errorf("expected 1.23s of 1.24s outside of the model, got %s of %s", outside, all)
	}
}
