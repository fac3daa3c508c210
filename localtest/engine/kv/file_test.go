package kv

import (
	"errors"
	"path/filepath"
	"strings"
	"testing"
)

// contents are a bucket's pairs, in order.
func contents(t *testing.T, f *File, bucket string) string {
	t.Helper()
	var pairs []string
	err := f.Each(bucket, func(key, value []byte) error {
		pairs = append(pairs, string(key)+"="+string(value))
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return strings.Join(pairs, " ")
}

func TestFile(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "data.db")
	f, err := Open(path)
	if err != nil {
		t.Fatal(err)
	}
	change := func(fn func(Tx) error) {
		t.Helper()
		if err := f.Update(fn); err != nil {
			t.Fatal(err)
		}
	}
	change(func(tx Tx) error {
		return errors.Join(tx.Put("a", []byte("2"), []byte("two")), tx.Put("a", []byte("1"), []byte("one")), tx.Put("b", []byte("3"), nil))
	})
	change(func(tx Tx) error {
		return errors.Join(tx.Delete("a", []byte("2")), tx.Delete("a", []byte("9")), tx.Delete("nope", []byte("1")), tx.Drop("b"), tx.Drop("nope"))
	})
	// A change that fails halfway is none.
	failure := errors.New("failure")
	err = f.Update(func(tx Tx) error { return errors.Join(tx.Put("a", []byte("3"), []byte("three")), failure) })
	if !errors.Is(err, failure) {
		t.Errorf("failed change: %v", err)
	}
	if err := f.Each("a", func(_, _ []byte) error { return failure }); !errors.Is(err, failure) {
		t.Errorf("failed visit: %v", err)
	}
	if _, err := Open(path); !errors.Is(err, ErrInUse) {
		t.Errorf("opened twice: %v", err)
	}
	for range 2 {
		if a, b := contents(t, f, "a"), contents(t, f, "b"); a != "1=one" || b != "" {
			t.Errorf("a has %q, b has %q", a, b)
		}
		if err := f.Close(); err != nil {
			t.Fatal(err)
		}
		if f, err = Open(path); err != nil {
			t.Fatal(err)
		}
	}
	if err := f.Close(); err != nil {
		t.Fatal(err)
	}
	if err := f.Update(func(Tx) error { return nil }); err == nil {
		t.Error("changed a closed file")
	}
}
