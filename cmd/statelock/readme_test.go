package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/statelock/statelock/pkg/client"
)

// The values in the README's transcript that differ from run to run.
var varying = regexp.MustCompile(`"(lock_id|acquired_at|stale_at)":"[^"]*"`)

// TestReadmeTranscript runs the README's commands, in order, and compares what
// they print.
func TestReadmeTranscript(t *testing.T) {
	t.Parallel()
	need(t, "curl")
	s := serve(t, "--memory")
	lines := strings.Split(block(t, "console"), "\n")
	for n := 0; n+1 < len(lines); n += 2 {
		command, ok := strings.CutPrefix(lines[n], "$ ")
		if !ok {
			t.Fatalf("not a command: %s", lines[n])
		}
		got := shell(t, strings.ReplaceAll(strings.Replace(command, "curl", "curl -sS", 1), "http://127.0.0.1:8420", s.url))
		if varying.ReplaceAllString(got, "$1") != varying.ReplaceAllString(lines[n+1]+"\n", "$1") {
			t.Errorf("%s\nprints %swant   %s", command, got, lines[n+1])
		}
	}
}

// TestReadmeCI runs the README's lines for CI.
func TestReadmeCI(t *testing.T) {
	t.Parallel()
	s := newService(t)
	newJob(t, s).works(strings.ReplaceAll(block(t, "sh"), "http://127.0.0.1:8420", s.url), "")
	free(t, s)
}

// TestReadmeTerraform runs the README's lines for Terraform, and finds the state.
func TestReadmeTerraform(t *testing.T) {
	t.Parallel()
	need(t, "terraform")
	s := newService(t)
	j := newJob(t, s)
	if err := os.Remove(filepath.Join(j.dir, "terraform")); err != nil { // the stand-in
		t.Fatal(err)
	}
	script := strings.ReplaceAll(block(t, "bash"), "http://127.0.0.1:8420", s.url)
	script = strings.Replace(script, "terraform apply", "terraform apply -auto-approve -no-color", 1)
	if out, err := j.sh("echo 'resource \"terraform_data\" \"x\" {}' > main.tf\nexport CHECKPOINT_DISABLE=1 TF_CLI_CONFIG_FILE=/dev/null\nset -e\n" + script); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	if versions, err := s.Versions(t.Context(), "team/prod"); err != nil || len(versions) != 1 {
		t.Errorf("versions %+v, %v", versions, err)
	}
	free(t, s)
}

// TestReadmeForPeople runs the README's commands for people in order, on a lock
// of somebody who is gone. The one that runs until it is told to end is.
func TestReadmeForPeople(t *testing.T) {
	t.Parallel()
	s := newService(t)
	if _, err := s.AcquireOnly(t.Context(), client.Request{Workspace: "prod", Runner: "ci-7"}); err != nil {
		t.Fatal(err)
	}
	j := newJob(t, s)
	for line := range strings.Lines(block(t, "shell") + "\n") {
		script := "echo prod | " + line
		if strings.Contains(line, " watch ") {
			script = strings.TrimSpace(line) + " --interval 100ms > seen & until grep -q 'held by ci-7' seen; do sleep 0.02; done; kill -INT $!; wait $!"
		}
		if out, err := j.sh(script); err != nil {
			t.Errorf("%v\n%s\nprinted\n%s", err, script, out)
		}
	}
	free(t, s)
}

// TestCurlRecipe runs the lines for curl in two jobs: the second is turned away
// while the first works, and the lock is free after it.
func TestCurlRecipe(t *testing.T) {
	t.Parallel()
	need(t, "curl")
	s := serve(t, "--memory")
	recipe := blocks(t, "ci.md", "bash")[0]
	script := "WS=prod JOB=job-1 STATELOCK_URL=" + s.url + "\n" + recipe + "\n( JOB=job-2\n" + recipe + "\n) && exit 1\ncurl -sS $STATELOCK_URL/v1/locks/prod"
	if out := shell(t, script); !strings.Contains(out, `"owner":"job-1"`) || !strings.Contains(out, `{"ok":true,"state":"unlocked"`) {
		t.Errorf("the jobs printed\n%s", out)
	}
	if out := shell(t, "curl -sS "+s.url+"/v1/locks/prod"); !strings.Contains(out, `"state":"unlocked"`) {
		t.Errorf("after the job: %s", out)
	}
}

// block gives the README's first fenced block of a kind.
func block(t *testing.T, kind string) string {
	t.Helper()
	readme, err := os.ReadFile("../../README.md")
	if err != nil {
		t.Fatal(err)
	}
	_, rest, _ := strings.Cut(string(readme), "\n```"+kind+"\n")
	text, _, ok := strings.Cut(rest, "\n```\n")
	if !ok {
		t.Fatalf("the README has no %s block", kind)
	}
	return text
}

func shell(t *testing.T, script string) string {
	t.Helper()
	c := exec.CommandContext(t.Context(), "sh", "-c", script)
	c.Stderr = os.Stderr
	out, err := c.Output()
	if err != nil {
		t.Errorf("sh: %v\n%s\nprinted %s", err, script, out)
	}
	return string(out)
}

// need skips the test where a tool is missing, which CI may not.
func need(t *testing.T, tool string) {
	t.Helper()
	if _, err := exec.LookPath(tool); err != nil {
		if os.Getenv("CI") != "" {
			t.Fatal(err)
		}
		t.Skipf("needs %s, which is not installed", tool)
	}
}
