package main

import (
	"bytes"
	"context"
	"encoding/json"
	"net/http"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/statelock/statelock/pkg/ddbstore"
	"github.com/statelock/statelock/pkg/lockapi"
	"github.com/statelock/statelock/pkg/lockmodel"
)

// TestNeither: whatever else arrives is told what is accepted, and not told
// what it sent.
func TestNeither(t *testing.T) {
	t.Parallel()
	files, err := filepath.Glob("testdata/neither_*.json")
	if err != nil || len(files) == 0 {
		t.Fatalf("%d recorded events (%v)", len(files), err)
	}
	for _, file := range files {
		h, log := newTest(fakeService{}) // a call would panic
		answer, err := h.Invoke(invocation(t, "aws-1"), recorded(t, filepath.Base(file)))
		if err != nil {
			t.Fatal(err)
		}
		got := decode(t, answer)
		if got["ok"] != false || got["code"] != "bad_request" || got["reason"] != accepted || len(got) != 3 {
			t.Errorf("%s: %s", file, answer)
		}
		if line := decode(t, log.Bytes()); line["kind"] != "neither" || line["aws_request_id"] != "aws-1" {
			t.Errorf("%s: log %s", file, log)
		}
	}
}

// TestUnusableEvents: a gateway's event that can't be read is answered in the
// gateway's format, so that the client hears of it.
func TestUnusableEvents(t *testing.T) {
	t.Parallel()
	for _, test := range []struct{ event, reason string }{
		{`{"version":"2.0","requestContext":{"http":{"method":"POST"}},"body":"!secret","isBase64Encoded":true}`, errBase64.Error()},
		{`{"version":"2.0","requestContext":{"http":{"method":["secret"]}}}`, errShape.Error()},
		{`{"version":"2.0","rawPath":"/%secret","requestContext":{"http":{},"domainName":"x.lambda-url.eu-west-1.on.aws"}}`, errPath.Error()},
		{`{"httpMethod":"GET","path":"/%secret","requestContext":{}}`, errPath.Error()},
		{`{"httpMethod":"GET","headers":"secret","requestContext":{}}`, errShape.Error()},
	} {
		h, log := newTest(fakeService{}) // a call would panic
		answer, err := h.Invoke(t.Context(), []byte(test.event))
		if err != nil {
			t.Fatal(err)
		}
		got := decode(t, answer)
		body, _ := got["body"].(string)
		reason := decode(t, []byte(body))["reason"]
		if got["statusCode"] != float64(http.StatusBadRequest) || reason != test.reason {
			t.Errorf("%s: %s", test.event, answer)
		}
		if strings.Contains(string(answer)+log.String(), "secret") {
			t.Errorf("the input is repeated: %s\n%s", answer, log)
		}
	}
}

// TestPanic: the caller learns nothing of it but that it happened, and the next
// request is served.
func TestPanic(t *testing.T) {
	t.Parallel()
	broken := true
	fake := fakeService{
		serve: func(w http.ResponseWriter, _ *http.Request) {
			_, _ = w.Write([]byte("half an ans"))
			if broken {
				panic("private")
			}
		},
		command: func(context.Context, []byte) []byte {
			if broken {
				panic("private")
			}
			return []byte(`{"ok":true}`)
		},
	}
	h, log := newTest(fake)
	invoke := func(file string) string {
		answer, err := h.Invoke(t.Context(), recorded(t, file))
		if err != nil {
			t.Fatal(err)
		}
		if strings.Contains(string(answer), "private") {
			t.Errorf("%s: %s", file, answer)
		}
		return string(answer)
	}
	var response struct {
		StatusCode int
		Body       string
	}
	if err := json.Unmarshal([]byte(invoke("http_api_v2_acquire.json")), &response); err != nil {
		t.Fatal(err)
	}
	want := string(refusal("internal", failed))
	if response.StatusCode != http.StatusInternalServerError || response.Body != want {
		t.Errorf("%+v", response)
	}
	if got := invoke("direct_acquire.json"); got != want {
		t.Errorf("command: %s", got)
	}
	if n := strings.Count(log.String(), `"stack"`); n != 2 || !strings.Contains(log.String(), "private") {
		t.Errorf("%d stacks in the log:\n%s", n, log)
	}
	broken = false
	if got := invoke("direct_acquire.json"); got != `{"ok":true}` {
		t.Errorf("afterwards: %s", got)
	}
}

// TestReplyMargin: the service's time ends before the invocation's.
func TestReplyMargin(t *testing.T) {
	t.Parallel()
	end := time.Now().Add(time.Hour)
	ctx, cancel := context.WithDeadline(t.Context(), end)
	defer cancel()
	var got time.Time
	h, _ := newTest(fakeService{command: func(ctx context.Context, _ []byte) []byte {
		got, _ = ctx.Deadline()
		return []byte(`{}`)
	}})
	if _, err := h.Invoke(ctx, recorded(t, "direct_acquire.json")); err != nil {
		t.Fatal(err)
	}
	if want := end.Add(-replyMargin); !got.Equal(want) {
		t.Errorf("deadline %v, want %v", got, want)
	}
}

// recordingStore is a lockapi.Store that shows what the adapter found out.
type recordingStore struct {
	last lockmodel.Request
}

var _ lockapi.Store = (*recordingStore)(nil)

func (s *recordingStore) WriteState(ctx context.Context, r lockmodel.Request, _ []byte) (lockmodel.Outcome, error) {
	return s.Transition(ctx, r)
}

func (s *recordingStore) Terms() lockmodel.Terms { return lockmodel.Terms{} }

func (s *recordingStore) Settle(context.Context, lockmodel.Outcome) error { return nil }

func (s *recordingStore) State(context.Context, string) (ddbstore.State, error) {
	return ddbstore.State{}, ddbstore.ErrNoState
}

func (s *recordingStore) Versions(context.Context, string) ([]ddbstore.Version, error) {
	return nil, nil
}

func (s *recordingStore) VersionState(context.Context, string, int64) (ddbstore.State, error) {
	return ddbstore.State{}, ddbstore.ErrNoState
}

func (s *recordingStore) Restorable(context.Context, string, int64) ([]byte, error) {
	return nil, ddbstore.ErrNoState
}

func (s *recordingStore) Tidy(context.Context, int) (ddbstore.Tidied, error) {
	return ddbstore.Tidied{}, nil
}

func (s *recordingStore) History(context.Context, string, string, int) (ddbstore.History, error) {
	return ddbstore.History{}, nil
}

func (s *recordingStore) Lapsed(context.Context, int) ([]lockmodel.Lock, bool, error) {
	return nil, false, nil
}

func (s *recordingStore) Transition(_ context.Context, r lockmodel.Request) (lockmodel.Outcome, error) {
	s.last = r
	return lockmodel.Step(lockmodel.Lock{Workspace: r.Workspace}, r), nil
}

func (s *recordingStore) Lock(_ context.Context, ws string) (lockmodel.Lock, error) {
	return lockmodel.Lock{Workspace: ws}, nil
}

func (s *recordingStore) List(context.Context, ddbstore.Query) (ddbstore.Page, error) {
	return ddbstore.Page{}, nil
}

// TestCaller follows principal and request id into the service.
func TestCaller(t *testing.T) {
	t.Parallel()
	for file, want := range map[string]struct{ principal, id string }{
		"http_api_v2_acquire.json":       {lockmodel.Anonymous, "run-4711-acquire"}, // the client's own id
		"http_api_v2_iam.json":           {"iam:arn:aws:sts::111122223333:assumed-role/ci-apply/run-4711", "ExA%2FPlE4PHcESJw="},
		"http_api_v1_release.json":       {"jwt:https://issuer.example.com/|auth0|5fe435b5", "ExAmPlE5PHcESJw="},
		"rest_v1_mark_stale.json":        {lockmodel.Anonymous, "7c2af7db-31f3-42b5-8a6d-9ffc74e3b9e0"},
		"function_url_force_unlock.json": {"iam:arn:aws:iam::111122223333:user/operator", "d16a6b55-dea9-4b23-8499-eb85c3d2d904"},
		"direct_acquire.json":            {lockmodel.Anonymous, "aws-7"}, // Lambda's own
	} {
		store := new(recordingStore)
		h, _ := newTest(lockapi.New(store, lockapi.Options{}))
		answer, err := h.Invoke(invocation(t, "aws-7"), recorded(t, file))
		if err != nil {
			t.Fatal(err)
		}
		if r := store.last; r.Workspace != "prod" || r.Principal != want.principal || r.ID != want.id {
			t.Errorf("%s: workspace %q, principal %q, id %q; want %+v\n%s", file, r.Workspace, r.Principal, r.ID, want, answer)
		}
	}
}

// TestLog: one line for each request, with nothing of its content.
func TestLog(t *testing.T) {
	t.Parallel()
	for file, want := range map[string]map[string]any{
		"http_api_v2_acquire.json": {
			"msg": "request", "level": "INFO", "kind": "http_api", "method": "POST", "route": "POST /v1/acquire",
			"status": 200.0, "request_id": "run-4711-acquire", "aws_request_id": "aws-7",
		},
		"function_url_encoded_path.json": {
			"msg": "request", "level": "INFO", "kind": "function_url", "method": "GET", "route": "GET /v1/locks/{ws...}",
			"status": 200.0, "request_id": "e27b7c66-efba-4c34-959a-fc96d4e3ea15", "aws_request_id": "aws-7",
		},
		"direct_force_unlock.json": {
			"msg": "request", "level": "INFO", "kind": "command", "op": "force_unlock", "code": "not_stale",
			"aws_request_id": "aws-7",
		},
	} {
		h, log := newTest(lockapi.New(new(recordingStore), lockapi.Options{}))
		if _, err := h.Invoke(invocation(t, "aws-7"), recorded(t, file)); err != nil {
			t.Fatal(err)
		}
		if n := bytes.Count(log.Bytes(), []byte("\n")); n != 1 {
			t.Errorf("%s: %d lines", file, n)
		}
		got := decode(t, log.Bytes())
		if us, ok := got["us"].(float64); !ok || us < 0 {
			t.Errorf("%s: us %v", file, got["us"])
		}
		delete(got, "time")
		delete(got, "us")
		for key, value := range want {
			if got[key] != value {
				t.Errorf("%s: %s is %v, want %v", file, key, got[key], value)
			}
		}
		if len(got) != len(want) {
			t.Errorf("%s: %v", file, got)
		}
	}
}

// FuzzInvoke: any event gets a JSON answer, and none an error.
func FuzzInvoke(f *testing.F) {
	files, err := filepath.Glob("testdata/*.json")
	if err != nil {
		f.Fatal(err)
	}
	for _, file := range files {
		f.Add(recorded(f, filepath.Base(file)))
	}
	f.Fuzz(func(t *testing.T, event []byte) {
		h, log := newTest(lockapi.New(new(recordingStore), lockapi.Options{}))
		h.recorder = recorderFunc(func(lockmodel.Event) error { return nil })
		answer, err := h.Invoke(t.Context(), event)
		if err != nil || !json.Valid(answer) {
			t.Errorf("%v, answer %s", err, answer)
		}
		if strings.Contains(log.String(), `"stack"`) {
			t.Errorf("panic: %s", log)
		}
	})
}
