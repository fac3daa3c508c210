package e2e

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"

	"github.com/statelock/statelock/localtest/engines"
)

// tofuMod is where OpenTofu and all it is made of are pinned, seen from the
// project's folder.
const tofuMod = "tools/opentofu.mod"

// Tofu is where the pinned OpenTofu is, or will be, for the project at root.
// The name changes with the pins: what is there is as pinned.
func Tofu(root string) (string, error) {
	pins, err := os.ReadFile(filepath.Join(root, tofuMod))
	if err != nil {
		return "", err
	}
	cache, err := engines.CacheDir()
	if err != nil {
		return "", err
	}
	return filepath.Join(cache, fmt.Sprintf("tofu-%x", sha256.Sum256(pins))[:len("tofu-")+8], "tofu"), nil
}

// BuildTofu builds the pinned OpenTofu, which takes some minutes, unless it is
// there already. It returns where it is. What the build prints goes to log.
func BuildTofu(ctx context.Context, root string, log io.Writer) (string, error) {
	program, err := Tofu(root)
	if err != nil {
		return "", err
	}
	if _, err := os.Stat(program); !errors.Is(err, fs.ErrNotExist) {
		return program, err
	}
	dir := filepath.Dir(program)
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return "", err
	}
	// Built aside and renamed: what was broken off is never taken for a whole
	// one, and two builds don't meet.
	aside, err := os.MkdirTemp(dir, ".building-")
	if err != nil {
		return "", err
	}
	defer os.RemoveAll(aside)
	built := filepath.Join(aside, "tofu")
	build := exec.CommandContext(ctx, "go", "build", "-modfile="+tofuMod, "-trimpath", "-buildvcs=false",
		"-ldflags=-s -w -X github.com/opentofu/opentofu/version.dev=no", "-o", built, "github.com/opentofu/opentofu/cmd/tofu")
	build.Dir, build.Stdout, build.Stderr = root, log, log
	if err := build.Run(); err != nil {
		return "", fmt.Errorf("build OpenTofu: %w", err)
	}
	return program, os.Rename(built, program)
}
