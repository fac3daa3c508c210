package torture

import (
	"fmt"

	"github.com/statelock/statelock/localtest/faults"
)

// weather is what a run's network is like, and who meddles. It follows from the
// seed, so that a seed alone replays a run, and any row of seeds has them all.
type weather struct {
	name                  string
	toService, toDatabase faults.Rates
	tampering             bool
	workspaces            int
	clients               int // 0 for as many as the configuration says
}

var weathers = []weather{
	{name: "calm", workspaces: 2},
	{name: "bad network to the service", toService: faults.Even(0.25), workspaces: 3},
	{name: "bad network to the database", toDatabase: faults.Even(0.25), workspaces: 3},
	{name: "bad network to both", toService: faults.Even(0.2), toDatabase: faults.Even(0.2), workspaces: 3},
	{name: "storm", toService: faults.Even(0.45), toDatabase: faults.Even(0.45), workspaces: 2},
	{
		name: "late copies", workspaces: 2,
		toService:  faults.Rates{}.With(0.3, faults.LateCopy, faults.LateDelivery),
		toDatabase: faults.Rates{}.With(0.4, faults.LateCopy, faults.LateDelivery, faults.Duplicate),
	},
	{name: "one lock, lost replies", workspaces: 1, toService: faults.Rates{faults.LoseReply: 0.2}, toDatabase: faults.Rates{faults.LoseReply: 0.2}},
	{
		name: "two clients and their copies", workspaces: 1, clients: 2,
		toService: faults.Rates{faults.LateCopy: 0.4, faults.LateDelivery: 0.05, faults.LoseReply: 0.1},
	},
	{name: "tampering", toService: faults.Even(0.1), toDatabase: faults.Even(0.1), tampering: true, workspaces: 3},
}

func weatherOf(seed uint64) weather { return weathers[seed%uint64(len(weathers))] }

// names are the workspaces of a run.
func (w weather) names() []string {
	names := make([]string, w.workspaces)
	for i := range names {
		names[i] = fmt.Sprintf("ws-%d", i)
	}
	return names
}
