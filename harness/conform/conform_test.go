package conform_test

import (
	"context"
	"os"
	"strconv"
	"testing"
	"fmt"

	"github.com/onceproof/onceproof/harness/broker"
	"github.com/onceproof/onceproof/harness/conform"
	"github.com/onceproof/onceproof/harness/reference"
	"github.com/onceproof/onceproof/spec"
)

func TestTry(t *testing.T) {
	b := os.Getenv("B")
	if b == "" {
		t.Skip()
	}
	from, _ := strconv.Atoi(os.Getenv("FROM"))
	to, _ := strconv.Atoi(os.Getenv("TO"))
	out, _ := os.Create("/tmp/out.txt")
	for seed := from; seed <= to; seed++ {
		o := conform.Options{Broker: b, Out: out, Tags: os.Getenv("TAGS"), Strict: os.Getenv("STRICT") != "", Profile: os.Getenv("PROFILE"), ReportDir: os.Getenv("REPORT")}
		if to > 0 {
			o.Spec = func(_ context.Context, tg broker.Target) (broker.Broker, error) {
				return reference.New(spec.Rules{TransactionVersion: int8(*tg.TransactionVersion), Fixes: spec.AllReleases()[0].Fixes}, uint64(seed)), nil
			}
		}
		r, err := conform.Run(t.Context(), o)
		if err != nil {
			t.Fatal(err)
		}
		r.Skipped = nil
		fmt.Println(seed, r.Summary())
	}
}
