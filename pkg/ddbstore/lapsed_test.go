package ddbstore_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/statelock/statelock/localtest/testdb"
	"github.com/statelock/statelock/pkg/ddbstore"
	"github.com/statelock/statelock/pkg/lockmodel"
)

// A hold that has lasted longer than any may is found by the sweep, whatever
// it writes.
func TestOverdueHoldIsFound(t *testing.T) {
	t.Parallel()
	db := testdb.Open(t)
	clock := time.UnixMilli(start)
	s := ddbstore.New(db.Client, ddbstore.Options{Table: db.Table, MaxHold: time.Hour, Now: func() time.Time { return clock }})
	hold := request(lockmodel.Acquire, "prod")
	hold.Lease = time.Hour.Milliseconds()
	do(t, s, hold)
	found := func() int {
		t.Helper()
		locks, _, err := s.Lapsed(t.Context(), 10)
		if err != nil {
			t.Fatal(err)
		}
		return len(locks)
	}
	clock = clock.Add(59 * time.Minute)
	writeState(t, s, "prod", hold.LockID, plain(1, ""))
	if n := found(); n != 0 {
		t.Errorf("%d found before its time", n)
	}
	clock = clock.Add(2 * time.Minute)
	if n := found(); n != 1 {
		t.Errorf("%d found", n)
	}
	if out := do(t, s, request(lockmodel.MarkStale, "prod")); out.Err() != nil {
		t.Error(out.Err())
	}
}

// lapsedIn makes locks whose leases end a minute from the beginning, and gives a
// store of them whose clock the test moves.
func lapsedIn(t *testing.T, locks int, skew time.Duration) (*ddbstore.Store, *time.Time) {
	t.Helper()
	db := testdb.Open(t)
	clock := time.UnixMilli(start)
	s := ddbstore.New(db.Client, ddbstore.Options{Table: db.Table, ClockSkew: skew, Now: func() time.Time { return clock }})
	for n := range locks {
		hold := request(lockmodel.Acquire, fmt.Sprintf("lapsed/%d", n))
		hold.Lease = time.Minute.Milliseconds()
		do(t, s, hold)
	}
	return s, &clock
}

// No more lapsed locks are read than the limit, and that there are more is told.
func TestLapsedLimit(t *testing.T) {
	t.Parallel()
	s, clock := lapsedIn(t, 5, 0)
	*clock = clock.Add(time.Minute + time.Millisecond)
	for _, want := range []struct {
		locks int
		more  bool
	}{{2, true}, {2, true}, {1, false}, {0, false}} {
		locks, more, err := s.Lapsed(t.Context(), 2)
		if err != nil || len(locks) != want.locks || more != want.more {
			t.Fatalf("%d locks, more: %v, %v; want %+v", len(locks), more, err, want)
		}
		for _, l := range locks {
			if out := do(t, s, request(lockmodel.MarkStale, l.Workspace)); out.Err() != nil {
				t.Error(out.Err())
			}
		}
	}
}

// A lease has lapsed when it has by every clock.
func TestLapsedByEveryClock(t *testing.T) {
	t.Parallel()
	const skew = 10 * time.Second
	s, clock := lapsedIn(t, 1, skew)
	for _, step := range []struct {
		after time.Duration
		found int
	}{{time.Minute + skew, 0}, {time.Millisecond, 1}} {
		*clock = clock.Add(step.after)
		if locks, _, err := s.Lapsed(t.Context(), 10); err != nil || len(locks) != step.found {
			t.Errorf("%s later: %d found, %v; want %d", step.after, len(locks), err, step.found)
		}
	}
}
