package main

import (
	"net/http"
	"net/http/httptest"
	"testing"
)

// A web page must not reach the locks of the machine that shows it.
func TestWebPagesAreKeptOut(t *testing.T) {
	t.Parallel()
	ok := http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusOK) })
	for _, c := range []struct {
		host, origin, site string
		want               int
	}{
		{"127.0.0.1:8420", "", "", 200},
		{"localhost:8420", "", "", 200},
		{"[::1]:8420", "", "", 200},
		{"localhost", "", "", 200},
		{"127.0.0.1:8420", "https://evil.example", "cross-site", 403},
		{"127.0.0.1:8420", "null", "", 403},
		{"evil.example:8420", "http://evil.example:8420", "same-origin", 403},
		{"evil.example", "", "", 403},
	} {
		r := httptest.NewRequestWithContext(t.Context(), http.MethodPost, "/v1/force-unlock", nil)
		r.Host = c.host
		if c.origin != "" {
			r.Header.Set("Origin", c.origin)
		}
		if c.site != "" {
			r.Header.Set("Sec-Fetch-Site", c.site)
		}
		w := httptest.NewRecorder()
		local(ok).ServeHTTP(w, r)
		if w.Code != c.want {
			t.Errorf("%+v: %d", c, w.Code)
		}
	}
}
