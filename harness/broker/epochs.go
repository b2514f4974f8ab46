package broker

import (
	"context"
	"slices"

	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kmsg"
)

// CoordinatorEpochs are the epochs of the coordinators of a broker that leads every partition of __transaction_state: the
// leader epoch of each of those, by partition. They grow whenever the broker is restarted, or loses its leadership for a
// while, as one does that stands still for longer than its session timeout. nil: the broker does not tell.
type CoordinatorEpochs []int32

// ReadCoordinatorEpochs asks for them, and waits meanwhile until the broker leads every partition and, where they are not
// those that were read before, has loaded each.
func ReadCoordinatorEpochs(ctx context.Context, b Broker, before CoordinatorEpochs) (CoordinatorEpochs, error) {
	c, err := b.Dial(ctx)
	if err != nil {
		return nil, err
	}
	defer c.Close()
	v, err := ReadVersions(ctx, c)
	if err != nil {
		return nil, err
	}
	const tells = 7 // the version of Metadata that has leader epochs
	version, err := v.AtMost(int16(kmsg.Metadata), 9)
	if err != nil || version < tells {
		return nil, nil
	}
	var epochs CoordinatorEpochs
	err = poll(ctx, "the leadership of "+transactionStateTopic, func(ctx context.Context) error {
		var err error
		if epochs, err = leaderEpochs(ctx, c, version); err == nil && epochs != nil && !slices.Equal(epochs, before) {
			err = allLoaded(ctx, c)
		}
		if err != nil && !kerr.IsRetriable(err) {
			return final{err}
		}
		return err
	})
	return epochs, err
}

// leaderEpochs gives nil where there is no such topic, and a retriable error of Kafka's while a partition has no leader.
func leaderEpochs(ctx context.Context, c Conn, version int16) (CoordinatorEpochs, error) {
	req := kmsg.NewPtrMetadataRequest()
	req.Version, req.AllowAutoTopicCreation = version, false
	t := kmsg.NewMetadataRequestTopic()
	name := transactionStateTopic
	t.Topic = &name
	req.Topics = append(req.Topics, t)
	x, err := c.Do(ctx, req)
	if err != nil {
		return nil, err
	}
	topics := x.Response.(*kmsg.MetadataResponse).Topics
	if len(topics) != 1 || topics[0].ErrorCode == kerr.UnknownTopicOrPartition.Code || len(topics[0].Partitions) == 0 {
		return nil, nil
	}
	if err := answered("Metadata", topics[0].ErrorCode, nil); err != nil {
		return nil, err
	}
	partitions := topics[0].Partitions
	slices.SortFunc(partitions, func(x, y kmsg.MetadataResponseTopicPartition) int { return int(x.Partition - y.Partition) })
	var epochs CoordinatorEpochs
	for _, p := range partitions {
		if err := answered("Metadata", p.ErrorCode, nil); err != nil {
			return nil, err
		}
		epochs = append(epochs, p.LeaderEpoch)
	}
	return epochs, nil
}

// Of is the epoch of the coordinator of some transactional ids, of all where none is named. known is false where the
// broker does not tell, or they have coordinators of different epochs.
func (e CoordinatorEpochs) Of(ids ...string) (epoch int32, known bool) {
	of := slices.Clone([]int32(e))
	if len(ids) > 0 && len(e) > 0 {
		of = of[:0]
		for _, id := range ids {
			of = append(of, e[CoordinatorPartition(id, int32(len(e)))])
		}
	}
	if len(of) == 0 || slices.Min(of) != slices.Max(of) || of[0] < 0 {
		return 0, false
	}
	return of[0], true
}
