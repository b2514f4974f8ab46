// Package brokertest is what tests of several packages need to meet Apache Kafka in a container.
package brokertest

import (
	"context"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"testing"
	"time"
)

// Image is the image of Apache Kafka that tests run: make kafka-image builds it.
const Image = "onceproof/kafka:4.4.0"

// NeedKafka skips a test, and prints why, where no engine answers that has the image. Where ONCEPROOF_REQUIRE_DOCKER is
// set, containers are demanded and the test fails instead.
func NeedKafka(t *testing.T) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
	defer cancel()
	out, err := exec.CommandContext(ctx, "docker", "image", "inspect", "-f", "{{.Id}}", Image).CombinedOutput()
	if err == nil {
		return
	}
	why := fmt.Sprintf("no Docker engine with %s (make kafka-image builds it): %s%v", Image, out, err)
	if os.Getenv("ONCEPROOF_REQUIRE_DOCKER") != "" {
		t.Fatal(why)
	}
	fmt.Println("SKIP", t.Name()+":", why)
	t.Skip(why)
}

// SideBySide runs a package's tests, at least six at a time unless the command line says otherwise: containers wait more
// than they work, so that levels and brokers run side by side even where there are few cores.
func SideBySide(m *testing.M) int {
	flag.Parse()
	chosen := false
	flag.Visit(func(f *flag.Flag) { chosen = chosen || f.Name == "test.parallel" })
	if !chosen {
		_ = flag.Set("test.parallel", fmt.Sprint(max(6, runtime.GOMAXPROCS(0)))) // the flag is there and takes a number
	}
	return m.Run()
}
