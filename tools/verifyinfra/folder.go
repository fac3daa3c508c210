package main

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
)

// folder is where checks put what they make: Terraform, for one, writes next to
// what it reads.
type folder struct {
	project string
	scratch string
}

func newFolder() (*folder, error) {
	out, err := exec.Command("go", "env", "GOMOD").Output()
	if err != nil {
		return nil, fmt.Errorf("find the project: %w", err)
	}
	scratch, err := os.MkdirTemp("", "statelock-verify-")
	return &folder{filepath.Dir(strings.TrimSpace(string(out))), scratch}, err
}

func (f *folder) remove() { _ = os.RemoveAll(f.scratch) }

// path is of a file of the project.
func (f *folder) path(elements ...string) string {
	return filepath.Join(slices.Insert(elements, 0, f.project)...)
}

// made is the path of a file that a check makes.
func (f *folder) made(elements ...string) string {
	return filepath.Join(slices.Insert(elements, 0, f.scratch)...)
}

// run runs a program in the project's folder, with variables more, and gives what
// it printed. An error has that in it.
func (f *folder) run(ctx context.Context, more []string, program string, arguments ...string) ([]byte, error) {
	command := exec.CommandContext(ctx, program, arguments...)
	command.Dir = f.project
	command.Env = append(slices.DeleteFunc(os.Environ(), func(variable string) bool {
		// A configuration that is named and not there stops terraform.
		path, names := strings.CutPrefix(variable, "TF_CLI_CONFIG_FILE=")
		_, err := os.Stat(path)
		return names && err != nil
	}), more...)
	out, err := command.CombinedOutput()
	if err != nil {
		return out, fmt.Errorf("%s %s: %w\n%s", filepath.Base(program), strings.Join(arguments, " "), err, out)
	}
	return out, nil
}
