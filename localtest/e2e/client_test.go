package e2e

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// kind is a client and its way to lock.
type kind struct {
	name    string // terraform or tofu
	program string
	verbs   bool // LOCK and UNLOCK, else POST and DELETE
}

// everyKind runs a test for each client in each way to lock.
func everyKind(t *testing.T, test func(*testing.T, kind)) {
	t.Helper()
	everyClient(t, func(t *testing.T, k kind) {
		for name, verbs := range map[string]bool{"POST": false, "LOCK": true} {
			t.Run(name, func(t *testing.T) {
				t.Parallel()
				k := k
				k.verbs = verbs
				test(t, k)
			})
		}
	})
}

// everyClient runs a test for each client.
func everyClient(t *testing.T, test func(*testing.T, kind)) {
	t.Helper()
	t.Parallel()
	for name, program := range map[string]func(*testing.T) string{"terraform": terraform, "tofu": tofu} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			test(t, kind{name: name, program: program(t)})
		})
	}
}

func terraform(t *testing.T) string {
	t.Helper()
	program, err := exec.LookPath("terraform")
	if err != nil {
		missing(t, "terraform is not installed")
	}
	return program
}

func tofu(t *testing.T) string {
	t.Helper()
	program, err := Tofu("../..")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(program); err != nil {
		missing(t, "OpenTofu is not built: go run ./localtest/e2e/cmd/tofu")
	}
	return program
}

// missing ends a test for want of a tool.
func missing(t *testing.T, reason string) {
	t.Helper()
	if os.Getenv("CI") != "" {
		t.Fatal(reason)
	}
	t.Skip(reason)
}

// things is the configuration of most stories. Whoever changes the variable
// has a thing replaced, which takes until its gate is there, if it has one.
const things = `
variable "change" { default = "none" }
variable "gate"   { default = "" }

resource "terraform_data" "thing" {
  triggers_replace = var.change
  input            = var.change
  provisioner "local-exec" {
    command = var.gate == "" ? "true" : "echo at the gate; until [ -e '${var.gate}' ]; do sleep 0.05; done"
  }
}
`

// project is a folder with a configuration, where a client works on one
// workspace.
type project struct {
	kind
	dir string
	env []string
}

// project makes a folder with a configuration and initialises it. The flags
// are backend-config's.
func (k kind) project(t *testing.T, url, ws, config string, flags ...string) *project {
	t.Helper()
	p := k.folder(t, config)
	p.write(t, "backend.tf", k.backend(t, url, ws, flags...))
	p.run(t, "init").works(t)
	return p
}

// folder makes a folder with a configuration that has no backend yet.
func (k kind) folder(t *testing.T, config string) *project {
	t.Helper()
	dir := t.TempDir()
	p := &project{kind: k, dir: dir, env: []string{
		"PATH=" + os.Getenv("PATH"), "HOME=" + dir, "TMPDIR=" + dir,
		"CHECKPOINT_DISABLE=1", "TF_CLI_CONFIG_FILE=/dev/null", "TF_IN_AUTOMATION=1", "TF_CLI_ARGS=-no-color",
	}}
	p.write(t, "main.tf", config)
	return p
}

// backend gives the settings for a workspace.
func (k kind) backend(t *testing.T, url, ws string, flags ...string) string {
	t.Helper()
	args := append([]string{"backend-config", "--url=" + url, ws}, flags...)
	if k.verbs {
		args = append(args, "--verbs")
	}
	c := exec.CommandContext(t.Context(), statelock(t), args...)
	c.Stderr = os.Stderr
	out, err := c.Output()
	if err != nil {
		t.Fatalf("%s: %v", c, err)
	}
	return string(out)
}

func (p *project) path(name string) string { return filepath.Join(p.dir, name) }

func (p *project) write(t *testing.T, name, text string) {
	t.Helper()
	if err := os.WriteFile(p.path(name), []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

// run starts the client. An apply or destroy asks nobody.
func (p *project) run(t *testing.T, args ...string) *process {
	t.Helper()
	switch args[0] {
	case "apply", "destroy":
		args = append([]string{args[0], "-auto-approve", "-input=false"}, args[1:]...)
	case "init", "plan":
		args = append([]string{args[0], "-input=false"}, args[1:]...)
	}
	return start(t, p.dir, p.env, p.program, args...)
}

// apply changes the thing.
func (p *project) apply(t *testing.T, change string, flags ...string) *process {
	t.Helper()
	return p.run(t, append([]string{"apply", "-var=change=" + change}, flags...)...)
}

// applyHeld changes the thing and stops in the middle, with the lock held. To
// go on it needs open.
func (p *project) applyHeld(t *testing.T, change string, flags ...string) (held *process, open func()) {
	t.Helper()
	gate := p.path("gate-" + change)
	held = p.apply(t, change, append(flags, "-var=gate="+gate)...)
	held.await(t, "(local-exec): at the gate")
	return held, func() { p.write(t, filepath.Base(gate), "") }
}

// pull gives the state as the client reads it.
func (p *project) pull(t *testing.T) string {
	t.Helper()
	c := p.run(t, "state", "pull")
	c.works(t)
	return c.stdout.String()
}

// erroredState gives the state that the client couldn't store, "" if there is
// none.
func (p *project) erroredState(t *testing.T) string {
	t.Helper()
	text, err := os.ReadFile(p.path("errored.tfstate"))
	if err != nil && !os.IsNotExist(err) {
		t.Fatal(err)
	}
	return strings.TrimSpace(string(text))
}
