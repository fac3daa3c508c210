package lockapi_test

import (
	"context"
	"fmt"
	"log/slog"
	"testing"

	"github.com/statelock/statelock/pkg/ddbstore"
	"github.com/statelock/statelock/pkg/lockapi"
	"github.com/statelock/statelock/pkg/lockmodel"
)

// backlog is a store with so many lapsed locks and broken uploads, and nothing
// else.
type backlog struct {
	lockapi.Store
	lapsed, uploads int
}

func (b *backlog) Lapsed(_ context.Context, limit int) (locks []lockmodel.Lock, more bool, err error) {
	for n := range min(limit, b.lapsed) {
		l := lockmodel.NewLock(fmt.Sprintf("lapsed/%d", n))
		l.LockID, l.LeaseUntil = "hold-1", 1
		locks = append(locks, l)
	}
	return locks, b.lapsed > limit, nil
}

func (b *backlog) Tidy(_ context.Context, limit int) (ddbstore.Tidied, error) {
	t := ddbstore.Tidied{Dropped: min(limit, b.uploads), More: b.uploads > limit}
	b.uploads -= t.Dropped
	return t, nil
}

func (b *backlog) Transition(_ context.Context, r lockmodel.Request) (lockmodel.Outcome, error) {
	acquire := lockmodel.Request{Op: lockmodel.Acquire, Workspace: r.Workspace, ID: "r-1", LockID: r.LockID, Runner: "a", Now: 1}
	r.Now = 2
	out := lockmodel.Step(lockmodel.Step(lockmodel.NewLock(r.Workspace), acquire).Lock, r)
	if out.Wrote() {
		b.lapsed--
	}
	return out, nil
}

// A sweep looks at no more than its limit, says that there is more, and leaves
// that to the next.
func TestSweepLimit(t *testing.T) {
	t.Parallel()
	const over = 5
	for name, test := range map[string]struct {
		store       backlog
		first, then lockapi.Swept
	}{
		"lapsed locks": {
			backlog{lapsed: lockapi.SweepLimit + over},
			lockapi.Swept{Marked: lockapi.SweepLimit, More: true},
			lockapi.Swept{Marked: over},
		},
		"uploads": {
			backlog{uploads: lockapi.SweepLimit + over},
			lockapi.Swept{Dropped: lockapi.SweepLimit, More: true},
			lockapi.Swept{Dropped: over},
		},
		"just as many": {
			backlog{lapsed: lockapi.SweepLimit, uploads: lockapi.SweepLimit},
			lockapi.Swept{Marked: lockapi.SweepLimit, Dropped: lockapi.SweepLimit},
			lockapi.Swept{},
		},
	} {
		api := lockapi.New(&test.store, lockapi.Options{Log: slog.New(slog.DiscardHandler)})
		for _, want := range []lockapi.Swept{test.first, test.then} {
			if got, err := api.Sweep(t.Context()); err != nil || got != want {
				t.Errorf("%s: %+v, %v; want %+v", name, got, err, want)
			}
		}
	}
}
