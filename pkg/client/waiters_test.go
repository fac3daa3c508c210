package client

import (
	"context"
	"math/rand/v2"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/statelock/statelock/pkg/ddbstore"
	"github.com/statelock/statelock/pkg/lockapi"
)

// Fifty waiters for one lock: each gets it once, alone, within the bound that
// is stated below, asking no faster than the stated rate. Next to it, the same
// with the pauses of Terraform's -lock-timeout, which double from 1 s to 16 s.
// https://github.com/hashicorp/terraform/blob/v1.11.4/internal/states/statemgr/locker.go
func TestFiftyWaiters(t *testing.T) {
	t.Parallel()
	ours := race(t, "statelock", func(ctx context.Context, w *world, r Request) (*Lock, error) {
		r.Wait = time.Hour
		return w.Acquire(ctx, r)
	})
	theirs := race(t, "-lock-timeout", func(ctx context.Context, w *world, r Request) (*Lock, error) {
		for delay := time.Second; ; delay = min(2*delay, 16*time.Second) {
			l, err := w.Acquire(ctx, r)
			if err == nil {
				return l, nil
			}
			_ = as[*HeldError](t, err)
			pause(ctx, delay)
		}
	})
	// Nobody keeps a queue, so the bound is on the whole: a free lock finds one
	// of those who wait within the longest pause, and most of the time far sooner.
	if bound := 3 * DefaultPoll / 2; ours.longest > bound {
		t.Errorf("the lock was free for %v, want %v at most", ours.longest, bound)
	}
	if bound := waiters * (hold + DefaultPoll/2); ours.last > bound {
		t.Errorf("the last got it after %v, want %v at most", ours.last, bound)
	}
	if most := 2 * waiters * int(ours.last/DefaultPoll); ours.requests > most {
		t.Errorf("%d requests, want %d at most", ours.requests, most)
	}
	if ours.last >= theirs.last {
		t.Errorf("no sooner than Terraform: %v and %v", ours.last, theirs.last)
	}
}

const (
	waiters = 50
	hold    = 2 * time.Second
)

// outcome is how a race went.
type outcome struct {
	requests int
	last     time.Duration // until the last had it
	longest  time.Duration // that the lock was free while somebody waited
}

// race lets all of them acquire at the same moment, hold, and release.
func race(t *testing.T, name string, acquire func(context.Context, *world, Request) (*Lock, error)) (o outcome) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t, lockapi.Leases{}, ddbstore.Options{})
		start := time.Now()
		var mu sync.Mutex
		var fences []int64
		var gaps []time.Duration // how long the lock was free before somebody got it
		holding, freed := 0, start
		var all sync.WaitGroup
		for range waiters {
			all.Go(func() {
				pause(t.Context(), rand.N(time.Second))
				l, err := acquire(t.Context(), w, Request{Workspace: "prod", Runner: "ci-7", Lease: minute})
				if err != nil {
					t.Error(err)
					return
				}
				mu.Lock()
				holding++
				if holding != 1 {
					t.Errorf("%d hold the lock", holding)
				}
				fences, gaps, o.last = append(fences, l.Fence()), append(gaps, time.Since(freed)), time.Since(start)
				mu.Unlock()
				time.Sleep(hold)
				mu.Lock()
				holding, freed = holding-1, time.Now()
				mu.Unlock()
				if err := l.Release(t.Context()); err != nil {
					t.Error(err)
				}
			})
		}
		all.Wait()
		for n, fence := range fences {
			if fence != int64(n+1) {
				t.Fatalf("fences %v: not one each", fences)
			}
		}
		slices.Sort(gaps)
		o.longest = gaps[len(gaps)-1]
		o.requests = w.count("/v1/acquire")
		t.Logf("%-14s %d waiters, each holding for %v: the last had it after %6.1f s; %5d acquire requests; handed over in %4d ms (median), %5d ms (longest)",
			name, waiters, hold, o.last.Seconds(), o.requests, gaps[len(gaps)/2].Milliseconds(), o.longest.Milliseconds())
	})
	return o
}
