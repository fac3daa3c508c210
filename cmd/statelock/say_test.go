package main

import (
	"io"
	"testing"
	"testing/synctest"
	"time"
)

// A reader that has stalled holds nobody up, and gets all of it in the end.
func TestPatientSayer(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		r, w := io.Pipe()
		say, finish := patient(sayer(w, false))
		start := time.Now()
		say("one")
		say("%s", "two")
		if time.Since(start) != 2*time.Second {
			t.Errorf("held up for %v", time.Since(start))
		}
		go func() {
			finish()
			w.Close() //nolint:errcheck // a pipe's end never fails
		}()
		if all, err := io.ReadAll(r); err != nil || string(all) != "statelock: one\nstatelock: two\n" {
			t.Errorf("said %q, %v", all, err)
		}
	})
}
