package world

import (
	"bytes"
	"cmp"
	"slices"

	"github.com/onceproof/onceproof/spec"
)

// Incarnations of the producer are interchangeable from the moment that they have started: which of them is called the first
// is of no account to the broker, to the network or to a property. That they start in order already says the same of those
// that have not started; these are behind all others and stay there.
//
// Partitions are not interchangeable. In the standard configurations they are given different numbers of batches; and even
// with equal ones batches go round the partitions in order and as many as may be in flight, so that the first partition is
// always ahead.

// Canonical makes s the representative of its orbit under renaming of the incarnations that have started: the order is that
// of what the clients themselves hold, and where they hold the same, that which gives the least encoded state.
func (m *Model) Canonical(s *State) {
	started := 0
	for started < len(s.Clients) && s.Clients[started].Phase != Off {
		started++
	}
	if started < 2 {
		return
	}
	// An insertion sort by exchanging neighbours.
	tied := false
	for i := 1; i < started; i++ {
		for j := i; j > 0; j-- {
			c := s.Clients[j].compare(&s.Clients[j-1])
			if c == 0 {
				tied = true
			}
			if c >= 0 {
				break
			}
			s.exchange(j - 1)
		}
	}
	if tied {
		m.least(s, started)
	}
}

// least tries every order of the clients that hold the same. There is one group of them at most, of two or three.
func (m *Model) least(s *State, started int) {
	first := 0
	for s.Clients[first].compare(&s.Clients[first+1]) != 0 {
		first++
	}
	// Exchanging the first two and the last two in turn goes through all six orders of three, and back to the first.
	turns, other := 2, 0
	if first == 0 && started == maxClients && s.Clients[1].compare(&s.Clients[2]) == 0 {
		turns, other = 6, 1
	}
	var now, best [512]byte
	least := m.Encode(best[:0], s)
	at := 0
	for turn := range turns {
		s.exchange(first + turn%2*other)
		if b := m.Encode(now[:0], s); bytes.Compare(b, least) < 0 {
			least = append(least[:0], b...)
			at = turn + 1
		}
	}
	for turn := range at {
		s.exchange(first + turn%2*other)
	}
}

// compare orders clients by what they hold.
func (c *Client) compare(d *Client) int {
	if *c == *d {
		return 0
	}
	f, g := c.fields(), d.fields()
	return slices.Compare(f[:], g[:])
}

// exchange gives client i the name of client i+1 and the other way round.
func (s *State) exchange(i int) {
	j := i + 1
	name := func(c int) int {
		switch c {
		case i:
			return j
		case j:
			return i
		}
		return c
	}
	ref := func(r uint8) uint8 { return uint8(name(int(r)-1) + 1) }
	renamed := func(c spec.Conn) spec.Conn {
		client, slot := slotOf(c)
		return conn(name(client), slot)
	}
	s.Broker.Rename(ref, renamed)
	s.Clients[i], s.Clients[j] = s.Clients[j], s.Clients[i]
	for k := range s.Net {
		f := &s.Net[k]
		if f.Conn != 0 {
			f.Conn = renamed(f.Conn)
		}
		if f.Request.Ref != 0 {
			f.Request.Ref = ref(f.Request.Ref)
		}
	}
	slices.SortFunc(s.Net, func(a, b Flight) int { return a.compare(&b) })
	s.Ghost.exchange(i, name)
}

// compare is the order of the network's bag (see put).
func (f *Flight) compare(g *Flight) int {
	if f.Conn != g.Conn {
		return cmp.Compare(f.Conn, g.Conn)
	}
	return f.Request.Compare(&g.Request)
}

func (g *Ghost) exchange(i int, name func(int) int) {
	for t := range g.Txns {
		g.Txns[t].Client = uint8(name(int(g.Txns[t].Client)))
	}
	g.Newest, g.Owner = int8(name(int(g.Newest))), int8(name(int(g.Owner)))
	if g.Logged.Kind != NoCause {
		g.Logged.Client = int8(name(int(g.Logged.Client)))
	}
	g.Lost[i], g.Lost[i+1] = g.Lost[i+1], g.Lost[i]
	for e, c := range g.Granted {
		if c != 0 {
			g.Granted[e] = uint8(name(int(c)-1) + 1)
		}
	}
}
