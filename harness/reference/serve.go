package reference

import (
	"fmt"
	"slices"

	"github.com/twmb/franz-go/pkg/kmsg"

	"github.com/onceproof/onceproof/spec"
)

// versions are the versions served, those of Apache Kafka 4.4.0 as far as the
// spec goes.
var versions = [...]kmsg.ApiVersionsResponseApiKey{
	{ApiKey: 0, MinVersion: 3, MaxVersion: 12},
	{ApiKey: 1, MinVersion: 4, MaxVersion: 12},
	{ApiKey: 2, MinVersion: 1, MaxVersion: 7},
	{ApiKey: 3, MinVersion: 0, MaxVersion: 9},
	{ApiKey: 10, MinVersion: 0, MaxVersion: 5},
	{ApiKey: 18, MinVersion: 0, MaxVersion: 4},
	{ApiKey: 19, MinVersion: 2, MaxVersion: 5},
	{ApiKey: 20, MinVersion: 1, MaxVersion: 5},
	{ApiKey: 22, MinVersion: 0, MaxVersion: 5},
	{ApiKey: 24, MinVersion: 0, MaxVersion: 5},
	{ApiKey: 26, MinVersion: 0, MaxVersion: 5},
	{ApiKey: 27, MinVersion: 1, MaxVersion: 2},
	{ApiKey: 61, MinVersion: 0, MaxVersion: 0},
	{ApiKey: 65, MinVersion: 0, MaxVersion: 0},
	{ApiKey: 66, MinVersion: 0, MaxVersion: 1},
}

func served(req kmsg.Request) bool {
	return slices.ContainsFunc(versions[:], func(k kmsg.ApiVersionsResponseApiKey) bool {
		return k.ApiKey == req.Key() && k.MinVersion <= req.GetVersion() && (req.GetVersion() <= k.MaxVersion || req.Key() == 18)
	})
}

// serve answers what changes no state of the spec. It takes place at one
// moment, after a few hidden steps.
func (b *Broker) serve(req kmsg.Request) (kmsg.Response, error) {
	switch req := req.(type) {
	case *kmsg.ApiVersionsRequest:
		return b.apiVersions(req), nil
	case *kmsg.MetadataRequest:
		return b.metadata(req), nil
	case *kmsg.CreateTopicsRequest:
		return b.createTopics(req), nil
	case *kmsg.DeleteTopicsRequest:
		return b.deleteTopics(req), nil
	case *kmsg.FindCoordinatorRequest:
		return findCoordinator(req), nil
	case *kmsg.FetchRequest:
		return b.fetch(req), nil
	case *kmsg.ListOffsetsRequest:
		return b.listOffsets(req), nil
	case *kmsg.DescribeProducersRequest:
		return b.describeProducers(req), nil
	case *kmsg.DescribeTransactionsRequest:
		return b.describeTransactions(req), nil
	case *kmsg.ListTransactionsRequest:
		return b.listTransactions(req), nil
	}
	return nil, fmt.Errorf("%s is not served", kmsg.NameForKey(req.Key()))
}

const (
	nodeID = 1
	host   = "spec"
	port   = 9092

	stateTopic      = "__transaction_state"
	statePartitions = 50
)

func (b *Broker) apiVersions(req *kmsg.ApiVersionsRequest) kmsg.Response {
	resp := req.ResponseKind().(*kmsg.ApiVersionsResponse)
	resp.ApiKeys = slices.Clone(versions[:])
	if req.Version > 4 {
		resp.Version, resp.ErrorCode = 0, int16(spec.UnsupportedVersion)
		return resp
	}
	if req.Version >= 4 {
		f := kmsg.NewApiVersionsResponseSupportedFeature()
		f.Name, f.MaxVersion = "transaction.version", 2
		resp.SupportedFeatures = append(resp.SupportedFeatures, f)
	}
	if tv := int16(b.sp.TransactionVersion); tv > 0 && req.Version >= 3 {
		f := kmsg.NewApiVersionsResponseFinalizedFeature()
		f.Name, f.MinVersionLevel, f.MaxVersionLevel = "transaction.version", tv, tv
		resp.FinalizedFeatures = append(resp.FinalizedFeatures, f)
		resp.FinalizedFeaturesEpoch = 1
	}
	return resp
}

func (b *Broker) metadata(req *kmsg.MetadataRequest) kmsg.Response {
	resp := req.ResponseKind().(*kmsg.MetadataResponse)
	node := kmsg.NewMetadataResponseBroker()
	node.NodeID, node.Host, node.Port = nodeID, host, port
	resp.Brokers, resp.ControllerID = append(resp.Brokers, node), nodeID
	var wanted []string
	if req.Topics == nil || req.Version == 0 && len(req.Topics) == 0 {
		for topic := range b.topics {
			wanted = append(wanted, topic)
		}
		slices.Sort(wanted)
		wanted = append(wanted, stateTopic)
	}
	for _, t := range req.Topics {
		if t.Topic != nil {
			wanted = append(wanted, *t.Topic)
		}
	}
	for _, name := range wanted {
		t := kmsg.NewMetadataResponseTopic()
		t.Topic, t.IsInternal = &name, name == stateTopic
		n := b.topics[name]
		if name == stateTopic {
			n = statePartitions
		}
		if n == 0 {
			t.ErrorCode = int16(spec.UnknownTopicPartition)
		}
		for i := range n {
			p := kmsg.NewMetadataResponseTopicPartition()
			p.Partition, p.Leader, p.Replicas, p.ISR = i, nodeID, []int32{nodeID}, []int32{nodeID}
			if name == stateTopic {
				p.LeaderEpoch = b.s.Coordinator.Epoch
			}
			t.Partitions = append(t.Partitions, p)
		}
		resp.Topics = append(resp.Topics, t)
	}
	return resp
}

// Codes of topic administration, which the spec does not have.
const (
	topicAlreadyExists = 36
	invalidPartitions  = 37
)

func (b *Broker) createTopics(req *kmsg.CreateTopicsRequest) kmsg.Response {
	resp := req.ResponseKind().(*kmsg.CreateTopicsResponse)
	for _, t := range req.Topics {
		r := kmsg.NewCreateTopicsResponseTopic()
		r.Topic, r.NumPartitions, r.ReplicationFactor = t.Topic, t.NumPartitions, 1
		if b.topics[t.Topic] > 0 || t.Topic == stateTopic {
			r.ErrorCode = topicAlreadyExists
		} else if err := b.createTopic(t.Topic, max(t.NumPartitions, 1)); err != nil {
			message := err.Error()
			r.ErrorCode, r.ErrorMessage = invalidPartitions, &message
		}
		resp.Topics = append(resp.Topics, r)
	}
	return resp
}

// createTopic takes partitions that nobody uses any more, and new ones.
func (b *Broker) createTopic(topic string, partitions int32) error {
	free := b.unused()
	if int(partitions) <= len(free) {
		for i := range partitions {
			number := free[i]
			b.s.Leaders[number], b.batches[number] = spec.Leader{}, nil
			b.names.Rebind(topic, i, number)
		}
	} else if _, err := b.names.AddTopic(topic, partitions); err != nil {
		return err
	}
	b.topics[topic] = partitions
	b.grow()
	return nil
}

// unused are the partitions of deleted topics that no transaction refers to.
func (b *Broker) unused() []int {
	used := spec.Partitions(0)
	for _, t := range b.s.Coordinator.Txns {
		used |= t.Memory.Partitions | t.Pending.Next.Partitions
	}
	for _, m := range b.s.Net {
		used = used.With(int(m.Partition))
	}
	for _, a := range b.s.Inbox {
		used = used.With(int(a.Request.Partition)) | a.Request.Partitions
	}
	var free []int
	for p := range b.s.Leaders {
		if b.names.PartitionName(p).Index < 0 && !used.Has(p) {
			free = append(free, p)
		}
	}
	return free
}

func (b *Broker) deleteTopics(req *kmsg.DeleteTopicsRequest) kmsg.Response {
	resp := req.ResponseKind().(*kmsg.DeleteTopicsResponse)
	for _, name := range req.TopicNames {
		r := kmsg.NewDeleteTopicsResponseTopic()
		r.Topic = &name
		if b.topics[name] == 0 {
			r.ErrorCode = int16(spec.UnknownTopicPartition)
		}
		delete(b.topics, name)
		b.names.DropTopic(name)
		resp.Topics = append(resp.Topics, r)
	}
	return resp
}

func findCoordinator(req *kmsg.FindCoordinatorRequest) kmsg.Response {
	resp := req.ResponseKind().(*kmsg.FindCoordinatorResponse)
	if req.Version < 4 {
		resp.NodeID, resp.Host, resp.Port = nodeID, host, port
		return resp
	}
	for _, key := range req.CoordinatorKeys {
		c := kmsg.NewFindCoordinatorResponseCoordinator()
		c.Key, c.NodeID, c.Host, c.Port = key, nodeID, host, port
		resp.Coordinators = append(resp.Coordinators, c)
	}
	return resp
}

// leader returns the leader of a partition, and its number.
func (b *Broker) leader(topic string, partition int32) (*spec.Leader, int, bool) {
	if partition < 0 || partition >= b.topics[topic] {
		return nil, 0, false
	}
	number, exists, err := b.names.Partition(topic, partition)
	if err != nil || !exists {
		return nil, 0, false
	}
	return &b.s.Leaders[number], int(number), true
}
