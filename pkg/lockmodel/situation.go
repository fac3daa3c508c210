package lockmodel

import "slices"

// Situation is how a stored lock looks to a request: a row of the table.
type Situation uint8

const (
	// Unseen: the workspace has no stored lock yet.
	Unseen Situation = iota
	// Repeat: this very request has been applied already.
	Repeat
	// Free: unlocked.
	Free
	// SpentID: unlocked, and the request's lock id is the one last freed.
	SpentID
	// Mine: held, and by the hold that the request names.
	Mine
	// StaleMine: stale, and the hold is the one that the request names.
	StaleMine
	// Untimely: the hold is the one that the request names, but the time for
	// the request is not there: for MarkStale, the lease runs; for
	// ForceUnlock, the notice period runs; for Renew, the hold lasts too long.
	Untimely
	// Late: the lock changed after the request was made, and the request
	// names no hold that would show it still means this one.
	Late
	// Theirs: held, and not by the hold that the request names.
	Theirs
	// StaleTheirs: stale, and the hold is not the one that the request names.
	StaleTheirs
	// Torn: the item is none that a transition writes; above all, the ledger
	// and the state disagree.
	Torn

	numSituations = iota
)

var situations = [numSituations]struct {
	name, meaning string
	// where gives the alternatives, one of which the stored lock must meet.
	where func(Request) []All
}{
	Unseen:      {"unseen", "the workspace has no stored lock", unseen},
	Repeat:      {"repeat", "this very request was applied already", repeat},
	Free:        {"free", "unlocked", free},
	SpentID:     {"spent", "unlocked, and the request's lock id is the one last freed", spent},
	Mine:        {"mine", "held, by the hold that the request names", mine},
	StaleMine:   {"stale-mine", "stale, the hold being the one that the request names", staleMine},
	Untimely:    {"untimely", "the hold that the request names, but not the time: its lease or its notice runs, or it lasts too long", untimely},
	Late:        {"late", "changed after the request was made", late},
	Theirs:      {"theirs", "held, by another hold", theirs},
	StaleTheirs: {"stale-theirs", "stale, another hold", staleTheirs},
	Torn:        {"torn", "state and ledger disagree, or an attribute is missing", torn},
}

// Situations lists the situations in the table's order, which is the order in
// which Classify tries them. It matters only among those that write nothing:
// the conditions of a writing situation exclude all others by themselves.
func Situations() []Situation {
	all := make([]Situation, numSituations)
	for i := range all {
		all[i] = Situation(i)
	}
	return all
}

// String is the situation's name in the documentation.
func (s Situation) String() string { return situations[s].name }

// Meaning is a phrase that explains the situation.
func (s Situation) Meaning() string { return situations[s].meaning }

// Where gives the alternatives, one of which the stored lock must meet.
func (s Situation) Where(r Request) []All { return situations[s].where(r) }

// Classify finds the situation of a request before a stored lock.
func Classify(l Lock, r Request) Situation {
	for s := range Situation(numSituations) {
		for _, all := range s.Where(r) {
			if all.hold(l, r) {
				return s
			}
		}
	}
	return Torn
}

// ledger is the state and, beside it, the ledger that must agree with it.
func ledger(s State) All {
	if s == Unlocked {
		return All{eq(AttrState, opUnlocked), eq(AttrHolders, opZero)}
	}
	return All{eq(AttrState, ":"+Operand(s)), eq(AttrHolders, opOne)}
}

// sound is what else the next transition needs of a stored lock.
func sound() All { return All{atLeast(AttrFence, opZero), atLeast(AttrChangedAt, opZero)} }

// identified is a hold that has a lock id, whichever it is.
func identified() All { return All{{Test: Text, Attr: AttrLockID}} }

// whole is met by every lock in state s that a transition writes.
func whole(s State) All {
	if s == Unlocked {
		return slices.Concat(ledger(s), sound())
	}
	return slices.Concat(ledger(s), identified(), sound())
}

// named gives the conditions on the hold that the request names. Two clients
// that bring the same lock id to an acquire are told apart by who they are.
// Whoever may act on a hold only as its holder, and doesn't know its lock id,
// must at least be the same principal.
func named(r Request) All {
	var all All
	if r.LockID != "" {
		all = append(all, eq(AttrLockID, opLockID))
	}
	if r.Runner != "" {
		all = append(all, eq(AttrRunner, opRunner))
	}
	if r.Op == Acquire || r.Op.byHolder() && r.LockID == "" {
		all = append(all, eq(AttrPrincipal, opPrincipal))
	}
	return all
}

// fresh refuses a request that was made before the lock last changed: a late
// copy must not act on what came after it. A request that names its hold
// proves by that alone that it means this one.
func fresh(r Request, s State) All {
	if s != Unlocked && r.LockID != "" {
		return nil
	}
	return All{atMost(AttrChangedAt, opFresh)}
}

// timely refuses a request whose time has not come, or is over. Deadlines are
// read in the holder's favour: a lease may still run by a clock that is behind.
func timely(r Request, s State) All {
	switch {
	case r.Op == MarkStale && s == Held:
		return All{below(AttrLeaseUntil, opLapsed)}
	case r.Op == ForceUnlock && s == Stale && r.Terms.Notice > 0:
		return All{atMost(AttrStaleAt, opNoticed)}
	case r.Op == Renew && s == Held && r.Terms.MaxHold > 0:
		return All{atLeast(AttrAcquiredAt, opOldest)}
	}
	return nil
}

// first refuses a request that is the one last applied.
func first() All { return All{ne(AttrRequest, opKey)} }

func unseen(Request) []All { return []All{{{Test: Absent}}} }

// repeat recognises the request last applied and, where the request names a
// hold, also the one that ended that hold, though others came after it.
func repeat(r Request) []All {
	to := table.effect(r.Op).To()
	again := slices.Concat(whole(to), All{eq(AttrRequest, opKey)})
	if to != Unlocked {
		return []All{slices.Concat(again, named(r))}
	}
	if r.LockID == "" {
		return []All{again}
	}
	ended := All{eq(AttrFreedBy, opKey), eq(AttrSpent, opLockID), ne(AttrLockID, opLockID)}
	return []All{again, slices.Concat(whole(Held), ended), slices.Concat(whole(Stale), ended)}
}

func free(r Request) []All {
	var unspent All
	if r.LockID != "" {
		unspent = All{ne(AttrSpent, opLockID)}
	}
	return []All{slices.Concat(ledger(Unlocked), unspent, sound(), fresh(r, Unlocked), first())}
}

func spent(r Request) []All {
	if r.LockID == "" {
		return nil
	}
	return []All{slices.Concat(whole(Unlocked), All{eq(AttrSpent, opLockID)})}
}

func mine(r Request) []All      { return []All{hold(r, Held)} }
func staleMine(r Request) []All { return []All{hold(r, Stale)} }

func hold(r Request, s State) All { return slices.Concat(meant(r, s), timely(r, s)) }

// meant is met where the request means the hold there is.
func meant(r Request, s State) All {
	guards := named(r)
	if r.LockID == "" {
		guards = append(guards, identified()...)
	}
	return slices.Concat(ledger(s), guards, sound(), fresh(r, s), first())
}

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
	return []All{whole(Unlocked), slices.Concat(whole(Held), named(r)), slices.Concat(whole(Stale), named(r))}
}

func theirs(Request) []All      { return []All{whole(Held)} }
func staleTheirs(Request) []All { return []All{whole(Stale)} }
func torn(Request) []All        { return []All{{}} }
