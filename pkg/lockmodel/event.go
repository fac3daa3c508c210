package lockmodel

import "strings"

// Event is a transition as it is remembered: who did what to a lock, and when.
type Event struct {
	Workspace string
	Op        Op
	From, To  State
	Fence     int64  // of the hold that began, was marked or ended
	LockID    string // of that hold
	Runner    string // the holder's name
	By        string // the principal that did it
	Reason    string // in its words, "" where not said
	RequestID string // of the request that did it; for an acquire, its lock id
	At        int64  // milliseconds since the Unix epoch
}

// EventOf tells the transition that led from one stored lock to the next. It is
// not ok where there was none: a renewal, or a write that was not the service's.
// All that the event needs is in the two items, so whoever sees them later, in
// whatever order, tells the same event.
func EventOf(before, after Lock) (e Event, ok bool) {
	from, to := before.View(Terms{}).State, after.View(Terms{}).State
	if from == to || before.Torn() || after.Torn() {
		return Event{}, false
	}
	hold := after
	if to == Unlocked {
		hold = before
	}
	e = Event{
		Workspace: after.Workspace, From: from, To: to, At: after.ChangedAt,
		Fence: hold.Fence, LockID: hold.LockID, Runner: hold.Runner, By: after.By, Reason: after.Reason,
	}
	key := after.FreedBy
	switch to {
	case Held:
		e.Op, e.RequestID = Acquire, after.LockID
		return e, from == Unlocked
	case Stale:
		key = after.MarkedBy
	}
	name, id, _ := strings.Cut(key, "/")
	o, err := ParseOp(name)
	e.Op = o
	e.RequestID, _, _ = strings.Cut(id, "/")
	return e, err == nil
}
