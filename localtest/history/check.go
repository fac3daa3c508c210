package history

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/anishathalye/porcupine"
)

// Options say how a history is checked.
type Options struct {
	// Skew is the service's own (ddbstore.Options.ClockSkew).
	Skew time.Duration
	// Patience is how long the search for an order may take, for one
	// workspace; 0 stands for a minute.
	Patience time.Duration
}

// Violation is something that must not be.
type Violation struct {
	// Rule names the check.
	Rule string
	// Workspace is whose lock it is about.
	Workspace string
	// What says what is wrong.
	What string
	// Calls are those that show it, in the order of their starts.
	Calls []Call
	// Known is how many calls of the whole history had begun when it was there
	// to see.
	Known int
}

// The rules of Violations.
const (
	NotLinearizable = "not linearizable"
	Undecided       = "undecided" // within Patience no order was found, nor shown that there is none
	Malformed       = "malformed answer"
)

// String gives the violation and the calls that show it, for a person.
func (v Violation) String() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s: workspace %s: %s\n", v.Rule, v.Workspace, v.What)
	for i := range v.Calls {
		fmt.Fprintf(&b, "  %s\n", v.Calls[i].line(v.Calls[0].Start))
	}
	return b.String()
}

// Check gives the workspaces whose calls have no order that agrees with Step.
func Check(calls []Call, options Options) []Violation {
	if options.Patience == 0 {
		options.Patience = time.Minute
	}
	var found []Violation
	byWorkspace := group(calls)
	for _, ws := range slices.Sorted(maps.Keys(byWorkspace)) {
		s := search{ws: ws, options: options}
		if result := s.run(byWorkspace[ws]); result != porcupine.Ok {
			v := s.explain(byWorkspace[ws])
			v.Rule, v.Known = NotLinearizable, begun(calls, latest(v.Calls))
			if result == porcupine.Unknown {
				v.Rule = Undecided
			}
			found = append(found, v)
		}
		if s.malformed != nil {
			found = append(found, Violation{Rule: Malformed, Workspace: ws, What: s.malformed.Error(), Known: len(calls)})
		}
	}
	return found
}

// group gives the calls by workspace.
func group(calls []Call) map[string][]Call {
	by := map[string][]Call{}
	for _, c := range calls {
		by[c.Request.Workspace] = append(by[c.Request.Workspace], c)
	}
	return by
}

// begun counts the calls that had begun at t.
func begun(calls []Call, t int64) int {
	n := 0
	for i := range calls {
		if calls[i].Start <= t {
			n++
		}
	}
	return n
}

// search looks for an order of one workspace's calls.
type search struct {
	ws        string
	options   Options
	malformed error
}

// run looks for an order in which each request lands unseen once at most, and if
// there is none, for one in which it may do so twice: an acquire can, where its
// first hold ended unseen and others came and went before it was tried again.
func (s *search) run(calls []Call) (result porcupine.CheckResult) {
	for times := range 2 {
		ops, err := operations(calls, s.options.Skew.Milliseconds(), times+1)
		if err != nil {
			s.malformed = err
			return porcupine.Ok
		}
		result = porcupine.CheckOperationsTimeout(model(s.ws), ops, s.options.Patience)
		if result == porcupine.Ok {
			break
		}
	}
	return result
}
