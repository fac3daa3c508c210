package lockmodel

import (
	"fmt"
	"strings"
)

// Op is an operation that may change a lock: a column of the table.
type Op uint8

const (
	// Acquire takes the lock for a runner.
	Acquire Op = iota
	// Renew extends the lease of the holder's own hold.
	Renew
	// ReleaseLock ends the holder's own hold.
	ReleaseLock
	// MarkStale records the suspicion that the holder is gone.
	MarkStale
	// ForceUnlock frees a stale lock.
	ForceUnlock
	// WriteState makes another version of the workspace's state current.
	WriteState

	numOps = iota
)

var opNames = [numOps]string{
	Acquire:     "acquire",
	Renew:       "renew",
	ReleaseLock: "release_lock",
	MarkStale:   "mark_stale",
	ForceUnlock: "force_unlock",
	WriteState:  "write_state",
}

// Ops lists the operations in the table's order.
func Ops() []Op {
	return []Op{Acquire, Renew, ReleaseLock, MarkStale, ForceUnlock, WriteState}
}

// String is the operation's name in commands, logs and documentation.
func (o Op) String() string {
	if int(o) < len(opNames) {
		return opNames[o]
	}
	return fmt.Sprintf("Op(%d)", uint8(o))
}

// ParseOp finds an operation by its name. A name that the table does not have
// is a *FieldError.
func ParseOp(name string) (Op, error) {
	for o, n := range opNames {
		if n == name {
			return Op(o), nil
		}
	}
	return 0, &FieldError{Field: "op", Problem: fmt.Sprintf("there is no operation %q; there are %s",
		name, strings.Join(opNames[:], ", "))}
}

// TakesLease reports whether a request of o may ask for a lease.
func (o Op) TakesLease() bool { return o == Acquire || o == Renew }

// TakesReason reports whether a request of o may say why: a renewal says that
// the holder is alive, and no more; so does a state.
func (o Op) TakesReason() bool { return o != Renew && o != WriteState }

// TakesState reports whether a request of o brings a version of the state,
// which a command document has no room for.
func (o Op) TakesState() bool { return o == WriteState }

// NeedsLockID reports whether a request of o must name its hold.
func (o Op) NeedsLockID() bool { return o == Acquire || o == Renew }
