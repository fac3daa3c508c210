package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/goccy/go-yaml"

	"github.com/statelock/statelock/pkg/client"
	"github.com/statelock/statelock/pkg/lockmodel"
)

// job is where a recipe runs: a folder with a stand-in for terraform, which
// prints the lock as it works, and the environment of a CI system.
type job struct {
	t   *testing.T
	dir string
	env []string
}

func newJob(t *testing.T, s *service, env ...string) *job {
	t.Helper()
	j := &job{t: t, dir: t.TempDir()}
	script := "#!/bin/sh\necho terraform \"$@\"\nexec statelock status --ws prod\n"
	if err := os.WriteFile(filepath.Join(j.dir, "terraform"), []byte(script), 0o700); err != nil {
		t.Fatal(err)
	}
	j.env = append(os.Environ(), "PATH="+j.dir+":"+os.Getenv("PATH"), "STATELOCK_URL="+s.url,
		"GITHUB_ACTIONS=", "GITLAB_CI=", "BUILDKITE=", "JENKINS_URL=") // tests run in CI as well
	j.env = append(j.env, env...)
	return j
}

// sh runs a script in the shell that CI runs it in, and gives what it printed.
func (j *job) sh(script string) (string, error) {
	c := exec.CommandContext(j.t.Context(), "sh", "-ec", script)
	c.Dir, c.Env = j.dir, j.env
	out, err := c.CombinedOutput()
	return string(out), err
}

// works runs a recipe that must hold the lock while terraform works.
func (j *job) works(script, owner string) {
	j.t.Helper()
	out, err := j.sh(script)
	if err != nil || !strings.Contains(out, "terraform apply") || !strings.Contains(out, "prod is held by "+owner) {
		j.t.Errorf("%v\n%s\nprinted\n%s", err, script, out)
	}
}

// blocks gives the code blocks of a kind in a document under docs.
func blocks(t *testing.T, name, kind string) (found []string) {
	t.Helper()
	text, err := os.ReadFile("../../docs/" + name)
	if err != nil {
		t.Fatal(err)
	}
	for _, part := range strings.Split(string(text), "\n```"+kind+"\n")[1:] {
		block, _, _ := strings.Cut(part, "\n```\n")
		found = append(found, block+"\n")
	}
	return found
}

// step is a step of a GitHub workflow.
type step struct {
	If, Uses, Run string
	With          map[string]string
}

func TestGitHubRecipe(t *testing.T) {
	t.Parallel()
	var workflow struct {
		Jobs map[string]struct {
			Env   map[string]string
			Steps []step
		}
	}
	parse(t, blocks(t, "ci.md", "yaml")[0], &workflow)
	s := newService(t)
	j := newJob(t, s, "GITHUB_ACTIONS=true", "GITHUB_ACTOR=octocat", "GITHUB_SERVER_URL=https://github.com", "GITHUB_REPOSITORY=acme/infra",
		"GITHUB_RUN_ID=1", "GITHUB_RUN_ATTEMPT=1", "GITHUB_JOB=apply", "RUNNER_NAME=r1")
	steps := workflow.Jobs["apply"].Steps
	j.works(steps[1].Run, "octocat https://github.com/acme/infra/actions/runs/1/attempts/1#apply@r1 for")
	free(t, s)
	if steps[2].If != "always()" {
		t.Errorf("the last step runs if %s", steps[2].If)
	}
	releasesOwnOnly(t, s, j, steps[2].Run)
}

func TestGitLabRecipe(t *testing.T) {
	t.Parallel()
	var pipeline map[string]struct {
		Variables   map[string]string
		Script      []string
		AfterScript []string `yaml:"after_script"`
	}
	parse(t, blocks(t, "ci.md", "yaml")[2], &pipeline)
	s := newService(t)
	j := newJob(t, s, "GITLAB_CI=true", "GITLAB_USER_LOGIN=jane", "CI_JOB_URL=https://gitlab.example.com/infra/-/jobs/7")
	j.works(strings.Join(pipeline["apply"].Script, "\n"), "jane https://gitlab.example.com/infra/-/jobs/7 for")
	free(t, s)
	releasesOwnOnly(t, s, j, strings.Join(pipeline["apply"].AfterScript, "\n"))
}

// releasesOwnOnly runs what comes after a job: when the job was killed and has
// left its lock, when there is none, and when the lock is another job's.
func releasesOwnOnly(t *testing.T, s *service, j *job, script string) {
	t.Helper()
	for _, before := range []string{"statelock acquire --ws prod --lease 60s", "true"} {
		if out, err := j.sh(before + "\n" + script); err != nil {
			t.Errorf("%v\n%s", err, out)
		}
		free(t, s)
	}
	other, err := s.AcquireOnly(t.Context(), client.Request{Workspace: "prod", Runner: "another job"})
	if err != nil {
		t.Fatal(err)
	}
	if out, err := j.sh(script); err != nil || s.status(t).LockID != other.ID() {
		t.Errorf("%v\n%s", err, out)
	}
}

func TestShellRecipes(t *testing.T) {
	t.Parallel()
	for n, recipe := range blocks(t, "ci.md", "sh") {
		s := newService(t)
		j := newJob(t, s)
		owner := ""
		if n == 0 {
			owner = "nightly-"
		}
		j.works(recipe, owner)
		free(t, s)
		if _, err := s.AcquireOnly(t.Context(), client.Request{Workspace: "prod", Runner: "jane"}); err != nil {
			t.Fatal(err)
		}
		out, err := j.sh(strings.Replace(recipe, "10m", "1ms", 1))
		if err == nil || strings.Contains(out, "terraform") || s.status(t).Owner != "jane" {
			t.Errorf("without the lock: %v\n%s", err, out)
		}
	}
}

// The action acquires, tells the job, and releases in its post-step, as the
// runner calls it. Interrupted while it waits, it leaves nothing behind.
func TestGitHubAction(t *testing.T) {
	t.Parallel()
	need(t, "node")
	const folder = "../../.github/actions/lock/"
	var action struct {
		Inputs map[string]struct{ Default string }
		Runs   struct{ Using, Main, Post string }
	}
	doc, err := os.ReadFile(folder + "action.yml")
	if err != nil {
		t.Fatal(err)
	}
	parse(t, string(doc), &action)
	var recipe struct{ Steps []step }
	parse(t, blocks(t, "ci.md", "yaml")[1], &recipe)

	s := newService(t)
	j := newJob(t, s)
	for _, file := range []string{"STATE", "ENV", "OUTPUT"} {
		j.env = append(j.env, "GITHUB_"+file+"="+filepath.Join(j.dir, file))
	}
	for name, input := range action.Inputs {
		value := input.Default
		if with, ok := recipe.Steps[0].With[name]; ok {
			value = with
		}
		j.env = append(j.env, "INPUT_"+strings.ToUpper(name)+"="+value)
	}
	for name := range recipe.Steps[0].With {
		if _, ok := action.Inputs[name]; !ok {
			t.Errorf("the recipe sets %s, which is no input", name)
		}
	}
	node := func(script string) *exec.Cmd {
		c := exec.CommandContext(t.Context(), "node", folder+script)
		// The runner hands the state to the post-step.
		c.Env = append(append([]string{}, j.env...), prefixed("STATE_", j.read("STATE"))...)
		return c
	}
	if out, err := node(action.Runs.Main).CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	v := s.status(t)
	if v.State != lockmodel.Held || v.LeaseUntil == "" || j.read("ENV") != "STATELOCK_LOCK_ID="+v.LockID+"\nSTATELOCK_FENCE=1\n" ||
		j.read("OUTPUT") != "lock-id="+v.LockID+"\nfence=1\n" {
		t.Errorf("%+v\nenvironment %s\noutput %s", v, j.read("ENV"), j.read("OUTPUT"))
	}
	for _, want := range []string{"released prod\n", "nothing of this job's to release: prod is unlocked\n"} {
		if out, err := node(action.Runs.Post).CombinedOutput(); err != nil || string(out) != want {
			t.Errorf("%v\n%s", err, out)
		}
	}

	// A second job waits, and is cancelled.
	other, err := s.AcquireOnly(t.Context(), client.Request{Workspace: "prod", Runner: "jane"})
	if err != nil {
		t.Fatal(err)
	}
	waiter := node(action.Runs.Main)
	says, err := waiter.StderrPipe()
	if err == nil {
		err = waiter.Start()
	}
	if err != nil {
		t.Fatal(err)
	}
	if _, err := says.Read(make([]byte, 1)); err != nil { // it says that it waits
		t.Fatal(err)
	}
	if err := waiter.Process.Signal(syscall.SIGINT); err != nil {
		t.Fatal(err)
	}
	if err := waiter.Wait(); waiter.ProcessState.ExitCode() != exitSignalled+int(syscall.SIGINT) {
		t.Errorf("cancelled: %v", err)
	}
	if _, err := s.Release(t.Context(), client.Hold{Workspace: "prod", LockID: other.ID()}); err != nil {
		t.Fatal(err)
	}
	free(t, s)
}

// read reads a file of the job.
func (j *job) read(name string) string {
	text, err := os.ReadFile(filepath.Join(j.dir, name))
	if err != nil && !os.IsNotExist(err) {
		j.t.Fatal(err)
	}
	return string(text)
}

// prefixed puts a prefix before each line.
func prefixed(prefix, text string) (lines []string) {
	for line := range strings.Lines(text) {
		lines = append(lines, prefix+strings.TrimSuffix(line, "\n"))
	}
	return lines
}

func parse(t *testing.T, document string, to any) {
	t.Helper()
	if err := yaml.Unmarshal([]byte(document), to); err != nil {
		t.Fatalf("%v\n%s", err, document)
	}
}
