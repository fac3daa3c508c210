package lockmodel

import (
	"errors"
	"strings"
	"testing"
)

func TestValidate(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("x", MaxWorkspace+1)
	cases := []struct {
		r     Request
		field string // "" where the request is usable
	}{
		{request(Acquire), ""},
		{request(Acquire, lease(5000)), ""},
		{request(Renew), ""},
		{request(ReleaseLock), ""},
		{request(MarkStale, lockID("id-a"), runner("r")), ""},
		{request(Acquire, id("")), "request_id"},
		{request(Acquire, id("a/b")), "request_id"},
		{request(Acquire, id("a\nb")), "request_id"},
		{request(Acquire, id(long[:MaxID+1])), "request_id"},
		{request(Acquire, lockID("")), "lock_id"},
		{request(MarkStale, lockID("ä")), "lock_id"},
		{request(Acquire, runner("")), "runner"},
		{request(Acquire, runner("a\x7f")), "runner"},
		{request(Acquire, runner(" ")), "runner"},
		{request(Acquire, runner("a\u202eb")), "runner"},
		{request(Acquire, runner("jane doe")), ""},
		{request(Renew, lockID("")), "lock_id"},
		{request(Acquire, runner("\xff")), "runner"},
		{request(ReleaseLock, runner(long[:MaxRunner+1])), "runner"},
		{request(Renew, lease(0)), "lease_seconds"},
		{request(Acquire, lease(-1)), "lease_seconds"},
		{request(ReleaseLock, lease(1)), "lease_seconds"},
		{request(Acquire, lease(2), terms(Terms{MaxHold: 1})), "lease_seconds"},
	}
	for _, c := range cases {
		err := c.r.Validate()
		bad, _ := errors.AsType[*FieldError](err)
		if c.field == "" && err != nil || c.field != "" && (bad == nil || bad.Field != c.field) {
			t.Errorf("%+v: %v, want %q", c.r, err, c.field)
		}
	}
}

func TestCheckWorkspace(t *testing.T) {
	t.Parallel()
	for ws, ok := range map[string]bool{
		"prod": true, "team/app/prod": true, "a.b-c_d": true, "..a": true, "A9": true, strings.Repeat("x", MaxWorkspace): true,
		"": false, "/": false, "/a": false, "a/": false, "a//b": false, ".": false, "a/./b": false, "../a": false,
		"a b": false, "a\x00": false, "ä": false, "a%2fb": false, "a\\b": false, strings.Repeat("x", MaxWorkspace+1): false,
	} {
		if err := CheckWorkspace(ws); (err == nil) != ok {
			t.Errorf("%q: %v", ws, err)
		}
	}
}

func FuzzCheckWorkspace(f *testing.F) {
	f.Add("team/prod")
	f.Add("a/../b")
	f.Fuzz(func(t *testing.T, ws string) {
		if CheckWorkspace(ws) == nil && (strings.Contains("/"+ws+"/", "//") || strings.Contains("/"+ws+"/", "/../") || strings.Contains("/"+ws+"/", "/./")) {
			t.Errorf("%q accepted", ws)
		}
	})
}
