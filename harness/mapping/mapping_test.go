package mapping_test

import (
	"errors"
	"reflect"
	"testing"

	"github.com/twmb/franz-go/pkg/kmsg"

	"github.com/onceproof/onceproof/harness/mapping"
	"github.com/onceproof/onceproof/harness/wire"
	"github.com/onceproof/onceproof/spec"
)

func batch() wire.Batch {
	return wire.Batch{ProducerID: 9081, ProducerEpoch: 3, BaseSequence: 7, Transactional: true, Records: [][]byte{[]byte("a"), nil}, Keys: [][]byte{[]byte("k")}, Timestamp: 1}
}

func produce(version int16, partitions ...[]byte) *kmsg.ProduceRequest {
	id := "txn"
	req := kmsg.NewPtrProduceRequest()
	req.Version, req.TransactionID, req.Acks = version, &id, -1
	t := kmsg.NewProduceRequestTopic()
	t.Topic = "topic"
	for i, records := range partitions {
		p := kmsg.NewProduceRequestTopicPartition()
		p.Partition, p.Records = int32(i), records
		t.Partitions = append(t.Partitions, p)
	}
	req.Topics = append(req.Topics, t)
	return req
}

func names(t *testing.T) *mapping.Names {
	t.Helper()
	n := mapping.NewNames()
	if first, err := n.AddTopic("topic", 2); err != nil || first != 0 {
		t.Fatalf("AddTopic: expected partition 0, got %d (%v)", first, err)
	}
	return n
}

// What the spec takes for a request.
func TestRequest(t *testing.T) {
	id := "txn"
	initialize := kmsg.NewPtrInitProducerIDRequest()
	initialize.Version, initialize.TransactionalID, initialize.TransactionTimeoutMillis, initialize.ProducerID, initialize.ProducerEpoch = 2, &id, 5, 1, 1
	end := kmsg.NewPtrEndTxnRequest()
	end.Version, end.TransactionalID, end.ProducerID, end.ProducerEpoch, end.Commit = 5, id, 9081, 3, true
	add := kmsg.NewPtrAddPartitionsToTxnRequest()
	add.Version, add.TransactionalID, add.ProducerID, add.ProducerEpoch = 3, id, 9081, 3
	add.Topics = append(add.Topics, kmsg.AddPartitionsToTxnRequestTopic{Topic: "topic", Partitions: []int32{1, 5}})
	marker := kmsg.NewPtrWriteTxnMarkersRequest()
	marker.Version = 1
	marker.Markers = append(marker.Markers, kmsg.WriteTxnMarkersRequestMarker{ProducerID: 9081, ProducerEpoch: 3, CoordinatorEpoch: 4, TransactionVersion: 2,
		Topics: []kmsg.WriteTxnMarkersRequestMarkerTopic{{Topic: "topic", Partitions: []int32{1}}}})
	for _, c := range []struct {
		req  kmsg.Request
		want spec.Request
	}{
		{initialize, spec.Request{API: spec.InitProducerID, Version: 2, ProducerID: -1, Epoch: -1, TimeoutMs: 5}}, // no identity before v3
		{end, spec.Request{API: spec.EndTxn, Version: 5, ProducerID: 9081, Epoch: 3, Commit: true}},
		{add, spec.Request{API: spec.AddPartitionsToTxn, Version: 3, ProducerID: 9081, Epoch: 3, Partitions: 1<<1 | 1<<63}},
		{marker, spec.Request{API: spec.WriteTxnMarkers, Version: 1, Txn: spec.NullTxnID, ProducerID: 9081, Epoch: 3, CoordinatorEpoch: 4, Partition: 1}},
		{produce(11, batch().Encode()), spec.Request{API: spec.Produce, Version: 11, ProducerID: 9081, Epoch: 3, Sequence: 7, Count: 2, Transactional: true, Data: 1}},
	} {
		have, err := names(t).Request(c.req)
		if err != nil || len(have) != 1 || have[0] != c.want {
			t.Errorf("%s: expected\n%+v, got\n%+v (%v)", mapping.Describe(c.req), c.want, have, err)
		}
	}
}

// What the spec does not model is said to be outside, and never mistaken for
// something else.
func TestOutside(t *testing.T) {
	control, old := batch(), batch()
	control.Control = true
	old.CorruptCRC = true
	two := append(batch().Encode(), batch().Encode()...)
	empty := produce(11, batch().Encode())
	none := ""
	empty.TransactionID = &none
	for what, req := range map[string]kmsg.Request{
		"two batches":                      produce(11, two),
		"no batch":                         produce(11, []byte{}),
		"null":                             produce(11, nil),
		"a control batch":                  produce(11, control.Encode()),
		"a wrong checksum":                 produce(11, old.Encode()),
		"topic ids":                        produce(13, batch().Encode()),
		"two new partitions at once":       produce(12, batch().Encode(), batch().Encode()),
		"an empty transactional id":        empty,
		"offsets":                          kmsg.NewPtrAddOffsetsToTxnRequest(),
		"a batch of no transactions":       &kmsg.AddPartitionsToTxnRequest{Version: 4},
		"a WriteTxnMarkers without marker": &kmsg.WriteTxnMarkersRequest{Version: 1},
	} {
		if have, err := names(t).Request(req); !errors.Is(err, mapping.ErrOutside) {
			t.Errorf("%s: expected an error that says that it is outside, got %+v (%v)", what, have, err)
		}
	}
}

// An answer of the spec is seen alike on both ways: directly, and on the wire
// and back.
func TestAnswers(t *testing.T) {
	id := "txn"
	initialize := &kmsg.InitProducerIDRequest{Version: 4, TransactionalID: &id}
	end := &kmsg.EndTxnRequest{Version: 5, TransactionalID: id}
	add3 := &kmsg.AddPartitionsToTxnRequest{Version: 3, TransactionalID: id, Topics: []kmsg.AddPartitionsToTxnRequestTopic{{Topic: "topic", Partitions: []int32{0, 1}}}}
	add4 := &kmsg.AddPartitionsToTxnRequest{Version: 4, Transactions: []kmsg.AddPartitionsToTxnRequestTransaction{{TransactionalID: id,
		Topics: []kmsg.AddPartitionsToTxnRequestTransactionTopic{{Topic: "topic", Partitions: []int32{0, 1}}}}}}
	marker := &kmsg.WriteTxnMarkersRequest{Version: 1, Markers: []kmsg.WriteTxnMarkersRequestMarker{{Topics: []kmsg.WriteTxnMarkersRequestMarkerTopic{{Topic: "topic", Partitions: []int32{1}}}}}}
	for _, c := range []struct {
		req    kmsg.Request
		answer spec.Answer
		want   string
	}{
		{initialize, spec.Answer{ProducerID: 9081, Epoch: 3}, "NONE, producer 9081, epoch 3"},
		{initialize, spec.Answer{Code: spec.ConcurrentTransactions, ProducerID: -1, Epoch: -1}, "CONCURRENT_TRANSACTIONS"},
		{end, spec.Answer{ProducerID: 9081, Epoch: 4}, "NONE, producer 9081, epoch 4"},
		{end, spec.Answer{Code: spec.ProducerFenced, ProducerID: -1, Epoch: -1}, "PRODUCER_FENCED"},
		{produce(11, batch().Encode()), spec.Answer{Offset: 17, ProducerID: -1, Epoch: -1}, "NONE, base offset 17"},
		{produce(11, batch().Encode()), spec.Answer{Code: spec.OutOfOrderSequence, Offset: -1, ProducerID: -1, Epoch: -1}, "OUT_OF_ORDER_SEQUENCE_NUMBER"},
		{add3, spec.Answer{Code: spec.UnknownTopicPartition, Rest: spec.OperationNotAttempted, Failed: 2}, "topic-0 OPERATION_NOT_ATTEMPTED topic-1 UNKNOWN_TOPIC_OR_PARTITION"},
		{add4, spec.Answer{Code: spec.TransactionAbortable, Failed: 1}, "topic-0 TRANSACTION_ABORTABLE topic-1 NONE"},
		{marker, spec.Answer{Code: spec.CoordinatorFenced}, "TRANSACTION_COORDINATOR_FENCED"},
	} {
		n := names(t)
		rs, err := n.Request(c.req)
		if err != nil {
			t.Fatal(err)
		}
		resp, err := n.Response(c.req, []spec.Answer{c.answer})
		if err != nil {
			t.Fatal(err)
		}
		back, err := n.Observed(c.req, resp)
		if err != nil || len(back) != 1 {
			t.Fatalf("%s: %v (%v)", mapping.Describe(c.req), back, err)
		}
		if direct := n.See(&rs[0], &c.answer); back[0] != direct || direct.String() != c.want {
			t.Errorf("%s: expected %s, got %v directly and %v from the wire", mapping.Describe(c.req), c.want, direct, back[0])
		}
	}
}

// A batch is rebuilt byte for byte out of what the spec knows and its contents.
func TestContents(t *testing.T) {
	sent := batch().Encode()
	b, contents, err := mapping.Batch(sent)
	if err != nil {
		t.Fatal(err)
	}
	at := spec.At{Offset: 5, Batch: spec.Batch{ProducerID: b.ProducerID, Epoch: b.ProducerEpoch, Sequence: b.BaseSequence, Count: b.Count, Transactional: true}}
	set := mapping.Rebuild(&at, contents)
	back, rest, err := wire.DecodeRecords(append(set, set...))
	if err != nil || rest != 0 || len(back) != 2 || len(mapping.Split(append(set, set...))) != 2 {
		t.Fatalf("expected two batches, got %d and %d bytes (%v)", len(back), rest, err)
	}
	if back[0].BaseOffset != 5 || mapping.Contents(set) != contents {
		t.Errorf("expected the same contents at offset 5, got offset %d", back[0].BaseOffset)
	}
	back[0].BaseOffset, back[0].LeaderEpoch = b.BaseOffset, b.LeaderEpoch
	for i := range back[0].Records {
		back[0].Records[i].Offset -= 5
	}
	if !reflect.DeepEqual(back[0], b) {
		t.Errorf("expected\n%+v, got\n%+v", b, back[0])
	}
}

// A partition that does not exist is told from one that does, and from every
// other one.
func TestNames(t *testing.T) {
	n := names(t)
	missing, exists, err := n.Partition("topic", 7)
	if err != nil || exists || int(missing) < n.Partitions() {
		t.Errorf("topic-7: expected a number beyond those that exist, got %d, exists %t (%v)", missing, exists, err)
	}
	if again, _, _ := n.Partition("topic", 7); again != missing {
		t.Errorf("topic-7: expected %d again, got %d", missing, again)
	}
	if other, _, _ := n.Partition("other", 7); other == missing {
		t.Errorf("other-7: expected another number than topic-7, got %d", other)
	}
	if dropped := n.DropTopic("topic"); len(dropped) != 2 {
		t.Errorf("expected 2 partitions dropped, got %v", dropped)
	}
	if _, exists, _ := n.Partition("topic", 0); exists {
		t.Error("topic-0: expected that it does not exist any more")
	}
	if _, err := n.AddTopic("large", 64); !errors.Is(err, mapping.ErrOutside) {
		t.Errorf("64 partitions more: expected an error, got %v", err)
	}
}
