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
// A request is named by its key (Request.Key). The lock remembers the key of
// the last transition applied to it and of the last one that freed it, which
// is how the second copy of a request gets the answer of the first.
package lockmodel
