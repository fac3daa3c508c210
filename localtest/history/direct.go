package history

import (
	"cmp"
	"fmt"
	"maps"
	"slices"

	"github.com/statelock/statelock/pkg/lockmodel"
)

// The rules of Direct.
const (
	OneHoldAFence   = "one fence, one hold"
	OneBeliever     = "one fence, one believer"
	FencesGrow      = "fences grow"
	NeverBulldozed  = "a live holder is never bulldozed"
	ToldWasStored   = "who was told was stored"
	StoredWasWhole  = "stored items are whole"
	StoredWasSingle = "one stored hold a fence"
)

// Direct checks what needs no model, and no order but that of the calls' times:
//
//   - A fence is the number of one hold: whatever answer shows it shows the same
//     lock id and owner with it.
//   - At most one client is told that it holds the lock under a fence.
//   - Fences grow: no answer shows a fence below one that was shown before its
//     call was made, and an acquisition's is above all of those.
//   - A hold that a client was told of ends by a release of that hold, or by a
//     force-unlock that follows a marking, and by nothing else; so that whoever
//     is let in next is not let in beside a holder that nobody gave up on.
func Direct(calls []Call) []Violation {
	var found findings
	byWorkspace := group(calls)
	for _, ws := range slices.Sorted(maps.Keys(byWorkspace)) {
		d := direct{ws: ws, calls: byWorkspace[ws]}
		d.holds()
		d.order()
		d.ends()
		for _, v := range d.found {
			v.Known = begun(calls, latest(v.Calls))
			found.add(v)
		}
	}
	return found
}

// findings are violations, of which each rule has one for each workspace: more
// would say no more.
type findings []Violation

func (f *findings) add(v Violation) {
	if !slices.ContainsFunc(*f, func(had Violation) bool { return had.Rule == v.Rule && had.Workspace == v.Workspace }) {
		*f = append(*f, v)
	}
}

// direct checks one workspace.
type direct struct {
	ws    string
	calls []Call // in the order of their starts
	found findings
}

func (d *direct) violated(rule, what string, calls ...*Call) {
	v := Violation{Rule: rule, Workspace: d.ws, What: what}
	for _, c := range calls {
		v.Calls = append(v.Calls, *c)
	}
	slices.SortFunc(v.Calls, func(a, b Call) int { return cmp.Compare(a.Start, b.Start) })
	d.found.add(v)
}

// shown reports whether the caller was shown a lock.
func (c *Call) shown() bool { return c.Told && c.Kind != Tamper }

// showsHold reports whether the caller was shown a hold.
func (c *Call) showsHold() bool {
	l := &c.Answer.Lock
	return c.shown() && l.LockID != "" && !l.Torn
}

// tellsHolder reports whether the caller was told that it holds the lock.
func (c *Call) tellsHolder() bool {
	return c.done() && (c.isA(lockmodel.Acquire) || c.isA(lockmodel.Renew))
}

// holds checks what answers say of each fence.
func (d *direct) holds() {
	shown := map[int64]*Call{}
	believer := map[int64]*Call{}
	for i := range d.calls {
		c := &d.calls[i]
		if c.showsHold() {
			l, first := c.Answer.Lock, shown[c.Answer.Lock.Fence]
			if first == nil {
				shown[l.Fence] = c
			} else if f := first.Answer.Lock; f.LockID != l.LockID || f.Owner != l.Owner {
				d.violated(OneHoldAFence, fmt.Sprintf("fence %d is shown with two holds", l.Fence), first, c)
			}
		}
		if c.tellsHolder() {
			first := believer[c.Answer.Fence]
			if first == nil {
				believer[c.Answer.Fence] = c
			} else if first.Client != c.Client {
				d.violated(OneBeliever, fmt.Sprintf("%s and %s were both told that they hold the lock under fence %d",
					first.Client, c.Client, c.Answer.Fence), first, c)
			}
		}
	}
}

// order checks that fences grow.
func (d *direct) order() {
	var told []*Call
	for i := range d.calls {
		if d.calls[i].shown() {
			told = append(told, &d.calls[i])
		}
	}
	ended := slices.Clone(told)
	slices.SortStableFunc(ended, func(a, b *Call) int { return cmp.Compare(a.End, b.End) })
	var highest *Call // fence of the calls that have ended
	next := 0
	for _, c := range told {
		for ; ended[next].End < c.Start; next++ {
			if e := ended[next]; highest == nil || e.Answer.Lock.Fence > highest.Answer.Lock.Fence {
				highest = e
			}
		}
		if highest == nil {
			continue
		}
		fence, before := c.Answer.Lock.Fence, highest.Answer.Lock.Fence
		if fence < before {
			d.violated(FencesGrow, fmt.Sprintf("fence %d is shown after fence %d", fence, before), highest, c)
		}
		if c.isA(lockmodel.Acquire) && c.done() && !c.Answer.Repeat && fence == before {
			d.violated(FencesGrow, fmt.Sprintf("a new hold has fence %d, which was shown before", fence), highest, c)
		}
	}
}

// ends checks how the holds ended of which clients were told.
func (d *direct) ends() {
	told := map[int64]*Call{}
	over := map[int64]*Call{} // by fence, the first answer that shows the hold's end
	for i := range d.calls {
		c := &d.calls[i]
		if !c.shown() || c.Answer.Lock.Torn {
			continue
		}
		if c.tellsHolder() && told[c.Answer.Fence] == nil {
			told[c.Answer.Fence] = c
		}
		ended := c.Answer.Lock.Fence
		if c.Answer.Lock.LockID != "" {
			ended--
		}
		if first := over[ended]; first == nil || c.End < first.End {
			over[ended] = c
		}
	}
	// What shows the end of a later hold shows that of the earlier ones, too.
	var first *Call
	for _, fence := range slices.Backward(slices.Sorted(maps.Keys(over))) {
		if c := over[fence]; first == nil || c.End < first.End {
			first = c
		}
		over[fence] = first
	}
	for _, fence := range slices.Sorted(maps.Keys(told)) {
		c := told[fence]
		if end := over[fence]; end != nil && !d.mayHaveEnded(c, end) {
			d.violated(NeverBulldozed, fmt.Sprintf("%s was told that it holds the lock under fence %d, which ended without a release or a force-unlock",
				c.Client, fence), c, end)
		}
	}
}

// mayHaveEnded reports whether there are calls that can have ended the hold
// that holder was told of, by the time that its end was shown.
func (d *direct) mayHaveEnded(holder, shown *Call) bool {
	var marked int64 = Never // the earliest that it can have been marked stale
	var forced []*Call
	for i := range d.calls {
		c := &d.calls[i]
		if c.Start > shown.End {
			break
		}
		if c.over() < holder.Start || c.refused() && c.Deliveries < 2 || !c.means(holder.Answer.Lock) {
			continue
		}
		switch {
		case c.isA(lockmodel.ReleaseLock):
			return true
		case c.isA(lockmodel.MarkStale):
			marked = min(marked, c.Start)
		case c.isA(lockmodel.ForceUnlock):
			forced = append(forced, c)
		}
	}
	return slices.ContainsFunc(forced, func(c *Call) bool { return marked <= c.over() })
}

// means reports whether the call's request can mean the hold.
func (c *Call) means(hold lockmodel.View) bool {
	r := c.Request
	if r.LockID != "" && r.LockID != hold.LockID || r.Runner != "" && r.Runner != hold.Owner {
		return false
	}
	return r.Op != lockmodel.ReleaseLock || r.LockID != "" || cmp.Or(r.Principal, lockmodel.Anonymous) == hold.Principal
}
