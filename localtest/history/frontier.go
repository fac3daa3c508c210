package history

import (
	"cmp"
	"math/bits"
	"slices"
)

// frontier looks for an order of calls by going through them in time: it keeps
// every state that some order of what has ended so far can have led to, together
// with which of the calls that are open it has placed already. Where a call was
// answered and no order gives that answer, nothing is left, and the calls so far
// are the shortest history without an order.
//
// Unlike porcupine's search it forgets how it came to where it is. So it knows
// when there is no order, in little time; but what it says of an order is only
// that there is one.
type frontier struct {
	open    [maxOpen]*call
	places  map[place]struct{}
	crowded bool // there was more than it can keep apart
}

const (
	maxOpen   = 128
	maxPlaces = 1 << 18
)

// place is a place in an order: a state, and the open calls that are before it.
type place struct {
	state  state
	before [maxOpen / 64]uint64
}

// event is the start or the end of a call.
type event struct {
	at   int64
	end  bool
	call *call
}

// stuck is where no order goes on: the call whose answer none explains, and the
// states before it.
type stuck struct {
	call   *call
	states []state
}

// orders gives where no order of the calls and landings goes on: nil if there is
// one, or if there was too much to keep apart.
func (f *frontier) orders(initial state, calls []*call) *stuck {
	events := make([]event, 0, 2*len(calls))
	for _, c := range calls {
		events = append(events, event{c.Start, false, c}, event{c.End, true, c})
	}
	slices.SortStableFunc(events, func(a, b event) int {
		order := cmp.Compare(a.at, b.at)
		if order == 0 && a.end != b.end { // times are closed intervals
			order = map[bool]int{false: -1, true: 1}[a.end]
		}
		return order
	})
	f.places = map[place]struct{}{{state: initial}: {}}
	for _, e := range events {
		if !e.end {
			if f.start(e.call); f.crowded {
				return nil
			}
			continue
		}
		before := f.places
		f.places = f.ended(e.call, e.at)
		switch {
		case f.crowded:
			return nil
		case len(f.places) == 0:
			return &stuck{e.call, statesOf(before)}
		}
	}
	return nil
}

func (f *frontier) start(c *call) {
	free := slices.Index(f.open[:], nil)
	if free < 0 {
		f.crowded = true
		return
	}
	f.open[free] = c
}

// ended gives the places after c at its end: where it was answered, those of
// orders that it is in; where not, also those that it is not in.
func (f *frontier) ended(c *call, now int64) map[place]struct{} {
	slot := slices.Index(f.open[:], c)
	after := map[place]struct{}{}
	keep := func(p place) {
		p.before[slot/64] &^= 1 << (slot % 64)
		after[p] = struct{}{}
	}
	seen := map[place]struct{}{}
	var todo []place
	visit := func(p place) {
		if p.has(slot) {
			keep(p)
			return
		}
		if !c.Told {
			keep(p)
		}
		if _, known := seen[p]; !known {
			seen[p] = struct{}{}
			todo = append(todo, p)
		}
	}
	for p := range f.places {
		p.state.floor = now // calls that start later are still to come
		visit(p)
	}
	for len(todo) > 0 {
		if len(seen) > maxPlaces {
			f.crowded = true
			break
		}
		p := todo[len(todo)-1]
		todo = todo[:len(todo)-1]
		for i, next := range f.open {
			if next == nil || p.has(i) {
				continue
			}
			for _, s := range p.state.after(next) {
				q := place{s, p.before}
				q.before[i/64] |= 1 << (i % 64)
				visit(q)
			}
		}
	}
	f.open[slot] = nil
	return after
}

func (p place) has(slot int) bool { return p.before[slot/64]>>(slot%64)&1 == 1 }

// statesOf gives the states of places, those that fewest open calls led to
// first.
func statesOf(places map[place]struct{}) []state {
	var all []place
	for p := range places {
		all = append(all, p)
	}
	count := func(p place) (n int) {
		for _, b := range p.before {
			n += bits.OnesCount64(b)
		}
		return n
	}
	slices.SortFunc(all, func(a, b place) int {
		return cmp.Or(cmp.Compare(count(a), count(b)), cmp.Compare(a.state.lock.Fence, b.state.lock.Fence), cmp.Compare(a.state.lock.State, b.state.lock.State))
	})
	var states []state
	for _, p := range all {
		states = append(states, p.state)
	}
	return states
}
