package engines

import (
	"context"
	"embed"
	"io"
	"os/exec"
	"path/filepath"
	"strconv"
)

//go:embed dynalite/launcher.js dynalite/package.json dynalite/package-lock.json
var dynaliteFiles embed.FS

// Dynalite is github.com/architect/dynalite behind our launcher. It has no
// UpdateTimeToLive, no transactions and no streams. Installing it needs npm,
// running it node 20 or later.
var Dynalite = Engine{
	Name:    "dynalite",
	Version: "4.0.0",
	pins:    dynaliteFiles,
	install: func(ctx context.Context, dir string, log io.Writer) error {
		// No package needs its install script: the one that has native code
		// brings it built.
		return run(ctx, filepath.Join(dir, "dynalite"), log, "npm", "ci", "--ignore-scripts", "--no-audit", "--no-fund")
	},
	command: func(ctx context.Context, dir string, port int, opt Options) *exec.Cmd {
		args := []string{filepath.Join(dir, "dynalite", "launcher.js"), "--port", strconv.Itoa(port)}
		if opt.Data != "" {
			args = append(args, "--path", opt.Data)
		}
		return exec.CommandContext(ctx, "node", args...)
	},
}
