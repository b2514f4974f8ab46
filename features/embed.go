// Package features holds the features: what Kafka's exactly-once machinery must do, as scenarios in the language of the
// protocol. Package harness/steps says what each line does.
package features

import "embed"

// Files are the .feature files.
//
//go:embed *.feature
var Files embed.FS
