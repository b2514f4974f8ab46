package broker

import (
	"context"
	"fmt"
	"math"
	"unicode/utf16"

	"github.com/twmb/franz-go/pkg/kmsg"

	"github.com/onceproof/onceproof/harness/wire"
)

// Isolation levels of Fetch and ListOffsets.
const (
	ReadUncommitted int8 = 0
	ReadCommitted   int8 = 1
)

const transactionStateTopic = "__transaction_state"

// Aborted is an entry of the list of aborted transactions in a Fetch answer.
type Aborted struct {
	ProducerID, FirstOffset int64
}

// Fetched is what one Fetch of one partition gave.
type Fetched struct {
	ErrorCode        int16
	HighWatermark    int64
	LastStableOffset int64
	LogStartOffset   int64
	// Aborted is nil for null, which read_uncommitted gets, and not nil for
	// an empty list.
	Aborted []Aborted
	Batches []wire.RecordBatch
	// Exchange is the whole of it.
	Exchange *wire.Exchange
}

// Fetch fetches once from a partition, at v12, the last version with topic
// names, and without waiting for data. An error code is no error here.
func Fetch(ctx context.Context, c Conn, topic string, partition int32, offset int64, isolation int8) (Fetched, error) {
	req := kmsg.NewPtrFetchRequest()
	req.Version, req.ReplicaID, req.MaxWaitMillis, req.MinBytes = 12, -1, 0, 0
	req.MaxBytes, req.IsolationLevel, req.SessionEpoch = 32<<20, isolation, -1
	p := kmsg.NewFetchRequestTopicPartition()
	p.Partition, p.FetchOffset, p.PartitionMaxBytes = partition, offset, 32<<20
	p.CurrentLeaderEpoch, p.LastFetchedEpoch, p.LogStartOffset = -1, -1, -1
	t := kmsg.NewFetchRequestTopic()
	t.Topic, t.Partitions = topic, append(t.Partitions, p)
	req.Topics = append(req.Topics, t)
	x, err := c.Do(ctx, req)
	if err != nil {
		return Fetched{Exchange: x}, err
	}
	return readFetched(x, topic, partition)
}

func readFetched(x *wire.Exchange, topic string, partition int32) (Fetched, error) {
	f := Fetched{Exchange: x}
	resp := x.Response.(*kmsg.FetchResponse)
	if resp.ErrorCode != 0 {
		f.ErrorCode = resp.ErrorCode
		return f, nil
	}
	if len(resp.Topics) != 1 || len(resp.Topics[0].Partitions) != 1 || resp.Topics[0].Topic != topic || resp.Topics[0].Partitions[0].Partition != partition {
		return f, fmt.Errorf("fetch: expected an answer for %s-%d, got one for other partitions", topic, partition)
	}
	p := &resp.Topics[0].Partitions[0]
	f.ErrorCode, f.HighWatermark, f.LastStableOffset, f.LogStartOffset = p.ErrorCode, p.HighWatermark, p.LastStableOffset, p.LogStartOffset
	if p.AbortedTransactions != nil {
		f.Aborted = []Aborted{}
	}
	for _, a := range p.AbortedTransactions {
		f.Aborted = append(f.Aborted, Aborted{a.ProducerID, a.FirstOffset})
	}
	var err error
	if f.Batches, _, err = wire.DecodeRecords(p.RecordBatches); err != nil {
		return f, fmt.Errorf("fetch of %s-%d: %w", topic, partition, err)
	}
	return f, nil
}

// ReadLog reads a partition from an offset to what the isolation level lets
// see. Offsets and the aborted list are those of the last Fetch that it took.
func ReadLog(ctx context.Context, c Conn, topic string, partition int32, offset int64, isolation int8) (Fetched, error) {
	var all []wire.RecordBatch
	for {
		f, err := Fetch(ctx, c, topic, partition, offset, isolation)
		if err == nil {
			err = answered(fmt.Sprintf("Fetch of %s-%d from %d", topic, partition, offset), f.ErrorCode, nil)
		}
		if err != nil {
			return f, err
		}
		all = append(all, f.Batches...)
		end := f.HighWatermark
		if isolation == ReadCommitted {
			end = f.LastStableOffset
		}
		if len(f.Batches) > 0 {
			offset = f.Batches[len(f.Batches)-1].LastOffset() + 1
		}
		if len(f.Batches) == 0 || offset >= end {
			f.Batches = all
			return f, nil
		}
	}
}

// ReadTransactionLog reads what the coordinator wrote about a transactional id
// into __transaction_state, from its first record on. A broker that keeps its
// transactions elsewhere gives an error with ErrUnsupported.
func ReadTransactionLog(ctx context.Context, c Conn, transactionalID string) ([]wire.TxnRecord, error) {
	n, err := partitionCount(ctx, c, transactionStateTopic)
	if err != nil {
		return nil, err
	}
	f, err := ReadLog(ctx, c, transactionStateTopic, CoordinatorPartition(transactionalID, n), 0, ReadUncommitted)
	if err != nil {
		return nil, err
	}
	records, err := wire.DecodeTxnRecords(f.Batches)
	var own []wire.TxnRecord
	for _, r := range records {
		if r.TransactionalID == transactionalID {
			own = append(own, r)
		}
	}
	return own, err
}

// CoordinatorPartition is the partition of __transaction_state, of n, that a
// transactional id belongs to: the absolute value of Java's String.hashCode,
// where the one number without such a value counts as 0 (Kafka's Utils.abs,
// which is not the same as clearing the sign bit).
func CoordinatorPartition(transactionalID string, n int32) int32 {
	var h int32
	for _, unit := range utf16.Encode([]rune(transactionalID)) {
		h = 31*h + int32(unit)
	}
	switch {
	case h == math.MinInt32:
		h = 0
	case h < 0:
		h = -h
	}
	return h % n
}

func partitionCount(ctx context.Context, c Conn, topic string) (int32, error) {
	req := kmsg.NewPtrMetadataRequest()
	req.Version = 9
	t := kmsg.NewMetadataRequestTopic()
	t.Topic = &topic
	req.Topics = append(req.Topics, t)
	x, err := c.Do(ctx, req)
	if err != nil {
		return 0, err
	}
	topics := x.Response.(*kmsg.MetadataResponse).Topics
	if len(topics) != 1 {
		return 0, fmt.Errorf("metadata of %s: expected one topic, got %d: %w", topic, len(topics), ErrUnsupported)
	}
	if code, n := topics[0].ErrorCode, len(topics[0].Partitions); code != 0 || n == 0 {
		return 0, fmt.Errorf("metadata of %s: expected partitions, got %d and error %d: %w", topic, n, code, ErrUnsupported)
	}
	return int32(len(topics[0].Partitions)), nil
}
