package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"strings"
	"testing"
)

// execute runs the command.
func execute(t *testing.T, args ...string) (stdout string, err error) {
	t.Helper()
	var out bytes.Buffer
	cmd := newCommand()
	cmd.SetArgs(args)
	cmd.SetOut(&out)
	cmd.SetErr(&bytes.Buffer{})
	err = cmd.ExecuteContext(t.Context())
	return out.String(), err
}

func TestSummary(t *testing.T) {
	t.Parallel()
	out, err := execute(t, "--seed=1", "--seeds=2", "--ops-per-seed=80", "--json")
	if err != nil {
		t.Fatal(err)
	}
	var s summary
	if err := json.Unmarshal([]byte(out), &s); err != nil {
		t.Fatal(err)
	}
	if s.Seeds != 2 || s.First != 1 || s.Requests < 160 || len(s.Violations) > 0 || len(s.Faults) == 0 {
		t.Errorf("%+v", s)
	}
}

// A violation is printed with the calls that show it and the command that makes
// it again, and is an error.
func TestViolation(t *testing.T) {
	t.Parallel()
	out, err := execute(t, "--seed=9", "--seeds=1", "--ops-per-seed=80", "--broken=unconditional-write")
	if !errors.Is(err, errViolated) {
		t.Errorf("error %v", err)
	}
	for _, want := range []string{
		"VIOLATION, seed 9", "not linearizable: workspace ws-", "acquire lock_id=", "→ done: held, fence",
		"go run ./localtest/cmd/torture --seed 9 --seeds 1 --clients 8 --ops-per-seed 80 --broken unconditional-write",
	} {
		if !strings.Contains(out, want) {
			t.Errorf("does not say %q:\n%s", want, out)
		}
	}
}

func TestUnknownMistake(t *testing.T) {
	t.Parallel()
	if _, err := execute(t, "--broken=none"); err == nil || !strings.Contains(err.Error(), "read-then-write") {
		t.Errorf("error %v", err)
	}
}
