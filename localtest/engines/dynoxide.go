package engines

import (
	"context"
	"io"
	"os/exec"
	"path/filepath"
	"strconv"
)

// Dynoxide is the crate dynoxide-rs. Installing it needs cargo (Rust 1.88 or
// later) and a C compiler, and takes a few minutes.
var Dynoxide = Engine{
	Name:    "dynoxide",
	Version: "3.2.0",
	install: func(ctx context.Context, dir string, log io.Writer) error {
		// The server alone; its other features would only cost build time.
		return run(ctx, dir, log, "cargo", "install", "dynoxide-rs", "--version", "3.2.0", "--locked",
			"--no-default-features", "--features", "native-sqlite,http-server,cli", "--root", dir)
	},
	command: func(ctx context.Context, dir string, port int, opt Options) *exec.Cmd {
		args := []string{"--host", "127.0.0.1", "--port", strconv.Itoa(port)}
		if opt.Data != "" {
			args = append(args, "--db-path", filepath.Join(opt.Data, "dynoxide.db"))
		}
		return exec.CommandContext(ctx, filepath.Join(dir, "bin", "dynoxide"), args...)
	},
	front: dynoxideProxy,
}
