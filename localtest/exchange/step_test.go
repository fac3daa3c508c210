package exchange

import (
	"context"
	"encoding/json"
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
			return 0, object(t, lock.View())
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
		return 0, object(t, out.Answer())
	})
}

func object(t *testing.T, v any) map[string]any {
	t.Helper()
	doc, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	var m map[string]any
	if err := json.Unmarshal(doc, &m); err != nil {
		t.Fatal(err)
	}
	return m
}
