package explore

import (
	"testing"

	"github.com/statelock/statelock/pkg/lockmodel"
)

// broken are machines with the mistakes that lock services make. blind gives
// Step a lock or a request without what the mistake overlooks.
var broken = []struct {
	name string
	step Stepper
	// worlds are those that must show it, too. Where there are none, it takes a
	// tampered item, or a rarer world than a test has time for.
	worlds Bounds
}{
	{"acquire writes whatever is there", blind(lockmodel.Acquire, func(l *lockmodel.Lock, _ *lockmodel.Request) {
		l.State, l.Holders, l.LockID = lockmodel.Unlocked, 0, ""
	}), small[1]},
	{"ledger is left out", blind(lockmodel.Acquire, func(l *lockmodel.Lock, _ *lockmodel.Request) {
		if l.State == lockmodel.Unlocked {
			l.Holders = 0
		}
	}), Bounds{}},
	{"release asks for no lock id", blind(lockmodel.ReleaseLock, func(_ *lockmodel.Lock, r *lockmodel.Request) {
		r.LockID = ""
	}), small[1]},
	{"renewal asks for no lock id", blind(lockmodel.Renew, func(l *lockmodel.Lock, r *lockmodel.Request) {
		r.LockID = l.LockID
	}), Bounds{}},
	{"spent lock ids are forgotten", blind(lockmodel.Acquire, func(l *lockmodel.Lock, _ *lockmodel.Request) {
		l.Spent = ""
	}), small[1]},
	{"requests that ended a hold are forgotten", blind(lockmodel.ReleaseLock, func(l *lockmodel.Lock, _ *lockmodel.Request) {
		l.FreedBy = ""
	}), small[1]},
	{"requests that marked are forgotten", blind(lockmodel.MarkStale, func(l *lockmodel.Lock, _ *lockmodel.Request) {
		l.MarkedBy = ""
	}), small[1]},
	{"late copies are not told", blind(lockmodel.MarkStale, func(l *lockmodel.Lock, _ *lockmodel.Request) {
		l.ChangedAt = min(l.ChangedAt, 0)
	}), Bounds{}},
	{"leases are not looked at", blind(lockmodel.MarkStale, func(l *lockmodel.Lock, _ *lockmodel.Request) {
		l.LeaseUntil = lockmodel.Missing
	}), small[1]},
	{"a late renewal shortens the lease", blind(lockmodel.Renew, func(l *lockmodel.Lock, _ *lockmodel.Request) {
		l.LeaseUntil = lockmodel.Missing
	}), Bounds{}},
	{"a state write asks for no lock id", blind(lockmodel.WriteState, func(l *lockmodel.Lock, r *lockmodel.Request) {
		if l.LockID != "" {
			r.LockID = l.LockID
		}
	}), Bounds{}},
	{"a state write asks for no lock", blind(lockmodel.WriteState, func(l *lockmodel.Lock, r *lockmodel.Request) {
		l.State, l.Holders, r.LockID = lockmodel.Unlocked, 0, ""
	}), Bounds{}},
	{"a late state write takes back a later one", blind(lockmodel.WriteState, func(l *lockmodel.Lock, _ *lockmodel.Request) {
		l.Serial, l.WrittenAt, l.Previous = lockmodel.Missing, lockmodel.Missing, ""
	}), Bounds{Acquisitions: 1, Writes: 2, Late: 1}},
	{"a state write makes a lease", blind(lockmodel.WriteState, func(l *lockmodel.Lock, _ *lockmodel.Request) {
		l.Lease = max(l.Lease, 1)
	}), Bounds{}},
	{"state writes that were applied are forgotten", blind(lockmodel.WriteState, func(l *lockmodel.Lock, _ *lockmodel.Request) {
		l.WrittenBy = ""
	}), Bounds{}},
	{"force-unlock frees the living", blind(lockmodel.ForceUnlock, func(l *lockmodel.Lock, _ *lockmodel.Request) {
		if l.State == lockmodel.Held {
			l.State, l.StaleAt = lockmodel.Stale, l.ChangedAt
		}
	}), small[1]},
	{"a retry is refused", func(l lockmodel.Lock, r lockmodel.Request) lockmodel.Outcome {
		out := lockmodel.Step(l, r)
		if out.Situation == lockmodel.Repeat {
			out.Rule = lockmodel.Transitions()[lockmodel.Acquire][lockmodel.Theirs]
		}
		return out
	}, small[1]},
	{"stale frees itself", func(l lockmodel.Lock, r lockmodel.Request) lockmodel.Outcome {
		if r.Op == lockmodel.Acquire && l.State == lockmodel.Stale {
			l = lockmodel.Step(l, lockmodel.Request{Op: lockmodel.ForceUnlock, ID: "itself", Now: r.Now}).Lock
		}
		return lockmodel.Step(l, r)
	}, small[1]},
}

// blind makes a machine that overlooks, in one operation, what hide hides. What
// it does not overlook is as it should be, and what it does not write stays.
func blind(o lockmodel.Op, hide func(*lockmodel.Lock, *lockmodel.Request)) Stepper {
	return func(l lockmodel.Lock, r lockmodel.Request) lockmodel.Outcome {
		if r.Op != o || !l.Exists {
			return lockmodel.Step(l, r)
		}
		seen, asked := l, r
		hide(&seen, &asked)
		out := lockmodel.Step(seen, asked)
		out.Request = r
		if !out.Wrote() {
			out.Before, out.Lock = l, l
		}
		return out
	}
}

// The checkers are checked: each mistake is noticed, and by what.
func TestBrokenMachinesAreCaught(t *testing.T) {
	t.Parallel()
	for _, b := range broken {
		_, _, violation := CheckProduct(b.step)
		byProduct := "not"
		if violation != nil {
			byProduct = violation.Property
		}
		if violation == nil {
			t.Errorf("%s: no property of a step notices", b.name)
		}
		if b.worlds == (Bounds{}) {
			t.Logf("%-42s properties: %s", b.name, byProduct)
			continue
		}
		r := Explore(b.worlds, b.step)
		if r.Violation == nil {
			t.Errorf("%s: none of %d worlds shows it", b.name, r.Worlds)
			continue
		}
		t.Logf("%-42s properties: %s; worlds: %s, after %d worlds", b.name, byProduct, r.Violation.Property, r.Worlds)
	}
}
