package main

import (
	"os"
	"os/user"
	"strings"
	"unicode"

	"github.com/statelock/statelock/pkg/lockmodel"
)

// runnerName says who acquires, and where: in CI, somebody and the job's page,
// else user@host. job is whether it names one job and nothing else.
func runnerName(env func(string) string) (name string, job bool) {
	var who, where string
	missing := false
	must := func(name string) string {
		value := env(name)
		missing = missing || value == ""
		return value
	}
	switch {
	// https://docs.github.com/actions/reference/workflows-and-actions/variables
	// A run's jobs have no page of their own that a job could know. The parts
	// of a matrix share their name as well, but not the machine they run on.
	case env("GITHUB_ACTIONS") == "true":
		who = env("GITHUB_ACTOR")
		where = must("GITHUB_SERVER_URL") + "/" + must("GITHUB_REPOSITORY") + "/actions/runs/" + must("GITHUB_RUN_ID") +
			"/attempts/" + must("GITHUB_RUN_ATTEMPT") + "#" + must("GITHUB_JOB") + "@" + must("RUNNER_NAME")
	// https://docs.gitlab.com/ci/variables/predefined_variables/
	case env("GITLAB_CI") == "true":
		who, where = env("GITLAB_USER_LOGIN"), must("CI_JOB_URL")
	// https://buildkite.com/docs/pipelines/configure/environment-variables
	case env("BUILDKITE") == "true":
		who, where = env("BUILDKITE_BUILD_CREATOR"), must("BUILDKITE_BUILD_URL")+"#"+must("BUILDKITE_JOB_ID")
	// https://www.jenkins.io/doc/book/pipeline/jenkinsfile/#using-environment-variables
	// Stages that run in parallel share a build, but not an executor of a node.
	case env("JENKINS_URL") != "" && env("BUILD_URL") != "":
		who, where = env("BUILD_USER_ID"), must("BUILD_URL")+"#"+must("EXECUTOR_NUMBER")+"@"+must("NODE_NAME")
	default:
		return tidy(userAtHost()), false
	}
	if missing { // half a name may be another job's as well
		return tidy(userAtHost()), false
	}
	// Where there is too little room, who it is gives way: the page tells that.
	if room := lockmodel.MaxRunner - len(where) - 1; len(who) > room {
		who = ""
	}
	return tidy(who + " " + where), true
}

func userAtHost() string {
	name, host := "unknown", "unknown"
	if u, err := user.Current(); err == nil {
		name = u.Username
	}
	if h, err := os.Hostname(); err == nil {
		host = h
	}
	return name + "@" + host
}

// tidy makes a name that the service takes.
func tidy(name string) string {
	name = strings.Map(func(r rune) rune {
		if unicode.IsPrint(r) && r != unicode.ReplacementChar {
			return r
		}
		return '?'
	}, name)
	name = strings.TrimSpace(name)
	if len(name) > lockmodel.MaxRunner {
		name = strings.TrimSpace(strings.ToValidUTF8(name[:lockmodel.MaxRunner], ""))
	}
	return name
}
