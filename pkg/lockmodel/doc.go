// Package lockmodel is the lock as a pure state machine: no clock, no
// network, no logger, and nothing but the standard library.
//
// It holds THE transition table (table.go): operation × situation → rule.
// A situation is how a stored lock looks to a request, written as conditions
// over the stored attributes; a rule is what happens then: an effect, written
// as changes of those attributes, and an answer. Conditions and changes are
// data, so the same lines serve three readers:
//
//   - Step evaluates them on a Lock in memory.
//   - Package ddbstore renders them as a ConditionExpression and an
//     UpdateExpression, and DynamoDB evaluates them inside the write.
//   - The checkers and the documentation walk over them.
//
// # The lock
//
//	unlocked -> held -> unlocked
//	            held -> stale -> unlocked
//
// Beside the state, Lock.Holders is a ledger of its own that counts the
// holders, 0 or 1. Every transition demands that both agree, so a state that
// was tampered with cannot let a second holder in.
//
// # Identity
//
// A hold is named by its lock id, which no two acquisitions share, and
// numbered by its fence, which grows by one with every acquisition of the
// workspace and survives its release.
//
// A request must be known again, since any may arrive twice. An acquire is
// known by the hold it made, a renewal by a lease that reaches as far. The
// others are known by their key (Request.Key): the lock remembers which request
// marked it last and which freed it last, whatever came after.
package lockmodel
