// Command engine serves the embedded DynamoDB engine on its own, for any client
// that speaks DynamoDB's JSON protocol.
package main

import (
	"context"
	"fmt"
	"os"
	"os/signal"
	"syscall"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	if err := newCommand().ExecuteContext(ctx); err != nil {
		fmt.Fprintln(os.Stderr, "engine:", err)
		stop()
		os.Exit(1)
	}
}
