package e2e

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/statelock/statelock/pkg/client"
	"github.com/statelock/statelock/pkg/lockmodel"
)

// mishaps are further scenarios: clients that die, and earlier states that are
// wanted back.
var mishaps = []scenario{
	{"The client is killed when its state is stored, before it does anything more", func(t *testing.T, l place) string {
		p, next := l.project(t), l.project(t)
		p.apply(t, "one").works(t)
		var apply *process
		var set sync.WaitGroup
		set.Add(1)
		l.net.next("post", func(_ http.ResponseWriter, _ *http.Request, deliver func() *httptest.ResponseRecorder) {
			deliver()
			set.Wait()
			apply.signalGroup(syscall.SIGKILL)
			panic(http.ErrAbortHandler)
		})
		apply = p.apply(t, "two")
		set.Done()
		apply.end(t)
		if err := l.giveUp(); err != nil {
			t.Fatal(err)
		}
		next.run(t, "force-unlock", "-force", lockID(t, next)).works(t)
		code, heard := next.run(t, "plan").end(t)
		switch {
		case code == 0 && l.whose(t) == "two":
			return "the new state is there and readable"
		case strings.Contains(plain(heard), "does not have the expected content"):
			return "**the state can't be read until somebody mends its digest by hand**"
		}
		return fmt.Sprintf("%s, %.100s", l.whose(t), plain(heard))
	}},
	{"The holder is killed: what it takes to free the lock", func(t *testing.T, l place) string {
		p, next := l.project(t), l.project(t)
		held, _ := p.applyHeld(t, "one")
		held.signalGroup(syscall.SIGKILL)
		held.end(t)
		id := lockID(t, next)
		if ended(t, next.run(t, "force-unlock", "-force", id)) == "works" {
			return "`force-unlock` with the id, just as if it lived"
		}
		if err := l.giveUp(); err != nil {
			t.Fatal(err)
		}
		next.run(t, "force-unlock", "-force", id).works(t)
		return "`mark-stale`, then `force-unlock`; refused before"
	}},
	{"The holder is killed: what shows it", func(t *testing.T, l place) string {
		if l.leased != nil {
			l = l.leased()
		}
		p := l.project(t)
		held, _ := p.applyHeld(t, "one")
		alive := l.lock()
		if len(alive) == 0 {
			t.Fatal("no lock is stored")
		}
		early := l.giveUp()
		held.signalGroup(syscall.SIGKILL)
		held.end(t)
		if dead := l.lock(); !bytes.Equal(dead, alive) {
			t.Errorf("the stored lock was %s, is %s", alive, dead)
		}
		if l.leased == nil {
			return "nothing: who, what and since when stay as they were"
		}
		if refused, ok := errors.AsType[*client.HeldError](early); !ok || refused.Code != lockmodel.CodeLeaseLive {
			t.Errorf("mark-stale while the lease runs: %v", early)
		}
		for until := time.Now().Add(patience); l.giveUp() != nil; time.Sleep(500 * time.Millisecond) {
			if time.Now().After(until) {
				t.Fatal("the lease does not lapse")
			}
		}
		return "its lease lapses, if it asked for one: `mark-stale` is refused before and works then"
	}},
	{"An earlier state is put back while somebody holds the lock", func(t *testing.T, l place) string {
		p, other := l.project(t), l.project(t)
		p.apply(t, "one").works(t)
		p.apply(t, "two").works(t)
		held, open := other.applyHeld(t, "three")
		defer func() { open(); held.end(t) }()
		err := l.restore("one")
		if _, ok := errors.AsType[*client.HeldError](err); ok {
			return "refused"
		}
		if is := l.whose(t); err != nil || is != "one" {
			t.Errorf("the state is %q after %v", is, err)
		}
		return "**done: nobody asks for the lock**"
	}},
	{"An earlier state is put back while nobody works", func(t *testing.T, l place) string {
		p := l.project(t)
		p.apply(t, "one").works(t)
		p.apply(t, "two").works(t)
		if err := l.restore("one"); err != nil {
			t.Fatal(err)
		}
		code, heard := p.run(t, "plan", "-var=change=one").end(t)
		switch heard = plain(heard); {
		case code == 0 && strings.Contains(heard, "No changes"):
			return "works"
		case strings.Contains(heard, "does not have the expected content"):
			return "**it can't be read until somebody mends its digest by hand**"
		}
		return fmt.Sprintf("%d: %.200s", code, heard)
	}},
}

// restoreThing makes the version current again in which the thing is what.
func (s *service) restoreThing(t *testing.T, ws, what string) error {
	t.Helper()
	ctx := context.WithoutCancel(t.Context())
	versions, err := s.Versions(ctx, ws)
	if err != nil {
		return err
	}
	for _, v := range versions {
		body, err := s.State(ctx, ws, v.Version)
		if err != nil {
			return err
		}
		if changeIn(t, body) != what {
			continue
		}
		lock, err := s.AcquireOnly(ctx, client.Request{Workspace: ws, Runner: "operator"})
		if err != nil {
			return err
		}
		defer lock.Release(ctx) //nolint:errcheck // the next client would tell
		_, err = s.Restore(ctx, client.Hold{Workspace: ws, LockID: lock.ID()}, v.Version)
		return err
	}
	return fmt.Errorf("no version of %d is %s", len(versions), what)
}
