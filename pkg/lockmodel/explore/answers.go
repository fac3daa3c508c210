package explore

import (
	"fmt"
	"strings"

	"github.com/statelock/statelock/pkg/lockmodel"
)

// goal is the state that an operation leads to.
func goal(o lockmodel.Op) lockmodel.State {
	switch o {
	case lockmodel.Acquire, lockmodel.Renew:
		return lockmodel.Held
	case lockmodel.MarkStale:
		return lockmodel.Stale
	}
	return lockmodel.Unlocked
}

// applied reports whether an earlier copy of the request was applied, as far
// as the lock can show it.
func applied(l lockmodel.Lock, r lockmodel.Request) bool {
	if isTorn(l) || !l.Exists {
		return false
	}
	switch r.Op {
	case lockmodel.Acquire:
		return l.State == lockmodel.Held && meant(l, r)
	case lockmodel.Renew:
		return l.State == lockmodel.Held && meant(l, r) && max(l.LeaseUntil, l.BusyUntil) >= r.Now+r.Lease
	case lockmodel.MarkStale:
		return l.MarkedBy == r.Key()
	case lockmodel.WriteState:
		return l.WrittenBy == r.Key()
	}
	return l.FreedBy == r.Key()
}

func truthOfDone(s step) string {
	switch {
	case !s.out.Rule.Done():
	case s.out.Wrote() && s.out.Lock.State != goal(s.r.Op) && s.r.Op != lockmodel.WriteState:
		return fmt.Sprintf("done, but %s", s.out.Lock.State)
	case !s.out.Wrote() && !applied(s.before, s.r):
		return "said to be done already, which it is not"
	}
	return ""
}

func truthOfRefusal(s step) string {
	if s.out.Rule.Done() {
		return ""
	}
	l, r := s.before, s.r
	state := stateOf(l)
	holder := r.Op == lockmodel.Acquire || r.Op == lockmodel.MarkStale
	truth := false
	switch code := s.out.Rule.Code; code {
	case lockmodel.CodeHeld:
		truth = r.Op == lockmodel.Acquire && state == lockmodel.Held && !meant(l, r)
	case lockmodel.CodeStale:
		truth = state == lockmodel.Stale && (r.Op == lockmodel.Acquire || meant(l, r) && (holder || r.Op == lockmodel.Renew))
	case lockmodel.CodeSpent:
		truth = r.Op == lockmodel.Acquire && state == lockmodel.Unlocked && r.LockID == l.Spent
	case lockmodel.CodeLate:
		forHold := r.Op == lockmodel.WriteState && r.LockID != ""
		truth = isLate(l, r) && (state == lockmodel.Unlocked && !forHold || meant(l, r))
	case lockmodel.CodeNotHeld:
		truth = state == lockmodel.Unlocked && r.Op != lockmodel.Acquire && r.Op != lockmodel.ForceUnlock &&
			(!isLate(l, r) || r.LockID != "" && (r.LockID == l.Spent || r.Op == lockmodel.WriteState))
	case lockmodel.CodeNotHolder:
		truth = state != lockmodel.Unlocked && r.Op != lockmodel.Acquire && !meant(l, r) && (r.Op != lockmodel.ForceUnlock || state == lockmodel.Stale)
	case lockmodel.CodeNotStale:
		truth = r.Op == lockmodel.ForceUnlock && state != lockmodel.Stale
	case lockmodel.CodeLeaseLive, lockmodel.CodeNotice, lockmodel.CodeMaxHold:
		truth = meant(l, r) && untimely(l, r) == code
	}
	if isTorn(l) {
		truth = s.out.Rule.Code == lockmodel.CodeLedger
	}
	if !truth {
		return fmt.Sprintf("refused as %q, which is not so", s.out.Rule.Code)
	}
	return ""
}

// may reports whether nothing speaks against doing the request now.
func may(l lockmodel.Lock, r lockmodel.Request) bool {
	if isTorn(l) || applied(l, r) || isLate(l, r) || untimely(l, r) != "" {
		return false
	}
	switch state := stateOf(l); r.Op {
	case lockmodel.Acquire:
		return state == lockmodel.Unlocked && r.LockID != l.Spent
	case lockmodel.Renew, lockmodel.MarkStale:
		return state == lockmodel.Held && meant(l, r)
	case lockmodel.ReleaseLock:
		return state != lockmodel.Unlocked && meant(l, r)
	case lockmodel.ForceUnlock:
		return state == lockmodel.Stale && meant(l, r)
	case lockmodel.WriteState:
		return (state == lockmodel.Unlocked) == (r.LockID == "") && (state == lockmodel.Unlocked || meant(l, r))
	}
	return false
}

func needless(s step) string {
	if may(s.before, s.r) && !s.out.Wrote() {
		return fmt.Sprintf("not done (%q), though nothing speaks against it", s.out.Rule.Code)
	}
	if applied(s.before, s.r) && !s.out.Rule.Done() {
		return fmt.Sprintf("refused (%q), though it is done already", s.out.Rule.Code)
	}
	return ""
}

func retry(s step) string {
	if !s.out.Wrote() {
		return ""
	}
	again := s.again(s.out.Lock, s.r)
	want, got := s.out.Answer(), again.Answer()
	got.Repeat = false
	if again.Wrote() || got != want {
		return fmt.Sprintf("the second copy gets %+v, the first got %+v", got, want)
	}
	return ""
}

func askAgain(s step) string {
	want := s.r.Op == lockmodel.Acquire && s.out.Rule.Code == lockmodel.CodeLate
	if s.out.Rule.AskAgain != want {
		return fmt.Sprintf("ask again: %v", s.out.Rule.AskAgain)
	}
	return ""
}

// wording checks the sentences that are promised, and that each refusal says
// what its reader needs to go on.
func wording(s step) string {
	a, l := s.out.Answer(), s.before
	if s.out.Rule.Done() {
		switch {
		case s.r.Op == lockmodel.WriteState && a.State == s.out.Lock.State && a.Version == s.out.Lock.VersionNo:
		case s.r.Op == lockmodel.Acquire && a.Holder != s.r.Runner || s.r.Op != lockmodel.Acquire && a.State != goal(s.r.Op):
			return fmt.Sprintf("done: %+v", a)
		}
		return ""
	}
	exactly, says := "", ""
	switch code := s.out.Rule.Code; {
	case s.r.Op == lockmodel.Acquire && (code == lockmodel.CodeHeld || code == lockmodel.CodeStale):
		exactly = "lock held by " + l.Runner
	case s.r.Op == lockmodel.ForceUnlock && code == lockmodel.CodeNotStale:
		exactly = "force-unlock only from stale — a live holder is never bulldozed"
	case s.r.Op == lockmodel.Acquire && code == lockmodel.CodeLedger:
		says = "second holder refused: "
	case code == lockmodel.CodeLedger:
		says = "refused by the ledger: "
	case code == lockmodel.CodeNotHeld && s.r.LockID != "" && s.r.LockID == l.Spent:
		says = "the hold " + l.Spent + " has ended"
	case code == lockmodel.CodeNotHeld:
		says = "nobody holds it"
	case code == lockmodel.CodeStale && s.r.Op == lockmodel.MarkStale:
		says = "stale already, since"
	case code == lockmodel.CodeStale && s.r.Op == lockmodel.Renew:
		says = "can still be released"
	case code == lockmodel.CodeLate && s.r.Op == lockmodel.WriteState:
		says = "is out of date"
	case code == lockmodel.CodeLate:
		says = "again"
	}
	if exactly != "" && a.Reason != exactly || !strings.Contains(a.Reason, says) {
		return fmt.Sprintf("the reason is %q, without %q", a.Reason, exactly+says)
	}
	return ""
}
