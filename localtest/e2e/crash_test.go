package e2e

import (
	"bytes"
	"strings"
	"syscall"
	"testing"

	"github.com/statelock/statelock/pkg/lockmodel"
)

// Whoever is interrupted stores what it has made, and leaves the lock free.
func TestInterruptReleases(t *testing.T) {
	everyKind(t, func(t *testing.T, k kind) {
		s := serve(t)
		p := k.project(t, s.url, "prod", things)
		p.apply(t, "one").works(t)
		held, _ := p.applyHeld(t, "two")
		s.is(t, "prod", lockmodel.Held)
		held.signal(syscall.SIGINT)
		held.fails(t, "Interrupt received")
		s.is(t, "prod", lockmodel.Unlocked)
		if got := serials(t, s, "prod"); len(got) < 2 || !rising(got) {
			t.Errorf("what was done until then was not stored: serials %v", got)
		}
		p.apply(t, "three").works(t)
	})
}

// Whoever is killed leaves the lock held. Neither client can force it open while
// the holder may be alive; when somebody has marked it stale, either can.
// https://github.com/hashicorp/terraform/issues/28421
// https://github.com/opentofu/opentofu/issues/2027
// https://github.com/hashicorp/terraform/issues/15429
func TestKillNeedsMarkStaleBeforeForceUnlock(t *testing.T) {
	everyKind(t, func(t *testing.T, k kind) {
		s := serve(t)
		p := k.project(t, s.url, "prod", things)
		held, _ := p.applyHeld(t, "one")
		held.signalGroup(syscall.SIGKILL)
		held.end(t)
		v := s.is(t, "prod", lockmodel.Held)

		p.run(t, "force-unlock", "-force", v.LockID).fails(t, "409")
		p.run(t, "plan").fails(t, v.LockID)
		if after := s.lock(t, "prod"); after != v {
			t.Errorf("the lock was %+v, is %+v", v, after)
		}
		s.markStale(t, "prod")
		p.run(t, "plan").fails(t, v.LockID)
		p.run(t, "force-unlock", "-force", v.LockID).works(t)
		s.is(t, "prod", lockmodel.Unlocked)
		p.apply(t, "two").works(t)
		if v := s.is(t, "prod", lockmodel.Unlocked); v.Fence != 2 {
			t.Errorf("fence %d", v.Fence)
		}
	})
}

// OpenTofu says which lock it means to force open: another than that is left
// alone, stale or not. Terraform says nothing.
func TestForceUnlockOfAnotherLock(t *testing.T) {
	t.Parallel()
	for _, verbs := range []bool{false, true} {
		s := serve(t)
		p := kind{name: "tofu", program: tofu(t), verbs: verbs}.project(t, s.url, "prod", things)
		held, open := p.applyHeld(t, "one")
		s.markStale(t, "prod")
		p.run(t, "force-unlock", "-force", "0c2ab6ac-8d0e-4a8b-9c3e-000000000000").fails(t, "409")
		s.is(t, "prod", lockmodel.Stale)
		open()
		held.works(t)
		s.is(t, "prod", lockmodel.Unlocked)
	}
}

// The zombie: A stands still, is given up on, and its lock is taken away. B
// applies. A wakes up and goes on where it was: what it writes is refused, B's
// state is what it was, byte for byte, and C, which has the lock by then, keeps
// it. https://github.com/opentofu/opentofu/issues/1222
func TestZombieCannotWrite(t *testing.T) {
	everyKind(t, func(t *testing.T, k kind) {
		s := serve(t)
		a, b, c := k.project(t, s.url, "prod", things), k.project(t, s.url, "prod", things), k.project(t, s.url, "prod", things)
		a.apply(t, "zero").works(t)
		zombie, wake := a.applyHeld(t, "a")
		zombie.signalGroup(syscall.SIGSTOP)
		lockID := s.is(t, "prod", lockmodel.Held).LockID
		s.markStale(t, "prod")
		b.run(t, "force-unlock", "-force", lockID).works(t)
		b.apply(t, "b").works(t)
		holder, open := c.applyHeld(t, "c")
		before, lock := s.state(t, "prod"), s.is(t, "prod", lockmodel.Held)
		versions := len(s.versions(t, "prod"))

		wake()
		zombie.signalGroup(syscall.SIGCONT)
		zombie.fails(t, "HTTP error: 409")
		if !strings.Contains(a.erroredState(t), `"a"`) {
			t.Error("the zombie lost what it had made")
		}
		if after := s.state(t, "prod"); !bytes.Equal(after, before) {
			t.Errorf("the state was\n%s\nand is\n%s", before, after)
		}
		if after := s.lock(t, "prod"); after != lock {
			t.Errorf("the lock was %+v, is %+v", lock, after)
		}
		if n := len(s.versions(t, "prod")); n != versions {
			t.Errorf("%d versions were %d", n, versions)
		}
		open()
		holder.works(t)
		if got := string(s.state(t, "prod")); !strings.Contains(got, `"c"`) {
			t.Errorf("the holder's state is not there:\n%s", got)
		}

		// Nor does what it has kept go over theirs afterwards.
		last := s.state(t, "prod")
		a.run(t, "state", "push", "errored.tfstate").fails(t, "serial")
		if after := s.state(t, "prod"); !bytes.Equal(after, last) {
			t.Errorf("the state was\n%s\nand is\n%s", last, after)
		}
		s.is(t, "prod", lockmodel.Unlocked)
	})
}

// A zombie whose lock was marked stale and nothing more still finishes: nobody
// was let in.
func TestStaleHolderFinishes(t *testing.T) {
	everyClient(t, func(t *testing.T, k kind) {
		s := serve(t)
		p := k.project(t, s.url, "prod", things)
		held, open := p.applyHeld(t, "one")
		held.signalGroup(syscall.SIGSTOP)
		s.markStale(t, "prod")
		open()
		held.signalGroup(syscall.SIGCONT)
		held.works(t)
		s.is(t, "prod", lockmodel.Unlocked)
		if got := string(s.state(t, "prod")); !strings.Contains(got, `"one"`) {
			t.Errorf("the state is\n%s", got)
		}
	})
}
