package main

import (
	"archive/zip"
	"compress/flate"
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
)

// sizes are how large a function is, in bytes, and where one is that runs here.
type sizes struct {
	bootstrap       string
	binary, archive int64
}

// build builds a function twice, as it is deployed: for this machine, to run it,
// and for Lambda, to weigh it.
func build(ctx context.Context, dir, source string) (sizes, error) {
	own, err := os.MkdirTemp(dir, "")
	if err != nil {
		return sizes{}, err
	}
	s := sizes{bootstrap: filepath.Join(own, "bootstrap")}
	if err := compile(ctx, source, s.bootstrap); err != nil {
		return s, err
	}
	deployed := filepath.Join(own, "deployed")
	if err := compile(ctx, source, deployed, "GOOS=linux", "GOARCH=arm64"); err != nil {
		return s, err
	}
	info, err := os.Stat(deployed)
	if err != nil {
		return s, err
	}
	s.binary = info.Size()
	s.archive, err = packed(deployed)
	return s, err
}

// compile builds with the flags of the Makefile's LAMBDA_BUILD.
func compile(ctx context.Context, source, to string, env ...string) error {
	command := exec.CommandContext(ctx, "go", "build", "-tags", "lambda.norpc", "-trimpath", "-buildvcs=false", "-ldflags=-s -w -buildid=", "-o", to, source)
	command.Env = append(append(os.Environ(), "CGO_ENABLED=0"), env...)
	if out, err := command.CombinedOutput(); err != nil {
		return fmt.Errorf("build %s: %w\n%s", source, err, out)
	}
	return nil
}

// packed is how many bytes an archive of one file has.
func packed(path string) (int64, error) {
	in, err := os.Open(path)
	if err != nil {
		return 0, err
	}
	defer in.Close()
	var counted counter
	archive := zip.NewWriter(&counted)
	archive.RegisterCompressor(zip.Deflate, func(w io.Writer) (io.WriteCloser, error) { return flate.NewWriter(w, flate.BestCompression) })
	w, err := archive.Create("bootstrap")
	if err != nil {
		return 0, err
	}
	if _, err := io.Copy(w, in); err != nil {
		return 0, err
	}
	err = archive.Close()
	return int64(counted), err
}

// counter counts what is written to it.
type counter int64

func (c *counter) Write(p []byte) (int, error) {
	*c += counter(len(p))
	return len(p), nil
}
