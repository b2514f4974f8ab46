package explore

import (
	"strings"

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

// stateOf names the coordinator's state of a transactional id: "Ongoing"; "to CompleteCommit" while it may not be there
// yet; "unknown" before the id is used.
func stateOf(held []oracle.Held) string {
	var settled []spec.Status
	moving := false
	for _, h := range held {
		if h.Pending || h.Status.Prepared() {
			moving = true
			continue
		}
		if len(settled) == 0 || settled[len(settled)-1] != h.Status {
			settled = append(settled, h.Status)
		}
	}
	var names []string
	for _, s := range settled {
		if s == spec.NoStatus {
			names = append(names, "unknown")
		} else {
			names = append(names, s.String())
		}
	}
	switch {
	case len(held) == 0:
		return "unknown"
	case len(settled) == 0:
		return held[0].Status.String() + " for good"
	case moving:
		return "to " + strings.Join(names, " or ")
	}
	return strings.Join(names, " or ")
}

// attempt is a request, as exactly as the walks tell requests apart, in a state of the coordinator.
type attempt struct{ class, state string }
