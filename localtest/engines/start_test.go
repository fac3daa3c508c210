package engines

import (
	"context"
	"embed"
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

func TestByName(t *testing.T) {
	t.Parallel()
	for _, e := range All() {
		if got, err := ByName(e.Name); err != nil || got.Name != e.Name {
			t.Errorf("ByName(%q) = %q, %v", e.Name, got.Name, err)
		}
	}
	if _, err := ByName("dynamo"); err == nil || !strings.Contains(err.Error(), "dynalite") {
		t.Errorf("ByName of an unknown engine: got %v, want an error that lists the known", err)
	}
}

func TestNotInstalled(t *testing.T) {
	t.Setenv("STATELOCK_CACHE", t.TempDir())
	for _, e := range All() {
		_, err := e.Start(t.Context(), Options{})
		missing, ok := errors.AsType[*NotInstalledError](err)
		if !ok || missing.Name != e.Name || missing.Version != e.Version {
			t.Errorf("%s: got error %v, want a NotInstalledError of it", e.Name, err)
		}
	}
}

func TestMotoRefusesData(t *testing.T) {
	t.Parallel()
	if _, err := Moto.Start(t.Context(), Options{Data: t.TempDir()}); err == nil {
		t.Error("moto was started with a data folder, which it would not use")
	}
}

func TestProgramThatEndsIsReportedWithItsWords(t *testing.T) {
	t.Setenv("STATELOCK_CACHE", t.TempDir())
	e := shellEngine("echo no such module >&2; exit 3")
	if err := e.Install(t.Context(), io.Discard); err != nil {
		t.Fatal(err)
	}
	_, err := e.Start(t.Context(), Options{})
	if err == nil || !strings.Contains(err.Error(), "no such module") || !strings.Contains(err.Error(), "exit status 3") {
		t.Errorf("got %v, want the program's words and exit status", err)
	}
}

func TestBrokenOffInstallationIsNone(t *testing.T) {
	cache := t.TempDir()
	t.Setenv("STATELOCK_CACHE", cache)
	e := shellEngine("")
	e.install = func(_ context.Context, dir string, _ io.Writer) error {
		if err := os.WriteFile(filepath.Join(dir, "half"), nil, 0o600); err != nil {
			t.Fatal(err)
		}
		return errors.New("network is down")
	}
	if err := e.Install(t.Context(), io.Discard); err == nil || !strings.Contains(err.Error(), "network is down") {
		t.Errorf("Install: got %v, want its step's error", err)
	}
	if _, err := e.installed(); err == nil {
		t.Error("a failed installation is taken for one")
	}
	if left, err := os.ReadDir(filepath.Join(cache, "engines")); err != nil || len(left) != 0 {
		t.Errorf("a failed installation leaves %v behind (%v)", left, err)
	}
}

// shellEngine is an engine whose program is a shell script.
func shellEngine(script string) Engine {
	return Engine{
		Name: "shell", Version: "1", pins: embed.FS{},
		install: func(context.Context, string, io.Writer) error { return nil },
		command: func(ctx context.Context, _ string, _ int, _ Options) *exec.Cmd {
			return exec.CommandContext(ctx, "sh", "-c", script)
		},
	}
}
