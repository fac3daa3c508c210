package history

import (
	"cmp"
	"math"
	"slices"

	"github.com/statelock/statelock/pkg/lockmodel"
)

// horizon is what answers show of the lock's life, for the search to turn back
// early from orders that can't be finished. It rules out nothing else: it is
// about answers that calls are still to give, whatever the order.
//
// A lock goes through its life in one direction: hold after hold, each held,
// perhaps stale, and over. Its progress is a number that grows with that.
type horizon struct {
	starts []int64 // of the calls that were answered, in order
	least  []int64 // progress that those from there on show
	holds  map[int64]string
}

func newHorizon(calls []Call) *horizon {
	h := &horizon{holds: map[int64]string{}}
	tampered := slices.ContainsFunc(calls, func(c Call) bool { return c.Kind == Tamper })
	for i := range calls {
		c := &calls[i]
		if !c.shown() {
			continue
		}
		if l := c.Answer.Lock; l.LockID != "" {
			h.holds[l.Fence] = l.LockID
		}
		if !tampered {
			h.starts = append(h.starts, c.Start)
			h.least = append(h.least, progress(c.Answer.Lock.Fence, c.Answer.Lock.State))
		}
	}
	least := int64(math.MaxInt64)
	for i, p := range slices.Backward(h.least) {
		least = min(least, p)
		h.least[i] = least
	}
	return h
}

func progress(fence int64, s lockmodel.State) int64 {
	phase := int64(0)
	switch s {
	case lockmodel.Stale:
		phase = 1
	case lockmodel.Unlocked:
		phase = 2
	}
	return 3*fence + phase
}

// allows reports whether an order that led to s can go on. The calls that start
// after s.floor are still to come in it. A nil horizon allows everything.
func (h *horizon) allows(s *state) bool {
	if h == nil {
		return true
	}
	if id, shown := h.holds[s.lock.Fence]; shown && s.lock.LockID != "" && s.lock.LockID != id {
		return false
	}
	from, _ := slices.BinarySearchFunc(h.starts, s.floor, func(start, floor int64) int {
		return cmp.Or(cmp.Compare(start, floor), -1) // the first above floor
	})
	return from == len(h.starts) || progress(s.lock.Fence, s.lock.State) <= h.least[from]
}
