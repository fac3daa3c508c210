package main

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/statelock/statelock/localtest/exchange"
	"github.com/statelock/statelock/localtest/lambdaruntime"
)

// invoke invokes the function with an event and returns the answer's object.
func invoke(t *testing.T, f *lambdaruntime.Function, event []byte) map[string]any {
	t.Helper()
	answer, err := f.Invoke(t.Context(), event)
	if err != nil {
		t.Fatal(err)
	}
	return decode(t, answer)
}

// TestExchangeByDirectInvoke tells the whole story to the binary in command
// documents.
func TestExchangeByDirectInvoke(t *testing.T) {
	t.Parallel()
	f, _ := deploy(t, 1)
	exchange.Run(t, func(_ context.Context, op, ws, runner string) (int, map[string]any) {
		doc := map[string]string{"op": op, "ws": ws}
		if runner != "" {
			doc["runner"] = runner
		}
		event, err := json.Marshal(doc)
		if err != nil {
			t.Fatal(err)
		}
		return 0, invoke(t, f, event)
	})
	f.Close()
	lines := requestLines(t, f)
	if len(lines) != len(exchange.Steps()) {
		t.Fatalf("%d lines of log for %d requests", len(lines), len(exchange.Steps()))
	}
	for i, step := range exchange.Steps() {
		if line := lines[i]; line["op"] != step.Op || line["kind"] != "command" || line["message"] != "request" || line["timestamp"] == nil {
			t.Errorf("%s: log %v", step.Name, line)
		}
	}
}

// TestExchangeThroughGateway tells it over HTTP.
func TestExchangeThroughGateway(t *testing.T) {
	t.Parallel()
	for _, stage := range []string{"", "v1"} { // a stage may be called like the routes' first segment
		f, _ := deploy(t, 1)
		base := serve(t, &lambdaruntime.Gateway{Invoke: f.Invoke, Stage: stage})
		exchange.Run(t, func(ctx context.Context, op, ws, runner string) (int, map[string]any) {
			return exchange.Do(ctx, t, http.DefaultClient, base, op, ws, runner)
		})
		f.Close()
		lines := requestLines(t, f)
		if len(lines) != len(exchange.Steps()) {
			t.Fatalf("%d lines of log for %d requests", len(lines), len(exchange.Steps()))
		}
		for i, step := range exchange.Steps() {
			route, _ := lines[i]["route"].(string)
			if lines[i]["status"] != float64(step.WantStatus) || !strings.Contains(route, " /v1/") {
				t.Errorf("%s: log %v", step.Name, lines[i])
			}
		}
	}
}

// logLines reads the function's log, which is JSON throughout.
func logLines(t *testing.T, f *lambdaruntime.Function) []map[string]any {
	t.Helper()
	var lines []map[string]any
	for line := range strings.Lines(f.Logs()) {
		lines = append(lines, decode(t, []byte(line)))
	}
	return lines
}

// requestLines gives the log's lines about requests; there are also those
// about the transitions that they led to.
func requestLines(t *testing.T, f *lambdaruntime.Function) []map[string]any {
	t.Helper()
	return slices.DeleteFunc(logLines(t, f), func(line map[string]any) bool { return line["message"] != "request" })
}

// TestRecordedEvents has every kind of event change the one lock, so that each
// answer shows what the one before did.
func TestRecordedEvents(t *testing.T) {
	t.Parallel()
	f, _ := deploy(t, 1)
	for _, step := range []struct {
		file   string
		status float64 // 0: no gateway's event
		want   map[string]any
	}{
		{"direct_force_unlock.json", 0, map[string]any{"ok": false, "code": "not_stale"}},
		{"http_api_v2_iam.json", 200, map[string]any{"ok": true, "holder": "ci-runner-7"}},
		{"http_api_v2_acquire.json", 423, map[string]any{"ok": false, "reason": "lock held by ci-runner-7"}},
		{"http_api_v2_jwt.json", 409, map[string]any{"ok": false, "code": "not_holder"}},     // another principal
		{"http_api_v1_release.json", 409, map[string]any{"ok": false, "code": "not_holder"}}, // and another
		{"rest_v1_mark_stale.json", 200, map[string]any{"ok": true, "state": "stale"}},
		{"direct_mark_stale.json", 0, map[string]any{"ok": false, "code": "stale"}},
		{"function_url_force_unlock.json", 200, map[string]any{"ok": true, "state": "unlocked"}},
		{"direct_acquire.json", 0, map[string]any{"ok": true, "holder": "ci-runner-7", "fence": 2.0}},
		{"direct_release_lock.json", 0, map[string]any{"ok": true, "state": "unlocked"}},
		{"direct_lock_state.json", 0, map[string]any{"state": "unlocked", "owner": ""}},
		{"rest_v1_iam_base_path.json", 200, map[string]any{"ws": "team-a/network", "state": "unlocked"}},
		{"function_url_encoded_path.json", 200, map[string]any{"ws": "team-a/network", "state": "unlocked"}},
		{"http_api_v2_custom_domain.json", 400, map[string]any{"code": "bad_request"}}, // such a name there can't be
		{"schedule_sweep.json", 0, map[string]any{"marked": 0.0, "passed": 0.0, "more": false}},
		{"neither_sqs.json", 0, map[string]any{"ok": false, "code": "bad_request", "reason": accepted}},
	} {
		answer := invoke(t, f, recorded(t, step.file))
		if step.status != 0 {
			if answer["statusCode"] != step.status {
				t.Errorf("%s: %v", step.file, answer)
			}
			body, _ := answer["body"].(string)
			answer = decode(t, []byte(body))
		}
		for key, want := range step.want {
			if answer[key] != want {
				t.Errorf("%s: %s is %v, want %v", step.file, key, answer[key], want)
			}
		}
	}
}

// TestKilledAfterTheWrite: the process dies when DynamoDB has the acquire and
// the function hasn't its reply. Lambda tries again with the same request id,
// and the caller gets the lock that it holds.
func TestKilledAfterTheWrite(t *testing.T) {
	t.Parallel()
	landed, killed := make(chan struct{}), make(chan struct{})
	var once sync.Once
	f, db := deploy(t, 1, func(next http.RoundTripper) http.RoundTripper {
		return transport(func(r *http.Request) (*http.Response, error) {
			resp, err := next.RoundTrip(r)
			once.Do(func() {
				close(landed)
				<-killed
			})
			return resp, err
		})
	})
	doc := recorded(t, "direct_acquire.json")
	result := make(chan error, 1)
	go func() {
		_, err := f.InvokeAs(t.Context(), "one-request", doc)
		result <- err
	}()
	<-landed
	for _, pid := range f.Busy() {
		f.Kill(pid)
	}
	err := <-result
	close(killed)
	if failure, ok := errors.AsType[*lambdaruntime.FunctionError](err); !ok || failure.Type != "Runtime.ExitError" {
		t.Fatalf("the first try: %v", err)
	}
	if item := db.Get(t, "prod"); item == nil {
		t.Fatal("the write didn't land")
	}
	answer, err := f.InvokeAs(t.Context(), "one-request", doc)
	if err != nil {
		t.Fatal(err)
	}
	if got := decode(t, answer); got["ok"] != true || got["holder"] != "ci-runner-7" || got["fence"] != 1.0 || got["repeat"] != true {
		t.Errorf("the second try: %s", answer)
	}
	if got := invoke(t, f, doc); got["ok"] != false || got["code"] != "held" {
		t.Errorf("another request: %v", got)
	}
}

// TestRace: of many acquires at a time, in several processes, one gets the lock.
func TestRace(t *testing.T) {
	t.Parallel()
	f, db := deploy(t, 3)
	base := serve(t, &lambdaruntime.Gateway{Invoke: f.Invoke})
	const callers = 24
	var won, refused atomic.Int32
	var all sync.WaitGroup
	db.Requests()
	for range callers {
		all.Go(func() {
			resp, err := http.Post(base+"/v1/acquire", "application/json", strings.NewReader(`{"ws":"prod","runner":"one of many"}`))
			if err != nil {
				t.Error(err)
				return
			}
			resp.Body.Close()
			switch resp.StatusCode {
			case http.StatusOK:
				won.Add(1)
			case http.StatusLocked:
				refused.Add(1)
			}
		})
	}
	all.Wait()
	if won.Load() != 1 || refused.Load() != callers-1 {
		t.Errorf("%d got the lock, %d were refused", won.Load(), refused.Load())
	}
	if n := db.Requests(); n != callers {
		t.Errorf("%d requests to DynamoDB for %d acquires", n, callers)
	}
}

// TestPrincipals: who the gateway says is calling is who may release.
func TestPrincipals(t *testing.T) {
	t.Parallel()
	f, db := deploy(t, 1)
	base := serve(t, &lambdaruntime.Gateway{Invoke: f.Invoke, Authorize: func(r *http.Request) (map[string]any, error) {
		caller := r.Header.Get("X-Test-Caller")
		if caller == "" {
			return nil, lambdaruntime.ErrUnauthorized
		}
		return map[string]any{"jwt": map[string]any{"claims": map[string]any{"iss": "https://issuer.example.com", "sub": caller}, "scopes": nil}}, nil
	}})
	post := func(path, caller, body string) (int, map[string]any) {
		r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, base+path, strings.NewReader(body))
		if err != nil {
			t.Fatal(err)
		}
		r.Header.Set("X-Test-Caller", caller)
		resp, err := http.DefaultClient.Do(r)
		if err != nil {
			t.Fatal(err)
		}
		defer resp.Body.Close()
		return resp.StatusCode, decode(t, []byte(readAll(t, resp.Body)))
	}
	if status, answer := post("/v1/acquire", "", `{"ws":"prod","runner":"ci-runner-7"}`); status != http.StatusUnauthorized || db.Get(t, "prod") != nil {
		t.Errorf("nobody: %d %v", status, answer)
	}
	if status, answer := post("/v1/acquire", "ci", `{"ws":"prod","runner":"ci-runner-7"}`); status != http.StatusOK ||
		answer["lock"].(map[string]any)["principal"] != "jwt:https://issuer.example.com|ci" {
		t.Errorf("acquire: %d %v", status, answer)
	}
	if status, answer := post("/v1/release", "jane", `{"ws":"prod","runner":"ci-runner-7"}`); status != http.StatusConflict || answer["code"] != "not_holder" {
		t.Errorf("release by another: %d %v", status, answer)
	}
	if status, answer := post("/v1/release", "ci", `{"ws":"prod"}`); status != http.StatusOK {
		t.Errorf("release: %d %v", status, answer)
	}
}

// TestNoDynamoDB: an unreachable table is no verdict on a lock.
func TestNoDynamoDB(t *testing.T) {
	t.Parallel()
	f, _ := deploy(t, 1, func(http.RoundTripper) http.RoundTripper {
		return transport(func(*http.Request) (*http.Response, error) { return nil, errors.New("unreachable") })
	})
	base := serve(t, &lambdaruntime.Gateway{Invoke: f.Invoke})
	resp, err := http.Post(base+"/v1/acquire", "application/json", strings.NewReader(`{"ws":"prod","runner":"ci-runner-7"}`))
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	answer := decode(t, []byte(readAll(t, resp.Body)))
	if resp.StatusCode != http.StatusServiceUnavailable || resp.Header.Get("Retry-After") == "" || answer["code"] != "unavailable" {
		t.Errorf("%d %v %v", resp.StatusCode, resp.Header, answer)
	}
	if answer := invoke(t, f, recorded(t, "direct_lock_state.json")); answer["code"] != "unavailable" || answer["state"] != nil {
		t.Errorf("direct: %v", answer)
	}
}

// TestBadConfiguration: a function that can't work doesn't start, and says why.
func TestBadConfiguration(t *testing.T) {
	t.Parallel()
	for name, env := range map[string][]string{
		"STATELOCK_TABLE":      nil,
		"STATELOCK_CLOCK_SKEW": {"STATELOCK_TABLE=locks", "STATELOCK_CLOCK_SKEW=soon"},
		"STATELOCK_TABEL":      {"STATELOCK_TABLE=locks", "STATELOCK_TABEL=locks"},
	} {
		f := run(t, 1, env...)
		_, err := f.Invoke(t.Context(), recorded(t, "direct_lock_state.json"))
		if failure, ok := errors.AsType[*lambdaruntime.FunctionError](err); !ok || failure.Type != "Runtime.ExitError" {
			t.Errorf("%s: %v", name, err)
		}
		f.Close()
		if line := logLines(t, f)[0]; line["level"] != "ERROR" || !strings.Contains(line["error"].(string), name) {
			t.Errorf("%s: %v", name, line)
		}
	}
}

// TestUnwantedDocuments: nothing that the table of transitions doesn't have can
// be said in a document.
func TestUnwantedDocuments(t *testing.T) {
	t.Parallel()
	f, db := deploy(t, 1)
	for doc, field := range map[string]string{
		`{"op":"force_released","ws":"prod"}`:                        "op",
		`{"op":"acquire","ws":"prod","runner":"x","holders":"2"}`:    "holders",
		`{"op":"acquire","ws":"prod","runner":"x","principal":"me"}`: "principal",
		`{"op":"acquire","ws":"../prod","runner":"x"}`:               "ws",
		`{"op":"acquire","ws":"prod"}`:                               "runner",
	} {
		answer := invoke(t, f, []byte(doc))
		if answer["ok"] != false || answer["code"] != "bad_request" || answer["field"] != field {
			t.Errorf("%s: %v", doc, answer)
		}
	}
	if item := db.Get(t, "prod"); item != nil {
		t.Errorf("written: %v", item)
	}
	if n := db.Requests(); n != 0 {
		t.Errorf("%d requests to DynamoDB", n)
	}
}
