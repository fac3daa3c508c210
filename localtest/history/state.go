package history

import (
	"github.com/statelock/statelock/pkg/lockmodel"
)

// state is a lock as the model knows it.
type state struct {
	// lock is the lock as Step left it. Its times only say whether there is
	// one: what is known of them is in the spans.
	lock                            lockmodel.Lock
	acquired, stale, lease, changed span
	// acquisitions counts the transitions by which a hold began.
	acquisitions int64
	// floor is the latest start of the calls so far: it is no earlier now.
	floor int64
	// ended tells that the history is over.
	ended bool
}

// Step is asked about instants, not about times. A request is made at present,
// and may ask for a lease until asked; what the lock remembers lies before,
// between or after.
const (
	past = iota + 1
	present
	future
	asked
	beyond

	askedLease = asked - present
)

// moment is how the service's clock stands to what a lock remembers.
type moment struct {
	changed int64 // past, or future: after the request was made
	lease   int64 // past, future or beyond: how far the holder's lease reaches
}

// moments gives those which a call can have met.
func (s *state) moments(c *call) []moment {
	moments := make([]moment, 0, 6)
	for _, changed := range [...]int64{past, future} {
		for _, lease := range [...]int64{lockmodel.Missing, past, future, beyond} {
			if s.canHaveChanged(c, changed) && s.canReach(c, lease) {
				moments = append(moments, moment{changed, lease})
			}
		}
	}
	return moments
}

func (s *state) canHaveChanged(c *call, when int64) bool {
	switch {
	case !s.lock.Exists:
		return when == past
	case when == future:
		return s.changed.hi > c.during.lo+c.skew
	}
	return s.changed.lo <= c.during.hi+c.skew
}

func (s *state) canReach(c *call, lease int64) bool {
	switch lease {
	case lockmodel.Missing:
		return s.lock.LeaseUntil == lockmodel.Missing
	case past:
		return s.lock.LeaseUntil != lockmodel.Missing && s.lease.lo < c.during.hi-c.skew
	case beyond:
		return s.lock.LeaseUntil != lockmodel.Missing && c.Request.Lease > 0 && s.lease.hi >= c.during.lo+c.Request.Lease
	}
	return s.lock.LeaseUntil != lockmodel.Missing && s.lease.hi >= c.during.lo-c.skew &&
		(c.Request.Lease == 0 || s.lease.lo < c.during.hi+c.Request.Lease)
}

// step performs a call's request at a moment.
func (s *state) step(c *call, m moment) (state, lockmodel.Outcome) {
	out := c.machine.step(question{s.lock, c.index, m}, c.Request)
	next := *s
	if !out.Wrote() {
		return next, out
	}
	next.lock = timeless(out.Lock)
	update(&next.acquired, out.Lock.AcquiredAt, present, c.during)
	update(&next.stale, out.Lock.StaleAt, present, c.during)
	update(&next.changed, out.Lock.ChangedAt, present, c.during)
	update(&next.lease, out.Lock.LeaseUntil, asked, c.during.plus(c.Request.Lease))
	if out.Rule.Effect == lockmodel.Take {
		next.acquisitions++
	}
	return next, out
}

// update follows an instant that Step may have set, or removed.
func update(known *span, instant, set int64, to span) {
	switch instant {
	case lockmodel.Missing:
		*known = span{}
	case set:
		*known = to
	}
}

// timeless replaces the times of a lock, so that locks which differ in these
// alone are equal.
func timeless(l lockmodel.Lock) lockmodel.Lock {
	for _, t := range []*int64{&l.AcquiredAt, &l.StaleAt, &l.LeaseUntil, &l.ChangedAt} {
		if *t != lockmodel.Missing {
			*t = past
		}
	}
	return l
}

// gave reports whether the outcome out, which led to s, is what the caller was
// told, and gives s with what it was told of times.
func (s state) gave(out lockmodel.Outcome, c *call) (state, bool) {
	a := &c.Answer
	if a.OK != out.Rule.Done() || a.Code != out.Rule.Code {
		return s, false
	}
	if !a.OK {
		return s.shows(c)
	}
	if a.Repeat == out.Wrote() {
		return s, false
	}
	switch c.Request.Op {
	case lockmodel.Acquire, lockmodel.Renew:
		if a.LockID != s.lock.LockID || a.Fence != s.lock.Fence || a.LeaseUntil != a.Lock.LeaseUntil {
			return s, false
		}
	}
	switch c.Request.Op {
	case lockmodel.Acquire:
		if a.Holder != s.lock.Runner {
			return s, false
		}
	case lockmodel.Renew:
		if a.State != lockmodel.Held {
			return s, false
		}
	case lockmodel.MarkStale:
		if a.State != lockmodel.Stale {
			return s, false
		}
	default:
		if a.State != lockmodel.Unlocked {
			return s, false
		}
	}
	s, ok := s.shows(c)
	switch out.Rule.Effect {
	case lockmodel.Take:
		s.changed = s.acquired
	case lockmodel.Mark:
		s.changed = s.stale
	}
	return s, ok
}

// shows reports whether s is the lock that the caller was shown, and gives s
// with what that tells of times.
func (s state) shows(c *call) (state, bool) {
	if untimed(c.Answer.Lock) != untimed(s.lock.View(lockmodel.Terms{})) || c.Answer.Lock.Fence != s.acquisitions {
		return s, false
	}
	for _, t := range []struct {
		stored, shown int64
		known         *span
	}{
		{s.lock.AcquiredAt, c.times.acquired, &s.acquired},
		{s.lock.StaleAt, c.times.stale, &s.stale},
		{s.lock.LeaseUntil, c.times.lease, &s.lease},
	} {
		if (t.stored == lockmodel.Missing) != (t.shown == lockmodel.Missing) {
			return s, false
		}
		if t.shown == lockmodel.Missing {
			continue
		}
		var ok bool
		if *t.known, ok = t.known.narrowed(t.shown); !ok {
			return s, false
		}
	}
	return s, true
}

// untimed gives a view without its times.
func untimed(v lockmodel.View) lockmodel.View {
	v.AcquiredAt, v.StaleAt, v.LeaseUntil = "", "", ""
	return v
}
