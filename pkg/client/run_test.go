package client

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/statelock/statelock/pkg/ddbstore"
	"github.com/statelock/statelock/pkg/lockapi"
	"github.com/statelock/statelock/pkg/lockmodel"
)

func TestRun(t *testing.T) {
	bubble(t, func(t *testing.T) {
		w := newWorld(t, lockapi.Leases{}, ddbstore.Options{})
		failed := errors.New("the work failed")
		for _, want := range []error{nil, failed} {
			err := w.Run(t.Context(), prod, func(ctx context.Context, l *Lock) error {
				time.Sleep(10 * minute)
				if v := w.status(t); v.LockID != l.ID() || ctx.Err() != nil {
					t.Errorf("while it runs: %+v, %v", v, ctx.Err())
				}
				return want
			})
			if !errors.Is(err, want) || w.status(t).State != lockmodel.Unlocked {
				t.Errorf("%v, then %+v", err, w.status(t))
			}
		}
	})
}

func TestRunReleasesAfterPanic(t *testing.T) {
	bubble(t, func(t *testing.T) {
		w := newWorld(t, lockapi.Leases{}, ddbstore.Options{})
		func() {
			defer func() {
				if recover() == nil {
					t.Error("the panic was swallowed")
				}
			}()
			w.Run(t.Context(), prod, func(context.Context, *Lock) error { panic("work") }) //nolint:errcheck // it panics
		}()
		if v := w.status(t); v.State != lockmodel.Unlocked {
			t.Errorf("left behind: %+v", v)
		}
	})
}

func TestRunStopsWhenLost(t *testing.T) {
	bubble(t, func(t *testing.T) {
		w := newWorld(t, lockapi.Leases{}, ddbstore.Options{})
		err := w.Run(t.Context(), prod, func(ctx context.Context, _ *Lock) error {
			w.set(refusedTCP, "", -1)
			<-ctx.Done()
			w.up()
			_ = as[*LostError](t, context.Cause(ctx))
			return nil
		})
		if !errors.Is(err, ErrLeaseOver) || w.status(t).State != lockmodel.Unlocked {
			t.Errorf("%v, then %+v", err, w.status(t))
		}
	})
}

func TestRunDoesNotRunWithoutTheLock(t *testing.T) {
	bubble(t, func(t *testing.T) {
		w := newWorld(t, lockapi.Leases{}, ddbstore.Options{})
		w.acquire(t, prod)
		err := w.Run(t.Context(), prod, func(context.Context, *Lock) error { t.Error("ran"); return nil })
		_ = as[*HeldError](t, err)
	})
}
