package lockapi_test

import (
	"reflect"
	"testing"

	"github.com/statelock/statelock/localtest/testdb"
	"github.com/statelock/statelock/pkg/lockapi"
)

func unchanged(t *testing.T, db *testdb.DB, before any) {
	t.Helper()
	if after := db.Get(t, "prod"); !reflect.DeepEqual(any(after), before) {
		t.Errorf("the item was changed\nfrom %v\nto   %v", before, after)
	}
}

// A client that repeats a request under the same id gets the same answer.
func TestClientRetry(t *testing.T) {
	t.Parallel()
	db, api := open(t)
	for _, header := range []string{"Idempotency-Key: ", "X-Request-Id: "} {
		for _, step := range []struct{ target, body, id string }{
			{"/v1/acquire", `{"ws":"prod","runner":"a"}`, "acquire-1"},
			{"/v1/mark-stale", `{"ws":"prod"}`, "mark-1"},
			{"/v1/force-unlock", `{"ws":"prod"}`, "force-1"},
			{"/v1/acquire", `{"ws":"prod","runner":"a"}`, "acquire-2"},
			{"/v1/release", `{"ws":"prod"}`, "release-1"},
		} {
			id := header + step.id + header[:1]
			resp, first := call(t, api, "POST", step.target, step.body, id)
			if resp.StatusCode != 200 || first["repeat"] != nil {
				t.Fatalf("%s: %d %v", step.target, resp.StatusCode, first)
			}
			if resp.Header.Get("X-Request-Id") != step.id+header[:1] {
				t.Errorf("%s: request id %q", step.target, resp.Header.Get("X-Request-Id"))
			}
			before := db.Get(t, "prod")
			resp, second := call(t, api, "POST", step.target, step.body, id)
			if second["repeat"] != true {
				t.Errorf("%s again: not marked as a repeat: %v", step.target, second)
			}
			delete(second, "repeat")
			if resp.StatusCode != 200 || !reflect.DeepEqual(first, second) {
				t.Errorf("%s again: %d %v, first %v", step.target, resp.StatusCode, second, first)
			}
			unchanged(t, db, before)
		}
	}
}

// What a proxy makes of X-Request-Id is no reason to refuse a request.
func TestUnusableRequestIDOfProxy(t *testing.T) {
	t.Parallel()
	_, api := open(t)
	resp, _ := call(t, api, "POST", "/v1/acquire", `{"ws":"prod","runner":"a"}`, "X-Request-Id: a/b c")
	if id := resp.Header.Get("X-Request-Id"); resp.StatusCode != 200 || id == "" || id == "a/b c" {
		t.Errorf("%d with request id %q", resp.StatusCode, id)
	}
	if resp, _ := call(t, api, "GET", "/nowhere", ""); resp.Header.Get("X-Request-Id") == "" {
		t.Error("an error bears no request id")
	}
}

// Two requests under one id that ask for different things are two requests.
func TestRequestIDOfAnother(t *testing.T) {
	t.Parallel()
	_, api := open(t)
	const id = "X-Request-Id: 1"
	call(t, api, "POST", "/v1/acquire", `{"ws":"prod","runner":"a"}`, id)
	if resp, answer := call(t, api, "POST", "/v1/acquire", `{"ws":"prod","runner":"b"}`, id); resp.StatusCode != 423 {
		t.Errorf("another runner: %d %v", resp.StatusCode, answer)
	}
	if resp, answer := call(t, api, "POST", "/v1/force-unlock", `{"ws":"prod"}`, id); resp.StatusCode != 409 {
		t.Errorf("another operation: %d %v", resp.StatusCode, answer)
	}
	if resp, _ := call(t, api, "POST", "/v1/release", `{"ws":"prod"}`, id); resp.StatusCode != 200 {
		t.Error("not released")
	}
	if resp, answer := call(t, api, "POST", "/v1/acquire", `{"ws":"prod","runner":"a"}`, id); resp.StatusCode != 423 || answer["code"] != "spent" {
		t.Errorf("acquire again under the id of a hold that ended: %d %v", resp.StatusCode, answer)
	}
}

// The principal is whom the authenticator found, whatever the caller wrote.
func TestPrincipal(t *testing.T) {
	t.Parallel()
	_, api := open(t)
	as := func(who, target, body string) int {
		t.Helper()
		r := request(t, "POST", target, body)
		return serve(api, r.WithContext(lockapi.WithPrincipal(r.Context(), who))).StatusCode
	}
	if s := as("iam:ci", "/v1/acquire", `{"ws":"prod","runner":"a"}`); s != 200 {
		t.Fatalf("acquire: %d", s)
	}
	if _, state := call(t, api, "GET", "/v1/locks/prod", ""); state["principal"] != "iam:ci" {
		t.Errorf("recorded principal: %v", state)
	}
	if s := as("iam:other", "/v1/release", `{"ws":"prod","runner":"a"}`); s != 409 {
		t.Errorf("another principal that names no lock id: %d", s)
	}
	if s := as("iam:other", "/v1/release", `{"ws":"prod","principal":"iam:ci"}`); s != 400 {
		t.Errorf("a forged principal: %d", s)
	}
	if resp, _ := call(t, api, "POST", "/v1/release", `{"ws":"prod"}`); resp.StatusCode != 409 {
		t.Errorf("nobody authenticated: %d", resp.StatusCode)
	}
	if s := as("iam:ci", "/v1/release", `{"ws":"prod"}`); s != 200 {
		t.Errorf("the principal that acquired: %d", s)
	}
}
