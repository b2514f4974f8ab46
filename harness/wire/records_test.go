package wire_test

import (
	"bytes"
	"encoding/binary"
	"hash/crc32"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/twmb/franz-go/pkg/kmsg"

	"github.com/onceproof/onceproof/harness/wire"
)

// batch is one of every kind of field.
var batch = wire.Batch{
	BaseOffset: 40, ProducerID: 9081, ProducerEpoch: 7, BaseSequence: 3, Transactional: true,
	Records: [][]byte{[]byte("a"), nil, {}}, Keys: [][]byte{nil, []byte("k")}, Timestamp: 1_700_000_000_000,
}

func TestABatchReadsBackAsWritten(t *testing.T) {
	got, rest, err := wire.DecodeRecords(batch.Encode())
	if err != nil || rest != 0 || len(got) != 1 {
		t.Fatalf("expected one batch, got %+v, %d, %v", got, rest, err)
	}
	want := wire.RecordBatch{
		BaseOffset: 40, LeaderEpoch: -1, Attributes: 0x10, LastOffsetDelta: 2, BaseTimestamp: 1_700_000_000_000, MaxTimestamp: 1_700_000_000_000,
		ProducerID: 9081, ProducerEpoch: 7, BaseSequence: 3, Count: 3,
		Records: []wire.Record{
			{Offset: 40, Timestamp: 1_700_000_000_000, Value: []byte("a")},
			{Offset: 41, Timestamp: 1_700_000_000_000, Key: []byte("k")},
			{Offset: 42, Timestamp: 1_700_000_000_000, Value: []byte{}},
		},
	}
	if !reflect.DeepEqual(got[0], want) {
		t.Errorf("expected\n%+v, got\n%+v", want, got[0])
	}
	if !got[0].Transactional() || got[0].Control() || got[0].Compressed() || got[0].LastOffset() != 42 {
		t.Errorf("expected a transactional data batch up to 42, got %+v", got[0])
	}
}

// kmsg's own type reads the header as we wrote it.
func TestABatchIsWhatKmsgReads(t *testing.T) {
	var got kmsg.RecordBatch
	if err := got.ReadFrom(batch.Encode()); err != nil {
		t.Fatal(err)
	}
	if got.FirstOffset != 40 || got.Magic != 2 || got.ProducerID != 9081 || got.ProducerEpoch != 7 || got.FirstSequence != 3 || got.NumRecords != 3 || got.Attributes != 0x10 || got.LastOffsetDelta != 2 {
		t.Errorf("got %+v", got)
	}
}

func TestABatchCanBeWrongOnPurpose(t *testing.T) {
	good := batch.Encode()
	for name, tt := range map[string]struct {
		change func(*wire.Batch)
		at     int
		want   []byte
		says   string
	}{
		"checksum":          {func(b *wire.Batch) { b.CorruptCRC = true }, 17, nil, "expected checksum"},
		"magic":             {func(b *wire.Batch) { b.Magic = new(int8(1)) }, 16, []byte{1}, "expected magic 2, got 1"},
		"count too high":    {func(b *wire.Batch) { b.Count = new(int32(4)) }, 57, []byte{0, 0, 0, 4}, "record 4 of 4"},
		"count too low":     {func(b *wire.Batch) { b.Count = new(int32(1)) }, 57, []byte{0, 0, 0, 1}, "expected 1 records"},
		"last offset delta": {func(b *wire.Batch) { b.LastOffsetDelta = new(int32(9)) }, 23, []byte{0, 0, 0, 9}, ""},
		"control":           {func(b *wire.Batch) { b.Control = true }, 21, []byte{0, 0x30}, ""},
	} {
		b := batch
		tt.change(&b)
		bytes := b.Encode()
		if len(bytes) != len(good) {
			t.Errorf("%s: expected the same length", name)
		}
		if tt.want != nil && !slices.Equal(bytes[tt.at:tt.at+len(tt.want)], tt.want) {
			t.Errorf("%s: expected %x at %d, got %x", name, tt.want, tt.at, bytes[tt.at:tt.at+len(tt.want)])
		}
		_, _, err := wire.DecodeRecords(bytes)
		if (err == nil) != (tt.says == "") || err != nil && !strings.Contains(err.Error(), tt.says) {
			t.Errorf("%s: expected an error with %q, got %v", name, tt.says, err)
		}
	}
}

func marker(kind wire.MarkerType, value int) wire.Batch {
	return wire.Batch{BaseOffset: 43, ProducerID: 9081, ProducerEpoch: 8, BaseSequence: -1, Transactional: true, Control: true, Timestamp: 1,
		Keys: [][]byte{{0, 0, 0, byte(kind)}}, Records: [][]byte{append([]byte{0, 0, 0, 0, 0, 17}, make([]byte, value-6)...)}}
}

func TestMarkersAreRead(t *testing.T) {
	set := slices.Concat(batch.Encode(), marker(wire.Commit, 6).Encode(), marker(wire.Abort, 8).Encode(), marker(5, 6).Encode())
	got, rest, err := wire.DecodeRecords(append(set, set[:70]...))
	if err != nil || rest != 70 || len(got) != 4 {
		t.Fatalf("expected four batches and a rest, got %d, %d, %v", len(got), rest, err)
	}
	want := []*wire.Marker{nil, {Type: wire.Commit, CoordinatorEpoch: 17, KeyLength: 4, ValueLength: 6}, {Type: wire.Abort, CoordinatorEpoch: 17, KeyLength: 4, ValueLength: 8}, nil}
	for i, w := range want {
		if !reflect.DeepEqual(got[i].Marker, w) {
			t.Errorf("batch %d: expected marker %+v, got %+v", i, w, got[i].Marker)
		}
	}
	if s := got[1].Marker.Type.String() + got[2].Marker.Type.String(); s != "COMMITABORT" {
		t.Errorf("expected COMMIT and ABORT, got %s", s)
	}
}

func TestAnyCutOfARecordSetIsARest(t *testing.T) {
	one := batch.Encode()
	set := slices.Concat(one, one)
	for n := range set {
		got, rest, err := wire.DecodeRecords(set[:n])
		if err != nil || len(got) != n/len(one) || rest != n%len(one) {
			t.Fatalf("%d bytes: expected %d batches and a rest of %d, got %d, %d, %v", n, n/len(one), n%len(one), len(got), rest, err)
		}
	}
}

func TestACompressedBatchKeepsItsHeader(t *testing.T) {
	b := batch.Encode()
	b[22] |= 2 // snappy
	reseal(b)
	got, _, err := wire.DecodeRecords(b)
	if err != nil || !got[0].Compressed() || got[0].Records != nil || got[0].BaseSequence != 3 {
		t.Errorf("expected a header without records, got %+v, %v", got, err)
	}
	if _, err := wire.DecodeTxnRecords(got); err == nil {
		t.Error("expected an error for a compressed __transaction_state, got none")
	}
}

// reseal corrects length and checksum of a batch that was changed.
func reseal(b []byte) {
	binary.BigEndian.PutUint32(b[8:], uint32(len(b)-12))
	binary.BigEndian.PutUint32(b[17:], crc32.Checksum(b[21:], crc32.MakeTable(crc32.Castagnoli)))
}

func FuzzDecodeRecords(f *testing.F) {
	f.Add(batch.Encode())
	f.Add(marker(wire.Commit, 6).Encode())
	f.Add(slices.Concat(batch.Encode(), marker(wire.Abort, 6).Encode())[:150])
	f.Add(txnBatch(f))
	f.Fuzz(func(t *testing.T, set []byte) {
		check := func(set []byte) {
			batches, rest, err := wire.DecodeRecords(set)
			if rest < 0 || rest > len(set) || err != nil && rest != 0 {
				t.Errorf("rest %d of %d bytes, %v", rest, len(set), err)
			}
			for i := range batches {
				if n := len(batches[i].Records); n > len(set) {
					t.Errorf("%d records out of %d bytes", n, len(set))
				}
			}
			_, _ = wire.DecodeTxnRecords(batches)
		}
		check(set)
		// With a right length and checksum the records themselves are reached.
		if len(set) >= 61 {
			set = bytes.Clone(set)
			set[16] = 2
			reseal(set)
			check(set)
		}
	})
}
