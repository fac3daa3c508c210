package lockmodel

import (
	"fmt"
	"reflect"
	"testing"
)

// Conditions are made once for each shape of requests: nothing else of a request
// may change them.
func TestConditionsDependOnTheShapeAlone(t *testing.T) {
	t.Parallel()
	seen := 0
	for _, o := range Ops() {
		for bits := range 1 << 10 {
			has := func(n int) bool { return bits>>n&1 == 1 }
			r := Request{Op: o, Workspace: fmt.Sprint(bits), ID: fmt.Sprint(bits), Now: int64(bits), Serial: Missing}
			for n, set := range []func(){
				func() { r.LockID = "id" }, func() { r.Runner = "runner" }, func() { r.Lapsed, r.Credential = true, "digest" },
				func() { r.Version, r.Checksum, r.Size = "v", "sum", 1 }, func() { r.Serial = 3 }, func() { r.Terms.Notice = 1 },
				func() { r.Terms.MaxHold = 1 }, func() { r.Lease, r.Terms.Skew = 1, 1 }, func() { r.Restore = true }, func() { r.Principal, r.Reason, r.Info = "iam:x", "why", "{}" },
			} {
				if has(n) {
					set()
				}
			}
			for _, s := range Situations() {
				seen++
				if got, want := s.Where(r), situations[s].where(r); !reflect.DeepEqual(got, want) {
					t.Fatalf("%s × %s, %+v: %v, want %v", o, s, r, got, want)
				}
			}
		}
	}
	if seen != numOps*numSituations*1024 {
		t.Error(seen)
	}
}
