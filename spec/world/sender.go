package world

import "github.com/onceproof/onceproof/spec"

// Sender is the actor whose message an action receives, for diagrams; "" where it receives none.
func (m *Model) Sender(a Action) string {
	switch a.Kind {
	case Arrive:
		if a.Request.Ref > 0 {
			return clientName(int(a.Request.Ref) - 1)
		}
	case Receive:
		if a.Answer.API == spec.Produce {
			return partitionName(m.partition(int(a.Slot) - 1))
		}
		return "coordinator"
	case Internal:
		if a.Step.Kind != spec.Deliver {
			return ""
		}
		switch a.Message.Kind {
		case spec.Reply, spec.Marker:
			return "coordinator"
		}
		return partitionName(int(a.Message.Partition))
	}
	return ""
}
