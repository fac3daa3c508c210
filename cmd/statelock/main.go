// Command statelock is the state-lock service for one machine, and its tools.
package main

import (
	"context"
	"os"
)

func main() {
	c, err := root().ExecuteContextC(context.Background())
	os.Exit(report(c, err))
}
