package explore

import (
	"fmt"

	"github.com/statelock/statelock/pkg/lockmodel"
)

// This file holds the properties of state writes.

// pointer is what a lock says of the workspace's state.
type pointer struct {
	version, previous, checksum, by string
	no, size, at                    int64
}

func pointerOf(l lockmodel.Lock) pointer {
	return pointer{l.Version, l.Previous, l.Checksum, l.WrittenBy, l.VersionNo, l.Size, l.WrittenAt}
}

// stateAlone compares a write with the lock before it but for the state, and
// any other step with the state before it.
func stateAlone(s step) string {
	if !s.out.Wrote() {
		return ""
	}
	before, after := s.before, s.out.Lock
	if s.r.Op != lockmodel.WriteState {
		if pointerOf(before) != pointerOf(after) {
			return fmt.Sprintf("%s moved the state from %+v to %+v", s.r.Op, pointerOf(before), pointerOf(after))
		}
		return ""
	}
	previous := before.Version
	if previous == "" {
		previous = lockmodel.NoVersion
	}
	want := pointer{s.r.Version, previous, s.r.Checksum, s.r.Key(), max(before.VersionNo, 0) + 1, s.r.Size, s.r.Now}
	if s.r.Version == "" {
		want.size = lockmodel.Missing
	}
	if got := pointerOf(after); got != want {
		return fmt.Sprintf("the state is %+v, want %+v", got, want)
	}
	if !before.Exists {
		before = lockmodel.Lock{Workspace: before.Workspace, Exists: true, State: lockmodel.Unlocked}
		before.ChangedAt, before.AcquiredAt, before.StaleAt = s.r.Now, lockmodel.Missing, lockmodel.Missing
		before.LeaseUntil, before.Lease = lockmodel.Missing, lockmodel.Missing
	}
	before.Version, before.Previous, before.VersionNo, before.Checksum, before.Size = after.Version, after.Previous, after.VersionNo, after.Checksum, after.Size
	before.WrittenAt, before.WrittenBy, before.Serial, before.BusyUntil = after.WrittenAt, after.WrittenBy, after.Serial, after.BusyUntil
	if before != after {
		return fmt.Sprintf("a state write made %+v of %+v", after, before)
	}
	return ""
}

func latest(s step) string {
	if s.r.Op != lockmodel.WriteState || !s.out.Wrote() {
		return ""
	}
	if outdated(s.before, s.r) {
		return fmt.Sprintf("a state made at %d with serial number %d replaced one made at %d with %d", s.r.Now, s.r.Serial, s.before.WrittenAt, s.before.Serial)
	}
	want := s.r.Serial
	if s.r.Version == "" {
		want = lockmodel.Missing
	}
	if s.out.Lock.Serial != want {
		return fmt.Sprintf("serial number %d was written as %d", want, s.out.Lock.Serial)
	}
	return ""
}

func proofOfLife(s step) string {
	if s.r.Op != lockmodel.WriteState || !s.out.Wrote() {
		return ""
	}
	now, until := s.r.Now, s.out.Lock.BusyUntil
	// Writes may overtake each other by the skew, and no more.
	promised, left := max(s.before.LeaseUntil, s.before.BusyUntil), max(s.out.Lock.LeaseUntil, until)
	if s.before.Lease != lockmodel.Missing && s.before.BusyUntil <= s.before.WrittenAt+s.before.Lease && left+s.r.Terms.Skew < promised {
		return fmt.Sprintf("a lease that was promised until %d ends at %d", promised, left)
	}
	switch lease := s.before.Lease; {
	case lease == lockmodel.Missing && until > now-patience:
		return fmt.Sprintf("a hold without a lease is busy until %d", until)
	case lease != lockmodel.Missing && until != now+lease:
		return fmt.Sprintf("a lease of %d was prolonged at %d until %d", lease, now, until)
	}
	return ""
}
