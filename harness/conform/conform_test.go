package conform_test

import (
	"os"
	"testing"

	"github.com/onceproof/onceproof/harness/conform"
)

func TestTry(t *testing.T) {
	b := os.Getenv("B")
	if b == "" {
		t.Skip()
	}
	r, err := conform.Run(t.Context(), conform.Options{Broker: b, Out: os.Stdout, Tags: os.Getenv("TAGS")})
	t.Log(err)
	t.Log(r.ExitCode())
}
