package lockapi_test

import (
	"encoding/base64"
	"io"
	"math/rand/v2"
	"net/http/httptest"
	"strings"
	"testing"
)

// A state that compression makes hardly smaller is sent as it is, with its
// digest: a gateway would make it longer again.
func TestIncompressibleStateIsSentAsItIs(t *testing.T) {
	t.Parallel()
	_, api := open(t)
	raw := make([]byte, 30_000)
	rand.NewChaCha8([32]byte{}).Read(raw)          //nolint:errcheck // never fails
	body := base64.StdEncoding.EncodeToString(raw) // to 3/4 and a bit
	want(t, api, 200, "POST", "/v1/tf/prod", body)
	resp := get(t, api, "/v1/tf/prod", "Accept-Encoding: gzip")
	sent, err := io.ReadAll(resp.Body)
	if err != nil || string(sent) != body || resp.Header.Get("Content-Encoding") != "" || resp.Header.Get("Content-MD5") != sumOf(body) {
		t.Errorf("%d bytes of %d, %v, %v", len(sent), len(body), resp.Header, err)
	}
}

// What is between keeps no state, and no compressed one for those who can't read it.
func TestStatesAreNotCached(t *testing.T) {
	t.Parallel()
	_, api := open(t)
	want(t, api, 200, "POST", "/v1/tf/prod", strings.Repeat("state", 100))
	for _, target := range []string{"/v1/tf/prod", "/v1/versions/prod?version=1"} {
		for _, accepts := range []string{"gzip", "identity"} {
			h := get(t, api, target, "Accept-Encoding: "+accepts).Header
			if h.Get("Cache-Control") != "no-store" || h.Get("Vary") != "Accept-Encoding" {
				t.Errorf("%s, %s: %v", target, accepts, h)
			}
		}
	}
}

// A body that is shorter than its header said is no state.
func TestStateThatBrokeOff(t *testing.T) {
	t.Parallel()
	db, api := open(t)
	for _, length := range []int64{4, 6} {
		r := httptest.NewRequestWithContext(t.Context(), "POST", "/v1/tf/prod", strings.NewReader("state"))
		r.ContentLength = length
		w := httptest.NewRecorder()
		api.ServeHTTP(w, r)
		if w.Code != 400 || !strings.Contains(w.Body.String(), `"field":"body"`) {
			t.Errorf("said to be %d bytes: %d %s", length, w.Code, w.Body)
		}
	}
	if sorts := db.Sorts(t, "prod", ""); len(sorts) > 0 {
		t.Errorf("something was stored: %v", sorts)
	}
}
