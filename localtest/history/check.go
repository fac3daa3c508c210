package history

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/anishathalye/porcupine"

	"github.com/statelock/statelock/pkg/lockmodel"
)

// Options say how a history is checked.
type Options struct {
	// Skew is the service's own (ddbstore.Options.ClockSkew).
	Skew time.Duration
	// Patience is how long porcupine may look for an order, for one workspace;
	// 0 stands for ten seconds.
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
	// CheckersDisagree is a mistake of this package's.
	CheckersDisagree = "the checkers disagree"
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
		options.Patience = 10 * time.Second
	}
	var found []Violation
	byWorkspace := group(calls)
	for _, ws := range slices.Sorted(maps.Keys(byWorkspace)) {
		s := search{ws: ws, options: options}
		if v := s.run(byWorkspace[ws]); v != nil {
			v.Workspace, v.Known = ws, len(calls)
			if len(v.Calls) > 0 {
				v.Known = begun(calls, latest(v.Calls))
			}
			found = append(found, *v)
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

// latest is when the last of the calls' answers was given.
func latest(calls []Call) int64 {
	var t int64
	for i := range calls {
		if calls[i].Told {
			t = max(t, calls[i].End)
		}
	}
	return t
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
	ws      string
	options Options
}

// run looks for an order in which each request lands unseen once at most, and if
// there is none, for one in which it may do so twice: an acquire can, where its
// first hold ended unseen and others came and went before it was tried again.
func (s *search) run(calls []Call) *Violation {
	var v *Violation
	for _, times := range []int{1, 2} {
		prepared, err := prepare(calls, s.options.Skew.Milliseconds())
		if err != nil {
			return &Violation{Rule: Malformed, What: err.Error()}
		}
		all := withLandings(prepared, times)
		if v = s.verdict(calls, all); v == nil {
			return nil
		}
	}
	return v
}

// verdict asks porcupine first, which is quick to find an order, and the
// frontier if it finds none, which is quick to see that there is none.
func (s *search) verdict(calls []Call, all []*call) *Violation {
	result := porcupine.CheckOperationsTimeout(model(s.ws), operations(all), s.options.Patience)
	if result == porcupine.Ok {
		return nil
	}
	// What came later must not show in the explanation, if that can be had.
	var f frontier
	stuck := f.orders(state{lock: lockmodel.NewLock(s.ws)}, withoutHorizon(all))
	if f.crowded {
		f = frontier{}
		stuck = f.orders(state{lock: lockmodel.NewLock(s.ws)}, all)
	}
	switch {
	case f.crowded:
		return &Violation{Rule: Undecided, What: fmt.Sprintf("no verdict on its %d calls within %s", len(calls), s.options.Patience)}
	case stuck != nil:
		v := s.explain(calls, stuck)
		return &v
	case result == porcupine.Illegal:
		return &Violation{Rule: CheckersDisagree, What: "porcupine finds no order where there is one"}
	}
	return nil
}

func withoutHorizon(all []*call) []*call {
	plain := make([]*call, len(all))
	for i, c := range all {
		one := *c
		one.horizon = nil
		plain[i] = &one
	}
	return plain
}
