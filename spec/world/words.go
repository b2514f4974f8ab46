package world

import (
	"encoding/binary"

	"github.com/onceproof/onceproof/spec"
)

// Clients and history as words (see spec.Packed).

// The bytes of the words: what a client has, the sequences of its batches, the history.
const (
	clientBytes = 8
	firstBytes  = 4
	ghostBytes  = 4
)

func (c *Client) append(b []byte) []byte {
	p := spec.Packed{}.Put(int64(c.Phase), 1, 3).Put(c.ProducerID+1, 4, 6).Put(int64(c.Epoch)+1, 10, 6).Put(bit(c.Commit), 16, 1).
		Put(int64(c.Txn), 17, 3).Put(bit(c.Recover), 20, 1)
	bs, next, fs := &c.Batches, &c.Next, &c.First
	p = p.Put(int64(bs[0]), 21, 3).Put(int64(bs[1]), 24, 3).Put(int64(bs[2]), 27, 3).Put(int64(bs[3]), 30, 3).Put(int64(bs[4]), 33, 3).
		Put(int64(bs[5]), 36, 3).Put(int64(next[0]), 39, 5).Put(int64(next[1]), 44, 5).Put(int64(next[2]), 49, 5).Put(int64(next[3]), 54, 5)
	if *fs == [maxBatches]int32{} && p.Fits() {
		return p.Append(b, clientBytes)
	}
	p = p.Put(bit(*fs != [maxBatches]int32{}), 59, 1)
	first := spec.Packed{}.Put(int64(fs[0]), 1, 5).Put(int64(fs[1]), 6, 5).Put(int64(fs[2]), 11, 5).Put(int64(fs[3]), 16, 5).
		Put(int64(fs[4]), 21, 5).Put(int64(fs[5]), 26, 5)
	if !p.Fits() || !first.Fits() {
		f := c.fields()
		return spec.AppendFields(append(b, 0), f[:])
	}
	return first.Append(p.Append(b, clientBytes), firstBytes)
}

func (c *Client) read(b []byte) ([]byte, error) {
	w, ok := spec.Word(b, clientBytes)
	if ok {
		b = b[clientBytes:]
	} else {
		var f [17]int64
		var err error
		if w, ok, b, err = spec.Unpack(b, clientBytes, f[:]); err != nil || !ok {
			c.set(&f)
			return b, err
		}
	}
	*c = Client{Phase: Phase(spec.Bits(w, 1, 3)), ProducerID: spec.Bits(w, 4, 6) - 1, Epoch: int16(spec.Bits(w, 10, 6) - 1),
		Commit: spec.Bits(w, 16, 1) != 0, Txn: uint8(spec.Bits(w, 17, 3)), Recover: spec.Bits(w, 20, 1) != 0}
	for i := range c.Batches {
		c.Batches[i] = BatchState(spec.Bits(w, uint(21+3*i), 3))
	}
	for i := range c.Next {
		c.Next[i] = int32(spec.Bits(w, uint(39+5*i), 5))
	}
	if spec.Bits(w, 59, 1) == 0 {
		return b, nil
	}
	return c.readFirst(b)
}

func (c *Client) readFirst(b []byte) ([]byte, error) {
	var f [maxBatches]int64
	w, packed, b, err := spec.Unpack(b, firstBytes, f[:])
	if err == nil && !packed {
		err = errCut
	}
	for i := range c.First {
		c.First[i] = int32(spec.Bits(w, uint(1+5*i), 5))
	}
	return b, err
}

func (g *Ghost) append(b []byte) []byte {
	f := g.fields()
	p := spec.Packed{}.Put(f[0]+1, 1, 3).Put(f[1]+1, 4, 3).Put(f[2], 7, 3).Put(f[6], 10, 4).Put(f[7]+1, 14, 3).
		Put(f[8]+1, 17, 6).Put(f[9], 23, 3).Put(f[10]+1, 26, 6)
	if !p.Fits() {
		return spec.AppendFields(append(b, 0), f[:])
	}
	b = p.Append(b, ghostBytes)
	return binary.AppendUvarint(binary.AppendUvarint(b, uint64(f[3])), uint64(f[5]))
}

func (g *Ghost) read(b []byte) ([]byte, error) {
	var f [11]int64
	w, packed, b, err := spec.Unpack(b, ghostBytes, f[:])
	if err != nil {
		return nil, err
	}
	if packed {
		granted, n := binary.Uvarint(b)
		if n <= 0 {
			return nil, errCut
		}
		decided, k := binary.Uvarint(b[n:])
		if k <= 0 {
			return nil, errCut
		}
		b = b[n+k:]
		f = [...]int64{spec.Bits(w, 1, 3) - 1, spec.Bits(w, 4, 3) - 1, spec.Bits(w, 7, 3), int64(granted), 0, int64(decided),
			spec.Bits(w, 10, 4), spec.Bits(w, 14, 3) - 1, spec.Bits(w, 17, 6) - 1, spec.Bits(w, 23, 3), spec.Bits(w, 26, 6) - 1}
	}
	g.set(&f)
	return b, nil
}
