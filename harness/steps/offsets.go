package steps

import (
	"context"
	"fmt"

	"github.com/twmb/franz-go/pkg/kmsg"

	"github.com/onceproof/onceproof/harness/broker"
)

// expectLatest checks ListOffsets LATEST at both isolation levels (READ-12).
func (w *World) expectLatest(ctx context.Context, at partition, uncommitted, committed int64) error {
	return w.await(ctx, func() error {
		high, err := w.latest(ctx, at, broker.ReadUncommitted)
		if err != nil {
			return err
		}
		stable, err := w.latest(ctx, at, broker.ReadCommitted)
		if err != nil {
			return err
		}
		if high != uncommitted || stable != committed {
			return mismatch(fmt.Sprintf("latest offset %d read_uncommitted and %d read_committed", uncommitted, committed), fmt.Sprintf("%d and %d", high, stable))
		}
		w.showedOffsets(high, stable)
		return nil
	})
}

func (w *World) latest(ctx context.Context, at partition, isolation int8) (int64, error) {
	c, err := w.conn(ctx)
	if err != nil {
		return 0, err
	}
	req := kmsg.NewPtrListOffsetsRequest()
	if req.Version, err = w.Versions.AtMost(req.Key(), 7); err != nil {
		return 0, unjudged(err, "the latest offset can't be asked for")
	}
	req.ReplicaID, req.IsolationLevel = -1, isolation
	t := kmsg.NewListOffsetsRequestTopic()
	p := kmsg.NewListOffsetsRequestTopicPartition()
	p.Partition, p.Timestamp, p.CurrentLeaderEpoch = at.index, -1, -1
	t.Topic, t.Partitions = w.named(at.topic), append(t.Partitions, p)
	req.Topics = append(req.Topics, t)
	x, err := c.Do(ctx, req)
	if err != nil {
		return 0, err
	}
	topics := x.Response.(*kmsg.ListOffsetsResponse).Topics
	if len(topics) != 1 || len(topics[0].Partitions) != 1 {
		return 0, mismatch("an offset of "+at.String(), "an answer for other partitions")
	}
	got := &topics[0].Partitions[0]
	if got.ErrorCode != 0 {
		return 0, mismatch("an offset", codeName(got.ErrorCode))
	}
	return got.Offset, nil
}
