package main

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// copied gives a copy of both definitions, of which one file is changed.
func copied(t *testing.T, file, old, changed string) *folder {
	t.Helper()
	project := t.TempDir()
	template, err := os.ReadFile("../../template.yaml")
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(project, "template.yaml"), template, 0o644); err != nil {
		t.Fatal(err)
	}
	if err := os.CopyFS(filepath.Join(project, "infra"), os.DirFS("../../infra")); err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(project, file)
	source, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(string(source), old) {
		t.Fatalf("%s has no %q to break", file, old)
	}
	if err := os.WriteFile(path, []byte(strings.Replace(string(source), old, changed, 1)), 0o644); err != nil {
		t.Fatal(err)
	}
	return &folder{project: project, scratch: t.TempDir()}
}

// A copy that is broken fails; what the ways to break one are is tested with the
// comparison itself.
func TestParity(t *testing.T) {
	t.Parallel()
	if _, err := parity(t.Context(), copied(t, "template.yaml", "Parameters:", "Parameters:")); err != nil {
		t.Errorf("as it is: %v", err)
	}
	for _, test := range []struct{ file, old, changed, found string }{
		{"infra/roles.tf", "dynamodb:GetItem", "dynamodb:Scan", "dynamodb:Scan"},
		{"template.yaml", "  SweepMissingAlarm:\n    Type", "  SweepMissingAlarm:\n    Condition: OwnKey\n    Type", "alarm.sweep-missing"},
		{"infra/table.tf", `name            = "by_state"`, `name            = "by_owner"`, "table.index.by_owner"},
		{"infra/api.tf", `    "POST /v1/release",`, "", "route.POST /v1/release"},
	} {
		if _, err := parity(t.Context(), copied(t, test.file, test.old, test.changed)); err == nil || !strings.Contains(err.Error(), test.found) {
			t.Errorf("%s: %v, want %s in it", test.file, err, test.found)
		}
	}
}

// What exists is compared with what the template says.
func TestCompareStack(t *testing.T) {
	t.Parallel()
	f := copied(t, "template.yaml", "Parameters:", "Parameters:")
	err := compareStack(f, nil, []byte(`{"stack": "CREATE_COMPLETE", "ids": {"LockTable": "t"}, "tables": [{"KeySchema": [{"AttributeName": "ws", "KeyType": "HASH"}]}]}`))
	if err == nil || !strings.Contains(err.Error(), `table.keys: "ws HASH, sk RANGE", and "ws HASH"`) || !strings.Contains(err.Error(), `function.api.handler: "bootstrap", and missing`) {
		t.Errorf("%v", err)
	}
	if err := compareStack(f, nil, []byte(`{"stack": "CREATE_COMPLETE"}`)); err == nil {
		t.Error("a stack of nothing passes")
	}
}

func TestPolicyDocuments(t *testing.T) {
	t.Parallel()
	dir, err := policyDocuments(copied(t, "template.yaml", "Parameters:", "Parameters:"))
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"role.lock", "role.history", "policy.ci", "policy.operator"} {
		doc, err := os.ReadFile(filepath.Join(dir, name+".json"))
		if err != nil {
			t.Fatal(err)
		}
		if strings.ContainsAny(string(doc), "<>") {
			t.Errorf("%s has names in it that are no ARNs: %s", name, doc)
		}
	}
}

func TestUnknownCheck(t *testing.T) {
	t.Parallel()
	if code := verify(t.Context(), []string{"parity", "terrafrom"}); code != 2 {
		t.Errorf("exit %d, want 2", code)
	}
}

// A program that fails tells why.
func TestRun(t *testing.T) {
	t.Parallel()
	f := &folder{project: t.TempDir()}
	if _, err := f.run(t.Context(), nil, "go", "no-such-command"); err == nil || errors.Is(err, errAbsent) || !strings.Contains(err.Error(), "unknown command") {
		t.Errorf("%v", err)
	}
}
