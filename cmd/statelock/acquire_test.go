package main

import (
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"strings"
	"testing"

	"github.com/statelock/statelock/pkg/client"
	"github.com/statelock/statelock/pkg/lockmodel"
)

// unread runs a command whose output nobody reads, and gives its exit code.
func unread(t *testing.T, args ...string) int {
	t.Helper()
	out, in, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer in.Close()
	out.Close()
	c := exec.CommandContext(t.Context(), "statelock", args...)
	c.Stdout = in
	c.Run() //nolint:errcheck // the code tells
	return c.ProcessState.ExitCode()
}

// A hold that nobody was told of is released: nobody else could do it. One that
// the caller has named is the caller's.
func TestAcquireThatNobodyReads(t *testing.T) {
	t.Parallel()
	s := newService(t)
	for _, how := range []string{"--lease=1h", "--env", "--json"} {
		if code := unread(t, "acquire", "--url="+s.url, "--ws=prod", how); code != exitFailed {
			t.Errorf("%s: ended with code %d", how, code)
		}
		free(t, s)
	}
	if code := unread(t, "acquire", "--url="+s.url, "--ws=prod", "--lock-id=job-7"); code != exitFailed {
		t.Errorf("ended with code %d", code)
	}
	if v := s.status(t); v.State != lockmodel.Held {
		t.Errorf("the caller's own: %+v", v)
	}
}

// A restoration that nobody reads of releases its lock, too.
func TestRestoreThatNobodyReads(t *testing.T) {
	t.Parallel()
	s := newService(t)
	for serial := range 2 {
		lock, err := s.AcquireOnly(t.Context(), client.Request{Workspace: "prod", Runner: "ci-7"})
		if err != nil {
			t.Fatal(err)
		}
		state := fmt.Sprintf(`{"version":4,"serial":%d,"lineage":"l"}`, serial+1)
		resp, err := http.Post(s.url+"/v1/tf/prod?ID="+lock.ID(), "application/json", strings.NewReader(state)) //nolint:noctx // a test's
		if err != nil || resp.StatusCode != http.StatusOK {
			t.Fatal(resp, err)
		}
		resp.Body.Close()
		if err := lock.Release(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	if code := unread(t, "state", "restore", "--url="+s.url, "--ws=prod", "--version=1"); code != exitFailed {
		t.Errorf("ended with code %d", code)
	}
	free(t, s)
}
