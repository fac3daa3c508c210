package lockmodel

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Limits on what a request may carry, in bytes.
const (
	MaxWorkspace = 512
	MaxRunner    = 256
	MaxReason    = 512
	MaxID        = 128
	MaxInfo      = 4096
)

// Request asks for one transition of one workspace's lock.
type Request struct {
	// Op is what is asked.
	Op Op
	// Workspace names the lock.
	Workspace string

	// ID names the request. Every copy of the request carries the same one,
	// and no other request does.
	ID string
	// LockID names the hold: for Acquire, the one to begin; for Renew, the one
	// to renew (both required); otherwise, the only one that may be touched
	// ("" for whichever there is). No two acquisitions may share one.
	LockID string
	// Runner is the holder's name: for Acquire, the one to record (required);
	// otherwise, the only one whose hold may be touched ("" for anyone's).
	Runner string
	// Principal is the caller as authenticated; "" means Anonymous. It comes
	// from the authenticator alone, never from what the caller wrote.
	Principal string

	// Reason is why the transition is asked for, in the caller's words, for the
	// record ("" where not said).
	Reason string

	// Info describes the hold that an Acquire begins, for others to read, in its
	// client's own format ("" for none).
	Info string
	// Credential is a digest of the secret that the caller showed, "" for none:
	// an Acquire leaves it with the hold.
	Credential string
	// Lapsed tells that the secret is valid no more, so that only the hold which
	// was begun with it, when it was, may be touched: to finish what was begun.
	Lapsed bool

	// Version names the stored version of the state that a WriteState makes
	// current, "" to delete the state. Checksum (SHA-256 in hex), Size (bytes)
	// and Serial (Missing where it can't be read) are that version's.
	Version  string
	Checksum string
	Size     int64
	Serial   int64
	// Restore tells that the version is an earlier one's copy. It must be the
	// first that its hold writes, so that it undoes nothing of that hold.
	Restore bool

	// Lease is for how many milliseconds from Now the holder asks not to be
	// marked stale: for Renew (required) and Acquire (0 for no lease).
	Lease int64

	// Now is the service's clock when it made the request, in milliseconds
	// since the Unix epoch. All copies of the request carry the same Now.
	Now int64
	// Terms are the deployment's.
	Terms Terms
}

// Terms are the settings of a deployment that transitions depend on, in
// milliseconds.
type Terms struct {
	// Skew is by how much the clocks of the service's instances may differ.
	Skew int64
	// Notice is for how long a lock must have been stale before it may be
	// force-unlocked.
	Notice int64
	// MaxHold is how long after its beginning a hold's lease may reach; 0 for
	// any length.
	MaxHold int64
	// RequireLock refuses to write state without naming a hold.
	RequireLock bool
}

// Key names the transition that the request asks for, for the lock to
// remember: the request's id together with the hold that it names.
func (r Request) Key() string {
	key := r.Op.String() + "/" + r.ID
	if r.LockID != "" {
		key += "/" + r.LockID
	}
	return key
}

// FieldError says which field of a request is unusable, and why.
type FieldError struct {
	Field   string // as it is spelled in a command document
	Problem string // what is wrong, for a person
}

func (e *FieldError) Error() string { return e.Field + ": " + e.Problem }

// Validate reports the first unusable field as a *FieldError.
func (r Request) Validate() error {
	if int(r.Op) >= numOps {
		return &FieldError{"op", "there is no such operation"}
	}
	if err := CheckWorkspace(r.Workspace); err != nil {
		return err
	}
	if err := checkID("request_id", r.ID, true); err != nil {
		return err
	}
	if err := checkID("lock_id", r.LockID, r.Op.NeedsLockID() || r.Lapsed); err != nil {
		return err
	}
	if r.LockID == "" && r.Op.TakesState() && r.Terms.RequireLock {
		return &FieldError{"lock_id", "missing; this deployment takes no state without a lock"}
	}
	if r.Lapsed && r.Op != ReleaseLock && r.Op != WriteState {
		return &FieldError{"credential", "valid no more; it can only finish what was begun with it"}
	}
	if err := r.checkState(); err != nil {
		return err
	}
	if len(r.Info) > MaxInfo || !utf8.ValidString(r.Info) || r.Info != "" && r.Op != Acquire {
		return &FieldError{"info", fmt.Sprintf("up to %d bytes of text, for an acquire", MaxInfo)}
	}
	if r.Runner == "" && r.Op == Acquire {
		return &FieldError{"runner", "missing; say who acquires the lock"}
	}
	if err := checkText("runner", r.Runner, MaxRunner); err != nil {
		return err
	}
	if r.Reason != "" && !r.Op.TakesReason() {
		return &FieldError{"reason", r.Op.String() + " takes no reason"}
	}
	if err := checkText("reason", r.Reason, MaxReason); err != nil {
		return err
	}
	return r.checkLease()
}

// CheckWorkspace refuses, with a *FieldError, a name that is not 1 to 512 bytes
// of letters, digits and "-_./" without empty, "." or ".." segments: so that no
// two spellings name one workspace and no name escapes its place in a path.
func CheckWorkspace(ws string) error {
	if ws == "" {
		return &FieldError{"ws", "missing; name the workspace"}
	}
	if len(ws) > MaxWorkspace {
		return &FieldError{"ws", fmt.Sprintf("longer than %d bytes", MaxWorkspace)}
	}
	if strings.ContainsFunc(ws, func(c rune) bool { return !workspaceRune(c) }) {
		return &FieldError{"ws", `only letters, digits and "-", "_", ".", "/" may stand in a workspace name`}
	}
	for segment := range strings.SplitSeq(ws, "/") {
		switch segment {
		case "":
			return &FieldError{"ws", `no empty segment: no "/" at either end, no "//"`}
		case ".", "..":
			return &FieldError{"ws", `no "." or ".." segment`}
		}
	}
	return nil
}

// CheckPrefix refuses, with a *FieldError, what cannot start a workspace name.
func CheckPrefix(prefix string) error {
	if len(prefix) > MaxWorkspace || strings.ContainsFunc(prefix, func(c rune) bool { return !workspaceRune(c) }) {
		return &FieldError{"prefix", "no workspace name starts like that"}
	}
	return nil
}

func workspaceRune(c rune) bool {
	return 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || '0' <= c && c <= '9' || strings.ContainsRune("-_./", c)
}

func checkID(field, id string, required bool) error {
	if id == "" {
		if required {
			return &FieldError{field, "missing"}
		}
		return nil
	}
	if !ValidID(id) {
		return &FieldError{field, fmt.Sprintf(`up to %d visible ASCII characters other than "/" may stand in it`, MaxID)}
	}
	return nil
}

// ValidID reports whether id can name a request or a hold.
func ValidID(id string) bool {
	return id != "" && len(id) <= MaxID && !strings.ContainsFunc(id, func(c rune) bool { return c <= ' ' || c > '~' || c == '/' })
}

// checkState refuses a version where the operation takes none, and one that
// lacks what is recorded of it.
func (r Request) checkState() error {
	switch {
	case r.Version == "" && r.Checksum == "" && r.Size == 0:
		return nil
	case !r.Op.TakesState():
		return &FieldError{"version", r.Op.String() + " takes no state"}
	case r.Restore && r.LockID == "":
		return &FieldError{"lock_id", "missing; acquire the lock, and restore under it"}
	case !ValidID(r.Version) || r.Checksum == "" || r.Size <= 0 || r.Serial < 0 && r.Serial != Missing:
		return &FieldError{"version", "needs a name, a checksum, a size and a serial number"}
	}
	return nil
}

// checkLease refuses a lease where the operation has none, a renewal without
// one, and one that could never be granted.
func (r Request) checkLease() error {
	const field = "lease_seconds"
	switch {
	case r.Lease != 0 && !r.Op.TakesLease():
		return &FieldError{field, r.Op.String() + " takes no lease"}
	case r.Lease == 0 && r.Op == Renew:
		return &FieldError{field, "missing; say for how long to renew the lease"}
	case r.Lease < 0:
		return &FieldError{field, "must be positive"}
	case r.Terms.MaxHold > 0 && r.Lease > r.Terms.MaxHold:
		return &FieldError{field, fmt.Sprintf("longer than a hold may last, %d seconds", r.Terms.MaxHold/1000)}
	}
	return nil
}

// checkText refuses what could not be shown to a person as it is.
func checkText(field, text string, most int) error {
	switch {
	case len(text) > most:
		return &FieldError{field, fmt.Sprintf("longer than %d bytes", most)}
	case !utf8.ValidString(text) || strings.ContainsFunc(text, func(c rune) bool { return !unicode.IsPrint(c) }) ||
		strings.TrimSpace(text) != text:
		return &FieldError{field, "only visible characters and spaces between them may stand in it"}
	}
	return nil
}
