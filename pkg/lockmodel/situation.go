package lockmodel

import "sync"

// Situation is how a stored lock looks to a request: a row of the table.
type Situation uint8

const (
	// Unseen: the workspace has no stored lock yet.
	Unseen Situation = iota
	// Repeat: this very request was applied already, or need not be: an
	// acquire finds its hold, a renewal a lease that reaches as far.
	Repeat
	// Free: unlocked.
	Free
	// SpentID: unlocked, and the request's lock id is the one last freed.
	SpentID
	// Unheld: nobody holds the lock, while the request writes state for a hold.
	Unheld
	// Mine: held, and by the hold that the request names.
	Mine
	// StaleMine: stale, and the hold is the one that the request names.
	StaleMine
	// Untimely: the hold is the one that the request names, but the time for
	// the request is not there: for MarkStale, the lease runs; for
	// ForceUnlock, the notice period runs; for Renew, the hold lasts too long.
	Untimely
	// Late: the lock changed after the request was made, and the request
	// names no hold that would show it still means this one; or the state was
	// written by a request that came after it.
	Late
	// Theirs: held, and not by the hold that the request names.
	Theirs
	// StaleTheirs: stale, and the hold is not the one that the request names.
	StaleTheirs
	// Torn: the item is none that a transition leaves behind; above all, the
	// ledger and the state disagree.
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
	Unheld:      {"unheld", "nobody holds the lock, while the request writes state for a hold", unheld},
	Mine:        {"mine", "held, by the hold that the request names", mine},
	StaleMine:   {"stale-mine", "stale, the hold being the one that the request names", staleMine},
	Untimely:    {"untimely", "the hold that the request names, but not the time: its lease or its notice runs, or it lasts too long", untimely},
	Late:        {"late", "changed after the request was made, or the state written by a later one", late},
	Theirs:      {"theirs", "held, by another hold", theirs},
	StaleTheirs: {"stale-theirs", "stale, another hold", staleTheirs},
	Torn:        {"torn", "an item that no transition leaves behind: state and ledger disagree, or an attribute is missing", torn},
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

// Where gives the alternatives, one of which the stored lock must meet. They are
// not to be changed.
func (s Situation) Where(r Request) []All { return conditionsFor(r)[s] }

// conditions are the alternatives of every situation.
type conditions [numSituations][]All

// shape is all of a request that its conditions depend on; what they compare
// with is in the request.
type shape struct {
	op                             Op
	lockID, runner, lapsed, serial bool
	notice, maxHold                bool
	restore, version               bool
}

var known sync.Map // shape → *conditions

// conditionsFor makes the conditions for a shape of requests at its first use.
func conditionsFor(r Request) *conditions {
	of := shape{
		op: r.Op, lockID: r.LockID != "", runner: r.Runner != "", lapsed: r.Lapsed, serial: opSerial.Value(r) != nil,
		notice: r.Terms.Notice > 0, maxHold: r.Terms.MaxHold > 0, restore: r.Restore, version: r.Version != "",
	}
	if c, ok := known.Load(of); ok {
		return c.(*conditions)
	}
	c := new(conditions)
	for s := range situations {
		c[s] = situations[s].where(r)
	}
	known.Store(of, c)
	return c
}

// Classify finds the situation of a request before a stored lock.
func Classify(l Lock, r Request) Situation {
	for s, alternatives := range conditionsFor(r) {
		for _, all := range alternatives {
			if all.hold(l, r) {
				return Situation(s)
			}
		}
	}
	return Torn
}
