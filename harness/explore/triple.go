package explore

import (
	"github.com/onceproof/onceproof/harness/oracle"
	"github.com/onceproof/onceproof/spec"
)

// Triple is something that a broker was seen to do: what was asked, in which state its coordinator was as far as could be
// known before, what it answered.
type Triple struct {
	Request string `json:"request"` // "EndTxn v5"
	State   string `json:"state"`
	Answer  string `json:"answer"`
}

func (t Triple) String() string { return t.Request + " | " + t.State + " | " + t.Answer }

// moving is the state of a coordinator that may be about to be in another one.
const moving = "in transition"

// stateOf names the coordinator's state of a transactional id: that in which all states of the belief have it; "unknown"
// before the id is used.
func stateOf(held []oracle.Held) string {
	if len(held) == 0 {
		return "unknown"
	}
	for _, h := range held {
		if h.Pending || h.Status.Prepared() || h.Status != held[0].Status {
			if len(held) == 1 {
				return held[0].Status.String() + " for good" // nothing goes on by itself
			}
			return moving
		}
	}
	if held[0].Status == spec.NoStatus {
		return "unknown"
	}
	return held[0].Status.String()
}

// attempt is a request, as exactly as the walks tell requests apart, in a state of the coordinator.
type attempt struct{ class, state string }
