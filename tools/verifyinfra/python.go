package main

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"github.com/statelock/statelock/localtest/engines"
	"github.com/statelock/statelock/localtest/templates"
)

// venv gives the folder of the programs of a Python environment with pinned
// requirements, made on first use.
func (f *folder) venv(ctx context.Context, name string) (string, error) {
	requirements := f.path("tools", name, "requirements.txt")
	pins, err := os.ReadFile(requirements)
	if err != nil {
		return "", err
	}
	cache, err := engines.CacheDir()
	if err != nil {
		return "", err
	}
	dir := filepath.Join(cache, fmt.Sprintf("%s-%x", name, sha256.Sum256(pins))[:len(name)+9])
	programs := filepath.Join(dir, "bin")
	if _, err := os.Stat(programs); err == nil {
		return programs, nil
	}
	if _, err := exec.LookPath("python3"); err != nil {
		return "", fmt.Errorf("%w: there is no python3", errAbsent)
	}
	// Programs name the folder they are in, so it is made where it stays, and one
	// that was broken off is taken away.
	_, err = f.run(ctx, nil, "python3", "-m", "venv", dir)
	if err == nil {
		_, err = f.run(ctx, nil, filepath.Join(programs, "python3"), "-m", "pip",
			"--disable-pip-version-check", "install", "--quiet", "--requirement", requirements)
	}
	if err != nil {
		return "", errors.Join(err, os.RemoveAll(dir))
	}
	return programs, nil
}

// pinned gives the version of a package that an environment is pinned to.
func (f *folder) pinned(name, of string) string {
	pins, err := os.ReadFile(f.path("tools", name, "requirements.txt"))
	if err != nil {
		return err.Error()
	}
	for line := range strings.Lines(string(pins)) {
		if version, ok := strings.CutPrefix(strings.TrimSpace(line), of+"=="); ok {
			return of + " " + version
		}
	}
	return of
}

// translated gives the path of the CloudFormation template that template.yaml
// stands for.
func (f *folder) translated(ctx context.Context) (string, error) {
	programs, err := f.venv(ctx, "sam")
	if err != nil {
		return "", err
	}
	template, err := f.run(ctx, nil, filepath.Join(programs, "python3"), f.path("tools", "sam", "translate.py"), f.path("template.yaml"))
	if err != nil {
		return "", err
	}
	return f.made("cloudformation.json"), os.WriteFile(f.made("cloudformation.json"), template, 0o644)
}

func cfnLint(ctx context.Context, f *folder) (string, error) {
	version := f.pinned("sam", "cfn-lint")
	programs, err := f.venv(ctx, "sam")
	if err != nil {
		return version, err
	}
	translated, err := f.translated(ctx)
	if err != nil {
		return version, err
	}
	for _, template := range []string{f.path("template.yaml"), translated} {
		// As CI's environment of the same name: it may have been moved after it was made.
		if _, err := f.run(ctx, nil, filepath.Join(programs, "python3"), "-c", "from cfnlint.runner import main; main()", template); err != nil {
			return version, err
		}
	}
	return version, nil
}

func samCLI(ctx context.Context, f *folder) (string, error) {
	version := f.pinned("samcli", "aws-sam-cli")
	programs, err := f.venv(ctx, "samcli")
	if err != nil {
		return version, err
	}
	if err := f.build(ctx); err != nil {
		return version, err
	}
	quiet := []string{"SAM_CLI_TELEMETRY=0", "AWS_DEFAULT_REGION=eu-west-1"}
	sam := filepath.Join(programs, "sam")
	if _, err := f.run(ctx, quiet, sam, "validate", "--lint", "--template", "template.yaml"); err != nil {
		return version, err
	}
	if _, err := f.run(ctx, quiet, sam, "build", "--template", "template.yaml", "--build-dir", f.made("sam")); err != nil {
		return version, err
	}
	built, err := os.ReadFile(f.made("sam", "template.yaml"))
	if err == nil && bytes.Count(built, []byte("CodeUri:")) == 0 {
		err = errors.New("sam build left no code in its template")
	}
	return version, err
}

// build makes the archive that is deployed.
func (f *folder) build(ctx context.Context) error {
	_, err := f.run(ctx, nil, "make", "build/lock.zip")
	return err
}

// motoPython gives the Python of moto's environment, made on first use.
func motoPython(ctx context.Context) (string, error) {
	if err := engines.Moto.Install(ctx, io.Discard); err != nil {
		return "", fmt.Errorf("%w: %w", errAbsent, err)
	}
	dir, err := engines.Moto.Dir()
	return filepath.Join(dir, "venv", "bin", "python3"), err
}

// openapi asks a validator, which moto brings, and the tests about the document.
func openapi(ctx context.Context, f *folder) (string, error) {
	version := "openapi-spec-validator"
	python, err := motoPython(ctx)
	if err != nil {
		return version, err
	}
	printed, err := f.run(ctx, nil, python, "-c", "from importlib.metadata import version; print(version('openapi-spec-validator'))")
	if err != nil {
		return version, err
	}
	version += " " + firstLine(printed)
	if _, err := f.run(ctx, nil, python, "-m", "openapi_spec_validator", "--schema", "3.1", "docs/openapi.yaml"); err != nil {
		return version, err
	}
	_, err = f.run(ctx, nil, "go", "test", "-count=1", "-run", "^TestOpenAPI", "./localtest/templates")
	return version, err
}

func moto(ctx context.Context, f *folder) (string, error) {
	version := "moto " + engines.Moto.Version
	python, err := motoPython(ctx)
	if err != nil {
		return version, err
	}
	translated, err := f.translated(ctx)
	if err != nil {
		return version, err
	}
	for _, parameters := range []map[string]string{{}, templates.Everything()} {
		given, err := json.Marshal(parameters)
		if err != nil {
			return version, err
		}
		command := exec.CommandContext(ctx, python, "-W", "ignore", f.path("tools", "sam", "stack.py"), translated, string(given))
		var says bytes.Buffer
		command.Stderr = &says // what it has no support for, at length
		exists, err := command.Output()
		if err != nil {
			return version, fmt.Errorf("stack.py: %w\n%s", err, says.Bytes())
		}
		if err := compareStack(f, parameters, exists); err != nil {
			return version, fmt.Errorf("with the parameters %s:\n%w", given, err)
		}
	}
	return version, nil
}
