package main

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/statelock/statelock/pkg/lockapi"
)

// TestSweep: a scheduled event sweeps, says in answer and log what came of it,
// and fails as an invocation where it broke off.
func TestSweep(t *testing.T) {
	t.Parallel()
	var fails error
	h, log := newTest(fakeService{sweep: func(context.Context) (lockapi.Swept, error) {
		return lockapi.Swept{Marked: 2, Passed: 1, Dropped: 3, More: true}, fails
	}})
	answer, err := h.Invoke(invocation(t, "aws-1"), recorded(t, "schedule_sweep.json"))
	if err != nil || string(answer) != `{"marked":2,"passed":1,"dropped":3,"more":true}` {
		t.Errorf("%s, %v", answer, err)
	}
	if line := decode(t, log.Bytes()); line["kind"] != "schedule" || line["marked"] != 2.0 || line["passed"] != 1.0 || line["dropped"] != 3.0 || line["more"] != true {
		t.Errorf("log %v", line)
	}
	fails = errors.New("a secret of the database")
	if _, err := h.Invoke(invocation(t, "aws-2"), recorded(t, "schedule_sweep.json")); !errors.Is(err, errSweep) || strings.Contains(err.Error(), "secret") {
		t.Errorf("a sweep that broke off: %v", err)
	}
}
