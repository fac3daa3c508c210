package lockmodel

import "slices"

// This file holds the conditions that the situations consist of. Those of a
// situation whose rule writes become a ConditionExpression.

// ledger is the state and, beside it, the ledger that must agree with it.
func ledger(s State) All {
	if s == Unlocked {
		return All{eq(AttrState, opUnlocked), eq(AttrHolders, opZero)}
	}
	return All{eq(AttrState, ":"+Operand(s)), eq(AttrHolders, opOne)}
}

// sound is what else the next transition needs of a stored lock.
func sound(s State) All {
	all := All{atLeast(AttrFence, opZero), atLeast(AttrChangedAt, opZero)}
	if s == Stale {
		all = append(all, atLeast(AttrStaleAt, opZero))
	}
	return all
}

// identified is a hold that has a lock id, whichever it is.
func identified() All { return All{atLeast(AttrLockID, opAnyID)} }

// whole is met by every lock in state s that a transition leaves behind.
func whole(s State) All {
	if s == Unlocked {
		return slices.Concat(ledger(s), sound(s))
	}
	return slices.Concat(ledger(s), identified(), sound(s))
}

// named gives the conditions on the hold that the request names. Two clients
// that bring the same lock id to an acquire are told apart by who they are.
// Whoever releases without knowing the lock id must at least be the same
// principal, and whoever's credential has lapsed must have begun the hold with it.
func named(r Request) All {
	var all All
	if r.LockID != "" {
		all = append(all, eq(AttrLockID, opLockID))
	}
	if r.Runner != "" {
		all = append(all, eq(AttrRunner, opRunner))
	}
	if r.Op == Acquire || r.Op == ReleaseLock && r.LockID == "" {
		all = append(all, eq(AttrPrincipal, opPrincipal))
	}
	if r.Lapsed {
		all = append(all, eq(AttrCredential, opCredential))
	}
	return all
}

// forNobody reports whether the request writes state without a lock.
func forNobody(r Request) bool { return r.Op == WriteState && r.LockID == "" }

// forHold reports whether the request writes state under a lock.
func forHold(r Request) bool { return r.Op == WriteState && r.LockID != "" }

// fresh refuses a request that was made before the lock last changed: a late
// copy must not act on what came after it. A request that names its hold
// proves by that alone that it means this one; but a force-unlock means the
// stale hold, and must have been made after the mark.
func fresh(r Request, s State) All {
	if s != Unlocked && provesItself(r) {
		return nil
	}
	return All{atMost(AttrChangedAt, opFresh)}
}

func provesItself(r Request) bool { return r.LockID != "" && r.Op != ForceUnlock }

// timely refuses a request whose time has not come, or is over. The deadlines
// of others are read in the holder's favour: they may not have passed yet by a
// clock that is behind. A lease only ever grows: the late copy of a renewal must
// not take back what a later one gave. Proofs of life count up to the greatest
// length of a hold, see overdue.
func timely(r Request, s State) All {
	var all All
	switch {
	case r.Op == MarkStale && s == Held:
		all = append(all, below(AttrLeaseUntil, opLapsed), below(AttrBusyUntil, opLapsed))
	case r.Op == ForceUnlock && s == Stale && r.Terms.Notice > 0:
		all = append(all, atMost(AttrStaleAt, opNoticed))
	case r.Op == Renew && s == Held:
		all = append(all, below(AttrLeaseUntil, opUntil), below(AttrBusyUntil, opUntil))
		if r.Terms.MaxHold > 0 {
			all = append(all, atLeast(AttrAcquiredAt, opOldest))
		}
	}
	return all
}

// overdue is met by a hold that has lasted longer than any may.
func overdue() All { return All{atMost(AttrAcquiredAt, opOverdue)} }

// latest refuses a state that is older than the current one: the late copy of
// a write must not take back what a later one wrote. Under one hold, serial
// numbers grow; times tell apart what has no serial number that can be read. An
// earlier state that is restored has neither, since its number is new and its
// copies are made anew: it comes first in a hold, or not at all. And the hold
// began before the write: one that ended is no hold of the same lock id.
func latest(r Request) All {
	if r.Op != WriteState {
		return nil
	}
	written := opOutdated
	if r.Version == "" {
		written = opBefore // a deletion says nothing else that would tell its late copy
	}
	all := All{below(AttrWrittenAt, written)}
	if r.LockID != "" {
		all = append(all, below(AttrAcquiredAt, opOutdated))
	}
	if r.Version != "" {
		all = append(all, ne(AttrPrevious, opVersion)) // the write itself, once more
	}
	if r.LockID != "" && opSerial.Value(r) != nil {
		all = append(all, below(AttrSerial, opSerial))
	}
	if r.Restore {
		all = append(all, below(AttrBusyUntil, opNeverBusy))
	}
	return all
}

// memory is where the lock remembers the key of the last request of the kind
// of o that was applied to it, whatever came after. Acquires and renewals need
// no memory: the hold and its lease are their own.
func memory(o Op) (a Attr, ok bool) {
	switch o {
	case MarkStale:
		return AttrMarkedBy, true
	case ReleaseLock, ForceUnlock:
		return AttrFreedBy, true
	case WriteState:
		return AttrWrittenBy, true
	}
	return "", false
}

// first refuses a request that the lock remembers.
func first(r Request) All {
	if a, ok := memory(r.Op); ok {
		return All{ne(a, opKey)}
	}
	return nil
}

func unseen(r Request) []All {
	if forHold(r) {
		return nil
	}
	return []All{{{Test: Absent}}}
}

func repeat(r Request) []All {
	switch r.Op {
	case Acquire:
		return []All{slices.Concat(whole(Held), named(r))}
	case Renew:
		var all []All
		for _, proof := range []Attr{AttrLeaseUntil, AttrBusyUntil} {
			enough := All{atLeast(proof, opUntil)}
			if r.Terms.MaxHold > 0 { // beyond which no proof counts
				enough = append(enough, atLeast(AttrAcquiredAt, opOldest))
			}
			all = append(all, slices.Concat(whole(Held), named(r), enough))
		}
		return all
	}
	var all []All
	if a, ok := memory(r.Op); ok {
		for _, s := range States() {
			all = append(all, slices.Concat(whole(s), All{eq(a, opKey)}))
		}
	}
	return all
}

func free(r Request) []All {
	if forHold(r) {
		return nil
	}
	var unspent All
	if r.LockID != "" {
		unspent = All{ne(AttrSpent, opLockID)}
	}
	return []All{slices.Concat(ledger(Unlocked), unspent, sound(Unlocked), fresh(r, Unlocked), first(r), latest(r))}
}

func spent(r Request) []All {
	if r.LockID == "" {
		return nil
	}
	return []All{slices.Concat(whole(Unlocked), All{eq(AttrSpent, opLockID)})}
}

func unheld(r Request) []All {
	if !forHold(r) {
		return nil
	}
	return []All{{{Test: Absent}}, whole(Unlocked)}
}

func mine(r Request) []All {
	if forNobody(r) {
		return nil
	}
	all := []All{slices.Concat(meant(r, Held), timely(r, Held))}
	if r.Op == MarkStale && r.Terms.MaxHold > 0 {
		all = append(all, slices.Concat(meant(r, Held), overdue()))
	}
	return all
}

func staleMine(r Request) []All {
	if forNobody(r) {
		return nil
	}
	return []All{slices.Concat(meant(r, Stale), timely(r, Stale))}
}

// meant is met where the request means the hold there is.
func meant(r Request, s State) All {
	guards := named(r)
	if r.LockID == "" {
		guards = append(guards, identified()...)
	}
	return slices.Concat(ledger(s), guards, sound(s), fresh(r, s), first(r), latest(r))
}

// untimely comes after mine and stale-mine, so what is meant here failed on
// its time.
func untimely(r Request) []All {
	switch r.Op {
	case MarkStale, Renew:
		return []All{meant(r, Held)}
	case ForceUnlock:
		return []All{meant(r, Stale)}
	}
	return nil
}

func late(r Request) []All {
	changed := All{above(AttrChangedAt, opFresh)}
	all := []All{slices.Concat(whole(Unlocked), changed)}
	if !provesItself(r) && !forNobody(r) {
		all = append(all, slices.Concat(whole(Held), named(r), changed), slices.Concat(whole(Stale), named(r), changed))
	}
	for _, c := range latest(r) {
		outdated := atLeast(c.Attr, c.Want)
		if c.Test == NotEqual {
			outdated = eq(c.Attr, c.Want)
		}
		if forNobody(r) {
			all = append(all, append(whole(Unlocked), outdated))
			continue
		}
		all = append(all, slices.Concat(whole(Held), named(r), All{outdated}), slices.Concat(whole(Stale), named(r), All{outdated}))
	}
	return all
}

func theirs(r Request) []All      { return another(r, Held) }
func staleTheirs(r Request) []All { return another(r, Stale) }

// another is met by a hold that differs in anything that the request names.
func another(r Request, s State) []All {
	if forNobody(r) {
		return []All{whole(s)}
	}
	var all []All
	for _, c := range named(r) {
		all = append(all, append(whole(s), ne(c.Attr, c.Want)))
	}
	return all
}

func torn(Request) []All { return []All{{}} }
