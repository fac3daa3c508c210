package lockmodel

import "math"

// Missing is the value of a numeric attribute that the stored item lacks or
// holds in another type. A missing text attribute reads as "".
const Missing = math.MinInt64

// Anonymous is the principal of a caller nobody authenticated. Authenticated
// principals carry a scheme ("iam:…"), so none can be confused with it.
const Anonymous = "anonymous"

// Lock is one workspace's lock as it is stored. Times are milliseconds since
// the Unix epoch, by the service's clock.
type Lock struct {
	// Workspace names what the lock protects.
	Workspace string
	// Exists tells a stored lock from a workspace never seen.
	Exists bool

	// State is where the lock stands.
	State State
	// Holders is the ledger: how many hold the lock, 0 or 1.
	Holders int64
	// Fence is the number of acquisitions so far; the current hold's number.
	Fence int64

	// LockID names the current hold.
	LockID string
	// Runner is who holds the lock, in the holder's own words.
	Runner string
	// Principal is who holds the lock as authenticated, or Anonymous.
	Principal string

	// AcquiredAt is when the current hold began.
	AcquiredAt int64
	// StaleAt is when the current hold was marked stale.
	StaleAt int64
	// LeaseUntil is until when the current hold has asked not to be marked
	// stale; Missing where it asked for no lease.
	LeaseUntil int64
	// Lease is for how long a proof that the holder is alive counts, as it last
	// asked; Missing where it asked for no lease.
	Lease int64
	// BusyUntil is until when the current hold is not to be marked stale because
	// it wrote state; Missing where it wrote none, long past without a lease. It
	// stands beside LeaseUntil so that each of them only ever grows, in whatever
	// order renewals and state writes arrive.
	BusyUntil int64
	// ChangedAt is when the lock last came to be held, stale or unlocked.
	ChangedAt int64
	// Info is the holder's own description of its hold, in its client's format
	// ("" for none): Terraform's LockInfo.
	Info string
	// Credential is a digest of the secret that the holder acquired with, "" for
	// none.
	Credential string

	// By is the principal of the last transition, and Reason why it was asked
	// for, in the caller's words ("" where not said).
	By     string
	Reason string

	// MarkedBy and FreedBy are the keys of the last requests that marked the
	// lock stale and that freed it, whatever came after.
	MarkedBy string
	FreedBy  string
	// Spent is the lock id of the last hold that ended. It never holds again.
	Spent string

	// Version names the state that is current, "" where there is none, and
	// VersionNo counts how often the state was written or deleted.
	Version   string
	VersionNo int64
	// Previous names the state that was current before, NoVersion where there was
	// none, and "" where the state was never written. Its number is VersionNo - 1.
	Previous string
	// Checksum and Size are of the current state: SHA-256 in hex, and bytes.
	Checksum string
	Size     int64
	// Serial is the serial number of the last state that the current hold wrote;
	// Missing where it wrote none, or one that can't be read.
	Serial int64
	// WrittenAt is when the request was made that wrote the current state, and
	// WrittenBy its key.
	WrittenAt int64
	WrittenBy string
}

// NewLock is the lock of a workspace that has no stored item.
func NewLock(ws string) Lock {
	return Lock{
		Workspace: ws,
		Holders:   Missing, Fence: Missing,
		AcquiredAt: Missing, StaleAt: Missing, LeaseUntil: Missing, ChangedAt: Missing,
		Lease: Missing, BusyUntil: Missing,
		VersionNo: Missing, Size: Missing, Serial: Missing, WrittenAt: Missing,
	}
}

// NoVersion is the name of a state that there is not.
const NoVersion = "-"

// Attr is the name of a stored attribute. The names are chosen so that none
// is a reserved word of DynamoDB's expressions: they read as they are stored.
type Attr string

// The attributes of a stored lock. The comment beside each is its field.
const (
	AttrState      Attr = "st"          // State
	AttrHolders    Attr = "holders"     // Holders
	AttrFence      Attr = "fence"       // Fence
	AttrLockID     Attr = "lock_id"     // LockID
	AttrRunner     Attr = "runner"      // Runner
	AttrPrincipal  Attr = "principal"   // Principal
	AttrAcquiredAt Attr = "acquired_at" // AcquiredAt
	AttrStaleAt    Attr = "stale_at"    // StaleAt
	AttrLeaseUntil Attr = "lease_until" // LeaseUntil
	AttrChangedAt  Attr = "changed_at"  // ChangedAt
	AttrBy         Attr = "done_by"     // By
	AttrReason     Attr = "reason"      // Reason
	AttrMarkedBy   Attr = "marked_by"   // MarkedBy
	AttrFreedBy    Attr = "freed_by"    // FreedBy
	AttrSpent      Attr = "spent"       // Spent
	AttrLease      Attr = "lease"       // Lease
	AttrBusyUntil  Attr = "busy_until"  // BusyUntil
	AttrInfo       Attr = "info"        // Info
	AttrCredential Attr = "cred"        // Credential
	AttrVersion    Attr = "version"     // Version
	AttrVersionNo  Attr = "version_no"  // VersionNo
	AttrPrevious   Attr = "previous"    // Previous
	AttrChecksum   Attr = "checksum"    // Checksum
	AttrSize       Attr = "bytes"       // Size
	AttrSerial     Attr = "serial"      // Serial
	AttrWrittenAt  Attr = "written_at"  // WrittenAt
	AttrWrittenBy  Attr = "written_by"  // WrittenBy
)

// text gives the field of a text attribute, or nil where a is numeric.
func (l *Lock) text(a Attr) *string {
	switch a {
	case AttrState:
		return &l.State
	case AttrLockID:
		return &l.LockID
	case AttrRunner:
		return &l.Runner
	case AttrPrincipal:
		return &l.Principal
	case AttrBy:
		return &l.By
	case AttrReason:
		return &l.Reason
	case AttrMarkedBy:
		return &l.MarkedBy
	case AttrFreedBy:
		return &l.FreedBy
	case AttrSpent:
		return &l.Spent
	case AttrInfo:
		return &l.Info
	case AttrCredential:
		return &l.Credential
	case AttrVersion:
		return &l.Version
	case AttrPrevious:
		return &l.Previous
	case AttrChecksum:
		return &l.Checksum
	case AttrWrittenBy:
		return &l.WrittenBy
	}
	return nil
}

// number gives the field of a numeric attribute, or nil where a is text.
func (l *Lock) number(a Attr) *int64 {
	switch a {
	case AttrHolders:
		return &l.Holders
	case AttrFence:
		return &l.Fence
	case AttrAcquiredAt:
		return &l.AcquiredAt
	case AttrStaleAt:
		return &l.StaleAt
	case AttrLeaseUntil:
		return &l.LeaseUntil
	case AttrChangedAt:
		return &l.ChangedAt
	case AttrLease:
		return &l.Lease
	case AttrBusyUntil:
		return &l.BusyUntil
	case AttrVersionNo:
		return &l.VersionNo
	case AttrSize:
		return &l.Size
	case AttrSerial:
		return &l.Serial
	case AttrWrittenAt:
		return &l.WrittenAt
	}
	return nil
}

// Value gives a stored attribute: its text, or its number where it has no text.
// It is not ok where the attribute is missing.
func (l Lock) Value(a Attr) (text string, number int64, ok bool) {
	if p := l.text(a); p != nil {
		return *p, 0, *p != ""
	}
	p := l.number(a)
	return "", *p, *p != Missing
}

// aliveUntil is the end of the hold's lease, as renewals and state writes have
// prolonged it; Missing where it has none. State writes may prolong it beyond the
// greatest length of a hold, where it doesn't count.
func (l Lock) aliveUntil(t Terms) int64 {
	if l.LeaseUntil == Missing {
		return Missing
	}
	until := max(l.LeaseUntil, l.BusyUntil)
	if t.MaxHold > 0 && l.AcquiredAt != Missing {
		until = min(until, l.AcquiredAt+t.MaxHold)
	}
	return until
}
