package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/statelock/statelock/localtest/engines"
)

func TestBadCommandLinesAreRefused(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		args []string
		want string
	}{
		{nil, "name an engine"},
		{[]string{"dynamo", "--", "true"}, `no engine "dynamo"`},
		{[]string{"dynalite,", "--", "true"}, `no engine ""`},
		{[]string{"all"}, "nothing to do"},
		{[]string{"all", "--"}, "nothing to do"},
	} {
		err := run(t.Context(), false, c.args)
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("withengine %q: got error %v, want one with %q", c.args, err, c.want)
		}
	}
}

func TestMissingEngineFailsOnlyInCI(t *testing.T) {
	t.Setenv("STATELOCK_CACHE", t.TempDir())
	args := []string{"all", "--", "false"} // would fail if it ran

	t.Setenv("CI", "")
	if err := run(t.Context(), false, args); err != nil {
		t.Errorf("on a user's machine: got %v, want the engines skipped", err)
	}
	t.Setenv("CI", "true")
	err := run(t.Context(), false, args)
	for _, e := range engines.All() {
		if err == nil || !strings.Contains(err.Error(), e.Name+" "+e.Version+" is not installed") {
			t.Errorf("in CI: got %v, want %s named as missing", err, e.Name)
		}
	}
}

func TestCommandGetsEndpointAndItsFailureCounts(t *testing.T) {
	t.Parallel()
	// As a test that needs the engine, so that it skips and fails as they do.
	engines.Dynalite.ForTest(t, engines.Options{})

	seen := filepath.Join(t.TempDir(), "seen")
	err := run(t.Context(), false, []string{"dynalite", "--", "sh", "-c", `printf %s "$STATELOCK_TEST_ENDPOINT" >"$0"; exit 7`, seen})
	if err == nil || !strings.Contains(err.Error(), "dynalite: exit status 7") {
		t.Errorf("got error %v, want the command's exit status", err)
	}
	if url, err := os.ReadFile(seen); err != nil || !strings.HasPrefix(string(url), "http://127.0.0.1:") {
		t.Errorf("the command saw the endpoint %q (%v), want one on loopback", url, err)
	}
}

func TestSlowEnginesGetLess(t *testing.T) { // not parallel: it sets the environment
	last := func(e engines.Engine) string { env := environment(e, "http://x"); return env[len(env)-1] }
	if got := last(engines.Dynalite); got != "STATELOCK_TEST_ENDPOINT=http://x" {
		t.Errorf("dynalite: %s", got)
	}
	if got := last(engines.Moto); got != "STATELOCK_TEST_EVERY=5" {
		t.Errorf("moto: %s", got)
	}
	t.Setenv("STATELOCK_TEST_EVERY", "1")
	if got := last(engines.Moto); got != "STATELOCK_TEST_ENDPOINT=http://x" {
		t.Errorf("moto, where it is set: %s", got)
	}
}
