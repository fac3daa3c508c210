// Package exchange is the story that every form of the service must tell alike:
// a runner locks, another is refused, the runner is given up on, the other
// gets the lock. It is told to the pure machine, the store, the server process
// and the function's binary.
package exchange

import (
	"context"
	"encoding/json"
	"testing"

	"github.com/statelock/statelock/pkg/lockmodel"
)

// Step is one request of the story and what must come of it.
type Step struct {
	Name   string
	Op     string // an operation's name, or lock_state
	WS     string
	Runner string

	WantStatus int
	WantOK     bool
	WantReason string          // of a refusal
	WantState  lockmodel.State // of lock_state, or of an operation that is done
	WantOwner  string          // of lock_state, or the holder of an acquire
}

// Steps tells the story, in order, on a workspace never seen.
func Steps() []Step {
	const (
		ws   = "prod"
		ci   = "ci-runner-7"
		jane = "laptop-jane"
	)
	return []Step{
		{Name: "the runner acquires", Op: "acquire", WS: ws, Runner: ci, WantStatus: 200, WantOK: true, WantOwner: ci},
		{Name: "another is refused", Op: "acquire", WS: ws, Runner: jane, WantStatus: 423, WantReason: "lock held by ci-runner-7"},
		{Name: "the state names the holder", Op: "lock_state", WS: ws, WantStatus: 200, WantState: lockmodel.Held, WantOwner: ci},
		{
			Name: "a live holder is not bulldozed", Op: "force_unlock", WS: ws, WantStatus: 409,
			WantReason: "force-unlock only from stale — a live holder is never bulldozed",
		},
		{Name: "the holder is given up on", Op: "mark_stale", WS: ws, WantStatus: 200, WantOK: true, WantState: lockmodel.Stale},
		{Name: "stale is still locked", Op: "acquire", WS: ws, Runner: jane, WantStatus: 423, WantReason: "lock held by ci-runner-7"},
		{Name: "the stale lock is freed", Op: "force_unlock", WS: ws, WantStatus: 200, WantOK: true, WantState: lockmodel.Unlocked},
		{Name: "the other acquires", Op: "acquire", WS: ws, Runner: jane, WantStatus: 200, WantOK: true, WantOwner: jane},
		{Name: "and releases", Op: "release_lock", WS: ws, WantStatus: 200, WantOK: true, WantState: lockmodel.Unlocked},
		{Name: "but once", Op: "release_lock", WS: ws, WantStatus: 409, WantReason: "the lock is unlocked already: nobody holds it"},
		{Name: "nobody holds it", Op: "lock_state", WS: ws, WantStatus: 200, WantState: lockmodel.Unlocked},
	}
}

// Run tells the story to do, which performs one step and gives the HTTP status
// (0 where its form of the service has none) and the answer's JSON object.
func Run(t *testing.T, do func(ctx context.Context, op, ws, runner string) (status int, answer map[string]any)) {
	t.Helper()
	for _, s := range Steps() {
		status, answer := do(t.Context(), s.Op, s.WS, s.Runner)
		if status != 0 && status != s.WantStatus {
			t.Errorf("%s: status %d, want %d", s.Name, status, s.WantStatus)
		}
		want := map[string]any{}
		switch {
		case s.Op == "lock_state":
			want["state"], want["owner"] = s.WantState, s.WantOwner
		case s.WantReason != "":
			want["ok"], want["reason"] = false, s.WantReason
		case s.Op == "acquire":
			want["ok"], want["holder"] = true, s.WantOwner
		default:
			want["ok"], want["state"] = true, s.WantState
		}
		for key, value := range want {
			if answer[key] != value {
				t.Errorf("%s: %s is %v, want %v; answer %v", s.Name, key, answer[key], value, answer)
			}
		}
	}
}

// Object gives the JSON object that v becomes.
func Object(t *testing.T, v any) map[string]any {
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
