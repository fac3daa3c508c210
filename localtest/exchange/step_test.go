package exchange

import (
	"context"
	"strconv"
	"testing"

	"github.com/statelock/statelock/pkg/lockmodel"
)

// TestStep tells the story to the pure machine.
func TestStep(t *testing.T) {
	t.Parallel()
	lock, n := lockmodel.NewLock("prod"), 0
	Run(t, func(_ context.Context, op, ws, runner string) (int, map[string]any) {
		if op == "lock_state" {
			return 0, Object(t, lock.View(lockmodel.Terms{}))
		}
		o, err := lockmodel.ParseOp(op)
		if err != nil {
			t.Fatal(err)
		}
		n++
		r := lockmodel.Request{Op: o, Workspace: ws, ID: strconv.Itoa(n), Runner: runner, Now: int64(n)}
		if o == lockmodel.Acquire {
			r.LockID = "lock-" + r.ID
		}
		out := lockmodel.Step(lock, r)
		lock = out.Lock
		return 0, Object(t, out.Answer())
	})
}
