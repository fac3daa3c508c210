package explore

import (
	"fmt"

	"github.com/statelock/statelock/pkg/lockmodel"
)

// Stepper is a machine to check: lockmodel.Step, or one that is broken.
type Stepper func(lockmodel.Lock, lockmodel.Request) lockmodel.Outcome

// step is what a machine made of one request.
type step struct {
	before lockmodel.Lock
	r      lockmodel.Request
	out    lockmodel.Outcome
	again  Stepper
}

// Property is something that must be true of every step.
type Property struct {
	Name    string
	Meaning string
	check   func(step) (problem string)
}

// Properties lists what must be true of every step. They are written from the
// design's prose: a second opinion on the table, not a reading of it.
func Properties() []Property {
	return []Property{
		{"ledger", "what is written counts 0 or 1 holders and agrees with the state", ledger},
		{"torn", "a torn item is left alone, and said to be torn", torn},
		{"state alone", "a state write changes the state alone, and nothing else changes it", stateAlone},
		{"latest", "under one hold, and where nobody holds the lock, a later state is not replaced by an earlier one", latest},
		{"proof of life", "a state write prolongs the lease that there is, and makes none", proofOfLife},
		{"fence", "the fence grows by one with an acquisition, and by nothing else", fence},
		{"ways", "unlocked → held → unlocked and held → stale → unlocked, by the right operation each", ways},
		{"guards", "only the hold that the request names is touched", guards},
		{"spent", "a lock id that was released is remembered, and does not lock again", spent},
		{"late", "what changed after the request was made is left alone", late},
		{"deadlines", "lease, notice and greatest hold are respected", deadlines},
		{"truth of done", "done is said only of what is done", truthOfDone},
		{"truth of refusals", "a refusal says what is the case", truthOfRefusal},
		{"no needless refusal", "what may be done is done", needless},
		{"retry", "the copy of a request that was applied gets its answer again and changes nothing", retry},
		{"usable", "the lock id of a refused acquire can still get the lock later", usable},
		{"progress", "a lone client gets through: to a free lock at once, to any other by the legal way", progress},
		{"ask again", "only a live acquire is told to ask again, and only when it was late", askAgain},
		{"wording", "the answers promised word by word are given word by word", wording},
	}
}

func ledger(s step) string {
	l := s.out.Lock
	if !s.out.Wrote() {
		if l != s.before {
			return "the lock was changed by a step that wrote nothing"
		}
		return ""
	}
	want := int64(1)
	if l.State == lockmodel.Unlocked {
		want = 0
	}
	if l.Holders != want {
		return fmt.Sprintf("%d holders while %s", l.Holders, l.State)
	}
	if isTorn(l) {
		return fmt.Sprintf("a torn item was written: %+v", l)
	}
	return ""
}

func torn(s step) string {
	if !isTorn(s.before) {
		return ""
	}
	if s.out.Wrote() {
		return "a torn item was written to"
	}
	if s.out.Rule.Code != lockmodel.CodeLedger {
		return fmt.Sprintf("answered %q on a torn item", s.out.Rule.Code)
	}
	return ""
}

// isTorn says what a sound stored lock looks like.
func isTorn(l lockmodel.Lock) bool {
	if !l.Exists {
		return false
	}
	sound := l.Fence != lockmodel.Missing && l.Fence >= 0 && l.ChangedAt != lockmodel.Missing && l.ChangedAt >= 0
	switch l.State {
	case lockmodel.Unlocked:
		return l.Holders != 0 || !sound
	case lockmodel.Held:
		return l.Holders != 1 || l.LockID < "!" || !sound
	case lockmodel.Stale:
		return l.Holders != 1 || l.LockID < "!" || !sound || l.StaleAt == lockmodel.Missing || l.StaleAt < 0
	}
	return true
}

func fence(s step) string {
	before := max(s.before.Fence, 0)
	after := max(s.out.Lock.Fence, 0)
	acquired := s.out.Wrote() && s.r.Op == lockmodel.Acquire
	if acquired && after != before+1 || !acquired && after != before {
		return fmt.Sprintf("fence %d after %d", after, before)
	}
	return ""
}

// stateOf reads a workspace never seen as unlocked.
func stateOf(l lockmodel.Lock) lockmodel.State {
	if !l.Exists {
		return lockmodel.Unlocked
	}
	return l.State
}

func ways(s step) string {
	if !s.out.Wrote() {
		return ""
	}
	type way struct {
		from lockmodel.State
		op   lockmodel.Op
		to   lockmodel.State
	}
	if s.r.Op == lockmodel.WriteState {
		if from, to := stateOf(s.before), s.out.Lock.State; from != to || (from == lockmodel.Unlocked) != (s.r.LockID == "") {
			return fmt.Sprintf("state was written for hold %q while %s, which led to %s", s.r.LockID, from, to)
		}
		return ""
	}
	w := way{stateOf(s.before), s.r.Op, s.out.Lock.State}
	switch w {
	case way{lockmodel.Unlocked, lockmodel.Acquire, lockmodel.Held}:
		l := s.out.Lock
		if l.LockID != s.r.LockID || l.Runner != s.r.Runner || l.Principal != principalOf(s.r) || l.AcquiredAt != s.r.Now ||
			l.Info != s.r.Info || l.Credential != s.r.Credential {
			return fmt.Sprintf("the new hold is not the requester's: %+v", l)
		}
	case way{lockmodel.Held, lockmodel.MarkStale, lockmodel.Stale}, way{lockmodel.Held, lockmodel.Renew, lockmodel.Held}:
		if s.out.Lock.LockID != s.before.LockID {
			return "the hold's id changed"
		}
	case way{lockmodel.Held, lockmodel.ReleaseLock, lockmodel.Unlocked}, way{lockmodel.Stale, lockmodel.ReleaseLock, lockmodel.Unlocked},
		way{lockmodel.Stale, lockmodel.ForceUnlock, lockmodel.Unlocked}:
		if l := s.out.Lock; l.LockID != "" || l.Runner != "" || l.Principal != "" || l.LeaseUntil != lockmodel.Missing ||
			l.Lease != lockmodel.Missing || l.BusyUntil != lockmodel.Missing || l.Info != "" || l.Credential != "" || l.Serial != lockmodel.Missing {
			return fmt.Sprintf("the hold left something behind: %+v", l)
		}
	default:
		return fmt.Sprintf("%s led from %s to %s", w.op, w.from, w.to)
	}
	return ""
}

func principalOf(r lockmodel.Request) string {
	if r.Principal == "" {
		return lockmodel.Anonymous
	}
	return r.Principal
}

// meant reports whether the request means the hold there is.
func meant(l lockmodel.Lock, r lockmodel.Request) bool {
	switch {
	case r.LockID != "" && l.LockID != r.LockID, r.Runner != "" && l.Runner != r.Runner, r.Lapsed && l.Credential != r.Credential:
		return false
	case r.Op == lockmodel.WriteState:
		return r.LockID != ""
	case r.Op == lockmodel.Acquire:
		return l.Principal == principalOf(r)
	case r.Op == lockmodel.ReleaseLock:
		return r.LockID != "" || l.Principal == principalOf(r)
	}
	return true
}

func guards(s step) string {
	if s.out.Wrote() && stateOf(s.before) != lockmodel.Unlocked && !meant(s.before, s.r) {
		return fmt.Sprintf("touched the hold %s of %s (%s), which the request does not mean", s.before.LockID, s.before.Runner, s.before.Principal)
	}
	return ""
}

func spent(s step) string {
	switch {
	case !s.out.Wrote():
	case s.r.Op == lockmodel.Acquire && s.r.LockID == s.before.Spent:
		return "a released lock id locks again"
	case s.r.Op == lockmodel.WriteState:
		if s.out.Lock.Spent != s.before.Spent {
			return "a state write spent a lock id"
		}
	case s.out.Lock.State == lockmodel.Unlocked && s.out.Lock.Spent != s.before.LockID:
		return "the released lock id is forgotten"
	}
	return ""
}

// isLate reports whether the lock changed after the request was made, while
// the request names no hold that would show that it means this one.
func isLate(l lockmodel.Lock, r lockmodel.Request) bool {
	named := stateOf(l) != lockmodel.Unlocked && r.LockID != "" && r.Op != lockmodel.ForceUnlock
	return l.Exists && !named && l.ChangedAt > r.Now+r.Terms.Skew || outdated(l, r)
}

// outdated reports whether a later state than the request's was written, or a
// later hold begun, as far as serial numbers and clocks can tell.
func outdated(l lockmodel.Lock, r lockmodel.Request) bool {
	if r.Op != lockmodel.WriteState {
		return false
	}
	if r.Restore && l.BusyUntil != lockmodel.Missing {
		return true // the hold wrote before
	}
	if r.Version != "" && l.Previous == r.Version {
		return true // this very write was done, and another one after it
	}
	numbered := r.LockID != "" && r.Version != "" && r.Serial != lockmodel.Missing && l.Serial != lockmodel.Missing
	known := r.Now + r.Terms.Skew // the latest time that this request could have known of
	written := known
	if r.Version == "" {
		written = r.Now
	}
	return numbered && r.Serial <= l.Serial ||
		l.WrittenAt != lockmodel.Missing && written < l.WrittenAt ||
		r.LockID != "" && l.AcquiredAt != lockmodel.Missing && known < l.AcquiredAt
}

func late(s step) string {
	if s.out.Wrote() && isLate(s.before, s.r) {
		return fmt.Sprintf("made at %d, acted on what changed at %d", s.r.Now, s.before.ChangedAt)
	}
	return ""
}

// untimely names the deadline that forbids the request, if any does.
func untimely(l lockmodel.Lock, r lockmodel.Request) lockmodel.Code {
	switch {
	case r.Op == lockmodel.MarkStale && l.State == lockmodel.Held && r.Now <= max(l.LeaseUntil, l.BusyUntil)+r.Terms.Skew && !overdue(l, r):
		return lockmodel.CodeLeaseLive
	case r.Op == lockmodel.ForceUnlock && l.State == lockmodel.Stale && r.Terms.Notice > 0 && r.Now < l.StaleAt+r.Terms.Notice+r.Terms.Skew:
		return lockmodel.CodeNotice
	case r.Op == lockmodel.Renew && l.State == lockmodel.Held && r.Terms.MaxHold > 0 && (l.AcquiredAt == lockmodel.Missing || r.Now+r.Lease > l.AcquiredAt+r.Terms.MaxHold):
		return lockmodel.CodeMaxHold
	}
	return ""
}

// overdue reports whether the hold has surely lasted longer than any may.
func overdue(l lockmodel.Lock, r lockmodel.Request) bool {
	return r.Terms.MaxHold > 0 && l.AcquiredAt != lockmodel.Missing && r.Now >= l.AcquiredAt+r.Terms.MaxHold+r.Terms.Skew
}

func deadlines(s step) string {
	if !s.out.Wrote() {
		return ""
	}
	if code := untimely(s.before, s.r); code != "" {
		return fmt.Sprintf("done in spite of %s", code)
	}
	until := s.out.Lock.LeaseUntil
	switch {
	case s.r.Lease > 0 && until != s.r.Now+s.r.Lease:
		return fmt.Sprintf("asked for a lease of %d at %d, got one until %d", s.r.Lease, s.r.Now, until)
	case s.r.Op == lockmodel.Renew && until <= max(s.before.LeaseUntil, s.before.BusyUntil):
		return fmt.Sprintf("the lease was shortened from %d to %d", max(s.before.LeaseUntil, s.before.BusyUntil), until)
	case s.r.Op == lockmodel.Acquire && s.r.Lease == 0 && until != lockmodel.Missing:
		return "the new hold has the lease of another"
	}
	return ""
}
