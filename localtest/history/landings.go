package history

import (
	"cmp"
	"slices"

	"github.com/statelock/statelock/pkg/lockmodel"
)

// landings gives the ways in which requests can have taken effect without an
// answer that says so: by a call whose outcome nobody learned, or by another
// delivery of a call than that which its answer comes from.
//
// Each is a call that was not answered and that may land once, at some time of
// its own. Several tries of one request make one of them if no answer could
// tell which of them it was: to search through all would take very long, for
// nothing. Tries of a renewal are told apart: each may extend the lease further.
func landings(calls []call) []call {
	tries := map[lockmodel.Request][]call{}
	var events []int64 // starts and ends of answered calls
	for _, c := range calls {
		if c.Told {
			events = append(events, c.Start, c.End)
		}
		if c.Kind == Transition && (!c.Told || c.Deliveries > 1) {
			tries[c.Request] = append(tries[c.Request], c)
		}
	}
	slices.Sort(events)
	// alike reports whether nothing happened between two times.
	alike := func(from, to int64) bool {
		i, _ := slices.BinarySearch(events, from)
		return from >= to || i == len(events) || events[i] > to
	}
	var all []call
	for _, of := range tries {
		for _, c := range of {
			c.End, c.Told = c.over(), false
			last := len(all) - 1
			if last >= 0 && all[last].Request == c.Request && c.Request.Op != lockmodel.Renew && alike(all[last].End, c.Start) && alike(all[last].during.hi*1e6, c.during.lo*1e6) {
				l := &all[last]
				l.End, l.during.hi = max(l.End, c.End), max(l.during.hi, c.during.hi)
				continue
			}
			all = append(all, c)
		}
	}
	slices.SortFunc(all, func(a, b call) int { return cmp.Compare(a.index, b.index) })
	return all
}
