package ddbstore_test

import (
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
