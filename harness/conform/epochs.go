package conform

import (
	"context"

	"github.com/onceproof/onceproof/harness/broker"
	"github.com/onceproof/onceproof/harness/steps"
)

// prepared is an oracle that has been told what the broker says of its coordinator. One that ran before the scenario, and
// was restarted, has another epoch than a fresh one: a marker by hand is refused by it that a fresh one takes.
func (r *run) prepared(ctx context.Context, b broker.Broker, o steps.Oracle) (steps.Oracle, error) {
	j, takes := o.(interface{ CoordinatorAt(epoch int32) })
	if r.inProcess() || !takes {
		return o, nil
	}
	epochs, err := broker.ReadCoordinatorEpochs(ctx, b, nil)
	if err != nil {
		return nil, err
	}
	if epoch, known := epochs.Of(); known {
		j.CoordinatorAt(epoch)
	}
	return o, nil
}
