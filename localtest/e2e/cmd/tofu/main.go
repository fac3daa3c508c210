// Command tofu builds the pinned OpenTofu into the user's cache folder and
// prints where it is. It is run in the project's folder.
package main

import (
	"context"
	"fmt"
	"os"

	"github.com/statelock/statelock/localtest/e2e"
)

func main() {
	program, err := e2e.BuildTofu(context.Background(), ".", os.Stderr)
	if err != nil {
		fmt.Fprintln(os.Stderr, "tofu:", err)
		os.Exit(1)
	}
	fmt.Println(program)
}
