package main

import (
	"net/http"
	"net/http/httptest"
	"os/exec"
	"strings"
	"testing"
	"time"
)

// The doctor tells a service whose clock is wrong, and one that lets nobody in.
func TestDoctor(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		answer http.HandlerFunc
		want   string
	}{
		"clock": {func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Date", time.Now().Add(-time.Hour).UTC().Format(http.TimeFormat))
			w.Write([]byte(`{"locks":[]}`)) //nolint:errcheck // the doctor tells
		}, "FAIL  clock     this machine's clock and the service's are 1h0m"},
		"credentials": {func(w http.ResponseWriter, _ *http.Request) {
			w.WriteHeader(http.StatusForbidden)
			w.Write([]byte(`{"message":"Forbidden"}`)) //nolint:errcheck // the doctor tells
		}, "FAIL  answer"},
	} {
		service := httptest.NewServer(c.answer)
		out, err := exec.CommandContext(t.Context(), "statelock", "doctor", "--url", service.URL, "--timeout", "100ms").CombinedOutput()
		service.Close()
		if err == nil || !strings.Contains(string(out), c.want) {
			t.Errorf("%s: %v\n%s", name, err, out)
		}
	}
}
