package client

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"

	"github.com/statelock/statelock/pkg/ddbstore"
	"github.com/statelock/statelock/pkg/lockapi"
	"github.com/statelock/statelock/pkg/lockmodel"
)

// Whichever reply is lost, there is one acquisition and one release.
func TestLostReplies(t *testing.T) {
	bubble(t, func(t *testing.T) {
		w := newWorld(t, lockapi.Leases{}, ddbstore.Options{})
		w.set(lostReply, "/v1/acquire", 2)
		start := time.Now()
		l := w.acquire(t, prod)
		if l.Fence() != 1 || w.count("/v1/acquire") != 3 {
			t.Errorf("fence %d after %d requests", l.Fence(), w.count("/v1/acquire"))
		}
		if w.keys[0] == "" || w.keys[0] != w.keys[1] || w.keys[1] != w.keys[2] {
			t.Errorf("the tries came under the keys %q", w.keys[:3])
		}
		if _, err := uuid.Parse(l.ID()); err != nil {
			t.Error("lock id:", err)
		}
		// Nobody knows which try got it: the renewal that follows does.
		if w.count("/v1/renew") != 1 || l.until.Before(start.Add(minute)) || l.until.After(time.Now().Add(minute)) {
			t.Errorf("believes until %v after the start", l.until.Sub(start))
		}
		w.set(lostReply, "/v1/release", 2)
		if err := l.Release(t.Context()); err != nil {
			t.Error("release:", err)
		}
		if v := w.status(t); v.State != lockmodel.Unlocked || v.Fence != 1 {
			t.Errorf("after the release: %+v", v)
		}
		w.up()
		if err := l.Release(t.Context()); err != nil {
			t.Error("the same release again:", err)
		}
	})
}

// An acquire that can't be sure gives back what it may have got.
func TestUnsureAcquireIsGivenBack(t *testing.T) {
	bubble(t, func(t *testing.T) {
		w := newWorld(t, lockapi.Leases{}, ddbstore.Options{})
		w.set(lostReply, "/v1/acquire", -1)
		_, err := w.Acquire(t.Context(), prod)
		if lost := as[*UnreachableError](t, err); !lost.Unsure {
			t.Error("sure:", lost)
		}
		if v := w.status(t); v.State != lockmodel.Unlocked || v.Fence != 1 {
			t.Errorf("left behind: %+v", v)
		}
	})
}

// The same when a refusal follows that says nothing of the lock: a proxy's, or
// of a token that has been revoked.
func TestUnsureThenRefusedAcquireIsGivenBack(t *testing.T) {
	bubble(t, func(t *testing.T) {
		w := newWorld(t, lockapi.Leases{}, ddbstore.Options{})
		w.set(lostReply, "/v1/acquire", 1)
		w.then(forbidden, "/v1/acquire")
		_, err := w.Acquire(t.Context(), prod)
		if refused := as[*RefusedError](t, err); refused.Status != 403 {
			t.Error(err)
		}
		if v := w.status(t); v.State != lockmodel.Unlocked || v.Fence != 1 {
			t.Errorf("left behind: %+v", v)
		}
	})
}

// And when that comes to a waiter, after an outage.
func TestUnsureThenRefusedWaiterGivesBack(t *testing.T) {
	bubble(t, func(t *testing.T) {
		w := newWorld(t, lockapi.Leases{}, ddbstore.Options{})
		before := w.acquire(t, Request{Workspace: "prod", Runner: "jane"})
		r := prod
		r.Wait = minute
		r.Waiting = func(err error) {
			if _, ok := errors.AsType[*HeldError](err); !ok {
				w.set(forbidden, "/v1/acquire", -1)
				return
			}
			if err := before.Release(t.Context()); err != nil {
				t.Error(err)
			}
			w.set(lostReply, "/v1/acquire", -1)
		}
		_, err := w.Acquire(t.Context(), r)
		if refused := as[*RefusedError](t, err); refused.Status != 403 {
			t.Error(err)
		}
		if v := w.status(t); v.State != lockmodel.Unlocked || v.Fence != 2 {
			t.Errorf("left behind: %+v", v)
		}
	})
}

// An acquire that repeats another may have got nothing new: the hold is at work,
// whatever becomes of the repetition.
func TestRepeatedAcquireIsNotGivenBack(t *testing.T) {
	for name, path := range map[string]string{"no answer": "/v1/acquire", "no answer to its renewal": "/v1/renew"} {
		t.Run(name, func(t *testing.T) {
			bubble(t, func(t *testing.T) {
				w := newWorld(t, lockapi.Leases{}, ddbstore.Options{})
				r := prod
				r.LockID = "job-7"
				if _, err := w.AcquireOnly(t.Context(), r); err != nil {
					t.Fatal(err)
				}
				w.set(lostReply, path, -1)
				_, err := w.AcquireOnly(t.Context(), r)
				if lost := as[*UnreachableError](t, err); !lost.Unsure {
					t.Error("sure:", lost)
				}
				if v := w.status(t); v.State != lockmodel.Held {
					t.Errorf("the hold was ended: %+v", v)
				}
			})
		})
	}
}

// A caller that gives up gives back as well.
func TestCancelledAcquireIsGivenBack(t *testing.T) {
	bubble(t, func(t *testing.T) {
		w := newWorld(t, lockapi.Leases{}, ddbstore.Options{})
		w.set(lostReply, "/v1/acquire", -1)
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		if _, err := w.Acquire(ctx, prod); !errors.Is(err, context.DeadlineExceeded) {
			t.Error(err)
		}
		if v := w.status(t); v.State != lockmodel.Unlocked || v.Fence != 1 {
			t.Errorf("left behind: %+v", v)
		}
	})
}

func TestUnreachable(t *testing.T) {
	bubble(t, func(t *testing.T) {
		w := newWorld(t, lockapi.Leases{}, ddbstore.Options{})
		w.set(refusedTCP, "", -1)
		start := time.Now()
		r := prod
		r.Wait = time.Hour // a service that was never heard of is not waited for
		_, err := w.Acquire(t.Context(), r)
		if lost := as[*UnreachableError](t, err); lost.Unsure {
			t.Error("unsure:", lost)
		}
		if after := time.Since(start); after < DefaultPatience || after > DefaultPatience+3*time.Second {
			t.Errorf("gave up after %v", after)
		}
		if _, err := w.Status(t.Context(), "prod"); as[*UnreachableError](t, err).Op != "status" {
			t.Error(err)
		}
	})
}

func TestHeld(t *testing.T) {
	bubble(t, func(t *testing.T) {
		w := newWorld(t, lockapi.Leases{}, ddbstore.Options{})
		l := w.acquire(t, prod)
		start := time.Now()
		_, err := w.Acquire(t.Context(), Request{Workspace: "prod", Runner: "jane"})
		held := as[*HeldError](t, err)
		if held.Holder.LockID != l.ID() || held.Holder.Owner != "ci-7" || held.Reason != "lock held by ci-7" || time.Since(start) != 0 {
			t.Errorf("%+v", held)
		}
	})
}

// A waiter asks at the stated rate, tells why it waits, and gets the lock soon
// after it is free.
func TestWaiting(t *testing.T) {
	bubble(t, func(t *testing.T) {
		w := newWorld(t, lockapi.Leases{}, ddbstore.Options{})
		l := w.acquire(t, prod)
		time.AfterFunc(5*minute, func() {
			if err := l.Release(context.WithoutCancel(t.Context())); err != nil {
				t.Error(err)
			}
		})
		start, told := time.Now(), 0
		second := w.acquire(t, Request{Workspace: "prod", Runner: "jane", Lease: minute, Wait: 10 * minute, Waiting: func(err error) {
			told++
			if as[*HeldError](t, err).Holder.LockID != l.ID() {
				t.Error("waits because", err)
			}
		}})
		after := time.Since(start) - 5*minute
		if after < 0 || after > 3*time.Second {
			t.Errorf("got the lock %v after it was free", after)
		}
		if told < 100 || told > 300 || second.Fence() != 2 {
			t.Errorf("waited %d times, fence %d", told, second.Fence())
		}
		if time.Until(second.until) != minute {
			t.Error("the lease counts from before the acquire that got it")
		}
	})
}

func TestWaitIsOver(t *testing.T) {
	bubble(t, func(t *testing.T) {
		w := newWorld(t, lockapi.Leases{}, ddbstore.Options{})
		w.acquire(t, prod)
		start := time.Now()
		_, err := w.Acquire(t.Context(), Request{Workspace: "prod", Runner: "jane", Wait: minute})
		if _ = as[*HeldError](t, err); time.Since(start) != minute {
			t.Errorf("waited for %v", time.Since(start))
		}
	})
}

// An outage does not end the waiting, and neither do lost replies.
func TestWaitingThroughOutage(t *testing.T) {
	bubble(t, func(t *testing.T) {
		w := newWorld(t, lockapi.Leases{}, ddbstore.Options{})
		l := w.acquire(t, Request{Workspace: "prod", Runner: "ci-7"})
		time.AfterFunc(30*time.Second, func() { w.set(refusedTCP, "", -1) })
		time.AfterFunc(90*time.Second, func() {
			w.up()
			if err := l.Release(context.WithoutCancel(t.Context())); err != nil {
				t.Error(err)
			}
			w.set(lostReply, "/v1/acquire", 3)
		})
		start, out := time.Now(), 0
		second := w.acquire(t, Request{Workspace: "prod", Runner: "jane", Lease: minute, Wait: 10 * minute, Waiting: func(err error) {
			if _, ok := errors.AsType[*UnreachableError](err); ok {
				out++
			}
		}})
		if time.Since(start) > 2*minute || out == 0 || second.Fence() != 2 {
			t.Errorf("after %v, fence %d, told of the outage %d times", time.Since(start), second.Fence(), out)
		}
		time.Sleep(10 * minute)
		if isLost(second) {
			t.Error(second.Err())
		}
	})
}

func TestWaitingIsCancelled(t *testing.T) {
	bubble(t, func(t *testing.T) {
		w := newWorld(t, lockapi.Leases{}, ddbstore.Options{})
		w.acquire(t, prod)
		ctx, cancel := context.WithTimeout(t.Context(), minute)
		defer cancel()
		start := time.Now()
		_, err := w.Acquire(ctx, Request{Workspace: "prod", Runner: "jane", Wait: time.Hour})
		if !errors.Is(err, context.DeadlineExceeded) || time.Since(start) != minute {
			t.Errorf("%v after %v", err, time.Since(start))
		}
	})
}

// A dead holder's lock is taken soon after its lease, and not by others than
// those who are told to.
func TestTakeLapsed(t *testing.T) {
	bubble(t, func(t *testing.T) {
		w := newWorld(t, lockapi.Leases{}, ddbstore.Options{Notice: 30 * time.Second})
		dead := w.acquire(t, prod)
		dead.Abandon()
		start := time.Now()
		l := w.acquire(t, Request{Workspace: "prod", Runner: "jane", Lease: minute, Wait: 10 * minute, TakeLapsed: true})
		if after := time.Since(start); after < 90*time.Second || after > 96*time.Second || l.Fence() != 2 {
			t.Errorf("fence %d after %v", l.Fence(), after)
		}
		for _, path := range []string{"/v1/mark-stale", "/v1/force-unlock"} {
			if !strings.Contains(w.bodies[path], `"lock_id":"`+dead.ID()+`"`) {
				t.Errorf("%s names no hold, and might touch another: %s", path, w.bodies[path])
			}
		}
		if err := dead.Release(t.Context()); as[*HeldError](t, err).Holder.LockID != l.ID() {
			t.Error("the dead one's release:", err)
		}
	})
}

// That a stale lock's lease has lapsed is the service's word. By this machine's
// clock, which is slow, it runs for most of an hour.
func TestTakeStaleBySlowClock(t *testing.T) {
	bubble(t, func(t *testing.T) {
		ahead := func() time.Time { return time.Now().Add(time.Hour) }
		w := newWorld(t, lockapi.Leases{}, ddbstore.Options{Now: ahead})
		dead := w.acquire(t, prod)
		dead.Abandon()
		time.Sleep(2 * minute)
		if _, err := w.MarkStale(t.Context(), Hold{Workspace: "prod", LockID: dead.ID()}, ""); err != nil {
			t.Fatal(err)
		}
		l := w.acquire(t, Request{Workspace: "prod", Runner: "jane", Wait: minute, TakeLapsed: true})
		if l.Fence() != 2 {
			t.Errorf("fence %d", l.Fence())
		}
	})
}

// One who is alive, and one who asked for no lease, are never taken from.
func TestTakeNothingElse(t *testing.T) {
	for name, r := range map[string]Request{"alive": prod, "unleased": {Workspace: "prod", Runner: "ci-7"}} {
		t.Run(name, func(t *testing.T) {
			bubble(t, func(t *testing.T) {
				w := newWorld(t, lockapi.Leases{}, ddbstore.Options{})
				l := w.acquire(t, r)
				_, err := w.Acquire(t.Context(), Request{Workspace: "prod", Runner: "jane", Wait: 10 * minute, TakeLapsed: true})
				if as[*HeldError](t, err).Holder.LockID != l.ID() || isLost(l) || w.count("/v1/mark-stale") != 0 {
					t.Errorf("%v, lost: %v, marked %d times", err, l.Err(), w.count("/v1/mark-stale"))
				}
				if _, err := w.MarkStale(t.Context(), Hold{Workspace: "prod"}, ""); name == "unleased" && err != nil {
					t.Error(err)
				}
				if _, err = w.Acquire(t.Context(), Request{Workspace: "prod", Runner: "jane", TakeLapsed: true}); err == nil {
					t.Error("an operator's word was taken for a lapsed lease")
				}
			})
		})
	}
}

// What is wrong with the request is said at once.
func TestUnusableRequests(t *testing.T) {
	bubble(t, func(t *testing.T) {
		w := newWorld(t, lockapi.Leases{}, ddbstore.Options{})
		for field, r := range map[string]Request{
			"ws":            {Workspace: "../prod", Runner: "a"},
			"runner":        {Workspace: "prod"},
			"lease_seconds": {Workspace: "prod", Runner: "a", Lease: time.Second},
		} {
			_, err := w.Acquire(t.Context(), r)
			if e := as[*RefusedError](t, err); e.Field != field || e.Status != 400 {
				t.Errorf("%+v: %+v", r, e)
			}
		}
		_, err := w.Acquire(t.Context(), Request{Workspace: "prod", Runner: "a", Lease: 5500 * time.Millisecond})
		if as[*lockmodel.FieldError](t, err).Field != "lease_seconds" {
			t.Error(err)
		}
		if _, err := w.Status(t.Context(), "a/../b"); as[*lockmodel.FieldError](t, err).Field != "ws" {
			t.Error(err)
		}
	})
}
