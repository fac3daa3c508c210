package auth

import (
	"fmt"
	"slices"
	"strings"
)

// Permission is a kind of request that a caller may make: an operation on a
// lock, by its name in the transition table, or Read.
type Permission string

// The permissions.
const (
	// Read looks at state, versions, locks and history.
	Read Permission = "read"
	// Acquire takes a lock.
	Acquire Permission = "acquire"
	// Renew extends the lease of a hold.
	Renew Permission = "renew"
	// ReleaseLock ends a hold.
	ReleaseLock Permission = "release_lock"
	// WriteState makes a state current.
	WriteState Permission = "write_state"
	// MarkStale records that a holder seems to be gone.
	MarkStale Permission = "mark_stale"
	// ForceUnlock frees a stale lock.
	ForceUnlock Permission = "force_unlock"
)

// Permissions lists them all.
func Permissions() []Permission {
	return append(DefaultPermissions(), MarkStale, ForceUnlock)
}

// DefaultPermissions are those that a job needs which plans and applies. To
// take another's lock away is not among them.
func DefaultPermissions() []Permission {
	return []Permission{Read, Acquire, Renew, ReleaseLock, WriteState}
}

// Check refuses what is no permission.
func (p Permission) Check() error {
	if slices.Contains(Permissions(), p) {
		return nil
	}
	var names []string
	for _, known := range Permissions() {
		names = append(names, string(known))
	}
	return fmt.Errorf("there is no permission %q; there are %s", string(p), strings.Join(names, ", "))
}
