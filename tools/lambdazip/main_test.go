package main

import (
	"archive/zip"
	"bytes"
	"io"
	"os"
	"path/filepath"
	"testing"
	"time"
)

func TestArchiveHoldsTheExecutable(t *testing.T) {
	t.Parallel()
	archive, program := packed(t, time.Now())
	r, err := zip.NewReader(bytes.NewReader(archive), int64(len(archive)))
	if err != nil {
		t.Fatal(err)
	}
	if len(r.File) != 1 || r.File[0].Name != "bootstrap" || r.File[0].Mode() != 0o755 {
		t.Fatalf("got files %v, want one executable named bootstrap", r.File)
	}
	f, err := r.File[0].Open()
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if got, err := io.ReadAll(f); err != nil || !bytes.Equal(got, program) {
		t.Errorf("got %d bytes (%v), want the %d of the executable", len(got), err, len(program))
	}
}

func TestArchiveDoesNotDependOnTime(t *testing.T) {
	t.Parallel()
	first, _ := packed(t, time.Date(2001, 2, 3, 4, 5, 6, 0, time.UTC))
	second, _ := packed(t, time.Date(2020, 2, 3, 4, 5, 6, 0, time.UTC))
	if !bytes.Equal(first, second) {
		t.Error("the same executable, built at two times, gives two archives")
	}
}

// packed is the archive of an executable last changed at a time.
func packed(t *testing.T, changed time.Time) (archive, program []byte) {
	t.Helper()
	dir := t.TempDir()
	program = bytes.Repeat([]byte("\x7fELF and so on\n"), 1000)
	executable, out := filepath.Join(dir, "bootstrap"), filepath.Join(dir, "lock.zip")
	if err := os.WriteFile(executable, program, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Chtimes(executable, changed, changed); err != nil {
		t.Fatal(err)
	}
	if err := pack(out, executable); err != nil {
		t.Fatal(err)
	}
	archive, err := os.ReadFile(out)
	if err != nil {
		t.Fatal(err)
	}
	return archive, program
}
