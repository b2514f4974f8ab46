// Package features holds the features: what Kafka's exactly-once machinery must do, as scenarios in the language of the
// protocol. Package harness/steps says what each line does.
package features

import "embed"

// Files are the .feature files. Those in traces are generated from counterexamples of the checker (package harness/trace).
//
//go:embed *.feature traces/*.feature
var Files embed.FS
