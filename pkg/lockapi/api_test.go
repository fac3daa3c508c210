package lockapi_test

import (
	"context"
	"encoding/json"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/statelock/statelock/localtest/exchange"
	"github.com/statelock/statelock/localtest/testdb"
	"github.com/statelock/statelock/pkg/ddbstore"
	"github.com/statelock/statelock/pkg/lockapi"
)

func open(t *testing.T) (*testdb.DB, *lockapi.API) {
	t.Helper()
	db := testdb.Open(t)
	store := ddbstore.New(db.Client, ddbstore.Options{Table: db.Table, ClockSkew: ddbstore.DefaultClockSkew})
	return db, lockapi.New(store, lockapi.Options{Log: slog.New(slog.DiscardHandler)})
}

// call sends a request, with headers as "Name: value", and gives the response
// and its JSON object.
func call(t *testing.T, h http.Handler, method, target, body string, headers ...string) (*http.Response, map[string]any) {
	t.Helper()
	r := httptest.NewRequestWithContext(t.Context(), method, target, strings.NewReader(body))
	for _, line := range headers {
		name, value, _ := strings.Cut(line, ": ")
		r.Header.Set(name, value)
	}
	w := httptest.NewRecorder()
	h.ServeHTTP(w, r)
	resp := w.Result()
	doc, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Fatal(err)
	}
	var answer map[string]any
	if err := json.Unmarshal(doc, &answer); err != nil {
		t.Fatalf("%s %s: %d with body %q: %v", method, target, resp.StatusCode, doc, err)
	}
	return resp, answer
}

func TestExchangeOverHTTP(t *testing.T) {
	t.Parallel()
	_, api := open(t)
	exchange.Run(t, func(ctx context.Context, op, ws, runner string) (int, map[string]any) {
		return exchange.Do(ctx, t, handler(api), "http://statelock.invalid", op, ws, runner)
	})
}

// handler makes a client of a handler.
func handler(h http.Handler) *http.Client {
	return &http.Client{Transport: roundTrip(func(r *http.Request) (*http.Response, error) {
		w := httptest.NewRecorder()
		h.ServeHTTP(w, r)
		return w.Result(), nil
	})}
}

type roundTrip func(*http.Request) (*http.Response, error)

func (f roundTrip) RoundTrip(r *http.Request) (*http.Response, error) { return f(r) }

func TestExchangeByCommand(t *testing.T) {
	t.Parallel()
	_, api := open(t)
	exchange.Run(t, func(ctx context.Context, op, ws, runner string) (int, map[string]any) {
		doc := map[string]string{"op": op, "ws": ws}
		if runner != "" {
			doc["runner"] = runner
		}
		in, err := json.Marshal(doc)
		if err != nil {
			t.Fatal(err)
		}
		var answer map[string]any
		if err := json.Unmarshal(api.Command(ctx, in), &answer); err != nil {
			t.Fatal(err)
		}
		return 0, answer
	})
}

// Unusable input is refused by name of its field, and nothing is written.
func TestUnusableInput(t *testing.T) {
	t.Parallel()
	db, api := open(t)
	big := `{"ws":"prod","runner":"` + strings.Repeat("x", lockapi.MaxBody) + `"}`
	cases := []struct {
		method, target, body, header string
		status                       int
		field                        string
	}{
		{"POST", "/v1/acquire", ``, "", 400, "body"},
		{"POST", "/v1/acquire", `null`, "", 400, "body"},
		{"POST", "/v1/acquire", `[]`, "", 400, "body"},
		{"POST", "/v1/acquire", `{"ws":"prod"`, "", 400, "body"},
		{"POST", "/v1/acquire", `{"ws":"prod","runner":"a"} {}`, "", 400, "body"},
		{"POST", "/v1/acquire", `{"ws":"prod","runner":"a"}x`, "", 400, "body"},
		{"POST", "/v1/acquire", `{"ws":"prod","runner":"a","lockid":"x"}`, "", 400, "lockid"},
		{"POST", "/v1/acquire", `{"ws":"prod","Runner":"a"}`, "", 400, "Runner"},
		{"POST", "/v1/acquire", `{"ws":"prod","runner":"a","holders":2}`, "", 400, "holders"},
		{"POST", "/v1/acquire", `{"ws":"prod","runner":"a","st":"unlocked"}`, "", 400, "st"},
		{"POST", "/v1/acquire", `{"op":"release_lock","ws":"prod","runner":"a"}`, "", 400, "op"},
		{"POST", "/v1/acquire", `{"ws":"prod","ws":"dev","runner":"a"}`, "", 400, "ws"},
		{"POST", "/v1/acquire", `{"ws":7,"runner":"a"}`, "", 400, "ws"},
		{"POST", "/v1/acquire", `{"ws":"prod","runner":null}`, "", 400, "runner"},
		{"POST", "/v1/acquire", `{"ws":"prod","runner":["a"]}`, "", 400, "runner"},
		{"POST", "/v1/acquire", `{"ws":"prod"}`, "", 400, "runner"},
		{"POST", "/v1/acquire", `{"runner":"a"}`, "", 400, "ws"},
		{"POST", "/v1/acquire", `{"ws":"prod","runner":"a","lock_id":""}`, "", 400, "lock_id"},
		{"POST", "/v1/release", `{"ws":"prod","lock_id":""}`, "", 400, "lock_id"},
		{"POST", "/v1/release", `{"ws":"prod","runner":""}`, "", 400, "runner"},
		{"POST", "/v1/release", `{"ws":"prod"}`, "Idempotency-Key: ", 400, "request_id"},
		{"POST", "/v1/acquire", `{"ws":"prod","runner":"a\u0000b"}`, "", 400, "runner"},
		{"POST", "/v1/acquire", `{"ws":"prod","runner":"a","lock_id":"a b"}`, "", 400, "lock_id"},
		{"POST", "/v1/acquire", `{"ws":"prod","runner":"a"}`, "Idempotency-Key: a b", 400, "request_id"},
		{"POST", "/v1/acquire", `{"ws":"prod","runner":"a"}`, "Idempotency-Key: " + strings.Repeat("x", 129), 400, "request_id"},
		{"POST", "/v1/acquire", `{"ws":"prod","runner":"a","request_id":"r"}`, "", 400, "request_id"},
		{"POST", "/v1/acquire", "{\"ws\":\"prod\",\"runner\":\"a\xff\"}", "", 400, "body"},
		{"POST", "/v1/acquire", big, "", 413, "body"},
		{"POST", "/v1/acquire", `{"ws":"/prod","runner":"a"}`, "", 400, "ws"},
		{"POST", "/v1/acquire", `{"ws":"prod/","runner":"a"}`, "", 400, "ws"},
		{"POST", "/v1/acquire", `{"ws":"a//b","runner":"a"}`, "", 400, "ws"},
		{"POST", "/v1/acquire", `{"ws":"a/../b","runner":"a"}`, "", 400, "ws"},
		{"POST", "/v1/acquire", `{"ws":".","runner":"a"}`, "", 400, "ws"},
		{"POST", "/v1/acquire", `{"ws":"prod env","runner":"a"}`, "", 400, "ws"},
		{"POST", "/v1/acquire", `{"ws":"prödüktion","runner":"a"}`, "", 400, "ws"},
		{"POST", "/v1/acquire", `{"ws":"` + strings.Repeat("x", 513) + `","runner":"a"}`, "", 400, "ws"},
		{"POST", "/v1/release", `{"ws":"prod","runner":"` + strings.Repeat("x", 257) + `"}`, "", 400, "runner"},
		{"POST", "/v1/acquire", `{"ws":"prod","runner":"a","lease_seconds":4}`, "", 400, "lease_seconds"},
		{"POST", "/v1/acquire", `{"ws":"prod","runner":"a","lease_seconds":86401}`, "", 400, "lease_seconds"},
		{"POST", "/v1/acquire", `{"ws":"prod","runner":"a","lease_seconds":-5}`, "", 400, "lease_seconds"},
		{"POST", "/v1/acquire", `{"ws":"prod","runner":"a","lease_seconds":5.5}`, "", 400, "lease_seconds"},
		{"POST", "/v1/acquire", `{"ws":"prod","runner":"a","lease_seconds":"60"}`, "", 400, "lease_seconds"},
		{"POST", "/v1/acquire", `{"ws":"prod","runner":"a","lease_seconds":99999999999999999999}`, "", 400, "lease_seconds"},
		{"POST", "/v1/renew", `{"ws":"prod","lease_seconds":60}`, "", 400, "lock_id"},
		{"POST", "/v1/renew", `{"ws":"prod","lock_id":"a"}`, "", 400, "lease_seconds"},
		{"POST", "/v1/renew", `{"ws":"prod","lock_id":"a","lease_seconds":0}`, "", 400, "lease_seconds"},
		{"POST", "/v1/release", `{"ws":"prod","lease_seconds":60}`, "", 400, "lease_seconds"},
		{"GET", "/v1/locks/a%20b", "", "", 400, "ws"},
		{"GET", "/v1/locks/a//b", "", "", 400, "ws"},
		{"GET", "/v1/locks/a/../b", "", "", 400, "ws"},
		{"GET", "/v1/locks/", "", "", 400, "ws"},
		{"GET", "/v1/locks?state=locked", "", "", 400, "state"},
		{"GET", "/v1/locks?stat=held", "", "", 400, "stat"},
		{"GET", "/v1/locks?limit=0", "", "", 400, "limit"},
		{"GET", "/v1/locks?limit=1001", "", "", 400, "limit"},
		{"GET", "/v1/locks?limit=x", "", "", 400, "limit"},
		{"GET", "/v1/locks?cursor=x", "", "", 400, "cursor"},
		{"GET", "/v1/locks?prefix=%20", "", "", 400, "prefix"},
		{"GET", "/v1/locks?state=held&state=stale", "", "", 400, "state"},
		{"GET", "/v1/locks?state=held;prefix=a", "", "", 400, "query"},
	}
	db.Requests()
	for _, c := range cases {
		var headers []string
		if c.header != "" {
			headers = append(headers, c.header)
		}
		resp, answer := call(t, api, c.method, c.target, c.body, headers...)
		if resp.StatusCode != c.status || answer["ok"] != false || answer["field"] != c.field {
			t.Errorf("%s %s %.60s: %d %v, want %d for field %q", c.method, c.target, c.body, resp.StatusCode, answer, c.status, c.field)
		}
	}
	if n := db.Requests(); n != 0 {
		t.Errorf("%d requests reached the database", n)
	}
}

// What the table does not have is no route and no command.
func TestUnknownOperations(t *testing.T) {
	t.Parallel()
	db, api := open(t)
	call(t, api, "POST", "/v1/acquire", `{"ws":"prod","runner":"a"}`)
	before := db.Get(t, "prod")
	for target, want := range map[string]int{
		"/v1/force-released": 404, "/v1/force_unlock": 404, "/v1/": 404, "/": 404, "/v1/acquire/": 404,
	} {
		if resp, answer := call(t, api, "POST", target, `{"ws":"prod"}`); resp.StatusCode != want || answer["code"] != "not_found" {
			t.Errorf("POST %s: %d %v", target, resp.StatusCode, answer)
		}
	}
	for target, allow := range map[string]string{"/v1/acquire": "POST", "/v1/force-unlock": "POST", "/v1/locks": "GET", "/v1/locks/prod": "GET"} {
		if resp, _ := call(t, api, "DELETE", target, ``); resp.StatusCode != 405 || resp.Header.Get("Allow") != allow {
			t.Errorf("DELETE %s: %d, allow %q", target, resp.StatusCode, resp.Header.Get("Allow"))
		}
	}
	for doc, field := range map[string]string{
		`{"op":"force_released","ws":"prod"}`:            "op",
		`{"op":"force-unlock","ws":"prod"}`:              "op",
		`{"ws":"prod"}`:                                  "op",
		`{"op":"lock_state","ws":"prod","runner":"a"}`:   "runner",
		`{"op":"release_lock","ws":"prod","lockid":"a"}`: "lockid",
		`{"op":"lock_state"}`:                            "ws",
		`{"op":"lock_state","ws":"prod"} x`:              "body",
		`{"op":7,"ws":"prod"}`:                           "op",
		`[]`:                                             "body",
		`null`:                                           "body",
		`"release_lock"`:                                 "body",
		`{"op":"acquire","ws":"prod","runner":"` + strings.Repeat("x", lockapi.MaxBody) + `"}`: "body",
	} {
		var answer map[string]any
		if err := json.Unmarshal(api.Command(t.Context(), []byte(doc)), &answer); err != nil || answer["ok"] != false || answer["field"] != field {
			t.Errorf("%.60s: %v, %v", doc, answer, err)
		}
	}
	unchanged(t, db, before)
}

func TestRefusalShowsTheHolder(t *testing.T) {
	t.Parallel()
	_, api := open(t)
	_, first := call(t, api, "POST", "/v1/acquire", `{"ws":"team/prod","runner":"a"}`)
	resp, answer := call(t, api, "POST", "/v1/acquire", `{"ws":"team/prod","runner":"b"}`)
	lock, _ := answer["lock"].(map[string]any)
	if resp.StatusCode != 423 || answer["code"] != "held" || lock["owner"] != "a" || lock["lock_id"] != first["lock_id"] || lock["acquired_at"] == "" {
		t.Errorf("%d %v", resp.StatusCode, answer)
	}
	if resp, state := call(t, api, "GET", "/v1/locks/team%2Fprod", ""); resp.StatusCode != 200 || state["lock_id"] != first["lock_id"] || state["ws"] != "team/prod" {
		t.Errorf("lock state: %d %v", resp.StatusCode, state)
	}
	resp, listed := call(t, api, "GET", "/v1/locks?state=held&prefix=team/", "")
	if locks, _ := listed["locks"].([]any); resp.StatusCode != 200 || len(locks) != 1 {
		t.Errorf("list: %d %v", resp.StatusCode, listed)
	}
	if resp, listed := call(t, api, "GET", "/v1/locks?state=stale", ""); resp.StatusCode != 200 || listed["locks"] == nil {
		t.Errorf("an empty list: %d %v", resp.StatusCode, listed)
	}
}
