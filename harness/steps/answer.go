package steps

import (
	"errors"
	"fmt"

	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kmsg"

	"github.com/onceproof/onceproof/harness/wire"
	"github.com/onceproof/onceproof/spec"
)

// readAnswer takes out of an answer what the lines of a feature speak of.
func readAnswer(w *World, resp kmsg.Response) (answer, error) {
	a := answer{came: true, offset: spec.NoOffset, producerID: spec.NoProducer, epoch: spec.NoEpoch, partitions: map[partition]int16{}}
	put := func(topic string, index int32, code int16) {
		a.partitions[partition{w.unnamed(topic), index}] = code
	}
	switch r := resp.(type) {
	case *kmsg.InitProducerIDResponse:
		a.code, a.producerID, a.epoch = r.ErrorCode, r.ProducerID, r.ProducerEpoch
		return a, nil
	case *kmsg.EndTxnResponse:
		a.code = r.ErrorCode
		if r.Version >= 5 {
			a.producerID, a.epoch = r.ProducerID, r.ProducerEpoch
		}
		return a, nil
	case *kmsg.ProduceResponse:
		for _, t := range r.Topics {
			for _, p := range t.Partitions {
				put(t.Topic, p.Partition, p.ErrorCode)
				a.offset, a.appendTime = p.BaseOffset, p.LogAppendTime
			}
		}
	case *kmsg.AddPartitionsToTxnResponse:
		eachPartition(r, put)
		if r.ErrorCode != 0 {
			a.code = r.ErrorCode
			return a, nil
		}
	case *kmsg.WriteTxnMarkersResponse:
		eachPartition(r, put)
	default:
		return a, fmt.Errorf("no reader for the answer %T", resp)
	}
	if len(a.partitions) == 0 {
		return a, mismatch("an answer for each partition", "one without partitions")
	}
	a.whole()
	return a, nil
}

// eachPartition goes through an answer that has a code for each partition and no more.
func eachPartition(resp kmsg.Response, put func(topic string, index int32, code int16)) {
	switch r := resp.(type) {
	case *kmsg.AddPartitionsToTxnResponse:
		for _, t := range r.Topics {
			for _, p := range t.Partitions {
				put(t.Topic, p.Partition, p.ErrorCode)
			}
		}
		for _, x := range r.Transactions {
			for _, t := range x.Topics {
				for _, p := range t.Partitions {
					put(t.Topic, p.Partition, p.ErrorCode)
				}
			}
		}
	case *kmsg.WriteTxnMarkersResponse:
		for _, m := range r.Markers {
			for _, t := range m.Topics {
				for _, p := range t.Partitions {
					put(t.Topic, p.Partition, p.ErrorCode)
				}
			}
		}
	}
}

// whole makes the code of the whole answer out of those of the partitions: the first that is an error.
func (a *answer) whole() {
	for _, code := range a.partitions {
		if code != 0 && (a.code == 0 || code < a.code) {
			a.code = code
		}
	}
}

// codeName gives the name of an error code as Kafka's documentation has it.
func codeName(code int16) string {
	if code == 0 {
		return "NONE"
	}
	var known *kerr.Error
	if errors.As(kerr.ErrorForCode(code), &known) && known.Code == code {
		return known.Message
	}
	return fmt.Sprintf("error %d", code)
}

// codeOf finds the code of a name.
func codeOf(name string) (int16, error) {
	const highest = 200 // no release has so many
	for code := int16(-1); code < highest; code++ {
		if codeName(code) == name {
			return code, nil
		}
	}
	return 0, fmt.Errorf("no error code is named %q", name)
}

// sent says in a few words what the call sent.
func (c *call) sent() string {
	if c.exchange == nil || c.exchange.Request == nil {
		return ""
	}
	return wire.Describe(c.exchange.Request)
}

// AnswerCode is the code that an answer comes to: its own, or the first error of its partitions. It is false for an
// answer that has none, or none that the lines speak of.
func AnswerCode(resp kmsg.Response) (string, bool) {
	a, err := readAnswer(NewWorld(), resp)
	if err != nil {
		return "", false
	}
	return codeName(a.code), true
}

// LastCode is the code of the answer that came last to a request of an actor; false where none came.
func (w *World) LastCode() (string, bool) {
	if w.last == nil || !w.last.answer.came {
		return "", false
	}
	return codeName(w.last.answer.code), true
}
