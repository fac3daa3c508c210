package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
)

func terraform(ctx context.Context, f *folder) (string, error) {
	if program, err := exec.LookPath("terraform"); err == nil {
		if _, err := f.run(ctx, nil, program, "fmt", "-check", "-diff", "-recursive", "infra"); err != nil {
			return "terraform", err
		}
	}
	return f.module(ctx, "terraform", nil)
}

func opentofu(ctx context.Context, f *folder) (string, error) {
	tofu := os.Getenv("STATELOCK_TOFU")
	if tofu == "" {
		return "opentofu", fmt.Errorf("%w: STATELOCK_TOFU names no tofu", errAbsent)
	}
	return f.module(ctx, "opentofu", []string{"TF=" + tofu})
}

// module validates and tests a copy of the module and its examples. STATELOCK_TF
// names the program that does, with the AWS provider at hand: it runs terraform,
// or what TF names.
func (f *folder) module(ctx context.Context, name string, env []string) (string, error) {
	program := os.Getenv("STATELOCK_TF")
	if program == "" {
		return name, fmt.Errorf("%w: STATELOCK_TF names no program that finds the AWS provider", errAbsent)
	}
	program, err := filepath.Abs(program)
	if err != nil {
		return name, err
	}
	printed, err := f.run(ctx, env, program, "version")
	if err != nil {
		return name, err
	}
	version := firstLine(printed)
	if err := f.build(ctx); err != nil { // the module reads the archive's digest
		return version, err
	}
	copied := f.made(name)
	if err := os.CopyFS(filepath.Join(copied, "infra"), os.DirFS(f.path("infra"))); err != nil {
		return version, err
	}
	if err := os.CopyFS(filepath.Join(copied, "build"), os.DirFS(f.path("build"))); err != nil {
		return version, err
	}
	modules, err := filepath.Glob(filepath.Join(copied, "infra", "examples", "*"))
	if err != nil || len(modules) == 0 {
		return version, errors.Join(err, errors.New("there are no examples"))
	}
	for _, module := range append(modules, filepath.Join(copied, "infra")) {
		for _, arguments := range [][]string{{"get"}, {"validate", "-no-color"}} {
			if _, err := f.run(ctx, env, program, append([]string{"-chdir=" + module}, arguments...)...); err != nil {
				return version, err
			}
		}
	}
	_, err = f.run(ctx, env, program, "-chdir="+filepath.Join(copied, "infra"), "test", "-no-color")
	return version, err
}

// archive runs the tests of what is deployed, on the archive.
func archive(ctx context.Context, f *folder) (string, error) {
	version := "runtime API 2018-06-01"
	_, err := f.run(ctx, nil, "go", "test", "-count=1", "-run", "^TestDeployed", "./functions/lock")
	return version, err
}
