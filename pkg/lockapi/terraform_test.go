package lockapi_test

import (
	"bytes"
	"compress/gzip"
	"crypto/md5"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/statelock/statelock/localtest/testdb"
	"github.com/statelock/statelock/pkg/ddbstore"
	"github.com/statelock/statelock/pkg/lockapi"
)

// lockInfo is the body of a LOCK, as Terraform 1.11 writes it.
func lockInfo(id, who string) string {
	return fmt.Sprintf(`{"ID":%q,"Operation":"OperationTypeApply","Info":"","Who":%q,"Version":"1.11.4","Created":"2026-11-30T10:00:00.123456789Z","Path":""}`, id, who)
}

// onlyID is the body of OpenTofu's force-unlock.
func onlyID(id string) string {
	return fmt.Sprintf(`{"ID":%q,"Operation":"","Info":"","Who":"","Version":"","Created":"0001-01-01T00:00:00Z","Path":""}`, id)
}

// verbs are the two ways to lock and unlock.
var verbs = map[string]struct{ lock, unlock, path string }{
	"verbs":   {"LOCK", "UNLOCK", "/v1/tf/"},
	"gateway": {"POST", "DELETE", "/v1/tf-lock/"},
}

// want sends a request and compares the status.
func want(t *testing.T, h http.Handler, status int, method, target, body string, headers ...string) map[string]any {
	t.Helper()
	resp, answer := call(t, h, method, target, body, headers...)
	if resp.StatusCode != status {
		t.Errorf("%s %s: %d %v, want %d", method, target, resp.StatusCode, answer, status)
	}
	return answer
}

func TestTerraformLock(t *testing.T) {
	t.Parallel()
	for name, v := range verbs {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, api := open(t)
			path := v.path + "team/prod"
			want(t, api, 200, v.lock, path, lockInfo("id-a", "ann@laptop"))
			want(t, api, 200, v.lock, path, lockInfo("id-a", "ann@laptop")) // its reply was lost: ot#4405
			if l := want(t, api, 200, "GET", "/v1/locks/team/prod", ""); l["owner"] != "ann@laptop" || l["lock_id"] != "id-a" || l["lease_until"] != nil {
				t.Errorf("%v", l)
			}
			// The waiter is shown the holder's lock, not its own: ot#2004.
			got := want(t, api, 423, v.lock, path, lockInfo("id-b", "bob@ci"))
			info := got["Info"].(string)
			delete(got, "Info")
			if s, wanted := marshal(t, got), `{"Created":"2026-11-30T10:00:00.123456789Z","ID":"id-a","Operation":"OperationTypeApply","Path":"","Version":"1.11.4","Who":"ann@laptop"}`; s != wanted {
				t.Errorf("conflict %s, want %s", s, wanted)
			}
			if !strings.Contains(info, "held since 20") || !strings.Contains(info, "fence 1, no lease") {
				t.Errorf("Info %q", info)
			}
			want(t, api, 409, v.unlock, path, lockInfo("id-b", "bob@ci"))
			want(t, api, 200, v.unlock, path, lockInfo("id-a", "ann@laptop"))
			want(t, api, 200, v.unlock, path, lockInfo("id-a", "ann@laptop")) // tf#29724
			want(t, api, 200, v.lock, path, lockInfo("id-b", "bob@ci"))
			want(t, api, 200, v.unlock, path, lockInfo("id-a", "ann@laptop"))
			want(t, api, 423, v.lock, path, lockInfo("id-a", "ann@laptop")) // a late copy: it must not lock
			want(t, api, 200, v.unlock, path, lockInfo("id-b", "bob@ci"))
			if got := want(t, api, 423, v.lock, path, lockInfo("id-b", "bob@ci")); got["ID"] != "id-b" || !strings.Contains(got["Info"].(string), "released already") {
				t.Errorf("a spent id: %v", got)
			}
			if got := want(t, api, 409, v.unlock, path, ""); !strings.Contains(got["reason"].(string), "only from stale") {
				t.Errorf("unlocking an unlocked lock: %v", got)
			}
		})
	}
}

func marshal(t *testing.T, v any) string {
	t.Helper()
	doc, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return string(doc)
}

// An unlock that names no holder frees a stale lock alone: tf#28421, ot#2027.
func TestTerraformForceUnlock(t *testing.T) {
	t.Parallel()
	for name, v := range verbs {
		for client, body := range map[string]string{"terraform": "", "opentofu": onlyID("id-a"), "no ID": `{"ID":""}`} {
			t.Run(name+", "+client, func(t *testing.T) {
				t.Parallel()
				db, api := open(t)
				path := v.path + "prod"
				want(t, api, 200, v.lock, path, lockInfo("id-a", "ann@laptop"))
				before := db.Get(t, "prod")
				if got := want(t, api, 409, v.unlock, path, body); got["code"] != "not_stale" {
					t.Errorf("%v", got)
				}
				unchanged(t, db, before)
				want(t, api, 200, "POST", "/v1/mark-stale", `{"ws":"prod"}`)
				if got := want(t, api, 423, v.lock, path, lockInfo("id-b", "bob@ci")); !strings.HasPrefix(got["Info"].(string), "STALE since 20") || got["ID"] != "id-a" {
					t.Errorf("%v", got)
				}
				want(t, api, 409, v.unlock, path, onlyID("id-b"))
				want(t, api, 200, v.unlock, path, body)
				want(t, api, 200, v.lock, path, lockInfo("id-b", "bob@ci"))
			})
		}
	}
}

// The conflict body has an ID and a time whoever holds the lock: nimbolus 29.
func TestConflictWithAnotherClient(t *testing.T) {
	t.Parallel()
	_, api := open(t)
	want(t, api, 200, "POST", "/v1/acquire", `{"ws":"prod","runner":"ci-7","lock_id":"id-r","lease_seconds":60}`)
	got := want(t, api, 423, "LOCK", "/v1/tf/prod", lockInfo("id-b", "bob@ci"))
	if got["ID"] != "id-r" || got["Who"] != "ci-7" || got["Path"] != "prod" || !strings.Contains(got["Info"].(string), "lease until 20") {
		t.Errorf("%v", got)
	}
	if created, err := time.Parse(time.RFC3339Nano, got["Created"].(string)); err != nil || created.Year() < 2000 {
		t.Errorf("created %v, %v", got["Created"], err)
	}
}

// Whatever a client wrote, the body reads as a LockInfo.
func TestConflictBodyIsALockInfo(t *testing.T) {
	t.Parallel()
	for _, created := range []string{`"created":"nonsense"`, `"CREATED":"x"`, `"Created":""`, `"Created":"2026-11-30 10:00"`, `"Created":"2026-11-30T10:00:00,5Z"`} {
		_, api := open(t)
		want(t, api, 200, "LOCK", "/v1/tf/prod", `{"ID":"id-a","Who":"ann",`+created+`}`)
		got := want(t, api, 423, "LOCK", "/v1/tf/prod", lockInfo("id-b", "bob"))
		var info struct {
			ID, Who string
			Created time.Time
		}
		if err := json.Unmarshal([]byte(marshal(t, got)), &info); err != nil || info.ID != "id-a" || info.Who != "ann" || info.Created.Year() < 2026 || len(got) != 7 {
			t.Errorf("%s: %v in %v", created, err, got)
		}
	}
}

func TestLockInfosThatAreRefused(t *testing.T) {
	t.Parallel()
	db, api := open(t)
	for body, field := range map[string]string{
		"":                                       "ID",
		"{}":                                     "ID",
		`{"ID":""}`:                              "ID",
		`{"ID":"a/b"}`:                           "ID",
		`{"ID":7}`:                               "body",
		`[1]`:                                    "body",
		`"ID"`:                                   "body",
		`{"ID":"a"`:                              "body",
		`{"ID":"a"}{}`:                           "body",
		lockInfo("a", strings.Repeat("x", 5000)): "body",
	} {
		if got := want(t, api, 400, "LOCK", "/v1/tf/prod", body); got["field"] != field {
			t.Errorf("%.40s: %v, want field %s", body, got, field)
		}
	}
	for target, field := range map[string]string{"/v1/tf/prod?lease=60": "lease", "/v1/tf/prod?lease_seconds=1m": "lease_seconds", "/v1/tf/prod?lease_seconds=1": "lease_seconds", "/v1/tf//prod": "ws"} {
		if got := want(t, api, 400, "LOCK", target, lockInfo("a", "ann")); got["field"] != field {
			t.Errorf("%s: %v, want field %s", target, got, field)
		}
	}
	want(t, api, 413, "LOCK", "/v1/tf/prod", strings.Repeat(" ", lockapi.MaxBody+1))
	if db.Get(t, "prod") != nil {
		t.Error("something was written")
	}
}

func TestTerraformLease(t *testing.T) {
	t.Parallel()
	db := testdb.Open(t)
	clock := time.UnixMilli(1_800_000_000_000)
	store := ddbstore.New(db.Client, ddbstore.Options{Table: db.Table, Now: func() time.Time { return clock }})
	api := lockapi.New(store, lockapi.Options{Log: slog.New(slog.DiscardHandler)})
	want(t, api, 200, "LOCK", "/v1/tf/prod?lease_seconds=600", lockInfo("id-a", "ann@laptop"))
	first := want(t, api, 200, "GET", "/v1/locks/prod", "")["lease_until"]
	if first == nil {
		t.Fatal("no lease")
	}
	if got := want(t, api, 409, "POST", "/v1/mark-stale", `{"ws":"prod"}`); got["code"] != "lease_live" {
		t.Errorf("%v", got)
	}
	clock = clock.Add(time.Minute)
	want(t, api, 200, "POST", "/v1/tf/prod?ID=id-a", `{"version":4,"serial":1,"lineage":"l"}`)
	if got, want := want(t, api, 200, "GET", "/v1/locks/prod", "")["lease_until"], "2027-01-15T08:11:00.000Z"; got != want {
		t.Errorf("a state write took the lease from %v to %v, want %s", first, got, want)
	}
}

// get reads a state as it is sent.
func get(t *testing.T, h http.Handler, target string, headers ...string) *http.Response {
	t.Helper()
	r := httptest.NewRequestWithContext(t.Context(), "GET", target, nil)
	for _, line := range headers {
		name, value, _ := strings.Cut(line, ": ")
		r.Header.Set(name, value)
	}
	w := httptest.NewRecorder()
	h.ServeHTTP(w, r)
	return w.Result()
}

func wantBody(t *testing.T, h http.Handler, target, want string) {
	t.Helper()
	resp := get(t, h, target)
	body, err := io.ReadAll(resp.Body)
	if err != nil || resp.StatusCode != 200 || string(body) != want {
		t.Errorf("GET %s: %d %.80q, %v; want %.80q", target, resp.StatusCode, body, err, want)
	}
}

func sumOf(body string) string {
	sum := md5.Sum([]byte(body))
	return base64.StdEncoding.EncodeToString(sum[:])
}

func TestTerraformState(t *testing.T) {
	t.Parallel()
	_, api := open(t)
	const path = "/v1/tf/team/prod"
	one, two := `{"version":4,"serial":1,"lineage":"l"}`, `{"version":4,"serial":2,"lineage":"l"}`
	if got := want(t, api, 404, "GET", path, ""); got["code"] != "no_state" {
		t.Errorf("%v", got)
	}
	want(t, api, 200, "LOCK", path, lockInfo("id-a", "ann@laptop"))
	want(t, api, 404, "GET", path, "")
	if got := want(t, api, 200, "POST", path+"?ID=id-a", one, "Content-MD5: "+sumOf(one)); got["version"] != 1.0 || got["state"] != "held" {
		t.Errorf("%v", got)
	}
	if got := want(t, api, 200, "POST", path+"?ID=id-a", one); got["version"] != 1.0 || got["repeat"] != true {
		t.Errorf("the same again: %v", got)
	}
	wantBody(t, api, path, one)
	want(t, api, 200, "POST", path+"?ID=id-a", two)
	if got := want(t, api, 409, "POST", path+"?ID=id-a", one); got["code"] != "late" {
		t.Errorf("the late copy of an earlier write: %v", got)
	}
	want(t, api, 409, "POST", path+"?ID=id-b", one)
	want(t, api, 409, "POST", path, one) // -lock=false while somebody holds the lock
	want(t, api, 409, "DELETE", path, "")
	wantBody(t, api, path, two)
	want(t, api, 200, "UNLOCK", path, lockInfo("id-a", "ann@laptop"))
	want(t, api, 409, "POST", path+"?ID=id-a", one) // a zombie's
	want(t, api, 200, "POST", path, one)            // -lock=false: tf#24294
	wantBody(t, api, path, one)
	want(t, api, 200, "DELETE", path, "")
	want(t, api, 404, "GET", path, "")
	want(t, api, 404, "GET", "/v1/tf/team/other", "")
}

// Bodies arrive whole or not at all.
func TestStatesThatAreRefused(t *testing.T) {
	t.Parallel()
	db, api := open(t)
	const path = "/v1/tf/prod"
	for name, c := range map[string]struct {
		target, body, header, field string
	}{
		"changed on its way": {path, "state", "Content-MD5: " + sumOf("another"), "Content-MD5"},
		"changed, remapped":  {path, "state", "X-Amzn-Remapped-Content-Md5: " + sumOf("another"), "Content-MD5"},
		"no digest":          {path, "state", "Content-MD5: nonsense", "Content-MD5"},
		"empty":              {path, "", "", "body"},
		"compressed":         {path, "state", "Content-Encoding: gzip", "Content-Encoding"},
		"misspelt guard":     {path + "?id=id-a", "state", "", "id"},
		"empty guard":        {path + "?ID=", "state", "", "ID"},
		"guard given twice":  {path + "?ID=a&ID=b", "state", "", "ID"},
	} {
		var headers []string
		if c.header != "" {
			headers = []string{c.header}
		}
		if got := want(t, api, 400, "POST", c.target, c.body, headers...); got["field"] != c.field {
			t.Errorf("%s: %v, want field %s", name, got, c.field)
		}
	}
	if sorts := db.Sorts(t, "prod", ""); len(sorts) > 0 {
		t.Errorf("something was stored: %v", sorts)
	}
}

// A state that is deleted is still there to be restored.
func TestDeletedStateIsListed(t *testing.T) {
	t.Parallel()
	_, api := open(t)
	want(t, api, 200, "POST", "/v1/tf/prod", "state")
	want(t, api, 200, "DELETE", "/v1/tf/prod", "")
	want(t, api, 404, "GET", "/v1/tf/prod", "")
	want(t, api, 200, "LOCK", "/v1/tf/prod?lease_seconds=60", lockInfo("id-a", "ann"))
	want(t, api, 200, "POST", "/v1/restore", `{"ws":"prod","lock_id":"id-a","version":1}`)
	wantBody(t, api, "/v1/tf/prod", "state")
	want(t, api, 200, "UNLOCK", "/v1/tf/prod?lease_seconds=60", lockInfo("id-a", "ann"))
}

func TestStateSizeLimit(t *testing.T) {
	t.Parallel()
	db := testdb.Open(t)
	api := lockapi.New(ddbstore.New(db.Client, ddbstore.Options{Table: db.Table}), lockapi.Options{Log: slog.New(slog.DiscardHandler), MaxState: 1000})
	want(t, api, 200, "POST", "/v1/tf/prod", strings.Repeat("x", 1000))
	if got := want(t, api, 413, "POST", "/v1/tf/prod", strings.Repeat("x", 1001)); !strings.Contains(got["reason"].(string), "1000 bytes") {
		t.Errorf("%v", got)
	}
	wantBody(t, api, "/v1/tf/prod", strings.Repeat("x", 1000))
}

func TestCompressedAnswer(t *testing.T) {
	t.Parallel()
	_, api := open(t)
	body := strings.Repeat("compressible ", 10_000)
	want(t, api, 200, "POST", "/v1/tf/prod", body)
	for accepts, compressed := range map[string]bool{
		"": false, "gzip": true, "br, GZIP": true, "deflate": false, "gzip;q=0": false, "gzip; q=0.5": true, "identity": false, "xgzip": false,
	} {
		resp := get(t, api, "/v1/tf/prod", "Accept-Encoding: "+accepts)
		sent, err := io.ReadAll(resp.Body)
		if err != nil {
			t.Fatal(err)
		}
		if (resp.Header.Get("Content-Encoding") == "gzip") != compressed {
			t.Errorf("%q: %v", accepts, resp.Header)
			continue
		}
		if compressed {
			if len(sent) > len(body)/10 {
				t.Errorf("%d bytes of %d", len(sent), len(body))
			}
			r, err := gzip.NewReader(bytes.NewReader(sent))
			if err != nil {
				t.Fatal(err)
			}
			if sent, err = io.ReadAll(r); err != nil {
				t.Fatal(err)
			}
		} else if got := resp.Header.Get("Content-MD5"); got != sumOf(body) {
			t.Errorf("%q: Content-MD5 %q", accepts, got)
		}
		if string(sent) != body {
			t.Errorf("%q: another body", accepts)
		}
	}
}

func TestVersionsAndRestore(t *testing.T) {
	t.Parallel()
	_, api := open(t)
	const path = "/v1/tf/team/prod"
	body := func(serial int) string { return fmt.Sprintf(`{"version":4,"serial":%d,"lineage":"l"}`, serial) }
	want(t, api, 200, "LOCK", path, lockInfo("id-a", "ann"))
	for serial := 1; serial <= 3; serial++ {
		want(t, api, 200, "POST", path+"?ID=id-a", body(serial))
	}
	list := want(t, api, 200, "GET", "/v1/versions/team/prod", "")["versions"].([]any)
	if v := list[0].(map[string]any); len(list) != 3 || v["version"] != 3.0 || v["serial"] != 3.0 || v["current"] != true || v["lock_id"] != "id-a" || v["lineage"] != "l" {
		t.Errorf("%v", list)
	}
	wantBody(t, api, "/v1/versions/team/prod?version=2", body(2))
	want(t, api, 404, "GET", "/v1/versions/team/prod?version=4", "")
	want(t, api, 400, "GET", "/v1/versions/team/prod?version=x", "")
	want(t, api, 400, "GET", "/v1/versions/team/prod?number=2", "")

	want(t, api, 400, "POST", "/v1/restore", `{"ws":"team/prod","version":1}`)
	want(t, api, 400, "POST", "/v1/restore", `{"ws":"team/prod","lock_id":"id-a"}`)
	want(t, api, 404, "POST", "/v1/restore", `{"ws":"team/prod","lock_id":"id-b","version":9}`)
	want(t, api, 409, "POST", "/v1/restore", `{"ws":"team/prod","lock_id":"id-b","version":1}`)
	wantBody(t, api, path, body(3))
	// What is restored gets a serial number that no state had: a plan that was
	// made for version 1, or for any other, is not for this one.
	if got := want(t, api, 409, "POST", "/v1/restore", `{"ws":"team/prod","lock_id":"id-a","version":1}`); got["code"] != "late" {
		t.Errorf("after writes of the same hold: %v", got)
	}
	want(t, api, 200, "UNLOCK", path, lockInfo("id-a", "ann"))
	for _, id := range []string{"id-b", "id-c"} {
		want(t, api, 200, "LOCK", path, lockInfo(id, "ann"))
		const request = "Idempotency-Key: restore-"
		if got := want(t, api, 200, "POST", "/v1/restore", `{"ws":"team/prod","lock_id":"`+id+`","version":1}`, request+id); got["repeat"] != nil {
			t.Errorf("%v", got)
		}
		got := want(t, api, 200, "POST", "/v1/restore", `{"ws":"team/prod","lock_id":"`+id+`","version":1}`, request+id)
		if got["repeat"] != true {
			t.Errorf("the same again: %v", got)
		}
		wantBody(t, api, path, body(int(got["version"].(float64))))
		// A copy of it that is late takes nothing back.
		want(t, api, 200, "POST", path+"?ID="+id, body(int(got["version"].(float64))+1))
		want(t, api, 409, "POST", "/v1/restore", `{"ws":"team/prod","lock_id":"`+id+`","version":1}`, request+id)
		wantBody(t, api, path, body(int(got["version"].(float64))+1))
		want(t, api, 200, "UNLOCK", path, lockInfo(id, "ann"))
	}
	if list := want(t, api, 200, "GET", "/v1/versions/team/prod", "")["versions"].([]any); len(list) != 7 {
		t.Errorf("%v", list)
	}
}

// A database that fails is no absent state.
func TestFailureIsNoAbsentState(t *testing.T) {
	t.Parallel()
	db := testdb.Open(t, func(http.RoundTripper) http.RoundTripper {
		return roundTrip(func(*http.Request) (*http.Response, error) { return nil, io.ErrUnexpectedEOF })
	})
	api := lockapi.New(ddbstore.New(db.Client, ddbstore.Options{Table: db.Table}), lockapi.Options{Log: slog.New(slog.DiscardHandler)})
	for _, c := range [][3]string{
		{"GET", "/v1/tf/prod", ""},
		{"POST", "/v1/tf/prod", "state"},
		{"DELETE", "/v1/tf/prod", ""},
		{"LOCK", "/v1/tf/prod", lockInfo("a", "b")},
		{"UNLOCK", "/v1/tf/prod", lockInfo("a", "b")},
		{"GET", "/v1/versions/prod", ""},
	} {
		resp, answer := call(t, api, c[0], c[1], c[2])
		if resp.StatusCode != 503 || resp.Header.Get("Retry-After") == "" || answer["code"] != "unavailable" {
			t.Errorf("%s %s: %d %v", c[0], c[1], resp.StatusCode, answer)
		}
	}
}
