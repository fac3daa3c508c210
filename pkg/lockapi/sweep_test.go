package lockapi_test

import (
	"fmt"
	"log/slog"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/statelock/statelock/localtest/testdb"
	"github.com/statelock/statelock/pkg/ddbstore"
	"github.com/statelock/statelock/pkg/lockapi"
)

// sweepable is a service whose clock the test moves.
func sweepable(t testing.TB) (*testdb.DB, *lockapi.API, *atomic.Int64) {
	db := testdb.Open(t)
	clock := &atomic.Int64{}
	clock.Store(1_800_000_000_000)
	store := ddbstore.New(db.Client, ddbstore.Options{Table: db.Table, Now: func() time.Time { return time.UnixMilli(clock.Load()) }})
	return db, lockapi.New(store, lockapi.Options{Log: slog.New(slog.DiscardHandler)}), clock
}

// A sweep marks stale what has lapsed and nothing else, and frees nothing. Its
// requests are counted by what has lapsed, not by what there is.
func TestSweep(t *testing.T) {
	t.Parallel()
	db, api, clock := sweepable(t)
	acquire := func(ws string, lease int) {
		t.Helper()
		body := fmt.Sprintf(`{"ws":%q,"runner":"a","lock_id":"hold-1","lease_seconds":%d}`, ws, lease)
		if resp, got := call(t, api, "POST", "/v1/acquire", body); resp.StatusCode != 200 {
			t.Fatalf("%d %v", resp.StatusCode, got)
		}
	}
	for n := range 200 {
		acquire(fmt.Sprintf("live/%d", n), 3600)
	}
	for n := range 3 {
		acquire(fmt.Sprintf("lapsed/%d", n), 60)
	}
	acquire("renewed", 60)
	acquire("unleased", 0)
	acquire("released", 60)
	call(t, api, "POST", "/v1/release", `{"ws":"released","lock_id":"hold-1"}`)
	clock.Add(50_000)
	call(t, api, "POST", "/v1/renew", `{"ws":"renewed","lock_id":"hold-1","lease_seconds":60}`)
	clock.Add(10_001)

	db.Requests()
	swept, err := api.Sweep(t.Context())
	if err != nil || swept != (lockapi.Swept{Marked: 3}) {
		t.Errorf("%+v, %v", swept, err)
	}
	if n := db.Requests(); n != 5 {
		t.Errorf("%d requests for 3 lapsed leases, want one to find them, one for each, and one to find broken state writes", n)
	}
	for ws, want := range map[string]string{"lapsed/0": "stale", "lapsed/2": "stale", "live/7": "held", "renewed": "held", "unleased": "held", "released": "unlocked"} {
		if _, got := call(t, api, "GET", "/v1/locks/"+ws, ""); got["state"] != want || want != "unlocked" && got["owner"] != "a" {
			t.Errorf("%s: %v, want %s", ws, got, want)
		}
	}
	if swept, err := api.Sweep(t.Context()); err != nil || swept != (lockapi.Swept{}) {
		t.Errorf("a second sweep: %+v, %v", swept, err)
	}
}

// An item that was tampered with does not keep the others from being swept.
func TestSweepPassesTamperedItems(t *testing.T) {
	t.Parallel()
	db, api, clock := sweepable(t)
	for _, ws := range []string{"a", "b", "c"} {
		call(t, api, "POST", "/v1/acquire", fmt.Sprintf(`{"ws":%q,"runner":"a","lease_seconds":60}`, ws))
	}
	db.Set(t, "a", map[string]any{"lock_id": "not an id"})
	db.Set(t, "b", map[string]any{"lock_id": nil})
	clock.Add(60_001)
	if swept, err := api.Sweep(t.Context()); err != nil || swept != (lockapi.Swept{Marked: 1, Passed: 2}) {
		t.Errorf("%+v, %v", swept, err)
	}
}

// Sweeps that run at the same time mark each lock once, and one that finds more
// than it looks at says so and leaves the rest to the next.
func TestSweepsTogether(t *testing.T) {
	t.Parallel()
	_, api, clock := sweepable(t)
	const lapsed = lockapi.SweepLimit + 20
	for n := range lapsed {
		call(t, api, "POST", "/v1/acquire", fmt.Sprintf(`{"ws":"lapsed/%d","runner":"a","lease_seconds":60}`, n))
	}
	clock.Add(60_001)
	var marked atomic.Int64
	var all sync.WaitGroup
	for range 4 {
		all.Go(func() {
			for more := true; more; {
				swept, err := api.Sweep(t.Context())
				if err != nil {
					t.Error(err)
					return
				}
				marked.Add(int64(swept.Marked))
				more = swept.More
			}
		})
	}
	all.Wait()
	if marked.Load() != lapsed {
		t.Errorf("%d locks marked, want %d, each once", marked.Load(), lapsed)
	}
}
