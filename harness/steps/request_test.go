package steps

import (
	"strings"
	"testing"

	"github.com/onceproof/onceproof/spec"
)

func TestAPhraseSaysWhatIsInTheRequest(t *testing.T) {
	p, err := parseRequest(`Produce("a" "b c" to my-topic-0 with sequence 5 at epoch 3 with version 11 with acks 1)`)
	if err != nil {
		t.Fatal(err)
	}
	if p.api != spec.Produce || len(p.values) != 2 || p.values[1] != "b c" || len(p.partitions) != 1 || p.partitions[0] != (partition{"my-topic", 0}) {
		t.Errorf("expected a and b c to my-topic-0, got %+v", p)
	}
	if *p.sequence != 5 || *p.epoch != 3 || *p.version != 11 || *p.acks != 1 {
		t.Errorf("expected sequence 5, epoch 3, version 11, acks 1, got %d, %d, %d, %d", *p.sequence, *p.epoch, *p.version, *p.acks)
	}
	p, err = parseRequest("WriteTxnMarkers(commit, t-0, producer id P3, epoch -1, coordinator epoch C0, transaction version 2)")
	if err != nil {
		t.Fatal(err)
	}
	if !p.commit || *p.producer != "P3" || *p.epoch != -1 || *p.coordinatorEpoch != "C0" || *p.markerVersion != 2 || p.version != nil {
		t.Errorf("expected a commit marker of P3, got %+v", p)
	}
	p, err = parseRequest("AddPartitionsToTxn(t-0, t-12, verify only)")
	if err != nil || len(p.partitions) != 2 || p.partitions[1].index != 12 || !p.verify {
		t.Errorf("expected two partitions to verify, got %+v and %v", p, err)
	}
}

func TestAPhraseThatIsNotUnderstoodIsAnError(t *testing.T) {
	for text, want := range map[string]string{
		"Fetch(t-0)":                  "InitProducerId",
		"EndTxn(comit)":               `"comit)"`,
		"EndTxn(commit, epoch 70000)": "16 bits",
		"EndTxn(commit, sequence x)":  `"sequence x)"`,
	} {
		if _, err := parseRequest(text); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: expected an error with %s, got %v", text, want, err)
		}
	}
}

func TestSequencesWrap(t *testing.T) {
	for _, c := range []struct{ first, n, want int32 }{{0, 3, 3}, {2147483646, 2, 0}, {2147483646, 3, 1}, {2147483647, 1, 0}} {
		if got := following(c.first, c.n); got != c.want {
			t.Errorf("%d records from %d on: expected %d next, got %d", c.n, c.first, c.want, got)
		}
	}
}

// The outcome of a fix counts where the release has it, and where the release is not demanded exactly.
func TestWhichOutcomesCountIsUpToTheRelease(t *testing.T) {
	all, err := parseOutcomes("INVALID_TXN_STATE, or PRODUCER_FENCED by KAFKA-20785, or NONE at offset 3 by KAFKA-15591 and that is all")
	if err != nil {
		t.Fatal(err)
	}
	if !all[2].last || *all[2].offset != 3 || all[1].last {
		t.Errorf("expected the last outcome to end the scenario, got %+v", all)
	}
	for _, c := range []struct {
		fixes  spec.Fixes
		strict bool
		want   string
	}{
		{0, true, "INVALID_TXN_STATE"},
		{0, false, "INVALID_TXN_STATE PRODUCER_FENCED NONE"},
		{spec.Fix20785, true, "PRODUCER_FENCED"},
		{spec.Fix20785, false, "PRODUCER_FENCED NONE"},
	} {
		w := NewWorld()
		w.Release, w.Strict = spec.Release{Fixes: c.fixes}, c.strict
		var got []string
		for _, o := range w.applicable(all) {
			got = append(got, codeName(o.code))
		}
		if strings.Join(got, " ") != c.want {
			t.Errorf("fixes %v, strict %v: expected %s, got %v", c.fixes.IDs(), c.strict, c.want, got)
		}
	}
	for _, text := range []string{"NOTHING", "NONE at offset x", "NONE by KAFKA-1", "none"} {
		if _, err := parseOutcomes(text); err == nil {
			t.Errorf("%q: expected an error, got none", text)
		}
	}
}

// A name is bound where it is first met; after that it is a number like any other, and no two names share one.
func TestNamesAreBoundOnFirstSight(t *testing.T) {
	w := NewWorld()
	if err := w.bind("P0", 4711); err != nil {
		t.Fatal(err)
	}
	if err := w.bind("P0", 4711); err != nil {
		t.Errorf("expected P0 to stay 4711, got %v", err)
	}
	for name, came := range map[string]int64{"P0": 12, "P1": 4711, "P2": -1, "7": 8} {
		if err := w.bind(name, came); err == nil {
			t.Errorf("%s and %d: expected a mismatch, got none", name, came)
		}
	}
	if err := w.bind("C0", 4711); err != nil {
		t.Errorf("expected a coordinator epoch to be another kind of number, got %v", err)
	}
	if got := w.symbol("P", 4711); got != "P0" {
		t.Errorf("expected P0, got %s", got)
	}
}
