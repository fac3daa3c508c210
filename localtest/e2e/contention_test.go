package e2e

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/statelock/statelock/pkg/lockmodel"
)

// Of two applies at once one waits, and works when the other is done. What it
// works on is what the other left.
// https://github.com/hashicorp/terraform/issues/27844
func TestWaiterGetsLockAfterRelease(t *testing.T) {
	everyKind(t, func(t *testing.T, k kind) {
		s := serve(t)
		net := newProxy(t, s.url, tfOperation)
		first, second := k.project(t, s.url, "prod", things), k.project(t, net.url, "prod", things)
		held, open := first.applyHeld(t, "one")
		waiter := second.apply(t, "two", "-lock-timeout=10m")
		net.await(t, "lock", 2) // it was refused, and asks again
		s.is(t, "prod", lockmodel.Held)
		open()
		held.works(t)
		if heard := waiter.works(t); !strings.Contains(heard, "1 destroyed") {
			t.Errorf("the waiter did not see what the first had made:\n%s", heard)
		}
		if v := s.is(t, "prod", lockmodel.Unlocked); v.Fence != 2 {
			t.Errorf("fence %d", v.Fence)
		}
		if got := serials(t, s, "prod"); !rising(got) || len(got) < 2 {
			t.Errorf("serials %v", got)
		}
	})
}

// Who is turned away is told of the holder, not of itself, and that the holder
// is alive. Terraform 1.11 shows no more of the answer than the holder's lock
// id, and its own lock in place of the rest, whatever it is answered.
// https://github.com/opentofu/opentofu/issues/2004
// https://github.com/hashicorp/terraform/issues/28130
func TestConflictNamesHolder(t *testing.T) {
	everyKind(t, func(t *testing.T, k kind) {
		s := serve(t)
		first, second := k.project(t, s.url, "prod", things), k.project(t, s.url, "prod", things)
		held, open := first.applyHeld(t, "one")
		v := s.is(t, "prod", lockmodel.Held)
		says := func(more ...string) []string {
			all := []string{"Error acquiring the state lock", "ID=" + v.LockID}
			if k.name == "tofu" {
				all = append(all, more...)
			}
			return all
		}
		second.run(t, "plan").fails(t, says(v.Owner, "OperationTypeApply", "held since", fmt.Sprintf("fence %d", v.Fence))...)
		s.markStale(t, "prod")
		second.apply(t, "two").fails(t, says("STALE since", "force-unlock")...)
		open()
		held.works(t) // it was alive all the time
		s.is(t, "prod", lockmodel.Unlocked)
	})
}

// Whoever waits gets an answer of its own client's making when its patience is
// over, and the holder keeps the lock.
func TestWaiterGivesUp(t *testing.T) {
	everyClient(t, func(t *testing.T, k kind) {
		s := serve(t)
		first, second := k.project(t, s.url, "prod", things), k.project(t, s.url, "prod", things)
		held, open := first.applyHeld(t, "one")
		v := s.lock(t, "prod")
		second.apply(t, "two", "-lock-timeout=2s").fails(t, "Error acquiring the state lock", v.LockID)
		if after := s.lock(t, "prod"); after != v {
			t.Errorf("the lock was %+v, is %+v", v, after)
		}
		open()
		held.works(t)
	})
}

// Twenty applies at once, each of which adds a thing to the state: each finds
// what those before it have added, and nothing is lost.
func TestTwentyApplies(t *testing.T) {
	everyClient(t, func(t *testing.T, k kind) {
		const applies = 20
		s := serve(t)
		p := k.project(t, s.url, "prod", `
resource "terraform_data" "thing" {
  for_each = toset([for n in range(`+fmt.Sprint(applies)+`) : tostring(n)])
  input    = each.key
}
`)
		var all []*process
		for n := range applies {
			all = append(all, p.run(t, "apply", "-lock-timeout=10m", fmt.Sprintf(`-target=terraform_data.thing["%d"]`, n)))
		}
		for _, one := range all {
			one.endsWithin(t, 10*time.Minute) // pauses grow to 16 s
			if heard := one.works(t); !strings.Contains(heard, "1 added, 0 changed, 0 destroyed") {
				t.Errorf("an apply said\n%s", heard)
			}
		}
		var want []int64
		for n := range applies {
			want = append(want, int64(n+1))
		}
		if got := serials(t, s, "prod"); !slices.Equal(got, want) {
			t.Errorf("serials %v", got)
		}
		state := readState(t, s.state(t, "prod"))
		if len(state.Resources) != 1 || len(state.Resources[0].Instances) != applies {
			t.Errorf("the state is %+v", state)
		}
		if v := s.is(t, "prod", lockmodel.Unlocked); v.Fence != applies {
			t.Errorf("fence %d", v.Fence)
		}
	})
}

// rising tells whether each number is one more than that before it.
func rising(numbers []int64) bool {
	for n, number := range numbers {
		if number != numbers[0]+int64(n) {
			return false
		}
	}
	return true
}
