package lockmodel

import "testing"

// What a state write does to the lock: nothing, but to move the pointer.
func TestWriteChangesTheStateAlone(t *testing.T) {
	t.Parallel()
	before := after(request(Acquire, now(t0-10), lease(30_000)))
	l := Step(before, state(7, lockID("id-a"))).Lock
	want := before
	want.Previous = NoVersion
	want.Version, want.VersionNo, want.Checksum, want.Size, want.Serial = "v7", 1, "sum of v7", 100, 7
	want.WrittenAt, want.WrittenBy, want.BusyUntil = t0, "write_state/v7/id-a", t0+30_000
	if l != want {
		t.Errorf("the lock is\n%+v, want\n%+v", l, want)
	}
}

// A first write, without a lock, leaves a lock that is sound and free.
func TestWriteMakesAFreeLock(t *testing.T) {
	t.Parallel()
	l := after(state(1))
	if l.Torn() || l.State != Unlocked || l.Fence != 0 || l.Holders != 0 {
		t.Fatalf("the lock is %+v", l)
	}
	if out := Step(l, request(Acquire)); !out.Wrote() || out.Lock.Fence != 1 || out.Lock.Version != "v1" {
		t.Errorf("acquired: %+v", out.Lock)
	}
}

// The same write once more, after another one, is late whatever it says.
func TestDoubledWriteIsLate(t *testing.T) {
	t.Parallel()
	opaque := func(version string) Request {
		return state(Missing, lockID("id-a"), id(version), func(r *Request) { r.Version = version })
	}
	l := after(request(Acquire), opaque("one"), opaque("two"))
	if l.Previous != "one" || after(state(1)).Previous != NoVersion {
		t.Errorf("previous is %q, and of a first state %q", l.Previous, after(state(1)).Previous)
	}
	if out := Step(l, opaque("one")); out.Rule.Code != CodeLate {
		t.Errorf("%+v", out.Answer())
	}
}

// The pointer outlives the hold that wrote it.
func TestStateOutlivesItsHold(t *testing.T) {
	t.Parallel()
	l := after(request(Acquire), state(1, lockID("id-a")), request(ReleaseLock, id("r2")), request(Acquire, lockID("id-b")))
	if l.Version != "v1" || l.VersionNo != 1 || l.Checksum != "sum of v1" || l.Size != 100 {
		t.Errorf("the state is gone: %+v", l)
	}
	if l.Serial != Missing || l.BusyUntil != Missing {
		t.Errorf("the new hold wrote nothing yet: %+v", l)
	}
}

// Deleting leaves no state, and counts as a write.
func TestDelete(t *testing.T) {
	t.Parallel()
	remove := request(WriteState, id("gone"))
	l := after(state(1), remove)
	if l.Version != "" || l.Checksum != "" || l.Size != Missing || l.VersionNo != 2 {
		t.Errorf("after the deletion: %+v", l)
	}
	if out := Step(l, remove); !out.Rule.Done() || out.Wrote() {
		t.Errorf("deleted again: %+v", out)
	}
}

// A state write proves that the holder is alive, for as long as its lease.
func TestWriteRenewsALease(t *testing.T) {
	t.Parallel()
	const lasts = 30_000
	byID := lockID("id-a")
	lapsed := now(t0 + lasts + 1)
	mark := request(MarkStale, id("m"), lapsed)
	quiet := after(request(Acquire, lease(lasts)))
	busy := after(request(Acquire, lease(lasts)), state(1, byID, now(t0+10_000)))

	if out := Step(quiet, mark); !out.Wrote() {
		t.Errorf("a lapsed lease: %v", out.Err())
	}
	if out := Step(busy, mark); out.Rule.Code != CodeLeaseLive {
		t.Errorf("a lease that was prolonged by a state write: %+v", out.Answer())
	}
	if got, want := busy.View(Terms{}).LeaseUntil, timestamp(t0+10_000+lasts); got != want {
		t.Errorf("the lease ends at %s, want %s", got, want)
	}
	if out := Step(busy, request(MarkStale, id("m"), now(t0+10_000+lasts+1))); !out.Wrote() {
		t.Errorf("the prolonged lease never lapses: %v", out.Err())
	}
	// No hold is prolonged for ever.
	overdue := request(MarkStale, id("m"), lapsed, terms(Terms{MaxHold: lasts}))
	if out := Step(busy, overdue); !out.Wrote() {
		t.Errorf("beyond the greatest hold: %v", out.Err())
	}
	// The late copy of a write, made before the renewal, takes nothing back.
	renewed := after(request(Acquire, lease(lasts)), request(Renew, lease(lasts), now(t0+20_000)))
	if late := Step(renewed, state(1, byID)).Lock; late.View(Terms{}).LeaseUntil != renewed.View(Terms{}).LeaseUntil {
		t.Errorf("the lease was shortened to %s", late.View(Terms{}).LeaseUntil)
	}
	// What was told of the end of the lease stands, whatever is asked for later.
	told := after(request(Acquire, lease(lasts)), state(1, byID, now(t0+20_000)), request(Renew, lease(1000), now(t0+21_000)))
	if until := after(request(Acquire, lease(lasts)), state(1, byID, now(t0+20_000))).View(Terms{}).LeaseUntil; told.View(Terms{}).LeaseUntil < until {
		t.Errorf("a shorter renewal took the lease back from %s to %s", until, told.View(Terms{}).LeaseUntil)
	}
	if l := Step(told, state(2, byID, now(t0+22_000))).Lock; l.View(Terms{}).LeaseUntil < told.View(Terms{}).LeaseUntil {
		t.Errorf("a state write took the lease back from %s to %s", told.View(Terms{}).LeaseUntil, l.View(Terms{}).LeaseUntil)
	}
	// Without a lease, there is none to prolong.
	unleased := after(request(Acquire), state(1, byID))
	if out := Step(unleased, request(MarkStale, id("m"))); !out.Wrote() {
		t.Errorf("an unleased hold that wrote: %v", out.Err())
	}
	if until := unleased.View(Terms{}).LeaseUntil; until != "" {
		t.Errorf("an unleased hold has a lease until %s", until)
	}
}

// A credential that has lapsed finishes what was begun with it, and no more.
func TestLapsedCredential(t *testing.T) {
	t.Parallel()
	with := func(digest string) func(*Request) { return func(r *Request) { r.Credential = digest } }
	lapsed := func(r *Request) { r.Lapsed = true }
	byID := lockID("id-a")
	held := after(request(Acquire, with("mine")))
	for _, o := range []Request{state(1, byID, lapsed), request(ReleaseLock, id("r2"), byID, lapsed)} {
		own, others, none := o, o, o
		own.Credential, others.Credential = "mine", "another's"
		if out := Step(held, own); !out.Wrote() {
			t.Errorf("%s with the hold's credential: %v", o.Op, out.Err())
		}
		for _, r := range []Request{others, none} {
			if out := Step(held, r); out.Rule.Code != CodeNotHolder {
				t.Errorf("%s with credential %q: %+v", o.Op, r.Credential, out.Answer())
			}
		}
		if out := Step(after(request(Acquire)), own); out.Rule.Code != CodeNotHolder {
			t.Errorf("%s of a hold that was begun with none: %+v", o.Op, out.Answer())
		}
		unnamed := own
		unnamed.LockID = ""
		if unnamed.Validate() == nil {
			t.Errorf("%s by a lapsed credential may name no hold", o.Op)
		}
	}
	for _, r := range []Request{
		request(Acquire, lapsed, with("mine")), request(MarkStale, lapsed, with("mine"), byID), request(ForceUnlock, lapsed, with("mine"), byID),
	} {
		if r.Validate() == nil {
			t.Errorf("a lapsed credential may %s", r.Op)
		}
	}
}

func TestRequireLock(t *testing.T) {
	t.Parallel()
	strict := terms(Terms{RequireLock: true})
	if state(1, strict).Validate() == nil {
		t.Error("a write that names no hold passes")
	}
	if err := state(1, strict, lockID("id-a")).Validate(); err != nil {
		t.Error(err)
	}
	if err := request(ReleaseLock, strict).Validate(); err != nil {
		t.Error(err)
	}
}

// A write belongs to the hold that it was made under, and not to a later one of
// the same lock id.
func TestWriteOfAnEndedHoldIsLate(t *testing.T) {
	t.Parallel()
	skewed := terms(Terms{Skew: 250})
	slow := state(1, lockID("id-a"), now(t0+1000), skewed)
	l := after(
		request(Acquire, skewed), request(MarkStale, id("m"), now(t0+10_000), skewed), request(ForceUnlock, id("f"), now(t0+11_000), skewed),
		request(Acquire, id("r2"), lockID("id-b"), now(t0+20_000), skewed),
		request(ReleaseLock, id("r3"), lockID("id-b"), now(t0+30_000), skewed),
		request(Acquire, id("r4"), now(t0+40_000), skewed),
	)
	if l.State != Held || l.LockID != "id-a" || l.Fence != 3 {
		t.Fatal(l)
	}
	if out := Step(l, slow); out.Rule.Code != CodeLate {
		t.Errorf("%+v", out.Answer())
	}
}

// The late copy of a deletion takes no state away that came after it, however
// short after.
func TestDoubledDeletionIsLate(t *testing.T) {
	t.Parallel()
	skewed := terms(Terms{Skew: 250})
	remove := request(WriteState, lockID("id-a"), id("DELETE"), now(t0+1000), skewed)
	l := after(request(Acquire, skewed), state(1, lockID("id-a"), now(t0+500), skewed), remove, state(2, lockID("id-a"), now(t0+1200), skewed))
	if out := Step(l, remove); out.Rule.Code != CodeLate {
		t.Errorf("%+v", out.Answer())
	}
}

// What a renewal is told is kept, also where a state write's proof of life
// reaches beyond the greatest length of a hold.
func TestNoMoreIsToldThanAHoldMayLast(t *testing.T) {
	t.Parallel()
	const longest = 3_600_000
	bounded := terms(Terms{MaxHold: longest})
	l := after(
		request(Acquire, lease(60_000), bounded),
		request(Renew, now(t0+longest-60_000), lease(60_000), bounded),
		state(1, lockID("id-a"), now(t0+longest-10_000), bounded),
	)
	if out := Step(l, request(Renew, now(t0+longest-5000), lease(55_000), bounded)); out.Rule.Code != CodeMaxHold {
		t.Errorf("renewed beyond it: %+v", out.Answer())
	}
	again := Step(l, request(Acquire, lease(60_000), bounded)).Answer()
	if want := timestamp(t0 + longest); again.LeaseUntil != want || again.Lock.LeaseUntil != want {
		t.Errorf("told %s and %s, want %s", again.LeaseUntil, again.Lock.LeaseUntil, want)
	}
}
