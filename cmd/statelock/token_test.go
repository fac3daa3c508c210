package main

import (
	"errors"
	"os/exec"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"

	"github.com/statelock/statelock/localtest/testdb"
	"github.com/statelock/statelock/pkg/ddbstore"
	"github.com/statelock/statelock/pkg/lockmodel"
)

// The embedded engine's file has one user at a time: with a server running, the
// commands say so, and what to do.
func TestTokenBesideServer(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	serve(t, "--data="+dir)
	for _, args := range [][]string{{"list"}, {"create", "--name=ci", "--ws=x"}, {"revoke", "abcdefghij"}} {
		c := exec.CommandContext(t.Context(), "statelock", append(append([]string{"token"}, args...), "--data="+dir)...)
		out, err := c.CombinedOutput()
		if exit, ok := errors.AsType[*exec.ExitError](err); !ok || exit.ExitCode() != exitFailed ||
			!strings.Contains(string(out), "in use by another process, most likely a running statelock serve: stop it, do this again, and start it anew") {
			t.Errorf("%v: %v, %s", args, err, out)
		}
	}
}

// Whoever revokes a token is told what is held with it.
func TestHoldsOf(t *testing.T) {
	t.Parallel()
	db := testdb.Open(t)
	s := ddbstore.New(db.Client, ddbstore.Options{Table: db.Table})
	for ws, principal := range map[string]string{"b": "token:one", "a": "token:one", "c": "token:other", "d": "", "e": "token:one"} {
		r := lockmodel.Request{Op: lockmodel.Acquire, Workspace: ws, ID: uuid.NewString(), LockID: uuid.NewString(), Runner: "token:one", Principal: principal}
		if _, err := s.Transition(t.Context(), r); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := s.Transition(t.Context(), lockmodel.Request{Op: lockmodel.MarkStale, Workspace: "a", ID: uuid.NewString()}); err != nil {
		t.Fatal(err)
	}
	if holds, err := holdsOf(t.Context(), s, "token:one"); err != nil || strings.Join(holds, " ") != "b e a" {
		t.Errorf("%v, %v", holds, err)
	}
}

func TestExpiry(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 5, 1, 12, 0, 0, 0, time.UTC)
	for text, want := range map[string]string{
		"":                          "",
		"90d":                       "2026-07-30T12:00:00Z",
		"12h":                       "2026-05-02T00:00:00Z",
		"1h30m":                     "2026-05-01T13:30:00Z",
		"2027-01-31T01:00:00+01:00": "2027-01-31T00:00:00Z",
	} {
		if at, err := expiry(text, now); err != nil || stamp(at) != want {
			t.Errorf("%s: %s, %v", text, stamp(at), err)
		}
	}
	for _, text := range []string{"d", "1.5d", "90", "-1d", "0h", "2026-05-01T12:00:00Z", "tomorrow", "9000000000d"} {
		if at, err := expiry(text, now); err == nil {
			t.Errorf("%s: %s", text, at)
		}
	}
}
