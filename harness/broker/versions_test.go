package broker_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/twmb/franz-go/pkg/kmsg"

	"github.com/onceproof/onceproof/harness/broker"
	"github.com/onceproof/onceproof/harness/wire"
)

// old is a broker that knows ApiVersions up to a version, and tells so, or not, when it
// is asked for more.
type old struct {
	broker.Conn
	highest int16
	tells   bool
	asked   []int16
}

func (o *old) Do(_ context.Context, req kmsg.Request) (*wire.Exchange, error) {
	version := req.GetVersion()
	o.asked = append(o.asked, version)
	resp := req.ResponseKind().(*kmsg.ApiVersionsResponse)
	key := kmsg.ApiVersionsResponseApiKey{ApiKey: 18, MaxVersion: o.highest}
	if version > o.highest {
		resp.ErrorCode = 35
		if !o.tells {
			return &wire.Exchange{Request: req, Response: resp}, nil
		}
	}
	resp.ApiKeys = append(resp.ApiKeys, key, kmsg.ApiVersionsResponseApiKey{ApiKey: 0, MinVersion: 3, MaxVersion: 11})
	return &wire.Exchange{Request: req, Response: resp}, nil
}

func TestVersionsOfAnOldBroker(t *testing.T) {
	for _, tt := range []struct {
		o    *old
		want []int16
	}{
		{&old{highest: 4}, []int16{4}},
		{&old{highest: 3, tells: true}, []int16{4, 3}},
		{&old{highest: 2}, []int16{4, 0}},
	} {
		v, err := broker.ReadVersions(t.Context(), tt.o)
		if err != nil || fmt.Sprint(tt.o.asked) != fmt.Sprint(tt.want) {
			t.Errorf("highest %d: expected to ask with %v, asked with %v, %v", tt.o.highest, tt.want, tt.o.asked, err)
		}
		if v.TransactionVersion != 0 || v.SupportedTransactionVersions != nil {
			t.Errorf("expected level 0 of a feature that is not there, got %+v", v)
		}
		if !v.Has(0, 11) || v.Has(0, 12) || v.Has(0, 2) || v.Has(26, 0) {
			t.Errorf("expected Produce v3 to v11 and no EndTxn, got %+v", v)
		}
		produce, err := v.AtMost(0, 12)
		if err != nil || produce != 11 {
			t.Errorf("expected Produce v11, got v%d, %v", produce, err)
		}
		for what, ask := range map[string][2]int16{"Produce v2 or lower": {0, 2}, "EndTxn, got one without": {26, 5}} {
			if _, err := v.AtMost(ask[0], ask[1]); !errors.Is(err, broker.ErrUnsupported) || !strings.Contains(err.Error(), what) {
				t.Errorf("expected ErrUnsupported with %q, got %v", what, err)
			}
		}
	}
}
