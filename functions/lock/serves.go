package main

import (
	"fmt"
	"slices"
	"strings"
)

// duty is what a deployment of the function serves: the kinds of events that it
// takes. One binary is deployed several times, each with one duty, so that the
// permission to invoke one of them grants no more than that one's.
type duty string

const (
	// dutyAll serves whatever comes: on a workbench, where nothing is granted.
	dutyAll duty = ""
	// dutyAPI answers the events of gateways.
	dutyAPI duty = "api"
	// dutyOps takes command documents.
	dutyOps duty = "ops"
	// dutySweep takes the scheduled event.
	dutySweep duty = "sweep"
	// dutyHistory takes batches of the table's stream.
	dutyHistory duty = "history"
)

// duties are the kinds of each duty, and how they are called.
var duties = map[duty]struct {
	kinds []kind
	name  string
}{
	dutyAPI:     {[]kind{kindHTTPAPI, kindFunctionURL, kindHTTPAPIv1, kindREST}, "events of its gateway"},
	dutyOps:     {[]kind{kindCommand}, `command documents such as {"op":"lock_state","ws":"prod"}`},
	dutySweep:   {[]kind{kindSchedule}, "the scheduled event of Amazon EventBridge"},
	dutyHistory: {[]kind{kindStream}, "batches of its table's stream"},
}

// serves reports whether an event of kind k is for a deployment of that duty.
func (d duty) serves(k kind) bool {
	return d == dutyAll || slices.Contains(duties[d].kinds, k)
}

// accepted is the reason given to whoever sends anything else.
func (d duty) accepted() string {
	if d == dutyAll {
		return accepted
	}
	return "this function takes " + duties[d].name + " and nothing else; other deployments of it take the rest"
}

// serving reads a duty into place.
func serving(place *duty) func(string) error {
	return func(value string) error {
		d := duty(value)
		if _, known := duties[d]; !known {
			var names []string
			for name := range duties {
				names = append(names, string(name))
			}
			slices.Sort(names)
			return fmt.Errorf("%q is none of %s", value, strings.Join(names, ", "))
		}
		*place = d
		return nil
	}
}
