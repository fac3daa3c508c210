package lockmodel

// Table says, for every operation in every situation, what happens.
type Table [numOps][numSituations]Rule

// table is THE transition table. Each rule is written once, below it.
var table = Table{
	Acquire: {
		Unseen:      take,
		Repeat:      again,
		Free:        take,
		SpentID:     refuseSpent,
		Unheld:      unasked,
		Mine:        unasked,
		StaleMine:   refuseStale,
		Untimely:    unasked,
		Late:        refuseLateAcquire,
		Theirs:      refuseHeld,
		StaleTheirs: refuseStale,
		Torn:        refuseSecondHolder,
	},
	Renew: {
		Unseen:      refuseNotHeld,
		Repeat:      again,
		Free:        refuseNotHeld,
		SpentID:     refuseEnded,
		Unheld:      unasked,
		Mine:        renew,
		StaleMine:   refuseStaleRenewal,
		Untimely:    refuseMaxHold,
		Late:        refuseLate,
		Theirs:      refuseNotHolder,
		StaleTheirs: refuseNotHolder,
		Torn:        refuseLedger,
	},
	ReleaseLock: {
		Unseen:      refuseNotHeld,
		Repeat:      again,
		Free:        refuseNotHeld,
		SpentID:     refuseEnded,
		Unheld:      unasked,
		Mine:        release,
		StaleMine:   release,
		Untimely:    unasked,
		Late:        refuseLate,
		Theirs:      refuseNotHolder,
		StaleTheirs: refuseNotHolder,
		Torn:        refuseLedger,
	},
	MarkStale: {
		Unseen:      refuseNotHeld,
		Repeat:      again,
		Free:        refuseNotHeld,
		SpentID:     refuseEnded,
		Unheld:      unasked,
		Mine:        mark,
		StaleMine:   refuseAlreadyStale,
		Untimely:    refuseLeaseLive,
		Late:        refuseLate,
		Theirs:      refuseNotHolder,
		StaleTheirs: refuseNotHolder,
		Torn:        refuseLedger,
	},
	ForceUnlock: {
		Unseen:      refuseNotStale,
		Repeat:      again,
		Free:        refuseNotStale,
		SpentID:     refuseNotStale,
		Unheld:      unasked,
		Mine:        refuseNotStale,
		StaleMine:   force,
		Untimely:    refuseNotice,
		Late:        refuseLate,
		Theirs:      refuseNotStale,
		StaleTheirs: refuseNotHolder,
		Torn:        refuseLedger,
	},
	WriteState: {
		Unseen:      write,
		Repeat:      again,
		Free:        write,
		SpentID:     refuseEnded,
		Unheld:      refuseNotHeld,
		Mine:        write,
		StaleMine:   write,
		Untimely:    unasked,
		Late:        refuseOutdated,
		Theirs:      refuseNotHolder,
		StaleTheirs: refuseNotHolder,
		Torn:        refuseLedger,
	},
}

var (
	take    = Rule{Effect: Take, Why: "nobody holds the lock"}
	release = Rule{Effect: End, Why: "the holder ends its own hold, stale or not"}
	renew   = Rule{Effect: Extend, Why: "the holder is alive and says so"}
	mark    = Rule{Effect: Mark, Why: "a suspicion is recorded; nothing is freed by it"}
	force   = Rule{Effect: End, Why: "a stale hold is ended by a deliberate act"}
	write   = Rule{Effect: Point, Why: "the holder writes, or nobody holds the lock; a stale holder may, as long as nobody else was let in"}
	again   = Rule{Why: "an earlier copy was applied: its answer is given again"}

	refuseHeld = Rule{
		Code: CodeHeld, Reason: "lock held by {runner}",
		Why: "one holder at a time",
	}
	refuseStale = Rule{
		Code: CodeStale, Reason: "lock held by {runner}",
		Why: "stale is a suspicion: it never frees by itself",
	}
	refuseSpent = Rule{
		Code: CodeSpent, Reason: "lock id {id} was released already; acquire with a new one",
		Why: "a late copy must not lock for a client that is gone",
	}
	refuseLateAcquire = Rule{
		Code: CodeLate, AskAgain: true,
		Reason: "the lock was freed after this request was made; ask again",
		Why:    "a late copy has nobody to ask again; a live caller has",
	}
	refuseSecondHolder = Rule{
		Code:   CodeLedger,
		Reason: "second holder refused: the ledger counts {holders} while the state is {state}",
		Why:    "the ledger walls the state a second time",
	}

	refuseNotHeld = Rule{
		Code: CodeNotHeld, Reason: "the lock is unlocked already: nobody holds it",
		Why: "there is no hold to act on",
	}
	refuseEnded = Rule{
		Code: CodeNotHeld, Reason: "the lock is unlocked already: the hold {id} has ended",
		Why: "that hold has ended, and not by this request",
	}
	refuseNotHolder = Rule{
		Code: CodeNotHolder, Reason: "the lock is held by {runner} under lock id {lock_id}, not by the hold that this request names",
		Why: "the request means another hold",
	}
	refuseAlreadyStale = Rule{
		Code: CodeStale, Reason: "the lock is stale already, since {stale_at}",
		Why: "the suspicion is on record",
	}
	refuseNotStale = Rule{
		Code: CodeNotStale, Reason: "force-unlock only from stale — a live holder is never bulldozed",
		Why: "there is no way from held to unlocked but the holder's own release",
	}
	refuseStaleRenewal = Rule{
		Code: CodeStale, Reason: "marked stale since {stale_at}: the hold can still be released, not renewed",
		Why: "a woken holder must learn that it was given up on",
	}
	refuseLeaseLive = Rule{
		Code: CodeLeaseLive, Reason: "the lease of {runner} runs until {lease_until}, {left} more",
		Why: "a holder that renews its lease is alive",
	}
	refuseNotice = Rule{
		Code: CodeNotice, Reason: "the lock is stale since {stale_at}; it may be force-unlocked in {notice}",
		Why: "the holder is given notice before its lock is taken away",
	}
	refuseMaxHold = Rule{
		Code: CodeMaxHold, Reason: "held since {acquired_at}: the lease would reach beyond the greatest length of a hold",
		Why: "no hold is renewed for ever",
	}
	unasked = Rule{
		Code: CodeLedger, Reason: "refused: no request comes here",
		Why: "no request of this operation is in this situation",
	}
	refuseLate = Rule{
		Code: CodeLate, Reason: "the lock changed after this request was made; look at it again before you repeat the request",
		Why: "a late copy must not act on a hold that it can't mean",
	}
	refuseOutdated = Rule{
		Code: CodeLate, Reason: "the lock or its state changed after this request was made; what it brings is out of date",
		Why: "the late copy of a write must not take back what a later one wrote",
	}
	refuseLedger = Rule{
		Code: CodeLedger, Reason: "refused by the ledger: it counts {holders} while the state is {state}; the item needs repair by hand",
		Why: "nothing is done to an item that no transition writes",
	}

	// refuseUnknown stands in no cell: it is for operations without a column.
	refuseUnknown = Rule{Code: CodeUnknownOp, Reason: "there is no such operation"}
)

// Transitions gives a copy of the table, for checkers to look at and to break.
func Transitions() Table { return table }

// effect gives the one effect that o has wherever it writes.
func (t *Table) effect(o Op) Effect {
	for _, rule := range t[o] {
		if rule.Effect != Keep {
			return rule.Effect
		}
	}
	return Keep
}

// Write is what a request asks of the store: to make the changes if the stored
// lock meets one of the alternatives.
type Write struct {
	When    []All
	Changes []Change
}

// WriteFor gives the conditional write that performs the request: the
// situations whose rule writes, and that rule's effect.
func WriteFor(r Request) Write {
	w := Write{Changes: table.effect(r.Op).changes(r)}
	for s, rule := range table[r.Op] {
		if rule.Effect != Keep {
			w.When = append(w.When, Situation(s).Where(r)...)
		}
	}
	return w
}
