package lockmodel

import (
	"errors"
	"strings"
	"testing"
)

// TestEveryCell visits every cell of the table by a history that leads there,
// and pins what is answered.
func TestEveryCell(t *testing.T) {
	t.Parallel()
	acquire := request(Acquire)
	release := request(ReleaseLock, id("r2"))
	markStale := request(MarkStale, id("r3"))

	unseen := NewLock("prod")
	held := after(acquire)
	stale := after(acquire, markStale)
	freed := after(acquire, release)
	torn := held
	torn.Holders = 2

	early := now(t0 - 1)
	other := lockID("id-b")
	byID := lockID("id-a")
	force := request(ForceUnlock, id("r4"))
	renewal := request(Renew, id("r5"))
	leased := after(request(Acquire, lease(30_000)))
	notice := terms(Terms{Notice: 60_000})
	maxHold := terms(Terms{MaxHold: 59_999})
	reacquired := after(acquire, request(ReleaseLock, id("r2"), byID), request(Acquire, other))

	const (
		heldBy     = "lock held by runner-a"
		onlyStale  = "force-unlock only from stale — a live holder is never bulldozed"
		changed    = "changed after this request was made"
		unlocked   = "unlocked already"
		notNamed   = "not by the hold that this request names"
		ledgerSays = "it counts 2 holders while the state is held"
	)
	cases := []struct {
		name   string
		lock   Lock
		do     Request
		want   Situation
		effect Effect
		code   Code
		reason string
	}{
		{"acquire a workspace never seen", unseen, acquire, Unseen, Take, "", ""},
		{"acquire again, same lock id", held, request(Acquire, id("r9")), Repeat, Keep, "", ""},
		{"acquire a free lock", freed, request(Acquire, other), Free, Take, "", ""},
		{"acquire with a released id", freed, acquire, SpentID, Keep, CodeSpent, "id-a was released"},
		{"acquire own stale hold", stale, acquire, StaleMine, Keep, CodeStale, heldBy},
		{"acquire, made before the lock was freed", freed, request(Acquire, other, early), Late, Keep, CodeLate, "ask again"},
		{"acquire another's lock", held, request(Acquire, other), Theirs, Keep, CodeHeld, heldBy},
		{"acquire another's stale lock", stale, request(Acquire, other), StaleTheirs, Keep, CodeStale, heldBy},
		{"acquire with two holders on the ledger", torn, request(Acquire, other), Torn, Keep, CodeLedger, "second holder refused: the ledger counts 2 holders"},

		{"renew a workspace never seen", unseen, renewal, Unseen, Keep, CodeNotHeld, unlocked},
		{"renew again, same request", after(acquire, renewal), renewal, Repeat, Keep, "", ""},
		{"renew a free lock", freed, request(Renew, other), Free, Keep, CodeNotHeld, unlocked},
		{"renew a hold that ended", freed, renewal, SpentID, Keep, CodeNotHeld, "id-a has ended"},
		{"renew for less than is granted", after(acquire, renewal), request(Renew, id("r7"), lease(5000)), Repeat, Keep, "", ""},
		{"renew", held, renewal, Mine, Extend, "", ""},
		{"renew when stale", stale, renewal, StaleMine, Keep, CodeStale, "can still be released, not renewed"},
		{"renew beyond the greatest hold", held, request(Renew, maxHold), Untimely, Keep, CodeMaxHold, "held since 2027-01-15T08:00:00.000Z"},
		{"renew, made before the lock was freed", freed, request(Renew, other, early), Late, Keep, CodeLate, changed},
		{"renew by another's lock id", held, request(Renew, other), Theirs, Keep, CodeNotHolder, notNamed},
		{"renew stale by another's lock id", stale, request(Renew, other), StaleTheirs, Keep, CodeNotHolder, notNamed},
		{"renew when torn", torn, renewal, Torn, Keep, CodeLedger, ledgerSays},

		{"release a workspace never seen", unseen, release, Unseen, Keep, CodeNotHeld, unlocked},
		{"release again, same request", freed, release, Repeat, Keep, "", ""},
		{"release again, same request, others in between", reacquired, request(ReleaseLock, id("r2"), byID), Repeat, Keep, "", ""},
		{"release again, naming no hold, others in between", after(acquire, release, request(Acquire, other)), release, Repeat, Keep, "", ""},
		{"release again, new request", freed, request(ReleaseLock, id("r8")), Free, Keep, CodeNotHeld, unlocked},
		{"release again by lock id, new request", freed, request(ReleaseLock, id("r8"), byID), SpentID, Keep, CodeNotHeld, "id-a has ended"},
		{"release", held, release, Mine, End, "", ""},
		{"release when stale", stale, release, StaleMine, End, "", ""},
		{"release, made before the hold", held, request(ReleaseLock, early), Late, Keep, CodeLate, changed},
		{"release by another's lock id", held, request(ReleaseLock, other), Theirs, Keep, CodeNotHolder, notNamed},
		{"release stale by another's lock id", stale, request(ReleaseLock, other), StaleTheirs, Keep, CodeNotHolder, notNamed},
		{"release when torn", torn, release, Torn, Keep, CodeLedger, ledgerSays},

		{"mark a workspace never seen", unseen, markStale, Unseen, Keep, CodeNotHeld, unlocked},
		{"mark again, same request", stale, markStale, Repeat, Keep, "", ""},
		{"mark again, same request, others in between", after(acquire, markStale, force, request(Acquire, other)), markStale, Repeat, Keep, "", ""},
		{"mark a free lock", freed, markStale, Free, Keep, CodeNotHeld, unlocked},
		{"mark a hold that ended", freed, request(MarkStale, byID), SpentID, Keep, CodeNotHeld, "id-a has ended"},
		{"mark", held, markStale, Mine, Mark, "", ""},
		{"mark again, new request", stale, request(MarkStale, id("r8")), StaleMine, Keep, CodeStale, "stale already, since 2027-01-15T08:00:00.000Z"},
		{"mark while the lease runs", leased, markStale, Untimely, Keep, CodeLeaseLive, "runs until 2027-01-15T08:00:30.000Z, 31 s more"},
		{"mark, made before the hold", held, request(MarkStale, early), Late, Keep, CodeLate, changed},
		{"mark another hold than meant", held, request(MarkStale, other), Theirs, Keep, CodeNotHolder, notNamed},
		{"mark another stale hold than meant", stale, request(MarkStale, other), StaleTheirs, Keep, CodeNotHolder, notNamed},
		{"mark when torn", torn, markStale, Torn, Keep, CodeLedger, ledgerSays},

		{"force a workspace never seen", unseen, force, Unseen, Keep, CodeNotStale, onlyStale},
		{"force again, same request", after(acquire, markStale, force), force, Repeat, Keep, "", ""},
		{"force a free lock", freed, force, Free, Keep, CodeNotStale, onlyStale},
		{"force a hold that ended", freed, request(ForceUnlock, byID), SpentID, Keep, CodeNotStale, onlyStale},
		{"force a live holder", held, force, Mine, Keep, CodeNotStale, onlyStale},
		{"force a live holder by lock id", held, request(ForceUnlock, byID), Mine, Keep, CodeNotStale, onlyStale},
		{"force", stale, force, StaleMine, End, "", ""},
		{"force while the notice runs", stale, request(ForceUnlock, notice), Untimely, Keep, CodeNotice, "may be force-unlocked in 61 s"},
		{"force, made before the mark", stale, request(ForceUnlock, early), Late, Keep, CodeLate, changed},
		{"force by lock id, made before the mark", after(acquire, request(MarkStale, now(t0+10))), request(ForceUnlock, byID), Late, Keep, CodeLate, changed},
		{"force another live hold than meant", held, request(ForceUnlock, other), Theirs, Keep, CodeNotStale, onlyStale},
		{"force another stale hold than meant", stale, request(ForceUnlock, other), StaleTheirs, Keep, CodeNotHolder, notNamed},
		{"force when torn", torn, force, Torn, Keep, CodeLedger, ledgerSays},

		{"write, for nobody, a workspace never seen", unseen, state(1), Unseen, Point, "", ""},
		{"write a workspace never seen", unseen, state(1, byID), Unheld, Keep, CodeNotHeld, unlocked},
		{"write again, same request", after(acquire, state(1, byID)), state(1, byID), Repeat, Keep, "", ""},
		{"write again, same request, others in between", after(acquire, state(1, byID), release, request(Acquire, other)), state(1, byID), Repeat, Keep, "", ""},
		{"write, for nobody, a free lock", freed, state(1), Free, Point, "", ""},
		{"write for a hold that ended", freed, state(1, byID), SpentID, Keep, CodeNotHeld, "id-a has ended"},
		{"write for a hold that never was", freed, state(1, other), Unheld, Keep, CodeNotHeld, unlocked},
		{"write", held, state(1, byID), Mine, Point, "", ""},
		{"write a later state", after(acquire, state(1, byID)), state(2, byID), Mine, Point, "", ""},
		{"write when stale", stale, state(1, byID), StaleMine, Point, "", ""},
		{"write an older state than is written", after(acquire, state(2, byID)), state(1, byID), Late, Keep, CodeLate, changed},
		{"write an unreadable state, made before the last one", after(acquire, state(Missing, byID)), state(Missing, byID, id("r7"), early), Late, Keep, CodeLate, changed},
		{"write an older state, when stale", after(acquire, state(2, byID), markStale), state(1, byID), Late, Keep, CodeLate, changed},
		{"restore under a hold that wrote nothing", held, restored(9), Mine, Point, "", ""},
		{"restore again, same request", after(acquire, restored(9)), restored(9), Repeat, Keep, "", ""},
		{"restore after a write of the same hold", after(acquire, restored(9), state(10, byID)), restored(11), Late, Keep, CodeLate, changed},
		{"restore under the next hold", after(acquire, state(1, byID), release, request(Acquire, other)), restored(9, other), Mine, Point, "", ""},
		{"write an older state under another hold", after(acquire, state(2, byID), release, request(Acquire, other)), state(1, other), Mine, Point, "", ""},
		{"write, for nobody, made before the lock was freed", freed, state(1, early), Late, Keep, CodeLate, changed},
		{"write, for nobody, made before the last one", after(state(1)), state(2, early), Late, Keep, CodeLate, changed},
		{"write, for nobody, while somebody holds the lock", held, state(1), Theirs, Keep, CodeNotHolder, notNamed},
		{"write, for nobody, while stale", stale, state(1), StaleTheirs, Keep, CodeNotHolder, notNamed},
		{"write by another's lock id", held, state(1, other), Theirs, Keep, CodeNotHolder, notNamed},
		{"write stale by another's lock id", stale, state(1, other), StaleTheirs, Keep, CodeNotHolder, notNamed},
		{"write when torn", torn, state(1, byID), Torn, Keep, CodeLedger, ledgerSays},
	}
	var visited [numOps][numSituations]bool
	for _, c := range cases {
		out := Step(c.lock, c.do)
		visited[c.do.Op][out.Situation] = true
		if out.Situation != c.want || out.Rule.Effect != c.effect || out.Rule.Code != c.code {
			t.Errorf("%s: %s → %s %q, want %s → %s %q", c.name,
				out.Situation, out.Rule.Effect, out.Rule.Code, c.want, c.effect, c.code)
		}
		if out.Wrote() != (c.effect != Keep) || !out.Wrote() && out.Lock != c.lock {
			t.Errorf("%s: wrote %v, lock %+v", c.name, out.Wrote(), out.Lock)
		}
		refusal, refused := errors.AsType[*Refusal](out.Err())
		if refused != (c.code != "") {
			t.Errorf("%s: error %v", c.name, out.Err())
		}
		if refused && (!strings.Contains(refusal.Reason, c.reason) || refusal.Lock != c.lock) {
			t.Errorf("%s: refused with %q carrying %+v", c.name, refusal.Reason, refusal.Lock)
		}
		if refused && strings.Contains(refusal.Reason, "{") {
			t.Errorf("%s: reason not filled in: %s", c.name, refusal.Reason)
		}
	}
	for _, o := range Ops() {
		for _, s := range Situations() {
			if asked := !Unasked(table[o][s]); visited[o][s] != asked {
				t.Errorf("%s in situation %s: visited %v, want %v", o, s, visited[o][s], asked)
			}
		}
	}
}

// TestTableIsComplete fails on an empty cell, on a refusal without words, and
// on a column whose writes differ (they share one UpdateExpression).
func TestTableIsComplete(t *testing.T) {
	t.Parallel()
	for _, o := range Ops() {
		effects := map[Effect]bool{}
		for _, s := range Situations() {
			r := table[o][s]
			if r.Why == "" {
				t.Errorf("%s × %s is empty", o, s)
			}
			if r.Done() == (r.Reason != "") {
				t.Errorf("%s × %s: code %q with reason %q", o, s, r.Code, r.Reason)
			}
			if !r.Done() && r.Effect != Keep {
				t.Errorf("%s × %s writes and refuses", o, s)
			}
			if r.Effect != Keep {
				effects[r.Effect] = true
			}
		}
		if len(effects) != 1 {
			t.Errorf("%s has %d effects, want one", o, len(effects))
		}
	}
}

func TestFenceSurvivesReleaseAndForceUnlock(t *testing.T) {
	t.Parallel()
	l := after(request(Acquire), request(ReleaseLock), request(Acquire, lockID("b")),
		request(MarkStale), request(ForceUnlock), request(Acquire, lockID("c")))
	if l.Fence != 3 || l.State != Held || l.Holders != 1 || l.LockID != "c" {
		t.Errorf("after three acquisitions: %+v", l)
	}
}

// The copy of an acquire that comes after its own lock was released, and
// somebody else's too, locks for nobody.
func TestLateAcquireAfterOthersLocksForNobody(t *testing.T) {
	t.Parallel()
	late := request(Acquire)
	l := after(late, request(ReleaseLock, now(t0+10)),
		request(Acquire, lockID("id-b"), now(t0+20)), request(ReleaseLock, id("r5"), now(t0+30)))
	if out := Step(l, late); out.Wrote() || out.Rule.Code != CodeLate {
		t.Errorf("late copy: %s, %+v", out.Situation, out.Lock)
	}
	if out := Step(l, request(Acquire, lockID("id-c"), now(t0+30))); !out.Wrote() {
		t.Errorf("live acquire: %v", out.Err())
	}
}

// A late copy of the operator's two requests must not free the next holder.
func TestLateMarkAndForceSpareTheNextHolder(t *testing.T) {
	t.Parallel()
	markStale := request(MarkStale, id("m"), now(t0+10))
	force := request(ForceUnlock, id("f"), now(t0+20))
	l := after(request(Acquire), markStale, force, request(Acquire, lockID("id-b"), now(t0+30)))
	for _, copy := range []Request{markStale, force} {
		if out := Step(l, copy); out.Wrote() {
			t.Errorf("%s: %+v", copy.Op, out.Lock)
		}
	}
}

// A lease keeps its holder from being marked stale for exactly as long as it
// runs by the slowest clock.
func TestLease(t *testing.T) {
	t.Parallel()
	skew := terms(Terms{Skew: 100})
	held := after(request(Acquire, lease(5000)))
	for ms, marked := range map[int64]bool{0: false, 5000: false, 5100: false, 5101: true} {
		if out := Step(held, request(MarkStale, now(t0+ms), skew)); out.Wrote() != marked {
			t.Errorf("%d ms into a lease of 5000 with clocks 100 apart: %s", ms, out.Situation)
		}
	}
	renewed := Step(held, request(Renew, lease(7000), now(t0+4000)))
	if renewed.Answer().LeaseUntil != "2027-01-15T08:00:11.000Z" {
		t.Errorf("renewed: %+v", renewed.Answer())
	}
	if out := Step(renewed.Lock, request(MarkStale, now(t0+11_000))); out.Wrote() {
		t.Error("marked stale under a renewed lease")
	}
	if l := Step(renewed.Lock, request(ReleaseLock, now(t0+5000))).Lock; l.LeaseUntil != Missing {
		t.Errorf("the lease outlives its hold: %+v", l)
	}
	if out := Step(after(request(Acquire)), request(MarkStale)); !out.Wrote() {
		t.Errorf("without a lease, a word is enough: %v", out.Err())
	}
}

func TestNoticeAndMaxHold(t *testing.T) {
	t.Parallel()
	stale := after(request(Acquire), request(MarkStale))
	notice := terms(Terms{Notice: 1000})
	for ms, freed := range map[int64]bool{0: false, 999: false, 1000: true} {
		if out := Step(stale, request(ForceUnlock, notice, now(t0+ms))); out.Wrote() != freed {
			t.Errorf("%d ms into a notice of 1000: %s", ms, out.Situation)
		}
	}
	if out := Step(stale, request(ReleaseLock, notice)); !out.Wrote() {
		t.Errorf("the holder need give no notice: %v", out.Err())
	}
	held := after(request(Acquire))
	longest := terms(Terms{MaxHold: 10_000})
	for ms, renewed := range map[int64]bool{0: true, 5000: true, 5001: false} {
		if out := Step(held, request(Renew, longest, lease(5000), now(t0+ms))); out.Wrote() != renewed {
			t.Errorf("renewal for 5000 ms, %d ms into a hold of at most 10000: %s", ms, out.Situation)
		}
	}
}

func TestSkewAllowance(t *testing.T) {
	t.Parallel()
	freed := after(request(Acquire), request(ReleaseLock, now(t0+100)))
	behind := request(Acquire, lockID("id-b"))
	behind.Terms.Skew = 100
	if out := Step(freed, behind); !out.Wrote() {
		t.Errorf("within the allowance: %v", out.Err())
	}
	behind.Terms.Skew = 99
	if out := Step(freed, behind); out.Wrote() {
		t.Error("beyond the allowance: acquired")
	}
}

// A release that names no lock id must come from the principal that acquired.
func TestUnnamedReleaseIsByPrincipal(t *testing.T) {
	t.Parallel()
	cases := []struct {
		acquirer, releaser, lockID string
		released                   bool
	}{
		{"", "", "", true},
		{"iam:ci", "iam:ci", "", true},
		{"iam:ci", "iam:other", "", false},
		{"iam:ci", "", "", false},
		{"", "iam:ci", "", false},
		{"iam:ci", "iam:other", "id-a", true},
		{"iam:ci", "iam:ci", "id-b", false},
	}
	for _, c := range cases {
		l := after(request(Acquire, who(c.acquirer)))
		out := Step(l, request(ReleaseLock, who(c.releaser), lockID(c.lockID)))
		if out.Wrote() != c.released {
			t.Errorf("%+v: %v", c, out.Err())
		}
	}
}

// A lock id that is wired into a job's configuration does not make two jobs
// one holder.
func TestSameLockIDOfTwoClients(t *testing.T) {
	t.Parallel()
	held := after(request(Acquire, who("iam:ci")))
	for name, r := range map[string]Request{
		"other runner":    request(Acquire, who("iam:ci"), runner("runner-b")),
		"other principal": request(Acquire, who("iam:other")),
	} {
		if out := Step(held, r); out.Rule.Code != CodeHeld {
			t.Errorf("%s: %s, %v", name, out.Situation, out.Err())
		}
	}
}

func TestRunnerGuard(t *testing.T) {
	t.Parallel()
	held := after(request(Acquire))
	for _, o := range []Op{ReleaseLock, MarkStale} {
		if out := Step(held, request(o, runner("runner-b"))); out.Wrote() {
			t.Errorf("%s naming another runner wrote", o)
		}
		if out := Step(held, request(o, runner("runner-a"))); !out.Wrote() {
			t.Errorf("%s naming the holder: %v", o, out.Err())
		}
	}
}

// A client that sends one request id with everything, but names its holds, is
// never told of a release that did not happen.
func TestReusedRequestID(t *testing.T) {
	t.Parallel()
	l := after(request(Acquire), request(ReleaseLock, lockID("id-a")), request(Acquire, lockID("id-b")))
	if out := Step(l, request(ReleaseLock, lockID("id-b"))); !out.Wrote() {
		t.Errorf("second hold, same request id: %s, %v", out.Situation, out.Err())
	}
}

// The retry of a release whose reply was lost, made by a client that did not
// name its hold and so at a later time, must not free the next holder.
func TestRetriedReleaseSparesTheNextHolder(t *testing.T) {
	t.Parallel()
	l := after(request(Acquire), request(ReleaseLock), request(Acquire, lockID("id-b"), now(t0+10)))
	out := Step(l, request(ReleaseLock, now(t0+20)))
	if out.Wrote() || !out.Answer().OK || !out.Answer().Repeat || out.Lock.LockID != "id-b" {
		t.Errorf("%s: %+v", out.Situation, out.Answer())
	}
}

// The late copy of a renewal takes nothing back of what a later one gave.
func TestLateRenewalShortensNoLease(t *testing.T) {
	t.Parallel()
	first := request(Renew, now(t0+50_000))
	l := after(request(Acquire, lease(60_000)), first, request(Renew, id("r2"), now(t0+100_000)))
	if out := Step(l, first); out.Wrote() || !out.Answer().OK {
		t.Errorf("%s: %+v", out.Situation, out.Answer())
	}
	if out := Step(l, request(MarkStale, now(t0+115_000))); out.Wrote() {
		t.Error("marked stale within the lease that the holder was told of")
	}
}

func TestStateTamperedWhileLedgerCountsOne(t *testing.T) {
	t.Parallel()
	l := after(request(Acquire))
	l.State = Unlocked
	out := Step(l, request(Acquire, lockID("id-b")))
	if out.Wrote() || out.Answer().Reason != "second holder refused: the ledger counts 1 holder while the state is unlocked" {
		t.Errorf("%+v", out.Answer())
	}
}

func TestOperationsOutsideTheTable(t *testing.T) {
	t.Parallel()
	if _, err := ParseOp("force_released"); err == nil || !strings.Contains(err.Error(), "acquire, renew, release_lock, mark_stale, force_unlock") {
		t.Errorf("ParseOp: %v", err)
	}
	held := after(request(Acquire))
	r := request(ReleaseLock)
	r.Op = Op(numOps)
	if out := Step(held, r); out.Wrote() || out.Lock != held || out.Rule.Code != CodeUnknownOp {
		t.Errorf("Step: %+v", out)
	}
	if r.Validate() == nil {
		t.Error("Validate accepts it")
	}
	for _, o := range Ops() {
		if back, err := ParseOp(o.String()); err != nil || back != o {
			t.Errorf("%s: %v, %v", o, back, err)
		}
	}
}
