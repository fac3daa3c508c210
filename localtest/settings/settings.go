// Package settings has what each setting of the service changes for its callers.
// The function has the settings as variables and statelock serve as flags: both
// are tried by what they do, not by what they store.
package settings

import (
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/statelock/statelock/localtest/testdb"
)

// Case is a setting that isn't left at its default.
type Case struct {
	// Name is that of the flag, Value what it is set to.
	Name, Value string
	// Steps are requests about the workspace prod, on a table of their own. The
	// last one would be answered otherwise under the default.
	Steps []Step
}

// Flag is the setting as an argument of statelock serve.
func (c Case) Flag() string { return "--" + c.Name + "=" + c.Value }

// Variable is the setting in the function's environment.
func (c Case) Variable() string {
	return "STATELOCK_" + strings.ToUpper(strings.ReplaceAll(c.Name, "-", "_")) + "=" + c.Value
}

// Step is a request and what must come of it.
type Step struct {
	Method, Path, Body string
	// Before are attributes of the lock that are set first, past the service.
	Before map[string]any
	Status int
	// Has is in the answer, and Not isn't.
	Has, Not string
}

// state is where Terraform reads and writes the state of the workspace.
const state = "/v1/tf/prod"

// Cases has every setting that callers notice.
func Cases() []Case {
	post := func(path, body string, status int, has string) Step {
		return Step{Method: http.MethodPost, Path: path, Body: body, Status: status, Has: has}
	}
	const acquire = `{"ws":"prod","runner":"ci-7","lock_id":"id-a","lease_seconds":60}`
	lapsed := post("/v1/mark-stale", `{"ws":"prod"}`, http.StatusConflict, `"code":"lease_live"`)
	lapsed.Before = map[string]any{"lease_until": time.Now().Add(-time.Minute).UnixMilli()}
	return []Case{
		{"notice", "1h", []Step{
			post("/v1/acquire", acquire, http.StatusOK, ""),
			{Method: http.MethodPost, Path: "/v1/mark-stale", Body: `{"ws":"prod"}`, Before: lapsed.Before, Status: http.StatusOK},
			post("/v1/force-unlock", `{"ws":"prod"}`, http.StatusConflict, `"code":"notice"`),
		}},
		{"max-hold", "1m", []Step{
			post("/v1/acquire", strings.ReplaceAll(acquire, "60", "61"), http.StatusBadRequest, `longer than a hold may last, 60 seconds`),
		}},
		{"clock-skew", "1h", []Step{post("/v1/acquire", acquire, http.StatusOK, ""), lapsed}},
		{"default-lease", "1m", []Step{
			post("/v1/acquire", `{"ws":"prod","runner":"ci-7"}`, http.StatusOK, `"lease_until":`),
		}},
		{"max-lease", "1m", []Step{
			post("/v1/acquire", strings.ReplaceAll(acquire, "60", "61"), http.StatusBadRequest, `"field":"lease_seconds"`),
		}},
		{"require-lock", "true", []Step{
			post(state, `{"serial":1}`, http.StatusBadRequest, `"field":"lock_id"`),
		}},
		{"max-state", "12", []Step{
			post(state, `{"serial":1}`, http.StatusOK, ""),
			post(state, `{"serial":12}`, http.StatusRequestEntityTooLarge, `"code":"too_large"`),
		}},
		{"keep-versions", "2", []Step{
			post(state, `{"serial":1}`, http.StatusOK, ""),
			post(state, `{"serial":2}`, http.StatusOK, ""),
			post(state, `{"serial":3}`, http.StatusOK, ""),
			{Method: http.MethodGet, Path: "/v1/versions/prod", Status: http.StatusOK, Has: `"version":2`, Not: `"version":1,`},
		}},
	}
}

// Run tries each case on the service that start starts with its setting, on a
// table of its own. It gives the service's URL, and the password that the routes
// of Terraform ask for, "" where they ask for none.
func Run(t *testing.T, start func(t *testing.T, c Case, db *testdb.DB) (url, password string)) {
	t.Helper()
	for _, c := range Cases() {
		t.Run(c.Name, func(t *testing.T) {
			t.Parallel()
			db := testdb.Open(t)
			url, password := start(t, c, db)
			for _, wrong := range c.try(t, url, password, db) {
				t.Error(wrong)
			}
		})
	}
}

// try makes the requests and tells what came of those that were answered as they
// should not be.
func (c Case) try(t *testing.T, url, password string, db *testdb.DB) (wrong []string) {
	t.Helper()
	for _, step := range c.Steps {
		if step.Before != nil {
			db.Set(t, "prod", step.Before)
		}
		status, answer := send(t, url, password, step)
		if status != step.Status || !strings.Contains(answer, step.Has) || step.Not != "" && strings.Contains(answer, step.Not) {
			wrong = append(wrong, fmt.Sprintf("%s %s %s: %d %s; want %d, with %q and without %q",
				step.Method, step.Path, step.Body, status, answer, step.Status, step.Has, step.Not))
		}
	}
	return wrong
}

// send makes the request of a step.
func send(t *testing.T, url, password string, step Step) (status int, answer string) {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), step.Method, url+step.Path, strings.NewReader(step.Body))
	if err != nil {
		t.Fatal(err)
	}
	if password != "" && strings.HasPrefix(step.Path, "/v1/tf") {
		r.SetBasicAuth("ci", password)
	}
	resp, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	body, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Fatal(err)
	}
	return resp.StatusCode, string(body)
}
