package mapping

import (
	"fmt"
	"math/bits"
	"strings"

	"github.com/twmb/franz-go/pkg/kmsg"

	"github.com/onceproof/onceproof/spec"
)

// Seen is what a client sees of an answer, or of the part of it for one
// partition: two answers are the same to a client exactly when their Seens are
// equal.
type Seen struct {
	API  spec.API
	Code spec.Code
	// ProducerID and Epoch are the identity granted, else -1 both.
	ProducerID int64
	Epoch      int16
	// Offset is the base offset of a Produce, else -1.
	Offset int64
	// Codes are those of an AddPartitionsToTxn by partition, as text; Code is
	// NONE then.
	Codes string
}

func (s Seen) String() string {
	switch {
	case s.API == spec.AddPartitionsToTxn:
		return s.Codes
	case s.Code != spec.None && (s.ProducerID != spec.NoProducer || s.Epoch != spec.NoEpoch):
		return fmt.Sprintf("%v, producer %d, epoch %d", s.Code, s.ProducerID, s.Epoch)
	case s.Code != spec.None && s.Offset != spec.NoOffset:
		return fmt.Sprintf("%v, base offset %d", s.Code, s.Offset)
	case s.Code != spec.None:
		return s.Code.String()
	case s.API == spec.Produce:
		return fmt.Sprintf("NONE, base offset %d", s.Offset)
	case s.ProducerID != spec.NoProducer || s.Epoch != spec.NoEpoch:
		return fmt.Sprintf("NONE, producer %d, epoch %d", s.ProducerID, s.Epoch)
	}
	return "NONE"
}

// See returns what a client sees of an answer of the spec to a request.
func (n *Names) See(r *spec.Request, a *spec.Answer) Seen {
	s := Seen{API: r.API, Code: a.Code, ProducerID: spec.NoProducer, Epoch: spec.NoEpoch, Offset: spec.NoOffset}
	switch r.API {
	case spec.Produce:
		s.Offset = a.Offset
	case spec.InitProducerID, spec.EndTxn:
		if a.Code == spec.None {
			s.ProducerID, s.Epoch = a.ProducerID, a.Epoch
		}
	case spec.AddPartitionsToTxn:
		s.Code = spec.None
		codes := map[int]spec.Code{}
		for p := range partitions(r.Partitions) {
			codes[p] = code(a, p)
		}
		s.Codes = n.codes(codes)
	}
	return s
}

// code is what an AddPartitionsToTxn answers for a partition.
func code(a *spec.Answer, p int) spec.Code {
	if a.Failed == 0 || a.Failed.Has(p) {
		return a.Code
	}
	return a.Rest
}

func (n *Names) codes(codes map[int]spec.Code) string {
	var b strings.Builder
	for p := range MaxPartitions {
		if c, ok := codes[p]; ok {
			fmt.Fprintf(&b, "%v %v ", n.PartitionName(p), c)
		}
	}
	return strings.TrimSpace(b.String())
}

// partitions iterates over a set.
func partitions(ps spec.Partitions) func(func(int) bool) {
	return func(yield func(int) bool) {
		for ps != 0 {
			p := bits.TrailingZeros64(uint64(ps))
			ps = ps.Without(p)
			if !yield(p) {
				return
			}
		}
	}
}

// Observed returns what came, one for each request that Request gave. An error
// says that the answer does not have the shape that the request calls for.
func (n *Names) Observed(req kmsg.Request, resp kmsg.Response) ([]Seen, error) {
	switch req := req.(type) {
	case *kmsg.InitProducerIDRequest:
		if r, ok := resp.(*kmsg.InitProducerIDResponse); ok {
			return []Seen{identity(spec.InitProducerID, r.ErrorCode, r.ProducerID, r.ProducerEpoch)}, nil
		}
	case *kmsg.EndTxnRequest:
		if r, ok := resp.(*kmsg.EndTxnResponse); ok {
			if req.Version < 5 {
				return []Seen{identity(spec.EndTxn, r.ErrorCode, spec.NoProducer, spec.NoEpoch)}, nil
			}
			return []Seen{identity(spec.EndTxn, r.ErrorCode, r.ProducerID, r.ProducerEpoch)}, nil
		}
	case *kmsg.ProduceRequest:
		if r, ok := resp.(*kmsg.ProduceResponse); ok {
			return n.produced(req, r)
		}
	case *kmsg.AddPartitionsToTxnRequest:
		if r, ok := resp.(*kmsg.AddPartitionsToTxnResponse); ok {
			return n.added(req, r)
		}
	case *kmsg.WriteTxnMarkersRequest:
		if r, ok := resp.(*kmsg.WriteTxnMarkersResponse); ok {
			return n.marked(req, r)
		}
	}
	return nil, fmt.Errorf("expected an answer to %s, got %T", kmsg.NameForKey(req.Key()), resp)
}

func identity(api spec.API, code int16, id int64, epoch int16) Seen {
	return Seen{API: api, Code: spec.Code(code), ProducerID: id, Epoch: epoch, Offset: spec.NoOffset}
}

func (n *Names) produced(req *kmsg.ProduceRequest, resp *kmsg.ProduceResponse) ([]Seen, error) {
	byPartition := map[Partition]Seen{}
	for _, t := range resp.Topics {
		for _, p := range t.Partitions {
			if resp.Version >= 5 && p.ErrorCode == 0 && p.LogStartOffset != 0 {
				return nil, fmt.Errorf("expected 0 as the start of the log of %s-%d, got %d", t.Topic, p.Partition, p.LogStartOffset)
			}
			byPartition[Partition{t.Topic, p.Partition}] = Seen{API: spec.Produce, Code: spec.Code(p.ErrorCode),
				ProducerID: spec.NoProducer, Epoch: spec.NoEpoch, Offset: p.BaseOffset}
		}
	}
	var out []Seen
	for _, t := range req.Topics {
		for _, p := range t.Partitions {
			s, ok := byPartition[Partition{t.Topic, p.Partition}]
			if !ok {
				return nil, fmt.Errorf("expected an answer for %s-%d, got none", t.Topic, p.Partition)
			}
			out = append(out, s)
		}
	}
	if len(byPartition) > len(out) {
		return nil, fmt.Errorf("expected answers for %d partitions, got %d", len(out), len(byPartition))
	}
	return out, nil
}

func (n *Names) added(req *kmsg.AddPartitionsToTxnRequest, resp *kmsg.AddPartitionsToTxnResponse) ([]Seen, error) {
	codes := map[int]spec.Code{}
	add := func(topic string, partition int32, code int16) error {
		number, _, err := n.Partition(topic, partition)
		codes[int(number)] = spec.Code(code)
		return err
	}
	for _, t := range resp.Topics {
		for _, p := range t.Partitions {
			if err := add(t.Topic, p.Partition, p.ErrorCode); err != nil {
				return nil, err
			}
		}
	}
	if resp.ErrorCode != 0 {
		return nil, fmt.Errorf("expected NONE for the whole request, got error %d", resp.ErrorCode)
	}
	for _, x := range resp.Transactions {
		if len(req.Transactions) != 1 || x.TransactionalID != req.Transactions[0].TransactionalID {
			return nil, fmt.Errorf("expected an answer for the transactional id asked for, got one for %q", x.TransactionalID)
		}
		for _, t := range x.Topics {
			for _, p := range t.Partitions {
				if err := add(t.Topic, p.Partition, p.ErrorCode); err != nil {
					return nil, err
				}
			}
		}
	}
	return []Seen{{API: spec.AddPartitionsToTxn, ProducerID: spec.NoProducer, Epoch: spec.NoEpoch, Offset: spec.NoOffset, Codes: n.codes(codes)}}, nil
}

func (n *Names) marked(req *kmsg.WriteTxnMarkersRequest, resp *kmsg.WriteTxnMarkersResponse) ([]Seen, error) {
	byPartition := map[Partition]spec.Code{}
	for _, m := range resp.Markers {
		if m.ProducerID != req.Markers[0].ProducerID {
			return nil, fmt.Errorf("expected an answer for producer %d, got one for %d", req.Markers[0].ProducerID, m.ProducerID)
		}
		for _, t := range m.Topics {
			for _, p := range t.Partitions {
				byPartition[Partition{t.Topic, p.Partition}] = spec.Code(p.ErrorCode)
			}
		}
	}
	var out []Seen
	for _, t := range req.Markers[0].Topics {
		for _, p := range t.Partitions {
			code, ok := byPartition[Partition{t.Topic, p}]
			if !ok {
				return nil, fmt.Errorf("expected an answer for %s-%d, got none", t.Topic, p)
			}
			out = append(out, Seen{API: spec.WriteTxnMarkers, Code: code, ProducerID: spec.NoProducer, Epoch: spec.NoEpoch, Offset: spec.NoOffset})
		}
	}
	return out, nil
}
