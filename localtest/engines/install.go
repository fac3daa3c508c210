package engines

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
)

// CacheDir is where statelock's development tools keep what they install:
// STATELOCK_CACHE if set, else "statelock" in the user's cache folder.
func CacheDir() (string, error) {
	if dir := os.Getenv("STATELOCK_CACHE"); dir != "" {
		return filepath.Abs(dir)
	}
	dir, err := os.UserCacheDir()
	if err != nil {
		return "", fmt.Errorf("no cache folder (set STATELOCK_CACHE): %w", err)
	}
	return filepath.Join(dir, "statelock"), nil
}

// Dir is the folder of e's installation, whether or not it exists. Its name
// changes with the pinned version and files, so an installation is never
// stale: it is there as pinned, or it is not there.
func (e Engine) Dir() (string, error) {
	cache, err := CacheDir()
	if err != nil {
		return "", err
	}
	h := sha256.New()
	err = fs.WalkDir(e.pins, ".", func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		data, err := fs.ReadFile(e.pins, name)
		fmt.Fprintf(h, "%s %d\n%s", name, len(data), data)
		return err
	})
	if err != nil {
		return "", err
	}
	return filepath.Join(cache, "engines", fmt.Sprintf("%s-%s-%x", e.Name, e.Version, h.Sum(nil)[:4])), nil
}

// installed is e's folder, or a *NotInstalledError.
func (e Engine) installed() (string, error) {
	dir, err := e.Dir()
	if err != nil {
		return "", err
	}
	if _, err := os.Stat(dir); errors.Is(err, fs.ErrNotExist) {
		return "", &NotInstalledError{e.Name, e.Version}
	} else if err != nil {
		return "", err
	}
	return dir, nil
}

// Install puts e into the cache folder, unless it is there already. It needs
// the engine's own tools (npm, cargo, or python3 with venv) and a package
// registry. What those tools print goes to log.
func (e Engine) Install(ctx context.Context, log io.Writer) error {
	dir, err := e.Dir()
	if err != nil {
		return err
	}
	if _, err := os.Stat(dir); err == nil {
		return nil
	}
	if err := os.MkdirAll(filepath.Dir(dir), 0o755); err != nil {
		return err
	}
	// Built aside and renamed: an installation that was broken off is never
	// taken for a whole one, and two installers don't meet.
	aside, err := os.MkdirTemp(filepath.Dir(dir), ".installing-"+e.Name+"-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(aside)
	if err := os.CopyFS(aside, e.pins); err != nil {
		return err
	}
	if err := e.install(ctx, aside, log); err != nil {
		return fmt.Errorf("installing %s %s: %w", e.Name, e.Version, err)
	}
	if err := os.Rename(aside, dir); err != nil && !errors.Is(err, fs.ErrExist) {
		return err
	}
	return nil
}

// run runs one step of an installation in dir.
func run(ctx context.Context, dir string, log io.Writer, name string, args ...string) error {
	cmd := exec.CommandContext(ctx, name, args...)
	cmd.Dir, cmd.Stdout, cmd.Stderr = dir, log, log
	if err := cmd.Run(); err != nil {
		return fmt.Errorf("%s: %w", cmd, err)
	}
	return nil
}
