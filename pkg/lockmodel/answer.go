package lockmodel

// Answer is what the caller of a transition is told, as JSON.
type Answer struct {
	OK bool `json:"ok"`
	// Holder is who holds the lock now, after an acquire that is done.
	Holder string `json:"holder,omitempty"`
	// State is where any other operation that is done has led.
	State State `json:"state,omitempty"`
	// Code and Reason explain a refusal, to a machine and to a person.
	Code   Code   `json:"code,omitempty"`
	Reason string `json:"reason,omitempty"`
	// LockID and Fence name and number the hold that was begun or renewed.
	// LeaseUntil is when its lease ends, after an acquire or a renewal.
	LockID     string `json:"lock_id,omitempty"`
	Fence      int64  `json:"fence,omitempty"`
	LeaseUntil string `json:"lease_until,omitempty"`
	// Version is the number of the state that was written, after a write.
	Version int64 `json:"version,omitempty"`
	// Repeat tells that an earlier copy of the request was applied, and that
	// this is its answer: Lock may have moved on since.
	Repeat bool `json:"repeat,omitempty"`
	// Lock is the lock as the request left it.
	Lock View `json:"lock"`
}

// Answer gives the outcome as the caller is told it.
func (o Outcome) Answer() Answer {
	a := Answer{Lock: o.Lock.View(o.Request.Terms)}
	if !o.Rule.Done() {
		a.Code, a.Reason = o.Rule.Code, o.reason()
		return a
	}
	a.OK, a.Repeat = true, !o.Wrote()
	to := table.effect(o.Request.Op).To()
	if o.Request.Op == WriteState {
		to, a.Version = o.Lock.State, o.Lock.VersionNo
	} else if to == Held {
		a.LockID, a.Fence, a.LeaseUntil = o.Lock.LockID, o.Lock.Fence, a.Lock.LeaseUntil
	}
	if o.Request.Op == Acquire {
		a.Holder = o.Lock.Runner
	} else {
		a.State = to
	}
	return a
}

// View is a lock as callers see it, in JSON: the answer of lock_state and the
// elements of lists.
type View struct {
	Workspace  string `json:"ws"`
	State      State  `json:"state"`
	Owner      string `json:"owner"`
	LockID     string `json:"lock_id,omitempty"`
	Fence      int64  `json:"fence"`
	Principal  string `json:"principal,omitempty"`
	AcquiredAt string `json:"acquired_at,omitempty"`
	StaleAt    string `json:"stale_at,omitempty"`
	LeaseUntil string `json:"lease_until,omitempty"`
	// By is the principal of the last transition, where it was no acquire, and
	// Reason why the last transition was asked for.
	By     string `json:"by,omitempty"`
	Reason string `json:"reason,omitempty"`
	// Info is the holder's own description of its hold, in its client's format.
	Info string `json:"info,omitempty"`
	// Version numbers the workspace's current state, which has Size bytes; both
	// are left out where there is none.
	Version int64 `json:"version,omitempty"`
	Size    int64 `json:"size,omitempty"`
	// Torn warns that state and ledger disagree: every transition is refused.
	Torn bool `json:"torn,omitempty"`
}

// View gives the lock as callers see it, in a deployment with these terms.
func (l Lock) View(t Terms) View {
	v := View{
		Workspace: l.Workspace, State: l.State,
		Owner: l.Runner, LockID: l.LockID, Fence: max(l.Fence, 0), Principal: l.Principal,
		AcquiredAt: timestamp(l.AcquiredAt), StaleAt: timestamp(l.StaleAt), LeaseUntil: timestamp(l.aliveUntil(t)),
		Reason: l.Reason,
		Info:   l.Info,
		Torn:   l.Torn(),
	}
	if !l.Exists {
		v.State = Unlocked
	}
	if l.Version != "" {
		v.Version, v.Size = max(l.VersionNo, 0), max(l.Size, 0)
	}
	if l.State != Held {
		v.By = l.By
	}
	return v
}

// Torn reports whether the stored lock is one that no transition writes.
func (l Lock) Torn() bool {
	if !l.Exists {
		return false
	}
	for _, s := range States() {
		if whole(s).hold(l, Request{}) {
			return false
		}
	}
	return true
}
