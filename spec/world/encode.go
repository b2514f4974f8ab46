package world

import (
	"errors"

	"github.com/onceproof/onceproof/spec"
)

// Copy makes dst a deep copy of src.
func (*Model) Copy(dst, src *State) {
	dst.Broker.Copy(&src.Broker)
	dst.Clients = append(dst.Clients[:0], src.Clients...)
	dst.Net = append(dst.Net[:0], src.Net...)
	dst.Budget = src.Budget
	txns := append(dst.Ghost.Txns[:0], src.Ghost.Txns...)
	dst.Ghost = src.Ghost
	dst.Ghost.Txns = txns
	dst.Step = Event{}
}

func bit(b bool) int64 {
	if b {
		return 1
	}
	return 0
}

func (c *Client) fields() [17]int64 {
	f := [17]int64{int64(c.Phase), c.ProducerID, int64(c.Epoch), bit(c.Commit), int64(c.Txn), bit(c.Recover)}
	for i, b := range c.Batches {
		f[6] |= int64(b) << (3 * i)
	}
	for i, n := range c.Next {
		f[7+i] = int64(n)
	}
	for i, n := range c.First {
		f[11+i] = int64(n)
	}
	return f
}

func (c *Client) set(f *[17]int64) {
	*c = Client{Phase: Phase(f[0]), ProducerID: f[1], Epoch: int16(f[2]), Commit: f[3] != 0, Txn: uint8(f[4]), Recover: f[5] != 0}
	for i := range c.Batches {
		c.Batches[i] = BatchState(f[6] >> (3 * i) & 7)
	}
	for i := range c.Next {
		c.Next[i] = int32(f[7+i])
	}
	for i := range c.First {
		c.First[i] = int32(f[11+i])
	}
}

func (g *Ghost) fields() [11]int64 {
	f := [11]int64{int64(g.Newest), int64(g.Owner), 0, 0, 0, int64(g.Decided), int64(g.Logged.Kind), int64(g.Logged.Client), int64(g.OwnerEpoch), int64(g.Opened), int64(g.OpenedEpoch)}
	for i, l := range g.Lost {
		f[2] |= bit(l) << i
	}
	for i, c := range g.Granted {
		f[3] |= int64(c) << (2 * i)
	}
	return f
}

func (g *Ghost) set(f *[11]int64) {
	g.Newest, g.Owner, g.Decided, g.OwnerEpoch = int8(f[0]), int8(f[1]), uint64(f[5]), int16(f[8])
	g.Logged, g.Opened, g.OpenedEpoch = Cause{CauseKind(f[6]), int8(f[7])}, uint8(f[9]), int16(f[10])
	for i := range g.Lost {
		g.Lost[i] = f[2]>>i&1 == 1
	}
	for i := range g.Granted {
		g.Granted[i] = uint8(f[3] >> (2 * i) & 3)
	}
}

// Encode appends the canonical bytes of s.
func (*Model) Encode(b []byte, s *State) []byte {
	b = s.Broker.Append(b)
	b = s.appendClients(b)
	b = append(b, s.Budget.Client, s.Budget.Marker, s.Budget.Timeout, s.Budget.Crash)
	b = s.Ghost.append(b)
	b = append(b, byte(len(s.Ghost.Txns)))
	for _, t := range s.Ghost.Txns {
		b = append(b, t.Client<<4|uint8(t.Asked)<<1|uint8(bit(t.Told)), t.Acked)
	}
	return b
}

func (s *State) appendClients(b []byte) []byte {
	b = append(b, byte(len(s.Clients)), byte(len(s.Net)))
	for i := range s.Clients {
		b = s.Clients[i].append(b)
	}
	for i := range s.Net {
		b = append(b, byte(s.Net[i].Conn))
		b = s.Net[i].Request.Append(b)
	}
	return b
}

var errCut = errors.New("world: encoded state is cut short or damaged")

// Decode reads what Encode wrote.
func (*Model) Decode(s *State, b []byte) error {
	b, err := s.readClients(b)
	if err != nil {
		return err
	}
	if len(b) < 4 {
		return errCut
	}
	s.Budget = Budget{b[0], b[1], b[2], b[3]}
	if b, err = s.Ghost.read(b[4:]); err != nil {
		return err
	}
	if len(b) == 0 || len(b) != 1+2*int(b[0]) {
		return errCut
	}
	s.Ghost.Txns = s.Ghost.Txns[:0]
	for b = b[1:]; len(b) > 0; b = b[2:] {
		s.Ghost.Txns = append(s.Ghost.Txns, Txn{Client: b[0] >> 4, Asked: Outcome(b[0] >> 1 & 7), Told: b[0]&1 != 0, Acked: b[1]})
	}
	s.Step = Event{}
	return nil
}

// readClients reads the broker, the clients and the network.
func (s *State) readClients(b []byte) (rest []byte, err error) {
	if b, err = s.Broker.Read(b); err != nil {
		return nil, err
	}
	if len(b) < 2 {
		return nil, errCut
	}
	clients, net := int(b[0]), int(b[1])
	b = b[2:]
	s.Clients, s.Net = s.Clients[:0], s.Net[:0]
	for range clients {
		var c Client
		if b, err = c.read(b); err != nil {
			return nil, err
		}
		s.Clients = append(s.Clients, c)
	}
	for range net {
		if len(b) == 0 {
			return nil, errCut
		}
		f := Flight{Conn: spec.Conn(b[0])}
		if b, err = f.Request.Read(b[1:]); err != nil {
			return nil, err
		}
		s.Net = append(s.Net, f)
	}
	return b, nil
}
