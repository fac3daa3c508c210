package lockmodel

// Code is the stable machine word of a refusal.
type Code string

// The codes of refusals.
const (
	CodeHeld      Code = "held"       // somebody holds the lock
	CodeStale     Code = "stale"      // the lock is stale, and somebody's
	CodeSpent     Code = "spent"      // the lock id's hold has ended
	CodeLeaseLive Code = "lease_live" // the holder's lease runs
	CodeNotice    Code = "notice"     // the lock has not been stale for long enough
	CodeMaxHold   Code = "max_hold"   // the hold has lasted as long as it may
	CodeLate      Code = "late"       // the lock changed after the request was made
	CodeNotHeld   Code = "not_held"   // there is no hold to act on
	CodeNotHolder Code = "not_holder" // the hold is another than the one named
	CodeNotStale  Code = "not_stale"  // only a stale lock may be force-unlocked
	CodeLedger    Code = "ledger"     // the item is torn: nothing is done to it
	CodeUnknownOp Code = "unknown_op" // the table has no such operation
)

// Rule is a cell of the table: what is written and what is answered.
type Rule struct {
	// Effect is what is written.
	Effect Effect
	// Code is the refusal's machine word, "" where the request is done.
	Code Code
	// Reason is the refusal's sentence for a person. Words in braces are
	// filled in from the stored lock and the request.
	Reason string
	// Why explains the rule in the documentation.
	Why string
	// AskAgain tells a caller that is still there to ask again at once, with
	// a later clock.
	AskAgain bool
}

// Done reports whether the rule answers that the request is done.
func (r Rule) Done() bool { return r.Code == "" }

// Unasked reports whether r stands in a cell that no request comes to: the
// situation is not asked of the operation.
func Unasked(r Rule) bool { return r == unasked }
