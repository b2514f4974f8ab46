package conform

import (
	"slices"

	"github.com/twmb/franz-go/pkg/kmsg"

	"github.com/onceproof/onceproof/harness/wire"
)

// markerValue is the value of a marker of coordinator epoch 0: its version and that epoch (MARK-17).
const markerValue = "\x00\x00\x00\x00\x00\x00"

// correctMarkerValue gives a marker that has a key, and so a decision, the value that it lacks.
func correctMarkerValue(_ kmsg.Request, resp kmsg.Response) (wrong int) {
	r, ok := resp.(*kmsg.FetchResponse)
	if !ok {
		return 0
	}
	for i := range r.Topics {
		for j := range r.Topics[i].Partitions {
			p := &r.Topics[i].Partitions[j]
			batches, rest, err := wire.DecodeRecords(p.RecordBatches)
			if err != nil || !slices.ContainsFunc(batches, lacksValue) {
				continue
			}
			set, at := []byte{}, 0
			for _, b := range batches {
				size := batchSize(p.RecordBatches[at:])
				if lacksValue(b) {
					set = append(set, withValue(b)...)
				} else {
					set = append(set, p.RecordBatches[at:at+size]...)
				}
				at += size
			}
			p.RecordBatches = append(set, p.RecordBatches[len(p.RecordBatches)-rest:]...)
			wrong++
		}
	}
	return wrong
}

func lacksValue(b wire.RecordBatch) bool {
	return b.Control() && b.Marker == nil && len(b.Records) == 1 && len(b.Records[0].Key) == 4 && len(b.Records[0].Value) == 0
}

func withValue(b wire.RecordBatch) []byte {
	return wire.Batch{
		BaseOffset: b.BaseOffset, ProducerID: b.ProducerID, ProducerEpoch: b.ProducerEpoch, BaseSequence: b.BaseSequence,
		Transactional: b.Transactional(), Control: true, Timestamp: b.BaseTimestamp,
		Keys: [][]byte{b.Records[0].Key}, Records: [][]byte{[]byte(markerValue)},
	}.Encode()
}

// batchSize is the size in bytes of the first batch of a set, which is whole.
func batchSize(set []byte) int {
	const prefix = 12 // base offset and length, which the length does not count
	return prefix + int(uint32(set[8])<<24|uint32(set[9])<<16|uint32(set[10])<<8|uint32(set[11]))
}
