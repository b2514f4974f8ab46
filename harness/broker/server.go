package broker

import (
	"context"
	"errors"
	"fmt"

	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kmsg"

	"github.com/onceproof/onceproof/harness/wire"
)

// server is what all brokers behind a TCP address share.
type server struct {
	name string
	addr string
	opts wire.Options
}

func (s *server) Name() string { return s.name }

func (s *server) Dial(ctx context.Context) (Conn, error) {
	c, err := wire.Dial(ctx, s.addr, s.opts)
	if err != nil {
		return nil, err // not c: a nil *wire.Conn in a Conn is not nil
	}
	return c, nil
}

func (s *server) Versions(ctx context.Context) (Versions, error) {
	return dialed(ctx, s, ReadVersions)
}

func (s *server) CreateTopic(ctx context.Context, topic string, partitions int32) error {
	_, err := dialed(ctx, s, func(ctx context.Context, c Conn) (struct{}, error) {
		return struct{}{}, CreateTopic(ctx, c, topic, partitions)
	})
	return err
}

func (s *server) DeleteTopic(ctx context.Context, topic string) error {
	_, err := dialed(ctx, s, func(ctx context.Context, c Conn) (struct{}, error) {
		return struct{}{}, DeleteTopic(ctx, c, topic)
	})
	return err
}

// dialed runs f on a connection of its own.
func dialed[T any](ctx context.Context, s *server, f func(context.Context, Conn) (T, error)) (T, error) {
	c, err := s.Dial(ctx)
	if err != nil {
		var none T
		return none, err
	}
	defer c.Close()
	return f(ctx, c)
}

// CreateTopic creates a topic with one replica and returns once the leader of
// each partition answers for it. A broker that has just started may refuse at
// first, and Produce may be answered UNKNOWN_TOPIC_OR_PARTITION for some 100 ms
// after the topic was created; both are waited out.
func CreateTopic(ctx context.Context, c Conn, topic string, partitions int32) error {
	v, err := ReadVersions(ctx, c)
	if err != nil {
		return fmt.Errorf("create topic %q: %w", topic, err)
	}
	version, err := v.AtMost(int16(kmsg.CreateTopics), 5)
	if err != nil {
		return fmt.Errorf("create topic %q: %w", topic, err)
	}
	made, tried := false, false
	err = poll(ctx, fmt.Sprintf("topic %q", topic), func(ctx context.Context) error {
		if !made {
			err := createTopic(ctx, c, version, topic, partitions)
			// A try that was answered with an error may have created it.
			if err != nil && !(tried && errors.Is(err, kerr.TopicAlreadyExists)) {
				tried = true
				return err
			}
			made = true
		}
		return partitionsAnswer(ctx, c, v, topic, partitions)
	})
	if err != nil {
		return fmt.Errorf("create topic %q: %w", topic, err)
	}
	return nil
}

func createTopic(ctx context.Context, c Conn, version int16, topic string, partitions int32) error {
	req := kmsg.NewPtrCreateTopicsRequest()
	req.Version, req.TimeoutMillis = version, 10_000
	t := kmsg.NewCreateTopicsRequestTopic()
	t.Topic, t.NumPartitions, t.ReplicationFactor = topic, partitions, 1
	req.Topics = append(req.Topics, t)
	x, err := c.Do(ctx, req)
	if err != nil {
		return final{err}
	}
	topics := x.Response.(*kmsg.CreateTopicsResponse).Topics
	if len(topics) != 1 {
		return final{fmt.Errorf("CreateTopics: expected one result, got %d", len(topics))}
	}
	err = answered("CreateTopics", topics[0].ErrorCode, topics[0].ErrorMessage)
	if err != nil && !startingUp(topics[0].ErrorCode) {
		return final{err}
	}
	return err
}

// startingUp reports whether a broker answers a code only because it, or its
// registration with the controller, is not up yet.
func startingUp(code int16) bool {
	return kerr.IsRetriable(kerr.ErrorForCode(code)) ||
		code == kerr.InvalidReplicationFactor.Code || code == kerr.InvalidReplicaAssignment.Code
}

// partitionsAnswer asks each partition for its end, which only a leader that
// is ready tells.
func partitionsAnswer(ctx context.Context, c Conn, v Versions, topic string, partitions int32) error {
	version, err := v.AtMost(int16(kmsg.ListOffsets), 7)
	if err != nil {
		return final{err}
	}
	req := kmsg.NewPtrListOffsetsRequest()
	req.Version, req.ReplicaID = version, -1
	t := kmsg.NewListOffsetsRequestTopic()
	t.Topic = topic
	for i := range partitions {
		p := kmsg.NewListOffsetsRequestTopicPartition()
		p.Partition, p.Timestamp, p.CurrentLeaderEpoch = i, -1, -1
		t.Partitions = append(t.Partitions, p)
	}
	req.Topics = append(req.Topics, t)
	x, err := c.Do(ctx, req)
	if err != nil {
		return final{err}
	}
	seen := int32(0)
	for _, t := range x.Response.(*kmsg.ListOffsetsResponse).Topics {
		for _, p := range t.Partitions {
			if err := answered(fmt.Sprintf("ListOffsets of partition %d", p.Partition), p.ErrorCode, nil); err != nil {
				return err
			}
			seen++
		}
	}
	if seen != partitions {
		return final{fmt.Errorf("ListOffsets: expected %d partitions, got %d", partitions, seen)}
	}
	return nil
}

// DeleteTopic deletes a topic. That it does not exist is no error.
func DeleteTopic(ctx context.Context, c Conn, topic string) error {
	v, err := ReadVersions(ctx, c)
	if err != nil {
		return fmt.Errorf("delete topic %q: %w", topic, err)
	}
	req := kmsg.NewPtrDeleteTopicsRequest()
	if req.Version, err = v.AtMost(int16(kmsg.DeleteTopics), 5); err != nil {
		return fmt.Errorf("delete topic %q: %w", topic, err)
	}
	req.TimeoutMillis, req.TopicNames = 10_000, []string{topic}
	x, err := c.Do(ctx, req)
	if err != nil {
		return fmt.Errorf("delete topic %q: %w", topic, err)
	}
	for _, t := range x.Response.(*kmsg.DeleteTopicsResponse).Topics {
		if t.ErrorCode == kerr.UnknownTopicOrPartition.Code {
			continue
		}
		if err := answered("DeleteTopics", t.ErrorCode, t.ErrorMessage); err != nil {
			return fmt.Errorf("delete topic %q: %w", topic, err)
		}
	}
	return nil
}

// final marks an error that no waiting mends.
type final struct{ err error }

func (f final) Error() string { return f.err.Error() }
func (f final) Unwrap() error { return f.err }

func isFinal(err error) bool {
	var f final
	return errors.As(err, &f)
}
