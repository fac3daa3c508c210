package main

import (
	"strings"
	"testing"

	"github.com/statelock/statelock/pkg/lockmodel"
)

// A runner's name says who, and leads to the job's page.
func TestRunnerName(t *testing.T) {
	t.Parallel()
	github := map[string]string{
		"GITHUB_ACTIONS": "true", "GITHUB_ACTOR": "octocat", "GITHUB_SERVER_URL": "https://github.com", "GITHUB_REPOSITORY": "acme/infra",
		"GITHUB_RUN_ID": "123", "GITHUB_RUN_ATTEMPT": "2", "GITHUB_JOB": "apply", "RUNNER_NAME": "GitHub Actions 7",
	}
	for name, c := range map[string]struct {
		env  map[string]string
		want string
		job  bool
	}{
		"GitHub": {github, "octocat https://github.com/acme/infra/actions/runs/123/attempts/2#apply@GitHub Actions 7", true},
		"GitLab": {
			map[string]string{"GITLAB_CI": "true", "GITLAB_USER_LOGIN": "jane", "CI_JOB_URL": "https://gitlab.example.com/infra/-/jobs/7"},
			"jane https://gitlab.example.com/infra/-/jobs/7", true,
		},
		"Buildkite": {
			map[string]string{"BUILDKITE": "true", "BUILDKITE_BUILD_CREATOR": "Jane Doe", "BUILDKITE_BUILD_URL": "https://buildkite.com/acme/infra/builds/1514", "BUILDKITE_JOB_ID": "e4-44"},
			"Jane Doe https://buildkite.com/acme/infra/builds/1514#e4-44", true,
		},
		"Jenkins": {
			map[string]string{"JENKINS_URL": "https://ci.example.com/", "BUILD_URL": "https://ci.example.com/job/infra/7/", "EXECUTOR_NUMBER": "1", "NODE_NAME": "built-in"},
			"https://ci.example.com/job/infra/7/#1@built-in", true,
		},
		"unprintable": {map[string]string{"GITLAB_CI": "true", "GITLAB_USER_LOGIN": "ja\nne\xff", "CI_JOB_URL": "u"}, "ja?ne? u", true},
		"too long":    {map[string]string{"GITLAB_CI": "true", "GITLAB_USER_LOGIN": strings.Repeat("j", 300), "CI_JOB_URL": "https://gitlab.example.com/7"}, "https://gitlab.example.com/7", true},
		"no CI":       {nil, userAtHost(), false},
	} {
		got, job := runnerName(func(v string) string { return c.env[v] })
		if got != c.want || job != c.job {
			t.Errorf("%s: %q, %v", name, got, job)
		}
		r := lockmodel.Request{Op: lockmodel.Acquire, Workspace: "prod", ID: "r", LockID: "l", Runner: got}
		if err := r.Validate(); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
	if got := tidy(strings.Repeat("ü", 300)); len(got) > lockmodel.MaxRunner || strings.Trim(got, "ü") != "" {
		t.Errorf("cut to %q", got)
	}
}
