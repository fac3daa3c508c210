// Torture lets many clients fight over a few locks through a bad network, for as
// long as asked, and checks what they were told. See package torture.
package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"runtime/debug"
	"syscall"
)

func main() {
	// Runs make garbage fast and keep little of it: memory for speed.
	debug.SetGCPercent(400)
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	if err := newCommand().ExecuteContext(ctx); err != nil {
		if !errors.Is(err, errViolated) { // that has been said at length
			fmt.Fprintln(os.Stderr, "torture:", err)
		}
		stop()
		os.Exit(1)
	}
}
