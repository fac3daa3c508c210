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
}

// Step is asked about instants, not about times: a request is made at present,
// and what the lock remembers lies before or after.
const (
	past    = 1
	present = 2
	future  = 3
)

// moment is how the service's clock stands to what a lock remembers.
type moment struct {
	late bool // the lock changed after the request was made
	live bool // the holder's lease runs
}

// moments gives those which a call can have met.
func (s *state) moments(c *call) []moment {
	moments := make([]moment, 0, 4)
	for _, m := range [...]moment{{false, false}, {false, true}, {true, false}, {true, true}} {
		if s.canBeLate(c, m.late) && s.canBeLive(c, m.live) {
			moments = append(moments, m)
		}
	}
	return moments
}

func (s *state) canBeLate(c *call, late bool) bool {
	switch {
	case !s.lock.Exists:
		return !late
	case late:
		return s.changed.hi > c.during.lo+c.skew
	}
	return s.changed.lo <= c.during.hi+c.skew
}

func (s *state) canBeLive(c *call, live bool) bool {
	switch {
	case s.lock.LeaseUntil == lockmodel.Missing:
		return !live
	case live:
		return s.lease.hi >= c.during.lo-c.skew
	}
	return s.lease.lo < c.during.hi-c.skew
}

// step performs a call's request at a moment.
func (s *state) step(c *call, m moment) (state, lockmodel.Outcome) {
	before, r := s.lock, c.Request
	r.Now = present
	if before.Exists {
		before.ChangedAt = past
		if m.late {
			before.ChangedAt = future
		}
	}
	if before.LeaseUntil != lockmodel.Missing {
		before.LeaseUntil = past
		if m.live {
			before.LeaseUntil = future
		}
	}
	out := lockmodel.Step(before, r)
	next := *s
	if !out.Wrote() {
		return next, out
	}
	next.lock = timeless(out.Lock)
	next.changed = c.during
	switch out.Rule.Effect {
	case lockmodel.Take:
		next.acquisitions++
		next.acquired, next.stale, next.lease = c.during, span{}, span{}
	case lockmodel.Mark:
		next.stale = c.during
	case lockmodel.End:
		next.acquired, next.stale, next.lease = span{}, span{}, span{}
	}
	if r.Lease > 0 {
		next.lease = c.during.plus(r.Lease)
	}
	return next, out
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
	case lockmodel.Extend:
		s.changed = s.lease.plus(-c.Request.Lease)
	}
	return s, ok
}

// shows reports whether s is the lock that the caller was shown, and gives s
// with what that tells of times.
func (s state) shows(c *call) (state, bool) {
	if untimed(c.Answer.Lock) != untimed(s.lock.View()) || c.Answer.Lock.Fence != s.acquisitions {
		return s, false
	}
	for _, t := range []struct {
		stored, shown int64
		known         *span
	}{
		{s.lock.AcquiredAt, c.shown.acquired, &s.acquired},
		{s.lock.StaleAt, c.shown.stale, &s.stale},
		{s.lock.LeaseUntil, c.shown.lease, &s.lease},
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
