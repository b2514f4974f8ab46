package twophase

// Canonical sorts the resource managers, which differ by nothing but their number: each by its state, whether its message is
// sent and whether the transaction manager knows. In a Hasty model the last one does differ: it is not waited for.
func (m Model) Canonical(s *State) {
	alike := m.RMs
	if m.Hasty {
		alike--
	}
	// An insertion sort of what Encode gives for each: there are few, and most are in order already.
	for i := 1; i < alike; i++ {
		for j := i; j > 0 && s.manager(j) < s.manager(j-1); j-- {
			s.swap(j, j-1)
		}
	}
}

// manager is all that there is about a resource manager, as Encode gives it.
func (s *State) manager(rm int) byte {
	return byte(s.RM[rm]) | bit(s.TMPrepared[rm])<<2 | bit(s.PreparedSent[rm])<<3
}

func (s *State) swap(i, j int) {
	s.RM[i], s.RM[j] = s.RM[j], s.RM[i]
	s.TMPrepared[i], s.TMPrepared[j] = s.TMPrepared[j], s.TMPrepared[i]
	s.PreparedSent[i], s.PreparedSent[j] = s.PreparedSent[j], s.PreparedSent[i]
}
