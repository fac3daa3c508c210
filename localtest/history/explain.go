package history

import (
	"fmt"
	"slices"
	"strings"

	"github.com/statelock/statelock/pkg/lockmodel"
)

// shownBefore is how many calls are shown that had ended before those among
// which no order goes on.
const shownBefore = 8

// explain says where no order goes on, and shows the calls that were open then
// and the last ones before.
func (s *search) explain(calls []Call, at *stuck) Violation {
	v := Violation{Rule: NotLinearizable, Workspace: s.ws}
	now := at.call.End
	until := 0
	var before []int
	for i := range calls {
		c := &calls[i]
		if c.Start > now {
			break
		}
		until++
		if c.Told && c.End < at.call.Start {
			before = append(before, i)
		}
	}
	slices.SortFunc(before, func(i, j int) int { return int(calls[i].End - calls[j].End) })
	before = before[max(0, len(before)-shownBefore):]
	for i, c := range calls[:until] {
		switch {
		case c.End > now:
			c.Told = false // as it was then
		case c.over() < at.call.Start && !slices.Contains(before, i):
			continue
		}
		v.Calls = append(v.Calls, c)
	}
	v.What = fmt.Sprintf("no order of its first %d calls explains the answer to %s's %s.\n  The lock is %s before the calls that were open then",
		until, at.call.Client, at.call.What(), describeStates(at.states))
	return v
}

// describeStates spells the locks that orders can have led to.
func describeStates(states []state) string {
	const most = 4
	var texts []string
	for _, s := range states {
		view := s.lock.View(lockmodel.Terms{})
		view.LeaseUntil = "" // the model does not know it here
		text := describe(view)
		if s.lock.Spent != "" {
			text += ", last freed " + s.lock.Spent
		}
		if !slices.Contains(texts, text) {
			texts = append(texts, text)
		}
	}
	if len(texts) > most {
		texts = append(texts[:most], "…")
	}
	return strings.Join(texts, "; or ")
}
