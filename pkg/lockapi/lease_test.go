package lockapi_test

import (
	"log/slog"
	"strings"
	"testing"
	"time"

	"github.com/statelock/statelock/localtest/testdb"
	"github.com/statelock/statelock/pkg/ddbstore"
	"github.com/statelock/statelock/pkg/lockapi"
)

// A leased lock is not marked stale before its lease has lapsed, and a renewal
// moves that moment.
func TestLease(t *testing.T) {
	t.Parallel()
	db := testdb.Open(t)
	clock := time.UnixMilli(1_800_000_000_000)
	store := ddbstore.New(db.Client, ddbstore.Options{Table: db.Table, Now: func() time.Time { return clock }})
	api := lockapi.New(store, lockapi.Options{Log: slog.New(slog.DiscardHandler)})

	resp, got := call(t, api, "POST", "/v1/acquire", `{"ws":"prod","runner":"a","lock_id":"hold-1","lease_seconds":60}`)
	if resp.StatusCode != 200 || got["lease_until"] != "2027-01-15T08:01:00.000Z" {
		t.Errorf("acquire: %d %v", resp.StatusCode, got)
	}
	clock = clock.Add(50 * time.Second)
	resp, got = call(t, api, "POST", "/v1/mark-stale", `{"ws":"prod"}`)
	if resp.StatusCode != 409 || got["code"] != "lease_live" || got["reason"] != "the lease of a runs until 2027-01-15T08:01:00.000Z, 11 s more" {
		t.Errorf("mark stale under a live lease: %d %v", resp.StatusCode, got)
	}
	resp, got = call(t, api, "POST", "/v1/renew", `{"ws":"prod","lock_id":"hold-1","lease_seconds":60}`)
	if resp.StatusCode != 200 || got["state"] != "held" || got["lease_until"] != "2027-01-15T08:01:50.000Z" {
		t.Errorf("renew: %d %v", resp.StatusCode, got)
	}
	clock = clock.Add(60*time.Second + time.Millisecond)
	if resp, got = call(t, api, "POST", "/v1/mark-stale", `{"ws":"prod"}`); resp.StatusCode != 200 {
		t.Errorf("mark stale after the lease: %d %v", resp.StatusCode, got)
	}
	if resp, got = call(t, api, "POST", "/v1/renew", `{"ws":"prod","lock_id":"hold-1","lease_seconds":60}`); resp.StatusCode != 409 || got["code"] != "stale" {
		t.Errorf("renew when stale: %d %v", resp.StatusCode, got)
	}
}

func TestLeaseRules(t *testing.T) {
	t.Parallel()
	for rules, ok := range map[lockapi.Leases]bool{
		{}:                                           true,
		{Default: time.Minute, Max: time.Hour}:       true,
		{Default: 2 * time.Hour, Max: time.Hour}:     false,
		{Default: time.Second}:                       false,
		{Max: time.Second}:                           false,
		{Max: 48 * time.Hour}:                        false,
		{Default: 24 * time.Hour}:                    true,
		{Default: 24*time.Hour + time.Second}:        false,
		{Default: -time.Second}:                      false,
		{Default: 5 * time.Second, Max: time.Minute}: true,
	} {
		if err := rules.Validate(0); (err == nil) != ok {
			t.Errorf("%+v: %v", rules, err)
		}
	}
	for maxHold, ok := range map[time.Duration]bool{time.Minute: true, time.Hour: true, time.Minute - 1: false} {
		if err := (lockapi.Leases{Default: time.Minute}).Validate(maxHold); (err == nil) != ok {
			t.Errorf("holds of %s: %v", maxHold, err)
		}
	}
	db := testdb.Open(t)
	store := ddbstore.New(db.Client, ddbstore.Options{Table: db.Table})
	api := lockapi.New(store, lockapi.Options{Leases: lockapi.Leases{Default: time.Minute, Max: time.Hour}})
	for body, leased := range map[string]bool{
		`{"ws":"a","runner":"a","lock_id":"hold-1"}`:   true,
		`{"ws":"b","runner":"a","lease_seconds":0}`:    false,
		`{"ws":"c","runner":"a","lease_seconds":3600}`: true,
	} {
		if resp, got := call(t, api, "POST", "/v1/acquire", body); resp.StatusCode != 200 || (got["lease_until"] != nil) != leased {
			t.Errorf("%s: %d %v", body, resp.StatusCode, got)
		}
	}
	if resp, _ := call(t, api, "POST", "/v1/acquire", `{"ws":"d","runner":"a","lease_seconds":3601}`); resp.StatusCode != 400 {
		t.Errorf("a lease over the deployment's longest: %d", resp.StatusCode)
	}
	if resp, _ := call(t, api, "POST", "/v1/renew", `{"ws":"a","lock_id":"hold-1"}`); resp.StatusCode != 200 {
		t.Errorf("a renewal by the default: %d", resp.StatusCode)
	}
}

// Nobody is told of a lease beyond the longest hold, whatever it reads.
func TestNoLeaseBeyondTheLongestHold(t *testing.T) {
	t.Parallel()
	db := testdb.Open(t)
	clock := time.UnixMilli(1_800_000_000_000)
	api := lockapi.New(ddbstore.New(db.Client, ddbstore.Options{
		Table: db.Table, MaxHold: time.Minute, Now: func() time.Time { return clock },
	}), lockapi.Options{})
	const end = "2027-01-15T08:01:00.000Z"
	want(t, api, 200, "LOCK", "/v1/tf/prod?lease_seconds=60", lockInfo("id-a", "ann"))
	clock = clock.Add(50 * time.Second)
	want(t, api, 200, "POST", "/v1/tf/prod?ID=id-a", "state")
	locks := want(t, api, 200, "GET", "/v1/locks", "")["locks"].([]any)
	for what, lock := range map[string]map[string]any{"read": want(t, api, 200, "GET", "/v1/locks/prod", ""), "listed": locks[0].(map[string]any)} {
		if lock["lease_until"] != end {
			t.Errorf("%s: %v", what, lock)
		}
	}
	if got := want(t, api, 423, "LOCK", "/v1/tf/prod", lockInfo("id-b", "joe")); !strings.Contains(got["Info"].(string), "lease until "+end) {
		t.Errorf("%v", got)
	}
	if got := want(t, api, 409, "POST", "/v1/mark-stale", `{"ws":"prod"}`); !strings.Contains(got["reason"].(string), end) {
		t.Errorf("%v", got)
	}
}
