package lockmodel

import (
	"flag"
	"fmt"
)

// update rewrites the golden files: go test ./pkg/lockmodel -update.
var update = flag.Bool("update", false, "rewrite golden files")

const t0 = int64(1_800_000_000_000)

// request is a complete request of operation o on workspace prod, made at t0.
func request(o Op, change ...func(*Request)) Request {
	r := Request{Op: o, Workspace: "prod", ID: "r1", Now: t0}
	if o == Acquire {
		r.LockID, r.Runner = "id-a", "runner-a"
	}
	if o == Renew {
		r.LockID, r.Lease = "id-a", 60_000
	}
	for _, c := range change {
		c(&r)
	}
	return r
}

// state is a request at t0 to make a state of the given serial number current.
func state(serial int64, change ...func(*Request)) Request {
	n := fmt.Sprintf("v%d", serial)
	return request(WriteState, append([]func(*Request){func(r *Request) {
		r.ID, r.Version, r.Checksum, r.Size, r.Serial = n, n, "sum of "+n, 100, serial
	}}, change...)...)
}

// restored is a request to make a copy of an earlier state current, under hold
// id-a, by the same request whatever the copy's number.
func restored(serial int64, change ...func(*Request)) Request {
	return state(serial, append([]func(*Request){lockID("id-a"), id("restore"), func(r *Request) { r.Restore = true }}, change...)...)
}

// after performs requests one after the other on a workspace never seen.
func after(requests ...Request) Lock {
	l := NewLock("prod")
	for _, r := range requests {
		l = Step(l, r).Lock
	}
	return l
}

func id(s string) func(*Request)     { return func(r *Request) { r.ID = s } }
func lockID(s string) func(*Request) { return func(r *Request) { r.LockID = s } }
func runner(s string) func(*Request) { return func(r *Request) { r.Runner = s } }
func who(s string) func(*Request)    { return func(r *Request) { r.Principal = s } }
func now(ms int64) func(*Request)    { return func(r *Request) { r.Now = ms } }
func why(s string) func(*Request)    { return func(r *Request) { r.Reason = s } }
func lease(ms int64) func(*Request)  { return func(r *Request) { r.Lease = ms } }
func terms(t Terms) func(*Request)   { return func(r *Request) { r.Terms = t } }
