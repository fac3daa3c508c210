package explore

import (
	"fmt"
	"strings"

	"github.com/statelock/statelock/pkg/lockmodel"
)

// Invariant is something that must be true of every world.
type Invariant struct {
	Name    string
	Meaning string
	check   func(w world, l *lockmodel.Lock) (problem string)
}

// Invariants lists what must be true of every world.
func Invariants() []Invariant {
	return []Invariant{
		{"one believer", "at most one client believes that it holds the current fence, and it is the holder", oneBeliever},
		{"freed knowingly", "a client that believes it holds the lock loses it by a force-unlock only", freedKnowingly},
		{"lease is kept", "a client within its lease holds the lock, and the lock is not stale", leaseIsKept},
		{"state is kept", "what a holder was told to be written is current, or what it wrote later", stateIsKept},
	}
}

func oneBeliever(w world, l *lockmodel.Lock) string {
	believers := 0
	for c := range uint8(clients) {
		p := w.clients[c]
		if l.State == lockmodel.Unlocked || !w.believes(c) || int64(p.fence) != l.Fence {
			continue
		}
		believers++
		if l.LockID != lockIDOf(holdNumber(c, p.hold)) {
			return fmt.Sprintf("%s believes in fence %d, which is hold %s", clientName(c), p.fence, l.LockID)
		}
	}
	if believers > 1 {
		return fmt.Sprintf("%d clients believe in fence %d", believers, l.Fence)
	}
	return ""
}

func freedKnowingly(w world, l *lockmodel.Lock) string {
	for c := range uint8(clients) {
		if w.believes(c) && int64(w.clients[c].fence) == l.Fence && l.State == lockmodel.Unlocked && !strings.HasPrefix(l.FreedBy, "force_unlock/") {
			return fmt.Sprintf("%s believes in fence %d, which %s freed", clientName(c), l.Fence, l.FreedBy)
		}
	}
	return ""
}

func leaseIsKept(w world, l *lockmodel.Lock) string {
	for c := range uint8(clients) {
		if leased(c) && w.believes(c) && (l.State != lockmodel.Held || l.LockID != lockIDOf(holdNumber(c, w.clients[c].hold))) {
			return fmt.Sprintf("%s is within its lease, but the lock is %s by %q", clientName(c), l.State, l.LockID)
		}
	}
	return ""
}

func stateIsKept(w world, l *lockmodel.Lock) string {
	for c := range uint8(clients) {
		p := w.clients[c]
		if p.kept == 0 || l.LockID != lockIDOf(holdNumber(c, p.hold)) || int64(p.fence) != l.Fence {
			continue
		}
		first, last := p.hold*perHold+p.kept, p.hold*perHold+p.writes
		written := message{op: 1 + uint8(lockmodel.WriteState), actor: c}
		found := false
		for written.n = first; written.n <= last; written.n++ {
			found = found || l.Version == written.request(lockmodel.Terms{}).Version
		}
		if !found {
			return fmt.Sprintf("%s was told that its write %d is done, but the state is %q", clientName(c), p.kept, l.Version)
		}
	}
	return ""
}

// progress is a property of steps: whatever the step left behind, a client
// that is alone gets through, to a free lock at once, to any other by the
// legal way.
func progress(s step) string {
	if isTorn(s.out.Lock) {
		return ""
	}
	now := max(s.r.Now, s.out.Lock.ChangedAt)
	l, problem := liberate(s.out.Lock, now, s.again)
	if problem != "" {
		return problem
	}
	r := lockmodel.Request{Op: lockmodel.Acquire, Workspace: "ws", ID: "lone", LockID: "lone", Runner: "lone", Now: now}
	if stateOf(s.out.Lock) != lockmodel.Unlocked {
		r.Now += patience
	}
	if out := s.again(l, r); !out.Wrote() {
		return fmt.Sprintf("a lone client does not get the free lock: %v", out.Err())
	}
	return ""
}

// patience is longer than any lease or notice.
const patience = 1000 * tick

// liberate frees a lock the legal way: marked stale when its lease is over,
// then force-unlocked.
func liberate(l lockmodel.Lock, now int64, again Stepper) (lockmodel.Lock, string) {
	for _, o := range []lockmodel.Op{lockmodel.MarkStale, lockmodel.ForceUnlock} {
		if stateOf(l) == lockmodel.Unlocked || o == lockmodel.MarkStale && l.State == lockmodel.Stale {
			continue
		}
		out := again(l, lockmodel.Request{Op: o, Workspace: "ws", ID: "lone", Now: now + patience})
		if !out.Wrote() {
			return l, fmt.Sprintf("a %s lock can't be freed: %v", l.State, out.Err())
		}
		l = out.Lock
	}
	return l, ""
}

// usable is a property of steps: the lock id of an acquire that was refused,
// other than as spent, gets the lock when that is free.
func usable(s step) string {
	if s.r.Op != lockmodel.Acquire || s.out.Rule.Done() || s.out.Rule.Code == lockmodel.CodeSpent || isTorn(s.before) || s.before.LockID == s.r.LockID {
		return ""
	}
	now := max(s.r.Now, s.before.ChangedAt)
	l, problem := liberate(s.before, now, s.again)
	if problem != "" {
		return problem
	}
	later := s.r
	later.Now = now + patience
	if out := s.again(l, later); !out.Wrote() {
		return fmt.Sprintf("refused as %q, and then for ever: %v", s.out.Rule.Code, out.Err())
	}
	return ""
}
