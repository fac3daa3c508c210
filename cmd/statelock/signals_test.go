package main

import (
	"os"
	"syscall"
	"testing"
	"time"
)

// The same signal twice in a moment is one; a person's second is a second.
func TestEchoes(t *testing.T) {
	t.Parallel()
	e, start := echoes{}, time.Now()
	for _, c := range []struct {
		signal os.Signal
		after  time.Duration
		echo   bool
	}{
		{syscall.SIGTERM, 0, false},
		{syscall.SIGTERM, 0, true},
		{os.Interrupt, time.Millisecond, false},
		{syscall.SIGTERM, 249 * time.Millisecond, true},
		{syscall.SIGTERM, 250 * time.Millisecond, false}, // after the one that was passed on
		{syscall.SIGTERM, 300 * time.Millisecond, true},
		{os.Interrupt, time.Second, false},
	} {
		if got := e.have(c.signal, start.Add(c.after)); got != c.echo {
			t.Errorf("%v after %v: %v", c.signal, c.after, got)
		}
	}
}
