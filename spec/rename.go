package spec

import "slices"

// Rename gives the callers' marks on requests (Request.Ref) and the connections other names, wherever the state has them. No
// rule reads either, so that the renamed state has the renamed steps. Zero is nobody and stays so; the names must stay
// different from each other.
func (s *State) Rename(ref func(uint8) uint8, conn func(Conn) Conn) {
	origin := func(r *uint8, c *Conn) {
		if *r != 0 {
			*r = ref(*r)
		}
		if c != nil && *c != 0 {
			*c = conn(*c)
		}
	}
	for i := range s.Inbox {
		origin(&s.Inbox[i].Request.Ref, &s.Inbox[i].Conn)
	}
	for i := range s.Coordinator.Txns {
		p := &s.Coordinator.Txns[i].Pending
		origin(&p.From.Ref, &p.Conn)
	}
	for i := range s.Leaders {
		for j := range s.Leaders[i].Waiting {
			w := &s.Leaders[i].Waiting[j]
			origin(&w.Request.Ref, &w.Conn)
		}
	}
	renamed := false
	for i := range s.Net {
		renamed = renamed || s.Net[i].Ref != 0
		origin(&s.Net[i].Ref, nil)
	}
	if renamed {
		slices.SortFunc(s.Net, func(a, b Message) int {
			f, g := a.fields(), b.fields()
			return compareFields(f[:], g[:])
		})
	}
	var none uint8
	for i := range s.Answers {
		origin(&none, &s.Answers[i].Conn)
	}
	slices.SortFunc(s.Answers, func(a, b Answer) int { return int(a.Conn) - int(b.Conn) })
}
