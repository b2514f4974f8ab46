package oracle

import "github.com/onceproof/onceproof/spec"

// company is what is known of questions of leaders that go out in one request:
// the coordinator's replies are then put into words that the first one's client
// understands (ADD-23).
type company struct {
	others bool // others than the scenario use the broker
	// old and young are the requests, by ref, that are Produce up to v10, and later
	// ones; mixed those that were under way together with one of the other kind.
	old, young, mixed [256]bool
}

// asks notes a request that is sent.
func (c *company) asks(r *spec.Request, inUse *[256]bool) {
	c.old[r.Ref] = r.API == spec.Produce && r.Version <= 10
	c.young[r.Ref] = r.API == spec.Produce && r.Version > 10
	c.mixed[r.Ref] = false
	if r.API != spec.Produce {
		return
	}
	for ref := range inUse {
		if inUse[ref] && (c.old[r.Ref] && c.young[ref] || c.young[r.Ref] && c.old[ref]) {
			c.mixed[r.Ref], c.mixed[ref] = true, true
		}
	}
}

// of reports whether a request's question may have gone out with one of the other kind.
func (c *company) of(ref uint8) bool { return c.others || c.mixed[ref] }
