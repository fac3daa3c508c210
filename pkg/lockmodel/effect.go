package lockmodel

import (
	"math"
	"slices"
)

// Effect is what a rule does to the stored lock.
type Effect uint8

const (
	// Keep: nothing is written.
	Keep Effect = iota
	// Take: a new hold begins.
	Take
	// Extend: the hold's lease is extended.
	Extend
	// Mark: the hold is marked stale.
	Mark
	// End: the hold ends, and the lock is unlocked.
	End

	numEffects = iota
)

// effects is what each effect leads to, in a word, in a state, and in changes
// of the stored attributes. The ledger counts, rather than being set, so that
// a write that should not have been would show.
var effects = [numEffects]struct {
	name    string
	to      State
	changes []Change
}{
	Keep: {name: "keep"},
	Take: {"take", Held, []Change{
		set(AttrState, opHeld), add(AttrHolders), add(AttrFence),
		set(AttrLockID, opLockID), set(AttrRunner, opRunner), set(AttrPrincipal, opPrincipal),
		set(AttrAcquiredAt, opNow), set(AttrLeaseUntil, opUntil), set(AttrChangedAt, opNow),
		set(AttrBy, opPrincipal), set(AttrReason, opReason), remove(AttrStaleAt),
	}},
	Extend: {"extend", Held, []Change{set(AttrLeaseUntil, opUntil)}},
	Mark: {"mark", Stale, []Change{
		set(AttrState, opStale), set(AttrStaleAt, opNow), set(AttrChangedAt, opNow),
		set(AttrBy, opPrincipal), set(AttrReason, opReason), set(AttrMarkedBy, opKey),
	}},
	End: {"end", Unlocked, []Change{
		set(AttrState, opUnlocked), subtract(AttrHolders), copyFrom(AttrSpent, AttrLockID),
		set(AttrFreedBy, opKey), set(AttrChangedAt, opNow), set(AttrBy, opPrincipal), set(AttrReason, opReason),
		remove(AttrLockID), remove(AttrRunner), remove(AttrPrincipal), remove(AttrAcquiredAt), remove(AttrStaleAt), remove(AttrLeaseUntil),
	}},
}

// String is the effect's name in the documentation.
func (e Effect) String() string { return effects[e].name }

// To is the state that e leads to, "" where it writes nothing.
func (e Effect) To() State { return effects[e].to }

// Changes is what e writes.
func (e Effect) Changes() []Change { return effects[e].changes }

// Verb is the kind of a change.
type Verb uint8

const (
	// Set writes the operand; where the request has none, it is a Remove.
	Set Verb = iota
	// Add adds one, to zero where the attribute is missing.
	Add
	// Subtract takes one away.
	Subtract
	// Copy writes another attribute's value from before the transition.
	Copy
	// Remove deletes the attribute.
	Remove
)

// Change is one change of one stored attribute.
type Change struct {
	Verb Verb
	Attr Attr
	To   Operand // for Set, and the one of Add and Subtract
	From Attr    // for Copy
}

func set(a Attr, o Operand) Change { return Change{Verb: Set, Attr: a, To: o} }
func add(a Attr) Change            { return Change{Verb: Add, Attr: a, To: opOne} }
func subtract(a Attr) Change       { return Change{Verb: Subtract, Attr: a, To: opOne} }
func copyFrom(a, from Attr) Change { return Change{Verb: Copy, Attr: a, From: from} }
func remove(a Attr) Change         { return Change{Verb: Remove, Attr: a} }

// changes is what e writes for a request.
func (e Effect) changes(r Request) []Change {
	all := slices.Clone(e.Changes())
	for i, c := range all {
		if c.Verb == Set && c.To.Value(r) == nil {
			all[i] = remove(c.Attr)
		}
	}
	return all
}

// apply gives the lock after the effect. All changes read the lock before it.
func (e Effect) apply(before Lock, r Request) Lock {
	after := before
	for _, c := range e.changes(r) {
		after.Exists = true
		if p := after.text(c.Attr); p != nil {
			switch c.Verb {
			case Set:
				*p, _ = c.To.Value(r).(string)
			case Copy:
				*p = *before.text(c.From)
			case Remove:
				*p = ""
			}
			continue
		}
		p := after.number(c.Attr)
		switch c.Verb {
		case Set:
			*p, _ = c.To.Value(r).(int64)
		case Add:
			*p = min(max(*p, 0), math.MaxInt64-1) + 1
		case Subtract:
			*p--
		case Copy:
			*p = *before.number(c.From)
		case Remove:
			*p = Missing
		}
	}
	return after
}
