package engine

import (
	"fmt"
	"path/filepath"
	"testing"
	"time"

	"github.com/statelock/statelock/localtest/engine/kv"
)

// Tokens that are too old to matter go, from memory and from the file.
func TestOldTokensAreForgotten(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "tables.db")
	e, err := Open(path)
	if err != nil {
		t.Fatal(err)
	}
	now := time.Date(2030, 1, 2, 3, 4, 5, 0, time.UTC)
	for i := range 50 {
		name := fmt.Sprint("token ", i)
		if err := e.commitWithToken(nil, name, token{Digest: "digest", At: now.Add(time.Duration(i) * time.Minute)}); err != nil {
			t.Fatal(err)
		}
	}
	if n := len(e.tokens); n < 10 || n > 20 {
		t.Errorf("%d tokens are remembered, of which 10 matter", n)
	}
	inMemory := len(e.tokens)
	if err := e.Close(); err != nil {
		t.Fatal(err)
	}
	file, err := kv.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	inFile := 0
	if err := file.Each(tokensBucket, func(_, _ []byte) error { inFile++; return nil }); err != nil {
		t.Fatal(err)
	}
	if inFile != inMemory {
		t.Errorf("%d tokens are in the file, %d in memory", inFile, inMemory)
	}
	if err := file.Close(); err != nil {
		t.Fatal(err)
	}
}
