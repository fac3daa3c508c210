package lockapi_test

import (
	"bytes"
	"context"
	"errors"
	"log/slog"
	"strings"
	"testing"
	"time"

	"github.com/statelock/statelock/localtest/testdb"
	"github.com/statelock/statelock/pkg/ddbstore"
	"github.com/statelock/statelock/pkg/lockapi"
	"github.com/statelock/statelock/pkg/lockmodel"
)

// Where no stream does, the store records its own transitions, and the history
// says who did what, and why.
func TestHistory(t *testing.T) {
	t.Parallel()
	db := testdb.Open(t)
	log := slog.New(slog.DiscardHandler)
	store := lockapi.Recorded(ddbstore.New(db.Client, ddbstore.Options{Table: db.Table}),
		ddbstore.Recorder{Client: db.Client, Table: db.Table, Keep: time.Hour}, log)
	api := lockapi.New(store, lockapi.Options{Log: log})
	call(t, api, "POST", "/v1/acquire", `{"ws":"team/prod","runner":"a","lock_id":"hold-1"}`)
	call(t, api, "POST", "/v1/acquire", `{"ws":"team/prod","runner":"b"}`)
	call(t, api, "POST", "/v1/mark-stale", `{"ws":"team/prod","reason":"runner a is gone"}`, "X-Request-Id: m1")
	call(t, api, "POST", "/v1/force-unlock", `{"ws":"team/prod","lock_id":"hold-1"}`)
	resp, got := call(t, api, "GET", "/v1/history/team/prod?limit=2", "")
	events, _ := got["events"].([]any)
	if resp.StatusCode != 200 || len(events) != 2 || got["cursor"] == nil {
		t.Fatalf("%d %v", resp.StatusCode, got)
	}
	mark := events[1].(map[string]any)
	for key, want := range map[string]any{
		"op": "mark_stale", "from": "held", "to": "stale", "fence": 1.0, "lock_id": "hold-1", "owner": "a",
		"by": "anonymous", "reason": "runner a is gone", "request_id": "m1",
	} {
		if mark[key] != want {
			t.Errorf("%s is %v, want %v", key, mark[key], want)
		}
	}
	_, got = call(t, api, "GET", "/v1/history/team/prod?cursor="+got["cursor"].(string), "")
	if rest, _ := got["events"].([]any); len(rest) != 1 || rest[0].(map[string]any)["op"] != "acquire" {
		t.Errorf("the second page: %v", got)
	}
	for target, field := range map[string]string{"/v1/history/a//b": "ws", "/v1/history/a?limt=1": "limt", "/v1/history/a?cursor=x": "cursor"} {
		if resp, got := call(t, api, "GET", target, ""); resp.StatusCode != 400 || got["field"] != field {
			t.Errorf("%s: %d %v", target, resp.StatusCode, got)
		}
	}
}

// A record that fails does not fail its transition, and is missed loudly.
func TestFailedRecord(t *testing.T) {
	t.Parallel()
	db := testdb.Open(t)
	var log bytes.Buffer
	store := lockapi.Recorded(ddbstore.New(db.Client, ddbstore.Options{Table: db.Table}), noRecorder{}, slog.New(slog.NewTextHandler(&log, nil)))
	api := lockapi.New(store, lockapi.Options{Log: slog.New(slog.DiscardHandler)})
	if resp, got := call(t, api, "POST", "/v1/acquire", `{"ws":"prod","runner":"a"}`); resp.StatusCode != 200 {
		t.Errorf("%d %v", resp.StatusCode, got)
	}
	if !strings.Contains(log.String(), "a transition was not recorded") {
		t.Errorf("log: %s", &log)
	}
}

type noRecorder struct{}

func (noRecorder) Record(context.Context, lockmodel.Event) error { return errors.New("no") }

// leaving is a store whose caller leaves as soon as a transition is done.
type leaving struct {
	lockapi.Store
	leave func()
}

func (s leaving) Transition(ctx context.Context, r lockmodel.Request) (lockmodel.Outcome, error) {
	defer s.leave()
	return s.Store.Transition(ctx, r)
}

// What happened is recorded, whether its caller is still there or not.
func TestRecordOfACallerWhoLeft(t *testing.T) {
	t.Parallel()
	db := testdb.Open(t)
	store := ddbstore.New(db.Client, ddbstore.Options{Table: db.Table})
	ctx, leave := context.WithCancel(t.Context())
	defer leave()
	recorded := lockapi.Recorded(leaving{store, leave}, ddbstore.Recorder{Client: db.Client, Table: db.Table, Keep: time.Hour}, slog.New(slog.DiscardHandler))
	r := lockmodel.Request{Op: lockmodel.Acquire, Workspace: "prod", ID: "r-1", LockID: "hold-1", Runner: "a"}
	if _, err := recorded.Transition(ctx, r); err != nil {
		t.Fatal(err)
	}
	if page, err := store.History(t.Context(), "prod", "", 0); err != nil || len(page.Events) != 1 {
		t.Errorf("%+v, %v", page, err)
	}
}
