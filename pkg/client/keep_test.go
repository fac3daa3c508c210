package client

import (
	"errors"
	"net/http"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/statelock/statelock/pkg/ddbstore"
	"github.com/statelock/statelock/pkg/lockapi"
	"github.com/statelock/statelock/pkg/lockmodel"
)

// bubble runs a test by a clock of its own.
func bubble(t *testing.T, test func(*testing.T)) {
	t.Helper()
	t.Parallel()
	synctest.Test(t, test)
}

var prod = Request{Workspace: "prod", Runner: "ci-7", Lease: minute}

// A lock that is renewed is kept for as long as it is wanted.
func TestLeaseIsRenewed(t *testing.T) {
	bubble(t, func(t *testing.T) {
		w := newWorld(t, lockapi.Leases{}, ddbstore.Options{})
		l := w.acquire(t, prod)
		if l.Lease() != minute || l.Fence() != 1 || l.ID() == "" || l.Workspace() != "prod" || l.View().Owner != "ci-7" {
			t.Errorf("acquired %+v", l.View())
		}
		time.Sleep(time.Hour)
		if isLost(l) || l.Err() != nil {
			t.Error("lost:", l.Err())
		}
		if n := w.count("/v1/renew"); n < 160 || n > 200 {
			t.Errorf("%d renewals in 60 leases", n)
		}
		if _, err := w.MarkStale(t.Context(), Hold{Workspace: "prod"}, ""); as[*HeldError](t, err).Code != lockmodel.CodeLeaseLive {
			t.Error("mark stale:", err)
		}
		if err := l.Release(t.Context()); err != nil {
			t.Error("release:", err)
		}
		renewals := w.count("/v1/renew")
		time.Sleep(time.Hour)
		if w.count("/v1/renew") != renewals || isLost(l) || l.Err() != nil {
			t.Error("something goes on after the release")
		}
		if v := w.status(t); v.State != lockmodel.Unlocked {
			t.Errorf("after the release: %+v", v)
		}
	})
}

// Outages of every kind that are shorter than what is left of the lease go by
// unnoticed.
func TestOutageShorterThanLease(t *testing.T) {
	for name, f := range map[string]fault{"refused": refusedTCP, "lost replies": lostReply, "black hole": blackHole, "500": gone500} {
		t.Run(name, func(t *testing.T) {
			bubble(t, func(t *testing.T) {
				w := newWorld(t, lockapi.Leases{}, ddbstore.Options{})
				l := w.acquire(t, prod)
				time.Sleep(15 * time.Second) // before the first renewal
				w.set(f, "", -1)
				time.Sleep(30 * time.Second)
				w.up()
				time.Sleep(time.Hour)
				if isLost(l) {
					t.Error("lost:", l.Err())
				}
			})
		})
	}
}

// The belief ends a lease after the last renewal that worked was sent, to the
// nanosecond, and never later than the service's own.
func TestOutageLongerThanLease(t *testing.T) {
	for name, f := range map[string]fault{"refused": refusedTCP, "black hole": blackHole, "500": gone500} {
		t.Run(name, func(t *testing.T) {
			bubble(t, func(t *testing.T) {
				w := newWorld(t, lockapi.Leases{}, ddbstore.Options{})
				start := time.Now()
				l := w.acquire(t, prod)
				w.set(f, "", -1)
				<-l.Lost()
				if got := time.Since(start); got != minute {
					t.Errorf("lost after %v", got)
				}
				lost := as[*LostError](t, l.Err())
				if !errors.Is(lost, ErrLeaseOver) || lost.Workspace != "prod" || lost.LockID != l.ID() {
					t.Error("lost:", lost)
				}
				// The service is back before anybody took the lock: it stays
				// lost, but is kept until the winding up is over.
				w.up()
				time.Sleep(10 * minute)
				if _, err := w.MarkStale(t.Context(), Hold{Workspace: "prod"}, ""); as[*HeldError](t, err).Code != lockmodel.CodeLeaseLive {
					t.Error("mark stale:", err)
				}
				if !isLost(l) {
					t.Error("found again")
				}
				if err := l.Release(t.Context()); err != nil {
					t.Error("release:", err)
				}
			})
		})
	}
}

// The belief counts from when a request was sent, not from when its reply came.
func TestBeliefCountsFromSending(t *testing.T) {
	bubble(t, func(t *testing.T) {
		w := newWorld(t, lockapi.Leases{}, ddbstore.Options{})
		w.set(slowReply, "", -1)
		start := time.Now()
		l, err := w.AcquireOnly(t.Context(), prod)
		if err != nil {
			t.Fatal(err)
		}
		if got := l.until.Sub(start); time.Since(start) != 5*time.Second || got != minute {
			t.Errorf("acquired after %v; believes until %v after the start", time.Since(start), got)
		}
		start = time.Now()
		if err := l.Renew(t.Context()); err != nil {
			t.Fatal(err)
		}
		if got := l.until.Sub(start); time.Since(start) != 5*time.Second || got != minute {
			t.Errorf("renewed after %v; believes until %v after the start", time.Since(start), got)
		}
	})
}

// A holder that is marked stale learns it from its next renewal, and can still
// release.
func TestMarkedStale(t *testing.T) {
	bubble(t, func(t *testing.T) {
		w := newWorld(t, lockapi.Leases{}, ddbstore.Options{})
		l := w.acquire(t, prod)
		w.set(refusedTCP, "/v1/renew", -1)
		time.Sleep(minute + time.Second)
		if _, err := w.MarkStale(t.Context(), Hold{Workspace: "prod", LockID: l.ID()}, ""); err != nil {
			t.Fatal(err)
		}
		w.up()
		time.Sleep(minute)
		if err := l.Renew(t.Context()); as[*RefusedError](t, err).Code != lockmodel.CodeStale {
			t.Error("renew:", err)
		}
		if err := l.Release(t.Context()); err != nil {
			t.Error("release:", err)
		}
	})
}

// A lock taken away is lost at the next renewal, long before the belief ends.
func TestRefusedRenewalIsALoss(t *testing.T) {
	bubble(t, func(t *testing.T) {
		w := newWorld(t, lockapi.Leases{}, ddbstore.Options{})
		start := time.Now()
		l := w.acquire(t, prod)
		if _, err := w.Release(t.Context(), Hold{Workspace: "prod", LockID: l.ID()}); err != nil {
			t.Fatal(err)
		}
		other := w.acquire(t, Request{Workspace: "prod", Runner: "jane", Lease: minute})
		<-l.Lost()
		if after := time.Since(start); after > 22*time.Second {
			t.Errorf("learned of it after %v", after)
		}
		held := as[*HeldError](t, l.Err())
		if held.Code != lockmodel.CodeNotHolder || held.Holder.LockID != other.ID() {
			t.Error("lost:", l.Err())
		}
		if err := l.Release(t.Context()); as[*HeldError](t, err).Holder.LockID != other.ID() {
			t.Error("release:", err)
		}
		time.Sleep(minute)
		if isLost(other) {
			t.Error("the other has lost its lock")
		}
	})
}

// Renewals stop where a hold may last no longer, and the rest of the lease is
// for the winding up.
func TestMaxHold(t *testing.T) {
	bubble(t, func(t *testing.T) {
		w := newWorld(t, lockapi.Leases{}, ddbstore.Options{MaxHold: 10 * minute})
		start := time.Now()
		l := w.acquire(t, prod)
		<-l.Lost()
		if after := time.Since(start); after < 9*minute || after > 9*minute+22*time.Second {
			t.Errorf("lost after %v", after)
		}
		if as[*RefusedError](t, l.Err()).Code != lockmodel.CodeMaxHold {
			t.Error(l.Err())
		}
	})
}

// Credentials that are refused for a while, a route that is missing during a
// deployment: nothing about the lock.
func TestRenewalsAreStubborn(t *testing.T) {
	bubble(t, func(t *testing.T) {
		w := newWorld(t, lockapi.Leases{}, ddbstore.Options{})
		var expired atomic.Bool
		w.options.Credentials = func(*http.Request, []byte) error {
			if expired.Load() {
				return errors.New("expired")
			}
			return nil
		}
		l := w.acquire(t, prod)
		time.Sleep(15 * time.Second)
		expired.Store(true)
		time.Sleep(30 * time.Second)
		expired.Store(false)
		time.Sleep(minute)
		if isLost(l) {
			t.Error("lost:", l.Err())
		}
	})
}

// The deployment's default lease is kept as one that was asked for.
func TestDefaultLease(t *testing.T) {
	bubble(t, func(t *testing.T) {
		w := newWorld(t, lockapi.Leases{Default: 20 * time.Second}, ddbstore.Options{})
		l := w.acquire(t, Request{Workspace: "prod", Runner: "ci-7"})
		if l.Lease() != 20*time.Second {
			t.Errorf("lease %v", l.Lease())
		}
		time.Sleep(minute)
		if isLost(l) || w.count("/v1/renew") < 6 {
			t.Errorf("lost: %v, after %d renewals", l.Err(), w.count("/v1/renew"))
		}
	})
}

// Without a lease there is nothing to renew and nothing to lose.
func TestNoLease(t *testing.T) {
	bubble(t, func(t *testing.T) {
		w := newWorld(t, lockapi.Leases{}, ddbstore.Options{})
		l := w.acquire(t, Request{Workspace: "prod", Runner: "ci-7"})
		w.set(refusedTCP, "", -1)
		time.Sleep(time.Hour)
		if isLost(l) || l.Lease() != 0 || w.count("/v1/renew") != 0 || l.Renew(t.Context()) == nil {
			t.Error("something was renewed or lost")
		}
		w.up()
		if err := l.Release(t.Context()); err != nil {
			t.Error(err)
		}
	})
}
