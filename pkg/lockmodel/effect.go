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
	// Point: another version of the state becomes current. Nothing about the lock
	// changes but that its holder is seen to be alive.
	Point

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
		set(AttrLease, opLease), remove(AttrBusyUntil), set(AttrInfo, opInfo), set(AttrCredential, opCredential), remove(AttrSerial),
	}},
	Extend: {"extend", Held, []Change{set(AttrLeaseUntil, opUntil), set(AttrLease, opLease)}},
	Mark: {"mark", Stale, []Change{
		set(AttrState, opStale), set(AttrStaleAt, opNow), set(AttrChangedAt, opNow),
		set(AttrBy, opPrincipal), set(AttrReason, opReason), set(AttrMarkedBy, opKey),
	}},
	End: {"end", Unlocked, []Change{
		set(AttrState, opUnlocked), subtract(AttrHolders), copyFrom(AttrSpent, AttrLockID),
		set(AttrFreedBy, opKey), set(AttrChangedAt, opNow), set(AttrBy, opPrincipal), set(AttrReason, opReason),
		remove(AttrLockID), remove(AttrRunner), remove(AttrPrincipal), remove(AttrAcquiredAt), remove(AttrStaleAt), remove(AttrLeaseUntil),
		remove(AttrLease), remove(AttrBusyUntil), remove(AttrInfo), remove(AttrCredential), remove(AttrSerial),
	}},
	Point: {name: "point", changes: []Change{
		// The first state of a workspace never locked makes its item.
		fill(AttrState, opUnlocked), fill(AttrHolders, opZero), fill(AttrFence, opZero), fill(AttrChangedAt, opNow),
		recall(AttrPrevious, AttrVersion, opNoVersion),
		set(AttrVersion, opVersion), add(AttrVersionNo), set(AttrChecksum, opChecksum), set(AttrSize, opSize), set(AttrSerial, opSerial),
		set(AttrWrittenAt, opNow), set(AttrWrittenBy, opKey), prolong(AttrBusyUntil, AttrLease),
	}},
}

// String is the effect's name in the documentation.
func (e Effect) String() string { return effects[e].name }

// To is the state that e leads to, "" where it leaves the state as it is.
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
	// Fill writes the operand where the attribute is missing.
	Fill
	// Recall writes another attribute's value from before the transition, or the
	// operand where that is missing.
	Recall
	// Prolong writes the operand and another attribute's value, taken together;
	// where that is missing, OpNever takes its place.
	Prolong
)

// Change is one change of one stored attribute.
type Change struct {
	Verb Verb
	Attr Attr
	To   Operand // for Set, Fill and Recall, the one of Add and Subtract, the time of Prolong
	From Attr    // for Copy, Recall and Prolong
}

func set(a Attr, o Operand) Change  { return Change{Verb: Set, Attr: a, To: o} }
func add(a Attr) Change             { return Change{Verb: Add, Attr: a, To: opOne} }
func subtract(a Attr) Change        { return Change{Verb: Subtract, Attr: a, To: opOne} }
func copyFrom(a, from Attr) Change  { return Change{Verb: Copy, Attr: a, From: from} }
func fill(a Attr, o Operand) Change { return Change{Verb: Fill, Attr: a, To: o} }
func recall(a, from Attr, or Operand) Change {
	return Change{Verb: Recall, Attr: a, To: or, From: from}
}
func prolong(a, by Attr) Change { return Change{Verb: Prolong, Attr: a, To: opNow, From: by} }
func remove(a Attr) Change      { return Change{Verb: Remove, Attr: a} }

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
			case Recall:
				if *p = *before.text(c.From); *p == "" {
					*p, _ = c.To.Value(r).(string)
				}
			case Fill:
				if *p == "" {
					*p, _ = c.To.Value(r).(string)
				}
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
		case Fill:
			if *p == Missing {
				*p, _ = c.To.Value(r).(int64)
			}
		case Prolong:
			by := *before.number(c.From)
			if by == Missing {
				by = never
			}
			*p, _ = c.To.Value(r).(int64)
			*p += by
		case Remove:
			*p = Missing
		}
	}
	return after
}
