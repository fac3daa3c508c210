package auth

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"slices"
)

// Grant allows each of some permissions on each of some workspaces.
type Grant struct {
	Permissions []Permission
	Workspaces  []Pattern
}

// Allows reports whether g gives the permission on the workspace.
func (g Grant) Allows(p Permission, ws string) bool {
	return slices.Contains(g.Permissions, p) &&
		slices.ContainsFunc(g.Workspaces, func(pattern Pattern) bool { return pattern.Match(ws) })
}

// Check refuses a grant with a part that means nothing, and one that is empty.
func (g Grant) Check() error {
	var errs []error
	if len(g.Permissions) == 0 {
		errs = append(errs, errors.New("no permissions"))
	}
	for _, p := range g.Permissions {
		errs = append(errs, p.Check())
	}
	if len(g.Workspaces) == 0 {
		errs = append(errs, errors.New("no workspaces"))
	}
	for _, pattern := range g.Workspaces {
		errs = append(errs, pattern.Check())
	}
	return errors.Join(errs...)
}

// Identity is a caller, as its credential tells.
type Identity struct {
	// Principal is the caller's name in locks, history and logs:
	//
	//	token:<id>         a token
	//	jwt:<iss>|<sub>    a JWT
	Principal string
	// Digest is the SHA-256 of the whole secret, in hexadecimal digits. A hold
	// remembers the one that it was acquired with.
	Digest string
	// Lapsed says that the credential was good once. It may still finish the
	// hold that it began; see the package's documentation.
	Lapsed bool
	// Why says to a person why the identity is lapsed.
	Why string
	// Grants are what the caller may do.
	Grants []Grant
}

// May reports whether the caller has the permission on the workspace. A lapsed
// one has WriteState and ReleaseLock at most, and those only in a write that
// demands that the hold was acquired with i.Digest.
func (i Identity) May(p Permission, ws string) bool {
	if i.Lapsed && p != WriteState && p != ReleaseLock {
		return false
	}
	return slices.ContainsFunc(i.Grants, func(g Grant) bool { return g.Allows(p, ws) })
}

// MayAnywhere reports whether there can be a workspace on which the caller has
// the permission: for requests that name none, such as lists.
func (i Identity) MayAnywhere(p Permission) bool {
	return !i.Lapsed && slices.ContainsFunc(i.Grants, func(g Grant) bool { return slices.Contains(g.Permissions, p) })
}

// Digest is the SHA-256 of a secret, in hexadecimal digits. Secrets that are
// worth guessing are no digest's business: tokens and JWTs are random enough.
func Digest(secret string) string {
	sum := sha256.Sum256([]byte(secret))
	return hex.EncodeToString(sum[:])
}

var (
	// ErrInvalid is the error for a secret that says nothing good about its
	// caller. Its text tells an operator what is wrong; callers need not know.
	ErrInvalid = errors.New("the credential is not valid")
	// ErrUnavailable is the error where the table or an issuer can't be reached,
	// so that nothing is known about the secret.
	ErrUnavailable = errors.New("the credential can't be checked now")
)

func invalid(format string, a ...any) error {
	return fmt.Errorf("%w: %s", ErrInvalid, fmt.Sprintf(format, a...))
}

func unavailable(err error) error { return fmt.Errorf("%w: %w", ErrUnavailable, err) }
