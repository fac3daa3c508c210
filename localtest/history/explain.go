package history

import (
	"fmt"
	"slices"
	"sort"
	"strings"
	"time"

	"github.com/anishathalye/porcupine"
)

// shownBefore is how many calls are shown that led to the lock at which no
// order goes on.
const shownBefore = 8

// impatience is how long the search may take for each history that is tried for
// an explanation.
const impatience = 500 * time.Millisecond

// explain gives the shortest history without an order that calls, for which none
// was found, begin with; and of that the end, from where orders still went on.
func (s *search) explain(calls []Call) Violation {
	s.options.Patience = min(s.options.Patience, impatience)
	var ends []int64
	for i := range calls {
		if calls[i].Told {
			ends = append(ends, calls[i].End)
		}
	}
	slices.Sort(ends)
	shortest := sort.Search(len(ends), func(i int) bool {
		return s.run(until(calls, ends[i])) != porcupine.Ok
	})
	if shortest == len(ends) { // found in another order, in time after all
		return Violation{Workspace: s.ws, What: fmt.Sprintf("%d calls", len(calls)), Calls: calls}
	}
	prefix := until(calls, ends[shortest])
	v := Violation{Workspace: s.ws}
	placed, locks := s.longest(prefix)
	last := slices.IndexFunc(prefix, func(c Call) bool { return c.Told && c.End == ends[shortest] })
	v.What = fmt.Sprintf("no order of its first %d calls explains the answer to %s's %s.\n  The longest order of the others leads to: %s",
		len(prefix), prefix[last].Client, prefix[last].What(), locks)
	from := 0
	if n := len(placed); n > shownBefore {
		from = n - shownBefore
	}
	show := map[int]bool{last: true}
	for _, i := range placed[from:] {
		show[i] = true
	}
	since := prefix[last].Start
	for i := range show {
		since = min(since, prefix[i].Start)
	}
	for i, c := range prefix {
		// What was open at the time may be what an order would need.
		if show[i] || c.Start >= since || c.End >= prefix[last].Start && c.Kind == Transition {
			v.Calls = append(v.Calls, c)
		}
	}
	return v
}

// until gives what was known at time t. That a call was over by some later time
// is as true as before.
func until(calls []Call, t int64) []Call {
	var known []Call
	for _, c := range calls {
		if c.Start > t {
			continue
		}
		if c.End > t {
			c.Told = false
		}
		known = append(known, c)
	}
	return known
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

// longest gives the longest order of calls that was found, as indices, and
// describes the locks that it can have led to.
func (s *search) longest(calls []Call) (placed []int, locks string) {
	ops, err := operations(calls, s.options.Skew.Milliseconds(), 1)
	if err != nil {
		return nil, err.Error()
	}
	m := model(s.ws)
	_, info := porcupine.CheckOperationsVerbose(m, ops, s.options.Patience)
	var longest []porcupine.Operation
	for _, order := range info.PartialLinearizationsOperations()[0] {
		if len(order) > len(longest) {
			longest = order
		}
	}
	at := m.Init()
	for _, op := range longest {
		if op.Input.(*call).end {
			break // what follows is what did nothing
		}
		_, at = m.Step(at, op.Input, nil)
		placed = append(placed, op.Input.(*call).index)
	}
	var all []string
	for _, one := range at.([]any) {
		l := one.(state).lock
		view := l.View()
		view.LeaseUntil = "" // the model does not know it here
		text := describe(view)
		if l.Spent != "" {
			text += ", last freed " + l.Spent
		}
		all = append(all, text)
	}
	return placed, strings.Join(all, "; or ")
}
