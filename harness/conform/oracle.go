package conform

import (
	"time"

	"github.com/twmb/franz-go/pkg/kmsg"

	"github.com/onceproof/onceproof/harness/steps"
	"github.com/onceproof/onceproof/spec"
)

type silent struct{}

func (silent) Sent(uint16, kmsg.Request, time.Time) error      { return nil }
func (silent) Answered(uint16, kmsg.Response, time.Time) error { return nil }
func (silent) Lost(uint16)                                     {}
func (silent) Overdue(uint16) error                            { return nil }
func (silent) Restarted(bool)                                  {}
func (silent) TopicCreated(string, int32)                      {}

func defaultOracle(spec.Release, int8, bool) steps.Oracle { return silent{} }
